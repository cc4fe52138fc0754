// Products, tiers, checkouts, subscriptions and portals as examples.
import type { RedirectDomain } from '#core/billing/catalogue.ts'
import type { Charge } from '#core/billing/charge.ts'
import { pricesOf } from '#core/billing/discount.ts'
import type { Product } from '#core/billing/product.ts'
import { CHALLENGE_MS, signInOf } from '#core/billing/proof/challenge.ts'
import { type Consent, consentToCharges } from '#core/billing/proof/consent.ts'
import { signInText } from '#core/billing/proof/sign-in.ts'
import type { BillingSubscription } from '#core/billing/subscription.ts'
import type { SubscriptionIntent } from '#core/billing/subscription-intent.ts'
import type { Tier } from '#core/billing/tier.ts'
import { makeAddress } from '#core/chain/base58.ts'
import { MAINNET_GENESIS_HASH } from '#core/chain/known-networks.ts'
import { makeBaseUnits, makeBasisPoints, makeLamports, makeUsdCents, ZERO } from '#core/money/amounts.ts'
import type { CountedCoupon } from '#ports/catalogue.ts'
import type { CheckoutView, PreparedApprove, PreparedProof } from '#services/billing/checkout/checkout-services.ts'
import type {
  PortalOffer,
  PortalServices,
  PortalView,
  RecoveredLink,
  TermOutcome,
} from '#services/billing/portal/portal-services.ts'
import type { BillingStatus } from '#services/billing/status.ts'
import type { BusinessDelegation } from '#services/billing/subscriptions.ts'
import type { Challenge } from '#services/billing/wallet-proof.ts'
import { couponWith } from './coupon.ts'
import { MERCHANT, MINT, SIGNATURE } from './example-intent.ts'
import { SELLER_WALLET } from './example-seller.ts'
import { units } from './payment.ts'

export const exampleProduct: Product = {
  id: '9e0c7a41-5d0f-4f1e-8a51-3f6f0b6d2c10',
  accountId: '0b9d7f4e-93b4-4a0a-8f0a-5f3a52b1d001',
  name: 'Coffee',
  description: 'A bag of beans',
  externalId: 'coffee-1',
  metadata: { roast: 'dark' },
  archivedAt: null,
  createdAt: new Date('2026-11-20T12:00:00Z'),
  updatedAt: new Date('2026-11-20T12:00:00Z'),
}

export const exampleTier: Tier = {
  id: '4b8f1f0e-7c2d-4d0e-9a63-0c4b7f0f5e21',
  accountId: exampleProduct.accountId,
  productId: exampleProduct.id,
  name: 'Monthly',
  description: null,
  priceUsdCents: makeUsdCents(1_500),
  interval: 'month',
  intervalCount: 1,
  authorizationPeriods: 12,
  trialDays: 0,
  mint: MINT,
  tokenProgram: makeAddress('TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA'),
  decimals: 6,
  unitBaseUnits: makeBaseUnits(15_000_000),
  payoutOwner: makeAddress('9xQeWvG816bUx9EPjHmaT23yvVM2ZWbrrpZb9PusVFin'),
  payoutAta: makeAddress('BfbvQP92h3HQ7a8h7gCnyRZPfkvUnEH9uW6VshgaFT9A'),
  platformFeeBps: makeBasisPoints(0),
  platformWallet: null,
  metadata: {},
  archivedAt: null,
  createdAt: new Date('2026-11-20T12:00:00Z'),
  updatedAt: new Date('2026-11-20T12:00:00Z'),
}

export const exampleCoupon: CountedCoupon = {
  ...couponWith({ accountId: exampleProduct.accountId, maxUses: 100, maxUsesPerWallet: 1 }),
  uses: 0,
  endsAt: new Date('2026-12-31T23:00:00Z'),
  createdAt: new Date('2026-11-20T12:00:00Z'),
}

export const exampleDomain: RedirectDomain = {
  id: 'd2a1f6c3-0b57-4a0c-9c8e-6f2d1e7b4a90',
  accountId: exampleProduct.accountId,
  host: 'shop.example.com',
  active: true,
  createdAt: new Date('2026-11-20T12:00:00Z'),
  updatedAt: new Date('2026-11-20T12:00:00Z'),
}

