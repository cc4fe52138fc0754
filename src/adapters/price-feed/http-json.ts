// Reads a JSON document from an untrusted price source by one GET. The caller's signal bounds the time, and the size is
// bounded as well. Every number stays the text that the source wrote, because a double would change a price.
import type { z } from 'zod'
import { isPlausible } from '#core/money/price.ts'
import type { Price } from '#ports/price-feed.ts'

/**
 * `timeout`: no answer before the caller's signal. `unreachable`: no connection, or a broken one. `http_status`: an answer
 * other than 2xx, with its number in `status`. `malformed`: an answer with another shape than this source's.
 */
type PriceFeedErrorReason = 'timeout' | 'unreachable' | 'http_status' | 'malformed'

/**
 * A source gave no prices at all. An asset that a source does not know is not an error: it is left out of the answer. The
 * message contains no address, because an operator's address may contain a token.
 */
export class PriceFeedError extends Error {
  readonly source: string
  readonly reason: PriceFeedErrorReason
  readonly status: number | undefined

  constructor(
    source: string,
    reason: PriceFeedErrorReason,
    { status, detail }: { status?: number; detail?: string } = {},
  ) {
    super([`${source}: ${reason}`, status, detail].filter((part) => part !== undefined).join(' '))
    this.name = 'PriceFeedError'
    this.source = source
    this.reason = reason
    this.status = status
  }
}

const MAX_REPLY_BYTES = 512 * 1024

type JsonRequest<T> = {
  /** The source's name, for errors. */
  readonly source: string
  readonly url: URL
  readonly headers?: Readonly<Record<string, string>>
  readonly signal: AbortSignal
  /** Numbers arrive as strings, each exactly as the source wrote it. */
  readonly schema: z.ZodType<T>
}

/** Rejects with PriceFeedError only. */
export async function getJson<T>({ source, url, headers, signal, schema }: JsonRequest<T>): Promise<T> {
  const text = await getText(source, url, headers, signal).catch((error: unknown) => {
    throw asFeedError(source, signal, error)
  })
  const result = schema.safeParse(parseExactly(source, text))
  if (result.success) return result.data
  const [issue] = result.error.issues
  throw new PriceFeedError(source, 'malformed', { detail: `at ${issue?.path.join('.')}: ${issue?.message}` })
}

/** Returns `base` with a path below its own. Its query stays, because some providers put their key there. */
export function urlBelow(base: URL, path: string, query: readonly (readonly [string, string])[] = []): URL {
  const url = new URL(base)
  url.pathname = `${url.pathname.replace(/\/+$/, '')}${path}`
  for (const [name, value] of query) url.searchParams.append(name, value)
  return url
}

async function getText(
  source: string,
  url: URL,
  headers: JsonRequest<unknown>['headers'],
  signal: AbortSignal,
): Promise<string> {
  const response = await fetch(url, {
    headers: { accept: 'application/json', 'user-agent': 'solana-payments', ...headers },
    redirect: 'error',
    signal,
  })
  if (!response.ok) {
    await response.body?.cancel()
    throw new PriceFeedError(source, 'http_status', { status: response.status })
  }
  return await readBounded(source, response)
}

async function readBounded(source: string, response: Response): Promise<string> {
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of response.body ?? []) {
    size += chunk.length
    if (size > MAX_REPLY_BYTES) {
      throw new PriceFeedError(source, 'malformed', { detail: `more than ${MAX_REPLY_BYTES} bytes` })
    }
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8')
}

function parseExactly(source: string, text: string): unknown {
  const numberAsWritten = (_key: string, value: unknown, context?: { source?: string }): unknown =>
    typeof value === 'number' ? context?.source : value
  try {
    return JSON.parse(text, numberAsWritten)
  } catch {
    throw new PriceFeedError(source, 'malformed', { detail: 'not JSON' })
  }
}

function asFeedError(source: string, signal: AbortSignal, error: unknown): PriceFeedError {
  if (error instanceof PriceFeedError) return error
  return new PriceFeedError(source, signal.aborted ? 'timeout' : 'unreachable')
}

/**
 * Returns the symbol that a feed key names, in capitals: `SOL` for `sol`, `SOL/USD` and `SOL-USD`. Undefined for a key that
 * is not a ticker, such as a Pyth feed id, and for a pair that is not quoted in dollars.
 */
export function tickerOf(feedKey: string): string | undefined {
  return /^([A-Z0-9]{1,20})(?:[/-]USD)?$/.exec(feedKey.trim().toUpperCase())?.[1]
}

/** What a source says about one asset: its mint and the price; undefined when the source gave no usable price. */
export type SourcePrice = readonly [mint: string, price: Price | undefined]

/**
 * Returns the plausible prices of a source, keyed by mint: one impossible price does not discard the others. Throws
 * PriceFeedError when all prices are impossible, because then the source is broken.
 */
export function plausiblePrices(source: string, found: readonly SourcePrice[]): ReadonlyMap<string, Price> {
  const prices = new Map<string, Price>()
  for (const [mint, price] of found) {
    if (price !== undefined && isPlausible(price)) prices.set(mint, price)
  }
  if (found.length > 0 && prices.size === 0) {
    throw new PriceFeedError(source, 'malformed', { detail: 'no price that can be true' })
  }
  return prices
}
