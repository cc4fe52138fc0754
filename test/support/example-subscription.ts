// A subscription with its charge and its delegation, for examples in the documentation.

import type { Charge } from '#core/billing/charge.ts'
import type { BillingSubscription } from '#core/billing/subscription.ts'
import { makeAddress } from '#core/chain/base58.ts'
import { makeBaseUnits, makeLamports, ZERO } from '#core/money/amounts.ts'
import type { BillingStatus } from '#services/billing/status.ts'
import type { BusinessDelegation } from '#services/billing/subscription-services.ts'
import { exampleProduct } from './example-catalogue.ts'
import { MERCHANT, MINT, SIGNATURE } from './example-intent.ts'
import { SELLER_WALLET } from './example-seller.ts'

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