export const exampleIntent: SubscriptionIntent = {
  id: '7e5b9c02-3f41-4d6a-8b1e-2a9c0d4f6e73',
  accountId: exampleProduct.accountId,
  tierId: exampleTier.id,
  status: 'open',
  subscriberWallet: null,
  walletPinned: false,
  successUrl: 'https://shop.example.com/thanks',
  cancelUrl: null,
  subscriptionId: null,
  couponId: null,
  metadata: { order: 17 },
  version: 1,
  expiresAt: new Date('2026-11-21T12:00:00Z'),
  createdAt: new Date('2026-11-20T12:00:00Z'),
  updatedAt: new Date('2026-11-20T12:00:00Z'),
  completedAt: null,
  canceledAt: null,
}

// A checkout of a subscription as its page shows it, and what a wallet signs for it.

const wallet = makeAddress('7RXtDPWyeUhJpUg9Cnw1Nuhn1kRtWTLXQuZGAMk9wQCV')
const subscriptionId = '3c5f2a90-77b1-4c0e-9d65-8a1f4b7e2d33'

export const exampleCheckout: CheckoutView = {
  intent: { ...exampleIntent, subscriberWallet: wallet, subscriptionId },
  status: 'open',
  merchantName: 'Corner Shop',
  product: exampleProduct,
  tier: exampleTier,
  coupon: null,
  acceptsCoupons: false,
  totalAuthorization: { usdCents: 18_000n, baseUnits: 180_000_000n },
  firstCharge: null,
  trialDays: 0,
  trialEndsAt: null,
}

/** The transaction is shortened: an example has no use for its bytes. */
export const examplePreparedApprove: PreparedApprove = {
  requiresSignature: true,
  trialDays: 0,
  totalAuthorization: exampleCheckout.totalAuthorization,
  subscriptionId,
  transaction: Uint8Array.of(2, 17, 203, 44),
  amount: makeBaseUnits(180_000_000),
  delegate: makeAddress('9xQeWvG816bUx9EPjHmaT23yvVM2ZWbrrpZb9PusVFin'),
  replacesDelegate: null,
  expiresAt: new Date('2026-11-20T12:01:00Z'),
}

const consentTo = (purpose: 'checkout' | 'change'): Consent =>
  consentToCharges(
    {
      purpose,
      network: 'live',
      wallet,
      subscriptionId,
      merchant: 'Corner Shop',
      periods: 12,
      trialDays: 0,
      tier: exampleTier,
      prices: pricesOf(exampleTier, null),
    },
    makeBaseUnits(180_000_000),
  )

/** What the service asks a wallet to sign. */
function exampleChallenge(
  consent: Consent,
  { nonce, requestId }: Pick<Challenge['input'], 'nonce' | 'requestId'> = {
    nonce: '5f1c0d9ab2e84c7f9d3ea6b0c4d8e217',
    requestId: 'c1d2e3f4-0a1b-4c2d-8e3f-5a6b7c8d9e0f',
  },
): Challenge {
  const now = new Date('2026-11-20T12:00:00Z')
  const input = signInOf(consent, {
    payUrl: 'https://pay.example.com/pay',
    genesisHash: MAINNET_GENESIS_HASH,
    nonce,
    requestId,
    termsHash: '0f'.repeat(32),
    now,
  })
  return { nonce: input.nonce, message: signInText(input), input, expiresAt: new Date(now.getTime() + CHALLENGE_MS) }
}

export const exampleChangeChallenge = exampleChallenge(consentTo('change'))
const exampleRecoveryChallenge = exampleChallenge(
  { purpose: 'recover', network: 'live', wallet },
  // The time of the text, the id of the request, and a mark.
  {
    nonce: '01a1f8d3ea00c1d2e3f40a1b4c2d8e3f5a6b7c8d9e0f5f1c0d9ab2e84c7f9d3ea6b0c4d8e217',
    requestId: 'c1d2e3f4-0a1b-8c2d-8e3f-5a6b7c8d9e0f',
  },
)

export const examplePreparedProof: PreparedProof = {
  requiresSignature: false,
  trialDays: 0,
  totalAuthorization: exampleCheckout.totalAuthorization,
  subscriptionId,
  challenge: exampleChallenge(consentTo('checkout')),
}

// A subscription with its charge and its delegation, for examples in the documentation.

