// The facts that GET /config shows.
import { clusterOf } from '#core/chain/known-networks.ts'
import { API_VERSION } from '#core/events/subjects.ts'
import type { BasisPoints, Lamports } from '#core/money/amounts.ts'
import { CHECKOUT_WINDOW_SECONDS } from '#core/payments/payment-intent.ts'
import { EVENT_SUBJECTS } from '#services/events/event-log.ts'
import type { PlatformFacts } from '#services/platform/platform-services.ts'

export const platformFacts = (of: {
  /** The name of the live network. */
  readonly genesisHash: string
  readonly networkFee: Lamports
  readonly platformFeeBps: BasisPoints
  readonly maxMarketplaceFeeBps: BasisPoints
}): PlatformFacts => ({
  cluster: clusterOf(of.genesisHash),
  checkoutWindowSeconds: CHECKOUT_WINDOW_SECONDS,
  networkFeeLamports: of.networkFee,
  platformFeeBps: of.platformFeeBps,
  maxMarketplaceFeeBps: of.maxMarketplaceFeeBps,
  webhookEventTypes: EVENT_SUBJECTS.types,
  apiVersion: API_VERSION,
})
