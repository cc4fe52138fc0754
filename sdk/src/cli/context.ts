// What every command has: the client, the sandbox of this machine, and the output.
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { SolanaPayments } from '../client.ts'
import type { Output } from './output.ts'

/** A mistake in the command, or a state that the person can change. `message` says how. */
export class CommandError extends Error {
  readonly exitCode: number

  constructor(message: string, exitCode = 1) {
    super(message)
    this.exitCode = exitCode
  }
}

/** The exit code of a command that was not understood. */
export const MISUSE = 2

export type Values = Readonly<Record<string, string | boolean | readonly (string | boolean)[] | undefined>>

/** What `npm start` writes for programs of its machine. */
export type SandboxFacts = {
  readonly api_key: string
  readonly base_url: string
  readonly operator_url: string
  readonly rpc_url: string
}

export type Context = {
  readonly client: SolanaPayments
  readonly key: string
  readonly url: string
  readonly values: Values
  readonly positionals: readonly string[]
  readonly output: Output
  readonly sandbox: { readonly facts: SandboxFacts; readonly operatorToken: string } | null
  /** Aborted by Ctrl-C. */
  readonly signal: AbortSignal
}

const NO_KEY =
  'No API key: pass --key, or set SOLANA_PAYMENTS_KEY. Where `npm start` of a sandbox runs, its directory has one: run the command there, or pass --data-dir.'

/** What a command has that talks to no service by a key. */
export type Given = Pick<Context, 'values' | 'positionals' | 'output' | 'signal'>

export async function contextFor(given: Given): Promise<Context> {
  const { values } = given
  const { env } = process
  const directory = text(values, 'data-dir') ?? env.DATA_DIR ?? '.data'
  const sandbox = await sandboxIn(directory)
  const key = text(values, 'key') ?? env.SOLANA_PAYMENTS_KEY ?? sandbox?.facts.api_key
  const url = text(values, 'url') ?? env.SOLANA_PAYMENTS_URL ?? sandbox?.facts.base_url
  if (key === undefined) throw new CommandError(NO_KEY)
  const client = new SolanaPayments({ apiKey: key, baseUrl: url, retries: 2 })
  return { ...given, client, key, url: url ?? 'http://127.0.0.1:4000', sandbox }
}

async function sandboxIn(directory: string): Promise<Context['sandbox']> {
  const read = (name: string) => readFile(join(directory, name), 'utf8').catch(() => null)
  const [facts, token] = await Promise.all([read('demo.json'), read('operator-token')])
  if (facts === null) return null
  return { facts: JSON.parse(facts), operatorToken: process.env.OPERATOR_TOKEN ?? token?.trim() ?? '' }
}

export function text(values: Values, name: string): string | undefined {
  const value = values[name]
  return typeof value === 'string' ? value : undefined
}

export function texts(values: Values, name: string): readonly string[] {
  const value = values[name]
  return [value ?? []].flat().flatMap((one) => (typeof one === 'string' ? one.split(',') : []))
}

/** Throws CommandError. */
export function count(values: Values, name: string, usual: number): number {
  const value = text(values, name)
  if (value === undefined) return usual
  if (!/^[1-9]\d{0,8}$/.test(value)) throw new CommandError(`--${name} is a whole number from 1.`)
  return Number(value)
}
