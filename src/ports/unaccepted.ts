// A record of tokens that are not allowed and were seen at deposit addresses, for the operator. It is no part of the books.
import type { Address, Network, Signature } from '#core/chain/types.ts'
import type { BaseUnits } from '#core/money/amounts.ts'

/** One arrival, as its transaction shows it. */
export type UnacceptedArrival = {
  readonly asset: string
  readonly amount: BaseUnits
  readonly signature: Signature
  readonly slot: bigint
}

/** The arrivals of one token at the address of one payment. */
export type UnacceptedToken = {
  readonly intentId: string
  readonly intentIndex: number
  readonly network: Network
  readonly address: string
  /** null for the sum of all further mints, when a payment has too many. */
  readonly mint: Address | null
  /** Whether the operator has allowed the token since. */
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
  /** Returns records, the latest seen first. */
  list(filter: {
    readonly network: Network | null
    readonly intent: { readonly id: string } | { readonly index: number } | null
    readonly limit: number
  }): Promise<readonly UnacceptedToken[]>
}