/** Recurring billing that works as it should. */
export const exampleBillingStatus: BillingStatus = {
  mint: MINT,
  problems: [],
  delegate: MERCHANT,
  subscriptions: [{ status: 'active', count: 7 }],
  delegations: [{ status: 'active', count: 5 }],
  due: 0,
  inFlight: 1,
  oldest: null,
  oldestForMs: null,
  unpayable: 0,
  broken: 0,
  differing: { count: 0, newest: null },
  key: { unsigned: 0, otherKeys: 0, ownDelegations: 5, otherDelegations: 5 },
  sponsorSpent: 59_999_999n,
  sponsorBudget: makeLamports(100_000_000n),
  costliest: { accountId: 'BUSINESS', cost: 299_999_999n },
  businessBudget: makeLamports(500_000_000n),
}

const UNIT = 5_000_000n
const CREATED = new Date('2026-11-20T12:00:00.000Z')
const PAID = new Date('2026-11-20T12:00:14.000Z')
const PERIOD_END = new Date('2026-12-20T12:00:14.000Z')
const WALLET = makeAddress('Stake11111111111111111111111111111111111111')
const TOKEN_ACCOUNT = makeAddress('BPFLoaderUpgradeab1e11111111111111111111111')
const PAYOUT_ACCOUNT = SELLER_WALLET

const { accountId } = exampleProduct
const network = 'live'

export const exampleSubscription: BillingSubscription = {
  id: '3c5f2a90-77b1-4c0e-9d65-8a1f4b7e2d33',
  network,
  accountId,
  receiverAccountId: accountId,
  tierId: '5b0de2b4-0c6a-4f0e-8f7b-2f1f7b8e9a10',
  intentId: '5b0de2b4-0c6a-4f0e-8f7b-2f1f7b8e9a11',
  delegationId: '5b0de2b4-0c6a-4f0e-8f7b-2f1f7b8e9a12',
  status: 'active',
  subscriberWallet: WALLET,
  mint: MINT,
  unitAmount: makeBaseUnits(UNIT),
  couponId: null,
  discount: null,
  discountedAmount: makeBaseUnits(UNIT),
  discountedPeriods: 0,
  periods: 12,
  authorizedAmount: makeBaseUnits(12n * UNIT),
  spentAmount: makeBaseUnits(UNIT),
  earlierAmount: ZERO,
  delegationEpoch: 1,
  interval: 'month',
  intervalCount: 1,
  anchor: PAID,
  anchorPeriod: 0,
  periodIndex: 0,
  currentPeriodStart: PAID,
  currentPeriodEnd: PERIOD_END,
  nextChargePeriod: 1,
  nextChargeAt: PERIOD_END,
  trialEndsAt: null,
  trialProductId: null,
  trialNoticeAt: null,
  cancelAtPeriodEnd: false,
  stoppedBy: null,
  pastDueSince: null,
  dunningAttempts: 0,
  dueAt: PERIOD_END,
  approveSignature: SIGNATURE,
  metadata: { customer: '1001' },
  version: 2,
  createdAt: CREATED,
  updatedAt: PAID,
  activatedAt: PAID,
  canceledAt: null,
  endedAt: null,
}

export const exampleCharge: Charge = {
  id: '8d1c0a52-9f3e-4a0b-b1d7-6e2f9c4a7b55',
  network,
  accountId,
  subscriptionId: exampleSubscription.id,
  periodIndex: 0,
  periodStart: PAID,
  periodEnd: PERIOD_END,
  delegationEpoch: 1,
  mint: MINT,
  amount: makeBaseUnits(UNIT),
  feeAmount: makeBaseUnits(50_000n),
  netAmount: makeBaseUnits(4_950_000n),
  destinationAta: PAYOUT_ACCOUNT,
  feeDestination: TOKEN_ACCOUNT,
  status: 'succeeded',
  signature: SIGNATURE,
  failureCode: null,
  attempts: 1,
  firstFailedAt: null,
  nextAttemptAt: null,
  retryFrom: null,
  dunningAt: null,
  version: 3,
  createdAt: CREATED,
  updatedAt: PAID,
  settledAt: PAID,
}

export const exampleDelegation: BusinessDelegation = {
  id: exampleSubscription.delegationId,
  accountId,
  network,
  wallet: WALLET,
  mint: MINT,
  tokenProgram: makeAddress('TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA'),
  decimals: 6,
  tokenAccount: TOKEN_ACCOUNT,
  status: 'active',
  epoch: 1,
  authorizedTotal: makeBaseUnits(12n * UNIT),
  chainSlot: 331_000_000n,
  pulledSlot: null,
  accountedSlot: 331_000_000n,
  accountedAllowance: makeBaseUnits(11n * UNIT),
  chainDelegate: makeAddress('Vote111111111111111111111111111111111111111'),
  chainAllowance: makeBaseUnits(11n * UNIT),
  chainCheckedAt: PAID,
  clearedAt: null,
  version: 3,
  createdAt: CREATED,
  updatedAt: PAID,
}

