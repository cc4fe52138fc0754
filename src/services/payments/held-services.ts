// The use cases of money that waits for a person. For the operator.
import type { Address, Asset, Network } from '#core/chain/types.ts'
import type { HeldFilter, HeldPayment, Release, UnacceptedToken } from '#ports/held.ts'

export type HeldPage = {
  readonly payments: readonly HeldPayment[]
  /** The `afterIndex` of the next page; null at the end. */
  readonly nextIndex: number | null
  /** The number of payments that all pages leave out because they hold only dust, up to 1,000. */
  readonly dustPayments: number
}

/** Lists and releases held money. */
export type HeldServices = {
  /** Returns a page of payments with held money, the newest payment first. Throws `invalid_request` on a negative index. */
  payments(
    filter: HeldFilter & {
      readonly afterIndex: number | null
      readonly includeDust: boolean
      readonly limit: number
    },
  ): Promise<HeldPage>
  /**
   * Returns tokens that are not allowed and were seen at deposit addresses, the latest first. `intent` is an index or an id.
   * Throws `intent_not_found`.
   */
  unaccepted(filter: {
    network: Network | null
    intent: string | null
    limit: number
  }): Promise<readonly UnacceptedToken[]>
  /** Returns releases, the newest first. */
  releases(filter: { network: Network | null; limit: number }): Promise<readonly Release[]>
  /**
   * Sends all held money of an asset at the address of a payment to a wallet, except money that a transfer reserves. A token
   * that is not allowed, and so is in no books, is sent by its final balance. `intent` is an index or an id. A repeat returns the release that is under way. Throws `intent_not_found`, `nothing_held`,
   * `held_money_reserved`, `release_in_progress`, `invalid_address`, `invalid_mint`,
   * `mint_not_supported`, and `invalid_request` without a reason.
   */
  release(order: { intent: string; asset: Asset; to: Address; reason: string }): Promise<readonly Release[]>
}
