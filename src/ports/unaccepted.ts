// What was seen of tokens that are not allowed: a record for the operator, apart from the books.
import type { Address, Network, Signature } from '#core/chain/types.ts'
import type { BaseUnits } from '#core/money/amounts.ts'

/** One arrival, as a transaction tells it. */
export type UnacceptedArrival = {
  readonly asset: string
  readonly amount: BaseUnits
  readonly signature: Signature
  readonly slot: bigint
}

/** What was seen of one token at one payment's address. */
export type UnacceptedToken = {
  readonly intentId: string
  readonly intentIndex: number
  readonly network: Network
  readonly address: string
  /** null for all mints beyond those that are told apart. */
  readonly mint: Address | null
  /** Whether the operator has allowed it since. */
  readonly isAllowed: boolean
  readonly arrivals: bigint
  /** Base units of all arrivals together, never reduced; null for several mints. */
  readonly amount: bigint | null
  readonly firstSignature: string
  readonly lastSignature: string
  readonly firstSeenAt: Date
  readonly lastSeenAt: Date
}

export type UnacceptedStore = {
  /**
   * Adds arrivals to the record of a payment, in one statement. Arrivals up to the newest recorded slot of a mint are
   * taken for known, so a block that is read twice counts once.
   */
  record(intentId: string, arrivals: readonly UnacceptedArrival[], now: Date): Promise<void>
  /** The latest seen first. */
  list(filter: {
    readonly network: Network | null
    readonly intent: { readonly id: string } | { readonly index: number } | null
    readonly limit: number
  }): Promise<readonly UnacceptedToken[]>
}
