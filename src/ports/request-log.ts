// Where the requests of businesses with their API keys are kept.
import type { ApiRequest } from '#core/accounts/api-request.ts'

export type RequestLogStore = {
  insert(requests: readonly ApiRequest[]): Promise<void>
  /** Deletes at most `limit` requests before a time. Returns how many there were. */
  removeExpired(before: Date, limit: number): Promise<number>
}
