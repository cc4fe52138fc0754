// Counts the messages and bytes of one client against an allowance that refills evenly.

import { countedAs } from '#core/network/ip-address.ts'
import type { Allowance, WebSocketLimits } from './limits.ts'

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

// What each client address, and each credential at an address, uses of the websocket limits. An entry stays after the last
// connection closes, until its allowance is full again: a client cannot reset a limit by reconnecting.

type Buffering = { readonly bufferedBytes: number }

export class AddressUse {
  readonly budget: Budget
  readonly connections = new Set<Buffering>()
  /** Handshakes under way and open connections. */
  sockets = 0
  /** Open connections that count only their messages here. */
  senders = 0
  /** Operations without an answer so far. */
  preparing = 0

  constructor(budget: Budget) {
    this.budget = budget
  }

  get bufferedBytes(): number {
    let bytes = 0
    for (const connection of this.connections) bytes += connection.bufferedBytes
    return bytes
  }

  isIdle(now: number): boolean {
    return this.sockets === 0 && this.senders === 0 && this.preparing === 0 && this.budget.isFull(now)
  }
}

export class Addresses {
  readonly #limits: WebSocketLimits
  readonly #used = new Map<string, AddressUse>()

  constructor(limits: WebSocketLimits) {
    this.#limits = limits
  }

  get size(): number {
    return this.#used.size
  }

  /** Returns the entry of an address, or of the holder of a credential that the address has proved. */
  of(address: string, now: number, holder: string | null = null): AddressUse {
    const counted = holder === null ? countedAs(address) : `${countedAs(address)} ${holder}`
    const known = this.#used.get(counted)
    if (known !== undefined) return known
    const use = new AddressUse(new Budget(this.#limits.addressAllowance, now))
    this.#used.set(counted, use)
    return use
  }

  /** Removes the addresses that use nothing. */
  forgetIdle(now: number): void {
    for (const [address, use] of this.#used) if (use.isIdle(now)) this.#used.delete(address)
  }
}
