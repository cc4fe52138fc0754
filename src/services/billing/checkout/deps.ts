// What the steps of a checkout need, and the checkout of a token.
import type { Approval } from '#core/billing/approval.ts'
import { needsReapproval } from '#core/billing/first-charge.ts'
import { subscriptionIntentStatus } from '#core/billing/subscription-intent.ts'
import { walletChainOf } from '#core/chain/known-networks.ts'
import type { Network, Signature } from '#core/chain/types.ts'
import { ServiceError } from '#core/errors.ts'
import type { Lamports } from '#core/money/amounts.ts'
import type { DelegationStore } from '#ports/billing.ts'
import type { SubscriptionCouponStore } from '#ports/catalogue.ts'
import type {
  BalanceReader,
  ChainClock,
  ExpiryProver,
  HistoryReader,
  SlotTime,
  SponsoredCompiler,
  Submitter,
} from '#ports/chain.ts'
import type { ApprovalStore, StoredCheckout, SubscriptionCheckoutStore } from '#ports/checkouts.ts'
import type { Signer } from '#ports/transactions.ts'
import type { FindPulls } from '#services/billing/charging/find-pulls.ts'
import type { DecideDeps } from '#services/billing/decide.ts'
import { BILLING_NETWORK } from '#services/billing/terms.ts'
import type { WalletProofDeps } from '#services/billing/wallet-proof.ts'
import type { AfterFailover } from '#services/transfers/after-failover.ts'

export type ApprovalChain = ChainClock & Submitter & ExpiryProver & Pick<HistoryReader, 'transaction'>

/** Waits for the end of an approve, and returns it then; null when it may still land after the wait. */
export type WaitForEnd = (deps: CheckoutDeps, approvalId: string) => Promise<Approval | null>

/** What settles an approve: the worker and a waiting request do the same. */
export type SettleDeps = DecideDeps & {
  readonly approvals: ApprovalStore
  readonly checkouts: SubscriptionCheckoutStore
  readonly delegations: Pick<DelegationStore, 'slices' | 'save' | 'pullsAfter' | 'knownAs' | 'haltFor'>
  readonly chainOf: (network: Network) => ApprovalChain
}

export type CheckoutDeps = Omit<SettleDeps, 'chainOf' | 'random'> &
  WalletProofDeps & {
    readonly chainOf: (network: Network) => ApprovalChain & BalanceReader & SponsoredCompiler & SlotTime
    readonly subscriptionCoupons: Pick<SubscriptionCouponStore, 'find' | 'findByCode' | 'usesBy'>
    readonly findPulls: FindPulls
    readonly afterFailover: AfterFailover
    readonly signer: Pick<Signer, 'sponsor'>
    /** Returns a final transaction that every provider with a sufficient history knows. */
    readonly knownSignature: (network: Network) => Promise<Signature>
    /** Live subscriptions of one wallet. */
    readonly subscriptionsPerWallet: number
    /** The most that the fee payer spends in 24 hours on approves. */
    readonly sponsorLamportsPerDay: Lamports
    /** The most that the subscriptions of one business cost it in 24 hours. */
    readonly sponsorLamportsPerBusiness: Lamports
    readonly sleep: (ms: number) => Promise<void>
    readonly waitForEnd: WaitForEnd
  }

/** Returns the chain on which charges are made, as `walletChainOf` names it. */
export const chainOfBilling = async ({ genesisHashOf }: Pick<CheckoutDeps, 'genesisHashOf'>): Promise<string> =>
  walletChainOf(await genesisHashOf(BILLING_NETWORK))

/** Throws `checkout_not_found`. */
export async function checkoutOf(
  { checkouts, secrets }: Pick<CheckoutDeps, 'checkouts' | 'secrets'>,
  token: string,
): Promise<StoredCheckout> {
  const checkout = await checkouts.findByToken(secrets.hash(token))
  if (checkout === null) throw new ServiceError('checkout_not_found')
  return checkout
}

/** Checks as `requireOpen` does, but a completed checkout whose first charge needs another authorization passes. */
export function requirePreparable(checkout: StoredCheckout, now: Date): void {
  if (!needsReapproval(checkout.firstCharge)) requireOpen(checkout, now)
}

/** Throws `checkout_completed`, `checkout_closed` or `checkout_expired` for a checkout that is not open. */
export function requireOpen({ intent, isArchived }: Pick<StoredCheckout, 'intent' | 'isArchived'>, now: Date): void {
  switch (subscriptionIntentStatus(intent, now)) {
    case 'open':
      if (isArchived) throw new ServiceError('checkout_closed')
      return
    case 'completed':
      throw new ServiceError('checkout_completed')
    case 'canceled':
      throw new ServiceError('checkout_closed')
    case 'expired':
      throw new ServiceError('checkout_expired')
  }
}
