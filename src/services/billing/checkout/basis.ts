// What an authorization of a checkout by a wallet is decided by: `prepare` and `confirm` read the same. docs/billing.md,
// "Authorization".
import { businessLimitAt, OVER_BUSINESS_BUDGET } from '#core/billing/business-budget.ts'
import { type Delegation, NOT_STORED } from '#core/billing/delegation.ts'
import { takeReading } from '#core/billing/delegation-state.ts'
import { pricesOf, type TotalAuthorization, totalOf, totalWith } from '#core/billing/discount.ts'
import { needsReapproval } from '#core/billing/first-charge.ts'
import { type ChargeConsent, consentToCharges } from '#core/billing/proof/consent.ts'
import { hasRoom, type Slice } from '#core/billing/room.ts'
import { isSubscriberWallet } from '#core/billing/subscription-intent.ts'
import type { Address } from '#core/chain/types.ts'
import { ServiceError } from '#core/errors.ts'
import { type BaseUnits, ZERO } from '#core/money/amounts.ts'
import type { StoredCheckout } from '#ports/checkouts.ts'
import { stopUncovered } from '#services/billing/charging/check-delegations.ts'
import type { CheckoutDeps } from '#services/billing/checkout/deps.ts'
import { requireUsable } from '#services/billing/coupons.ts'
import { delegateOf, serviceKeysOf } from '#services/billing/decide.ts'
import { readAllowances } from '#services/billing/read-allowances.ts'
import { BILLING_NETWORK } from '#services/billing/terms.ts'
import { CHANGED_MEANWHILE } from '#services/retry-when-changed.ts'

export type Basis = {
  readonly checkout: StoredCheckout
  /** As it is stored, or a new one. */
  readonly delegation: Delegation
  /** With a reading of its token account of this moment. */
  readonly read: Delegation
  /** The slices of the delegation. */
  readonly others: readonly Slice[]
  /** The new slice, in base units; zero for a subscription that exists, whose slice is among the others. */
  readonly slice: BaseUnits
  /** The days of the trial that the wallet gets; 0 without one. */
  readonly trialDays: number
}

/** Throws `invalid_subscriber_wallet`, and `wallet_not_permitted` where the business gave another wallet, or another has subscribed. */
export function permitted(deps: CheckoutDeps, { intent, firstCharge }: StoredCheckout, wallet: string): Address {
  if (!isSubscriberWallet(wallet, serviceKeysOf(deps, BILLING_NETWORK)))
    throw new ServiceError('invalid_subscriber_wallet', { field: 'wallet' })
  const isBound = intent.walletPinned || needsReapproval(firstCharge)
  if (isBound && intent.subscriberWallet !== wallet) throw new ServiceError('wallet_not_permitted')
  return wallet
}

/** Returns the delegation of the wallet. A new one is stored with the first decision on it, for a token account that exists. */
export async function delegationOf(deps: CheckoutDeps, { tier }: StoredCheckout, wallet: Address): Promise<Delegation> {
  const { mint, tokenProgram, decimals } = tier
  const known = await deps.checkouts.findDelegation(BILLING_NETWORK, wallet, mint)
  if (known !== null) return known
  const now = deps.clock.now()
  return {
    id: deps.random.uuid(),
    network: BILLING_NETWORK,
    wallet,
    mint,
    tokenProgram,
    decimals,
    tokenAccount: await deps.keys.tokenAccountOf(wallet, mint, tokenProgram),
    status: 'pending',
    epoch: 0,
    authorizedTotal: ZERO,
    chainSlot: null,
    pulledSlot: null,
    accountedSlot: null,
    accountedAllowance: null,
    chainDelegate: null,
    chainAllowance: ZERO,
    chainCheckedAt: null,
    clearedAt: null,
    version: NOT_STORED,
    createdAt: now,
    updatedAt: now,
  }
}

/**
 * Reads the token account as it is now. A decision by the result is written only while the delegation has its version. A
 * subscription that the allowance no longer covers is stopped first: then everything is read again, without its slice. Throws
 * `wallet_limit_reached`, `no_token_account`, `account_frozen` and `chain_unavailable`, as `requireUsable` does for its coupon, and
 * `rate_limited` while the subscriptions of the business have used their budget.
 */
