// Subscriptions for tests of stores and services: the rows that one refers to, and its values.
import { randomBytes, randomUUID } from 'node:crypto'
import { createBillingStore } from '#adapters/prisma/billing/billing-store.ts'
import { DELEGATIONS } from '#adapters/prisma/billing/tables.ts'
import type { Database } from '#adapters/prisma/engine/database.ts'
import type { Tenant } from '#core/accounts/account.ts'
import type { Charge } from '#core/billing/charge.ts'
import type { NewChargeTransfer } from '#core/billing/charge-transfer.ts'
import type { Coupon } from '#core/billing/coupon.ts'
import type { Delegation } from '#core/billing/delegation.ts'
import type { BillingChange } from '#core/billing/machine/change.ts'
import type { BillingSubscription } from '#core/billing/subscription.ts'
import type { SubscriptionIntent } from '#core/billing/subscription-intent.ts'
import type { Tier } from '#core/billing/tier.ts'
import { makeBasisPoints, makeUsdCents, ZERO } from '#core/money/amounts.ts'
import { couponWith } from './coupon.ts'
import { addressNo, later, NOW, TOKEN_PROGRAM, units } from './payment.ts'
import { nextNumber } from './stores.ts'

/** One US dollar of a token with six decimals. */
const DOLLAR = 1_000_000n
export const DELEGATE = { address: addressNo(9_501), key: { network: 'live', branch: 'delegate' } } as const
const BILLING_MINT = addressNo(9_502)

/** Stores a tier of one dollar a month, with a new product unless one is given. */
export async function addTier(db: Database, { accountId }: Tenant, patch: Partial<Tier> = {}): Promise<Tier> {
  const product = { id: patch.productId ?? randomUUID(), accountId, name: 'Newsletter', createdAt: NOW, updatedAt: NOW }
  if (patch.productId === undefined) await db.prisma.subscriptionProduct.create({ data: product })
  const tier: Tier = {
    id: randomUUID(),
    accountId,
    productId: product.id,
    name: 'Monthly',
    description: null,
    priceUsdCents: makeUsdCents(100),
    interval: 'month',
    intervalCount: 1,
    authorizationPeriods: 12,
    trialDays: 0,
    mint: BILLING_MINT,
    tokenProgram: TOKEN_PROGRAM,
    decimals: 6,
    unitBaseUnits: units(DOLLAR),
    payoutOwner: addressNo(9_503),
    payoutAta: addressNo(9_504),
    platformFeeBps: makeBasisPoints(100),
    platformWallet: addressNo(9_505),
    metadata: {},
    archivedAt: null,
    createdAt: NOW,
    updatedAt: NOW,
    ...patch,
  }
  const { metadata, unitBaseUnits, ...columns } = tier
  await db.prisma.subscriptionTier.create({
    data: { ...columns, metadata: {}, unitBaseUnits: unitBaseUnits.toString() },
  })
  return tier
}

/** Stores a coupon of the business: half the price of the first three charges, unless `patch` says otherwise. */
export async function addCoupon(
  db: Database,
  { accountId }: Pick<Tier, 'accountId'>,
  patch: Partial<Coupon> = {},
): Promise<Coupon> {
  const coupon = couponWith({ id: randomUUID(), accountId, code: `CODE-${nextNumber()}`, ...patch })
  await db.prisma.subscriptionCoupon.create({ data: coupon })
  return coupon
}

/** Stores an active redirect domain. Returns its id. */
export async function addDomain(db: Database, { accountId }: Tenant, host: string): Promise<string> {
  const id = randomUUID()
  await db.prisma.redirectDomain.create({ data: { id, accountId, host, createdAt: NOW, updatedAt: NOW } })
  return id
}

/** Stores the delegation of a new wallet. */
export async function addDelegation(
  db: Database,
  { mint, tokenProgram, decimals }: Pick<Tier, 'mint' | 'tokenProgram' | 'decimals'>,
  patch: Partial<Delegation> = {},
): Promise<Delegation> {
  const delegation: Delegation = {
    id: randomUUID(),
    network: 'live',
    wallet: addressNo(200_000 + nextNumber()),
    mint,
    tokenProgram,
    decimals,
    tokenAccount: addressNo(200_000 + nextNumber()),
    status: 'active',
    epoch: 1,
    authorizedTotal: units(12n * DOLLAR),
    chainSlot: null,
    pulledSlot: null,
    accountedSlot: null,
    accountedAllowance: null,
    chainDelegate: DELEGATE.address,
    chainAllowance: units(12n * DOLLAR),
    chainCheckedAt: NOW,
    clearedAt: null,
    version: 1,
    createdAt: NOW,
    updatedAt: NOW,
    ...patch,
  }
  await db.prisma.$transaction((tx) => DELEGATIONS.insert(tx, [delegation]))
  return delegation
}

/** Stores an open checkout of the tier. */
export async function addSubscriptionIntent(
  db: Database,
  { id, accountId }: Tier,
  couponId: string | null = null,
): Promise<SubscriptionIntent> {
  const intent: SubscriptionIntent = {
    id: randomUUID(),
    accountId,
    tierId: id,
    status: 'open',
    subscriberWallet: null,
    walletPinned: false,
    successUrl: null,
    cancelUrl: null,
    subscriptionId: null,
    couponId,
    metadata: {},
    version: 1,
    expiresAt: later(86_400),
    createdAt: NOW,
    updatedAt: NOW,
    completedAt: null,
    canceledAt: null,
  }
  await db.prisma.subscriptionIntent.create({ data: { ...intent, metadata: {}, tokenHash: randomBytes(32) } })
  return intent
}

