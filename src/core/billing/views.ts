// Fields of subscriptions and charges that are derived from others. Spec: "Subscription resources".
import { type Charge, RECOVERY, type RecoveryAction } from '#core/billing/charge.ts'
import { SUBSCRIPTION_POLICY } from '#core/billing/status-policy.ts'
import type { BillingSubscription } from '#core/billing/subscription.ts'
import { explorerUrl } from '#core/chain/explorer.ts'
import type { Signature } from '#core/chain/types.ts'

/** Returns `manageable`: whether the business or the subscriber can change it. */
export const isManageable = ({ status }: Pick<BillingSubscription, 'status'>): boolean =>
  SUBSCRIPTION_POLICY[status].isLive

/** Returns `billing_stopped`: whether nothing will be charged without an action of a person. */
export const isBillingStopped = ({ nextChargeAt }: Pick<BillingSubscription, 'nextChargeAt'>): boolean =>
  nextChargeAt === null

/** Returns `recovery_action`; null while the last try of the charge did not fail. */
export const recoveryActionOf = ({ failureCode }: Pick<Charge, 'failureCode'>): RecoveryAction | null =>
  failureCode === null ? null : RECOVERY[failureCode]

/**
 * Returns `explorer_url`: a page about the transaction, for people; null before there is one, and on a chain that the explorer
 * does not know. `walletChainOf` names the chain.
 */
export const explorerUrlOf = (signature: Signature | null, chain: string): string | null =>
  signature === null ? null : explorerUrl(signature, chain)
