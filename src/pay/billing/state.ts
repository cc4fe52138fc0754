// What the pages of subscriptions are rendered from.
import type { CheckoutStateFragment, PortalStateFragment } from '#pay/documents.generated.ts'

export type CheckoutState = {
  readonly token: string
  readonly checkout: CheckoutStateFragment
  /** The ticker of the token of the charges. */
  readonly ticker: string
}

export type PortalState = {
  readonly token: string
  readonly portal: PortalStateFragment
  readonly ticker: string
}

export type RecoveryState = Readonly<Record<string, never>>
