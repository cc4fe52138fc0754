// A subscription of a wallet to a tier. Its fields are declared here once: the type, the JSON of events and the columns of
// the database derive from them. Spec: "Subscription resources".

import { addressCodec, networkCodec, signatureCodec, unitsCodec } from '#core/chain/codecs.ts'
import { type Decoded, flag, integer, nullable, plain, time, uuid } from '#core/codec.ts'
import { oneOf } from '#core/json.ts'
import { metadataCodec } from '#core/metadata.ts'
import { discountCodec } from './coupon.ts'
import { intervalCodec } from './tier.ts'

export const SUBSCRIPTION_STATUSES = [
  'incomplete',
  'trialing',
  'active',
  'renewal_required',
  'past_due',
  'paused',
  'canceled',
  'revoked',
  'exhausted',
  'failed',
] as const
export type SubscriptionStatus = (typeof SUBSCRIPTION_STATUSES)[number]

/** Who can stop billing. A holder of any link to the portal counts as the subscriber. */
const PARTIES = ['business', 'subscriber'] as const
export type Party = (typeof PARTIES)[number]

/** The kind of a subscription as the subject of events. */
export const SUBSCRIPTION_SUBJECT = 'subscription'

export const SUBSCRIPTION_FIELDS = {
  id: uuid,
  network: networkCodec,
  accountId: uuid,
  /** The account whose endpoints receive its events: the owner, or the marketplace of a seller. */
  receiverAccountId: uuid,
  tierId: uuid,
  intentId: uuid,
  delegationId: uuid,
  status: plain('text', oneOf(SUBSCRIPTION_STATUSES)),
  subscriberWallet: addressCodec,
  mint: addressCodec,
  /** The charge of one period without a discount, in base units of the mint. */
  unitAmount: unitsCodec,
  /** The coupon of its checkout, and its terms. null without one. */
  couponId: nullable(uuid),
  discount: nullable(discountCodec),
  /** The charge of one period with the discount, and how many more charges have it: null for all, 0 without a coupon. */
  discountedAmount: unitsCodec,
  discountedPeriods: nullable(integer),
  /** The number of periods of the newest authorization. */
  periods: integer,
  /** The slice: what the subscriber authorized for this subscription, and what was pulled of it. Base units. */
  authorizedAmount: unitsCodec,
  spentAmount: unitsCodec,
  /** What was pulled of earlier slices, up to 2^64 − 1: with `spentAmount` it is the sum of all charges that succeeded. */
  earlierAmount: unitsCodec,
  /** The epoch of the delegation that covers the slice. */
  delegationEpoch: integer,
  /**
   * Period n begins `n - anchorPeriod` intervals after the anchor: the first charge that is final, or the end of the trial. null
   * until the first charge is final. A trial is period 0, and is not charged.
   */
  interval: intervalCodec,
  intervalCount: integer,
  anchor: nullable(time),
  anchorPeriod: integer,
  periodIndex: integer,
  currentPeriodStart: nullable(time),
  currentPeriodEnd: nullable(time),
  /** The first period that is neither paid nor passed over. At most one charge is open, and it is for this period. */
  nextChargePeriod: integer,
  /** When the next try to charge begins; null when nothing is charged without an action of a person. */
  nextChargeAt: nullable(time),
  /** When its trial ends, or has ended; null without a trial. */
  trialEndsAt: nullable(time),
  /** The product of the trial: a wallet has one trial of each. */
  trialProductId: nullable(uuid),
  /** When `subscription.trial_ending` is due; null once it is sent. */
  trialNoticeAt: nullable(time),
  cancelAtPeriodEnd: flag,
  /** Who paused or canceled it last; null while it is neither, and when it was paused for a lack of payment. */
  stoppedBy: nullable(plain('text', oneOf(PARTIES))),
  /** The first failure of the dunning that goes on, and the number of its failures. */
  pastDueSince: nullable(time),
  dunningAttempts: integer,
  /** When the engine looks at it next; null when time alone does not change it. */
  dueAt: nullable(time),
  /** null when the subscriber gave consent by a signed text. */
  approveSignature: nullable(signatureCodec),
  metadata: metadataCodec,
  /** Grows with every change. */
  version: integer,
  createdAt: time,
  updatedAt: time,
  activatedAt: nullable(time),
  canceledAt: nullable(time),
  endedAt: nullable(time),
} as const

export type BillingSubscription = Decoded<typeof SUBSCRIPTION_FIELDS>

// The properties of each status of a subscription that decisions and views ask for.

type Policy = {
  /** Charges are made as their times come, unless the subscription ends with its period. */
  readonly isCharging: boolean
  /** The subscriber and the business can manage it. Spec: "Subscription resources", `manageable`. */
  readonly isLive: boolean
  /** Nothing changes it any more. */
  readonly isFinal: boolean
  /** It becomes `revoked` when the allowance no longer covers it. */
  readonly isRevocable: boolean
}

const CHARGED: Policy = { isCharging: true, isLive: true, isFinal: false, isRevocable: true }
const STOPPED: Policy = { isCharging: false, isLive: true, isFinal: false, isRevocable: false }
const ENDED: Policy = { isCharging: false, isLive: false, isFinal: true, isRevocable: false }

export const SUBSCRIPTION_POLICY: Readonly<Record<SubscriptionStatus, Policy>> = {
  incomplete: { isCharging: true, isLive: false, isFinal: false, isRevocable: false },
  trialing: CHARGED,
  active: CHARGED,
  renewal_required: CHARGED,
  past_due: CHARGED,
  paused: STOPPED,
  revoked: STOPPED,
  exhausted: STOPPED,
  canceled: ENDED,
  failed: ENDED,
}

/** Returns whether charges are made as their times come. A subscription that ends with its period is charged no more. */
export const isCharging = ({
  status,
  cancelAtPeriodEnd,
}: Pick<BillingSubscription, 'status' | 'cancelAtPeriodEnd'>): boolean =>
  SUBSCRIPTION_POLICY[status].isCharging && !cancelAtPeriodEnd

/** Returns whether its current period is its trial. */
export const isInTrial = ({
  trialEndsAt,
  periodIndex,
}: Pick<BillingSubscription, 'trialEndsAt' | 'periodIndex'>): boolean => trialEndsAt !== null && periodIndex === 0
