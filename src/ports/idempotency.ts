// Which request has used an idempotency key, and the id of what it creates.

export type KeyOf = { readonly accountId: string; readonly keyHash: Uint8Array }

export type Claim = KeyOf & {
  readonly requestHash: Uint8Array
  readonly objectId: string
  readonly createdAt: Date
}

export type IdempotencyStore = {
  /**
   * Stores a claim, or returns the one that is stored under its key. A claim of before `since` is forgotten, and one that was
   * released takes the new request.
   */
  claim(claim: Claim, since: Date): Promise<{ readonly objectId: string; readonly isSameRequest: boolean }>
  /** Frees a key for another request. Its object keeps the id, should it exist after all. */
  release(of: KeyOf, objectId: string): Promise<void>
  removeExpired(before: Date, limit: number): Promise<number>
}
