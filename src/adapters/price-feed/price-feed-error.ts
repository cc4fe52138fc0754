/**
 * `timeout`: no answer before the caller's signal. `unreachable`: no connection, or a broken one. `http_status`: an answer
 * other than 2xx, with its number in `status`. `malformed`: an answer with another shape than this source's.
 */
export type PriceFeedErrorReason = 'timeout' | 'unreachable' | 'http_status' | 'malformed'

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
