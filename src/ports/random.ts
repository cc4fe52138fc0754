// The only source of randomness, so that the simulator can seed it.
export type Random = {
  bytes(length: number): Uint8Array
  /**
   * Returns a new id for a row: a UUID that begins with the time, so that a new row joins the end of each index by id,
   * however large the table is. The time can be read in it, and it is no secret.
   */
  uuid(): string
  /** Returns a number from 0 up to, not including, 1; for jitter only. */
  fraction(): number
}
