/**
 * `timeout`: no answer before the caller's signal. `unreachable`: no connection, or it broke. `http_status`: an answer
 * other than 2xx, its number in `status`. `malformed`: an answer that is not what this source says.
 */
export type PriceFeedErrorReason = 'timeout' | 'unreachable' | 'http_status' | 'malformed'

/**
 * Why a source gave no prices at all; an asset that a source does not know is no error, it is left out of the answer.
 * The message never holds an address, because an operator's may carry a token.
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