export async function readBasis(
  deps: CheckoutDeps,
  checkout: StoredCheckout,
  delegation: Delegation,
): Promise<Basis | typeof CHANGED_MEANWHILE> {
  const { network, wallet } = delegation
  const isNew = !needsReapproval(checkout.firstCharge)
  if (isNew) await requireBudget(deps, checkout)
  if (isNew) await requireCoupon(deps, checkout, wallet)
  const limit = deps.subscriptionsPerWallet
  if (isNew && (await deps.checkouts.countOfWallet(network, wallet)) >= limit)
    throw new ServiceError('wallet_limit_reached', { limit })
  const read = await readAccount(deps, delegation)
  const others = await deps.delegations.slices(delegation.id)
  if (await stopUncovered(deps, read, others)) return CHANGED_MEANWHILE
  const trialDays = await trialDaysOf(deps, checkout, wallet)
  return {
    checkout,
    delegation,
    read,
    others,
    slice: isNew ? totalWith(checkout.tier, checkout.coupon) : ZERO,
    trialDays,
  }
}

async function requireCoupon(deps: CheckoutDeps, checkout: StoredCheckout, wallet: Address): Promise<void> {
  const { coupon, intent, product } = checkout
  const { id: intentId, accountId } = intent
  if (coupon !== null) await requireUsable(deps, coupon, { accountId, productId: product.id, intentId, wallet })
}

/** The first charge of another subscription would use the reserve of the business. */
async function requireBudget(
  { billing, sponsorLamportsPerBusiness, clock }: CheckoutDeps,
  { receiverAccountId }: StoredCheckout,
): Promise<void> {
  const { since, withoutReserve } = businessLimitAt(sponsorLamportsPerBusiness, clock.now())
  if ((await billing.costOf(receiverAccountId, since)) >= withoutReserve)
    throw new ServiceError('rate_limited', { retry_after_seconds: OVER_BUSINESS_BUDGET.afterMs / 1_000 })
}

/** Returns the delegation with a reading of this moment. Throws `no_token_account` and `account_frozen`. */
export async function readAccount(deps: CheckoutDeps, delegation: Delegation): Promise<Delegation> {
  const [reading] = await readAllowances(deps.chainOf(delegation.network), [delegation])
  if (reading === undefined || reading.state.is === 'missing') throw new ServiceError('no_token_account')
  if (reading.state.frozen) throw new ServiceError('account_frozen')
  return takeReading(delegation, reading, delegateOf(deps, delegation.network).address, deps.clock.now())
}

/** Returns whether the allowance on the chain covers the new slice, so that a signed text is enough. */
export const coversSlice = (deps: Pick<CheckoutDeps, 'keys'>, { slice, others, read }: Basis): boolean =>
  hasRoom(slice, others, read, delegateOf(deps, read.network).address)

/** Returns the change of a checkout that is prepared for the wallet. The id of its subscription is reserved once. */
export function preparedFor(deps: CheckoutDeps, { intent, firstCharge }: StoredCheckout, wallet: Address) {
  if (intent.subscriptionId !== null && firstCharge !== null)
    return { subscriptionId: intent.subscriptionId, checkout: null }
  const subscriptionId = intent.subscriptionId ?? deps.random.uuid()
  const updatedAt = deps.clock.now()
  const after = { ...intent, subscriberWallet: wallet, subscriptionId, version: intent.version + 1, updatedAt }
  return { subscriptionId, checkout: { before: intent, after } }
}

/** Returns the days of the trial that the wallet gets with this checkout; 0 when it had a trial of the product before. */
export async function trialDaysOf(
  { checkouts }: Pick<CheckoutDeps, 'checkouts'>,
  { tier: { trialDays, productId } }: Pick<StoredCheckout, 'tier'>,
  wallet: Address,
): Promise<number> {
  if (trialDays === 0) return 0
  return (await checkouts.hadTrial(BILLING_NETWORK, productId, wallet)) ? 0 : trialDays
}

/** Returns what the charges of all periods cost, with the coupon that is entered. */
export const totalAuthorizationOf = ({ tier, coupon }: Pick<StoredCheckout, 'tier' | 'coupon'>): TotalAuthorization =>
  totalOf(tier, pricesOf(tier, coupon), tier.authorizationPeriods)

/** Returns what the wallet consents to with a signed text. */
export function consentOf(
  { tier, coupon, merchantName }: StoredCheckout,
  { wallet, subscriptionId, trialDays }: Pick<ChargeConsent, 'wallet' | 'subscriptionId' | 'trialDays'>,
) {
  return consentToCharges(
    {
      purpose: 'checkout',
      network: BILLING_NETWORK,
      wallet,
      subscriptionId,
      merchant: merchantName,
      tier,
      prices: pricesOf(tier, coupon),
      periods: tier.authorizationPeriods,
      trialDays,
    },
    totalWith(tier, coupon),
  )
}
