// A charge: the pull for one period of a subscription. Its fields are declared here once. Spec: "Subscription resources".
import { addressCodec, networkCodec, signatureCodec, unitsCodec } from '#core/chain/codecs.ts'
import { type Decoded, integer, nullable, plain, time, uuid } from '#core/codec.ts'
import { oneOf } from '#core/json.ts'

/** `failed`: another try may follow. */
export const CHARGE_STATUSES = ['pending', 'submitted', 'succeeded', 'failed', 'canceled'] as const
export type ChargeStatus = (typeof CHARGE_STATUSES)[number]

export const FAILURE_CODES = [
  'insufficient_funds',
  'account_frozen',
  'chain_unavailable',
  'delegate_revoked',
  'delegate_replaced',
  'allowance_insufficient',
  'account_closed',
  'destination_unavailable',
  'platform_error',
] as const
export type FailureCode = (typeof FAILURE_CODES)[number]

/** What makes a failed charge possible again: time, a new approval by the subscriber, or nothing that the subscriber can do. */
export type RecoveryAction = 'retry' | 'reapprove' | 'none'

export const RECOVERY: Readonly<Record<FailureCode, RecoveryAction>> = {
  insufficient_funds: 'retry',
  account_frozen: 'retry',
  chain_unavailable: 'retry',
  delegate_revoked: 'reapprove',
  delegate_replaced: 'reapprove',
  allowance_insufficient: 'reapprove',
  account_closed: 'reapprove',
  destination_unavailable: 'none',
  platform_error: 'none',
}

export const CHARGE_FIELDS = {
  id: uuid,
  network: networkCodec,
  accountId: uuid,
  subscriptionId: uuid,
  periodIndex: integer,
  /** `periodEnd` is null for the first charge: its period begins when it is final. */
  periodStart: time,
  periodEnd: nullable(time),
  delegationEpoch: integer,
  mint: addressCodec,
  /** In base units; `amount` is the sum of the other two. */
  amount: unitsCodec,
  feeAmount: unitsCodec,
  netAmount: unitsCodec,
  /** The token accounts that receive the two. */
  destinationAta: addressCodec,
  feeDestination: nullable(addressCodec),
  status: plain('text', oneOf(CHARGE_STATUSES)),
  signature: nullable(signatureCodec),
  failureCode: nullable(plain('text', oneOf(FAILURE_CODES))),
  /** The tries that ended: failures that were found before sending, and transactions. */
  attempts: integer,
  firstFailedAt: nullable(time),
  /** When it is tried again; null when no further try is planned. */
  nextAttemptAt: nullable(time),
  /** No attempt begins before this time: the last transaction failed on the chain, and cost its fee. null without one. */
  retryFrom: nullable(time),
  /** The time of the next try of dunning, when a try was planned before it; null otherwise. */
  dunningAt: nullable(time),
  /** Grows with every change. */
  version: integer,
  createdAt: time,
  updatedAt: time,
  settledAt: nullable(time),
} as const

export type Charge = Decoded<typeof CHARGE_FIELDS>

/** Why a charge that is due waits, and when it is tried again. docs/billing.md, "What subscriptions may cost". */
export type Waiting = { readonly reason: 'business_budget'; readonly until: Date }