/** Returns an incomplete subscription of the delegation's wallet, and its first charge with its transfer. */
export function newSubscription(tier: Tier, intent: SubscriptionIntent, delegation: Delegation) {
  const subscription: BillingSubscription = {
    id: randomUUID(),
    network: 'live',
    accountId: tier.accountId,
    receiverAccountId: tier.accountId,
    tierId: tier.id,
    intentId: intent.id,
    delegationId: delegation.id,
    status: 'incomplete',
    subscriberWallet: delegation.wallet,
    mint: tier.mint,
    unitAmount: tier.unitBaseUnits,
    couponId: null,
    discount: null,
    discountedAmount: tier.unitBaseUnits,
    discountedPeriods: 0,
    periods: tier.authorizationPeriods,
    authorizedAmount: units(12n * DOLLAR),
    spentAmount: ZERO,
    earlierAmount: ZERO,
    delegationEpoch: 1,
    interval: tier.interval,
    intervalCount: tier.intervalCount,
    anchor: null,
    anchorPeriod: 0,
    periodIndex: 0,
    currentPeriodStart: null,
    currentPeriodEnd: null,
    nextChargePeriod: 0,
    nextChargeAt: NOW,
    trialEndsAt: null,
    trialProductId: null,
    trialNoticeAt: null,
    cancelAtPeriodEnd: false,
    stoppedBy: null,
    pastDueSince: null,
    dunningAttempts: 0,
    dueAt: later(23 * 3_600),
    approveSignature: null,
    metadata: { plan: 'gold' },
    version: 1,
    createdAt: NOW,
    updatedAt: NOW,
    activatedAt: null,
    canceledAt: null,
    endedAt: null,
  }
  return { subscription, ...chargeOf(subscription, tier, delegation, 0) }
}

/**
 * Stores a subscription with its first charge. The charge has succeeded a day before `now`, in milliseconds, and the period goes
 * on for 20 days; while the subscription is incomplete, the charge is pending.
 */
export const addSubscription = async (
  db: Database,
  tier: Tier,
  now: number,
  patch: Partial<BillingSubscription> = {},
  delegated: Partial<Delegation> = {},
) => addSubscriptionOn(db, tier, now, await addDelegation(db, tier, delegated), patch)

/** Stores such a subscription on a delegation that exists. */
export async function addSubscriptionOn(
  db: Database,
  tier: Tier,
  now: number,
  delegation: Delegation,
  patch: Partial<BillingSubscription> = {},
) {
  const { subscription, charge, transfer } = newSubscription(tier, await addSubscriptionIntent(db, tier), delegation)
  const start = new Date(now - 86_400_000)
  const end = new Date(now + 20 * 86_400_000)
  const active = {
    status: 'active',
    spentAmount: charge.amount,
    anchor: start,
    currentPeriodStart: start,
    currentPeriodEnd: end,
    nextChargePeriod: 1,
    nextChargeAt: end,
    dueAt: end,
    activatedAt: start,
  } as const
  const isIncomplete = patch.status === 'incomplete'
  const { unitAmount = subscription.unitAmount } = patch
  const stored = { ...subscription, ...(isIncomplete ? {} : active), discountedAmount: unitAmount, ...patch }
  const paid = { ...charge, status: 'succeeded', attempts: 1, settledAt: start } as const
  const change = { ...changeOf(null, stored), charges: [isIncomplete ? charge : paid], transfers: [transfer] }
  // Each change of a slice gives the delegation another version.
  const { version } = await db.prisma.delegation.findUniqueOrThrow({ where: { id: delegation.id } })
  if (!(await createBillingStore(db).apply(change, { ...delegation, version }))) throw new Error('not stored')
  return { subscription: stored, charge: paid, delegation, start, end }
}

/** Returns the charge of a period, and its transfer. */
export function chargeOf(subscription: BillingSubscription, tier: Tier, delegation: Delegation, period: number) {
  const charge: Charge = {
    id: randomUUID(),
    network: 'live',
    accountId: subscription.accountId,
    subscriptionId: subscription.id,
    periodIndex: period,
    periodStart: NOW,
    periodEnd: null,
    delegationEpoch: 1,
    mint: tier.mint,
    amount: units(DOLLAR),
    feeAmount: units(10_000n),
    netAmount: units(990_000n),
    destinationAta: tier.payoutAta,
    feeDestination: addressNo(9_506),
    status: 'pending',
    signature: null,
    failureCode: null,
    attempts: 0,
    firstFailedAt: null,
    nextAttemptAt: NOW,
    retryFrom: null,
    dunningAt: null,
    version: 1,
    createdAt: NOW,
    updatedAt: NOW,
    settledAt: null,
  }
  const transfer: NewChargeTransfer = {
    key: `charge:${subscription.id}:${period}`,
    network: 'live',
    subject: { kind: 'charge', id: charge.id },
    kind: 'charge',
    accountId: subscription.accountId,
    source: delegation.wallet,
    authority: DELEGATE,
    asset: tier.mint,
    decimals: tier.decimals,
    tokenProgram: tier.tokenProgram,
    round: 1,
    portion: 'main',
    sourceAccount: null,
    legs: [
      { role: 'payout', destination: tier.payoutOwner, amount: charge.netAmount, feeBps: null },
      { role: 'platform', destination: addressNo(9_505), amount: charge.feeAmount, feeBps: 100 },
    ],
  }
  return { charge, transfer }
}

/** Returns a change with nothing in it but the subscription. */
export const changeOf = (before: BillingSubscription | null, after: BillingSubscription): BillingChange => ({
  before,
  after,
  events: [],
  charges: [],
  transfers: [],
  outcome: null,
  statusOverride: null,
  ledger: [],
  delegation: null,
  checkout: null,
})
