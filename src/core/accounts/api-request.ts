// A request of a business with an API key, as its log has it. It has nothing of what was said, so it has no secret.

export type ApiRequest = {
  readonly accountId: string
  /** The last characters of the API key. */
  readonly keyHint: string
  readonly method: string
  /** The route as the table of routes has it, without the values of parameters. */
  readonly route: string
  readonly status: number
  /** The code of the refusal; null for what was done. */
  readonly errorCode: string | null
  readonly requestId: string
  readonly createdAt: Date
}
