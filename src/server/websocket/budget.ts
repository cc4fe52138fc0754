// Counts the messages and bytes of one client against an allowance that refills evenly.
import type { Allowance } from '#server/websocket/limits.ts'

export class Budget {
  readonly #allowance: Allowance
  #messages = 0
  #bytes = 0
  #at: number

  constructor(allowance: Allowance, now: number) {
    this.#allowance = allowance
    this.#at = now
  }

  /** Counts one message. Returns false when the client is over its allowance. `now` is in milliseconds. */
  spend(bytes: number, now: number): boolean {
    this.#refill(now)
    this.#messages += 1
    this.#bytes += bytes
    return this.#messages <= this.#allowance.messages && this.#bytes <= this.#allowance.bytes
  }

  /** Returns true when nothing of the allowance is in use. */
  isFull(now: number): boolean {
    this.#refill(now)
    return this.#messages === 0 && this.#bytes === 0
  }

  #refill(now: number): void {
    const share = (now - this.#at) / this.#allowance.windowMs
    this.#at = now
    this.#messages = Math.max(0, this.#messages - share * this.#allowance.messages)
    this.#bytes = Math.max(0, this.#bytes - share * this.#allowance.bytes)
  }
}
