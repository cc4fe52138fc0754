// The only source of randomness, so that the simulator can seed it.
export type Random = {
  bytes(length: number): Uint8Array
  uuid(): string
  /** Returns a number from 0 up to, not including, 1; for jitter only. */
  fraction(): number
}
