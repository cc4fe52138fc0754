// Subscriptions as the pages of their subscribers show them. No edge gets this store.
import type { Charge } from '#core/billing/charge.ts'
import type { PortalSession } from '#core/billing/portal-session.ts'
import type { Product } from '#core/billing/product.ts'
import type { NewChallenge, ProofPlace, StoredChallenge, WalletProof } from '#core/billing/proof/challenge.ts'
import type { BillingSubscription } from '#core/billing/subscription.ts'
import type { Tier } from '#core/billing/tier.ts'
import type { Address, Network } from '#core/chain/types.ts'

export type SubscriptionDetails = {
  readonly subscription: BillingSubscription
  readonly product: Product
  readonly tier: Tier
  /** The name of the business that buyers see. */
  readonly merchantName: string
}

export type PortalPages = {
  details(subscriptionId: string): Promise<SubscriptionDetails | null>
  /** Returns the subscriptions of a wallet that can be managed, the newest first. */
  manageableOf(network: Network, wallet: Address, limit: number): Promise<readonly SubscriptionDetails[]>
  /** Returns the charges of a subscription, the newest period first. */
  charges(subscriptionId: string, limit: number): Promise<readonly Charge[]>
  /** Returns the tiers of a product that are not archived, the newest first. */
  activeTiers(productId: string, limit: number): Promise<readonly Tier[]>
}

// Links to the portal of subscriptions.

export type PortalSessionStore = {
  find(tokenHash: Uint8Array): Promise<PortalSession | null>
  create(sessions: readonly PortalSession[]): Promise<void>
  /**
   * Creates a recovered link to each of some subscriptions, and stores the challenge as used up by the proof for which they are given.
   * Each subscription keeps `most` of such links, the newest. Returns false, with nothing changed, when the proof is used up already.
   */
  createFor(
    recovery: { readonly challenge: NewChallenge; readonly proof: WalletProof },
    sessions: readonly PortalSession[],
    most: number,
  ): Promise<boolean>
  /** Deletes at most `limit` links that expired before a time, the oldest first. Returns how many there were. */
  removeExpired(before: Date, limit: number): Promise<number>
}

// Challenges that wallets sign. One that was used for charges is kept as the record of the consent.

/** How many challenges a wallet may get at one page since a time. */
export type ChallengeLimit = { readonly count: number; readonly since: Date }

export type ChallengeStore = {
  /**
   * Stores a challenge. Returns null, or with nothing stored the time of the oldest challenge that the limit counts, when
   * the wallet has as many challenges since then as it may have at this page. Two requests at the same time cannot both be the last.
   */
  issue(challenge: NewChallenge, limit: ChallengeLimit): Promise<Date | null>
  find(nonceHash: Uint8Array): Promise<StoredChallenge | null>
  /** Counts a wrong answer. */
  countFailure(nonceHash: Uint8Array): Promise<void>
  /** Keeps the signature of an answer that has no effect but to show that the owner of the wallet is there. */
  keepAnswer(proof: WalletProof): Promise<void>
  /** Returns when the newest answered challenge of the place was issued that has not expired; null when there is none. */
  answeredAt(place: ProofPlace, now: Date): Promise<Date | null>
  /** Removes challenges that expired before a time and are no record of a consent to charges, at most `limit`. Returns how many. */
  removeExpired(before: Date, limit: number): Promise<number>
}