// A portal of a subscription as its page shows it, and the outcomes of requests for other terms.

const EXPIRES_AT = new Date('2026-11-20T13:00:00Z')
const RECOVERY_URL = 'https://pay.example.com/pay/manage'
export const PORTAL_TOKEN = `po_${'x'.repeat(43)}`

const tier = { ...exampleTier, id: exampleSubscription.tierId, name: 'Small', unitBaseUnits: units(5_000_000n) }

const offerOf = (tierId: string, payments: number, cents: number): PortalOffer => ({
  tierId,
  payments,
  discountedPayments: 0,
  discountedPriceUsdCents: makeUsdCents(cents),
  totalUsdCents: BigInt(payments * cents),
})

export const examplePortal: PortalView = {
  subscription: exampleSubscription,
  product: exampleProduct,
  tier: { ...tier, priceUsdCents: makeUsdCents(500) },
  merchantName: 'Corner Shop',
  session: {
    tokenHash: new Uint8Array(32),
    subscriptionId: exampleSubscription.id,
    origin: 'recovery',
    mayIncrease: true,
    expiresAt: EXPIRES_AT,
    createdAt: new Date('2026-11-20T12:00:00Z'),
  },
  options: [exampleTier],
  offers: [offerOf(exampleSubscription.tierId, 12, 500), offerOf(exampleTier.id, 11, 1_500)],
  paymentsLeft: 11,
  totalAuthorization: { usdCents: 6_000n, baseUnits: 60_000_000n },
  recoveryUrl: RECOVERY_URL,
  revocable: false,
  charges: [],
}

const { transaction, amount, delegate, replacesDelegate, expiresAt } = examplePreparedApprove
export const exampleApproval: TermOutcome = {
  outcome: 'approval_required',
  approve: {
    approvalId: '0a9b8c7d-6e5f-4a3b-9c2d-1e0f9a8b7c6d',
    subscriptionId: examplePreparedApprove.subscriptionId,
    transaction,
    amount,
    delegate,
    replacesDelegate,
    expiresAt,
  },
}
export const exampleRevocation = { approvalId: '7d6c5b4a-3e2f-4d1c-8b0a-9f8e7d6c5b4a', transaction, expiresAt }
export const exampleProof: TermOutcome = { outcome: 'proof_required', challenge: exampleChangeChallenge }
export const exampleChange = { outcome: 'changed', subscription: exampleSubscription } as const

const exampleLink: RecoveredLink = {
  subscription: examplePortal.subscription,
  product: examplePortal.product,
  tier: examplePortal.tier,
  merchantName: examplePortal.merchantName,
  link: {
    subscriptionId: exampleSubscription.id,
    portalUrl: `https://pay.example.com/pay/m/${PORTAL_TOKEN}`,
    expiresAt: EXPIRES_AT,
    origin: 'recovery',
    mayIncrease: true,
  },
}

/** What each operation answers in examples. */
export const examplePortalServices: PortalServices = {
  readPortal: async () => examplePortal,
  cancelInPortal: async () => ({
    ...exampleSubscription,
    cancelAtPeriodEnd: true,
    stoppedBy: 'subscriber',
    canceledAt: new Date('2026-11-20T12:30:00Z'),
    nextChargeAt: null,
  }),
  pauseInPortal: async () => ({
    ...exampleSubscription,
    status: 'paused',
    stoppedBy: 'subscriber',
    nextChargeAt: null,
  }),
  resumeInPortal: async () => exampleSubscription,
  changeTierInPortal: async () => exampleProof,
  renewInPortal: async () => exampleApproval,
  revokeInPortal: async () => exampleRevocation,
  activateInPortal: async () => ({ outcome: 'renewed', subscription: exampleSubscription }),
  recovery: () => ({ challengeUrl: `${RECOVERY_URL}/challenge`, verifyUrl: `${RECOVERY_URL}/verify` }),
  challengeForLinks: async () => exampleRecoveryChallenge,
  recoverLinks: async () => [exampleLink],
}

/** The hashes that name the public clusters for tests. */
export const DEVNET = 'EtWTRABZaYq6iMfeYKouRu166VU2xqa1wcaWoxPkrZBG'
export const TESTNET = '4uhcVJyU9pJkvQyS88uRDiswHXSCkY3zQawwpjk2NsNY'
