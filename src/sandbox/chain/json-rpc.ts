// The JSON-RPC 2.0 envelope, as Solana's nodes use it. Results travel as JSON text, so that what the runtime answered
// is passed on to the byte.
import { z } from 'zod'

// JSON in which every integer keeps its value: one beyond 2^53 (lamports and rent epochs go to 2^64) is a bigint here
// and plain digits on the wire.

/** Sixteen digits in a row are the fewest that a double may round; most texts have none and parse faster. */
const LONG_NUMBER = /\d{16}/

/** Throws SyntaxError on text that is not JSON. */
export function parseExactJson(text: string): unknown {
  return LONG_NUMBER.test(text) ? JSON.parse(text, exactly) : JSON.parse(text)
}

export const stringifyExactJson = (value: unknown): string =>
  JSON.stringify(value, (_key, part) => (typeof part === 'bigint' ? JSON.rawJSON(part.toString()) : part))

function exactly(_key: string, value: unknown, { source }: { readonly source?: string }): unknown {
  const isRounded = typeof value === 'number' && Number.isInteger(value) && !Number.isSafeInteger(value)
  return isRounded && source !== undefined && /^-?\d+$/.test(source) ? BigInt(source) : value
}

export type RpcCall = { readonly id: unknown; readonly method: string; readonly params: unknown }
/** Answers one method: takes its `params`, resolves to the result as JSON text, rejects with RpcFailure. */
export type RpcHandler = (params: unknown) => Promise<string>
export type RpcMethods = Readonly<Record<string, RpcHandler>>

/** An answer that is an error, with a code of JSON-RPC or of Solana's own. */
export class RpcFailure extends Error {
  readonly code: number
  readonly data: unknown

  constructor(code: number, message: string, data?: unknown) {
    super(message)
    this.name = 'RpcFailure'
    this.code = code
    this.data = data
  }
}

/** Codes of JSON-RPC, and those of Solana's that clients tell apart. */
export const RPC_CODES = {
  parse: -32700,
  invalidRequest: -32600,
  methodNotFound: -32601,
  invalidParams: -32602,
  internal: -32603,
  preflightFailed: -32002,
  signatureInvalid: -32003,
  blockNotAvailable: -32004,
  slotSkipped: -32007,
  versionUnsupported: -32015,
  contextNotReached: -32016,
} as const

const callSchema = z.object({ id: z.unknown().optional(), method: z.string(), params: z.unknown().optional() })

/**
 * Returns the calls of one request body; an entry that is no call is null. Throws RpcFailure when there is nothing to answer.
 */
export function readCalls(body: string): { readonly batch: boolean; readonly calls: readonly (RpcCall | null)[] } {
  const json = parseBody(body)
  const batch = Array.isArray(json)
  const entries: readonly unknown[] = batch ? json : [json]
  if (entries.length === 0) throw new RpcFailure(RPC_CODES.invalidRequest, 'Invalid request')
  const calls = entries.map((entry) => {
    const call = callSchema.safeParse(entry)
    return call.success ? { id: call.data.id ?? null, method: call.data.method, params: call.data.params ?? [] } : null
  })
  return { batch, calls }
}

function parseBody(body: string): unknown {
  try {
    return parseExactJson(body)
  } catch {
    throw new RpcFailure(RPC_CODES.parse, 'Parse error')
  }
}

/** Returns the params in the shape of `schema`. Throws RpcFailure(-32602) that names the first thing wrong. */
export function readParams<Schema extends z.ZodType>(schema: Schema, params: unknown): z.output<Schema> {
  const read = schema.safeParse(params)
  if (read.success) return read.data
  const [issue] = read.error.issues
  throw new RpcFailure(RPC_CODES.invalidParams, `Invalid params: ${issue?.path.join('.')} ${issue?.message}`)
}

export const callText = ({ id, method, params }: RpcCall): string =>
  `{"jsonrpc":"2.0","id":${stringifyExactJson(id)},"method":${JSON.stringify(method)},"params":${stringifyExactJson(params)}}`

export const resultText = (id: unknown, result: string): string =>
  `{"jsonrpc":"2.0","id":${stringifyExactJson(id)},"result":${result}}`

export function failureText(id: unknown, { code, message, data }: RpcFailure): string {
  const error = stringifyExactJson({ code, message, ...(data === undefined ? {} : { data }) })
  return `{"jsonrpc":"2.0","id":${stringifyExactJson(id)},"error":${error}}`
}

/** Returns a result that comes with the slot it was read at. */
export const withContext = (slot: number, value: string): string =>
  `{"context":{"apiVersion":"2.0.0","slot":${slot}},"value":${value}}`

export const addressParam = z.string().regex(/^[1-9A-HJ-NP-Za-km-z]{32,44}$/, 'is not an address')
export const signatureParam = z.string().regex(/^[1-9A-HJ-NP-Za-km-z]{64,88}$/, 'is not a signature')
export const slotParam = z.number().int().nonnegative()

export const COMMITMENTS = ['processed', 'confirmed', 'finalized'] as const
export type Commitment = (typeof COMMITMENTS)[number]
/** Returns a trailing config parameter that may be missing or null, which means its defaults. */
export const configured = <Config extends z.ZodType>(config: Config) =>
  config.nullish().transform((given) => given ?? config.parse({}))
/** As on every node, nothing said means finalized. */
export const readConfig = z.object({
  commitment: z.enum(COMMITMENTS).default('finalized'),
  minContextSlot: slotParam.optional(),
})
export type ReadConfig = z.output<typeof readConfig>
