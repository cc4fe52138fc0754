// What each status of a payment means for its money and its people: one row for each status, and no rule elsewhere that lists
// statuses of its own.
import { INTENT_STATUSES, type IntentStatus } from '#core/payments/payment-intent.ts'

export type StatusPolicy = {
  /** Something of it is still to come by itself: it is watched closely, and counts as open. */
  readonly isOpen: boolean
  /** A deposit of the selected asset counts towards the price. */
  readonly awaitsPayment: boolean
  /** The checkout window can still end it: nothing was paid, or too little. */
  readonly canExpire: boolean
  /** A deposit of the selected asset is owed back, and not to the business. */
  readonly owesBack: boolean
  /** It ended without a settlement: whatever it accepts, and SOL, is a late payment from then on. */
  readonly endedUnsettled: boolean
  /** Nothing is on its way back, but a new return takes the payment back to `refunding`. */
  readonly reopens: boolean
  /** Its lists say what goes back of the price, or did. */
  readonly showsRefunds: boolean
  /** Its lists say what goes back of an excess, or did, apart from the settlement. */
  readonly showsExcess: boolean
  /** A sweep on demand settles it, and does not only take what no refund has reserved. */
  readonly sweepSettles: boolean
  /** The buyer's details can still be changed. Spec: POST /intents/details. */
  readonly acceptsDetails: boolean
  /** Its money can still arrive, or is still to move: its seller cannot be archived. */
  readonly isInFlight: boolean
  /** Its price was paid in time, and does not go back. */
  readonly isPaid: boolean
}

const OVER: StatusPolicy = {
  isOpen: false,
  awaitsPayment: false,
  canExpire: false,
  owesBack: true,
  endedUnsettled: true,
  reopens: true,
  showsRefunds: true,
  showsExcess: false,
  sweepSettles: false,
  acceptsDetails: false,
  isInFlight: false,
  isPaid: false,
}

const UNDER_WAY: StatusPolicy = {
  isOpen: true,
  awaitsPayment: true,
  canExpire: false,
  owesBack: false,
  endedUnsettled: false,
  reopens: false,
  showsRefunds: false,
  showsExcess: false,
  sweepSettles: true,
  acceptsDetails: true,
  isInFlight: true,
  isPaid: true,
}

export const STATUS_POLICY: Readonly<Record<IntentStatus, StatusPolicy>> = {
  pending: { ...UNDER_WAY, canExpire: true, sweepSettles: false, isPaid: false },
  underpaid: { ...UNDER_WAY, canExpire: true, isPaid: false },
  paid: UNDER_WAY,
  overpaid: UNDER_WAY,
  settling: { ...UNDER_WAY, awaitsPayment: false, sweepSettles: false },
  settle_failed: { ...UNDER_WAY, isOpen: false, awaitsPayment: false },
  swept: { ...OVER, endedUnsettled: false, reopens: false, showsRefunds: false, showsExcess: true, isPaid: true },
  refunding: { ...OVER, isOpen: true, reopens: false, acceptsDetails: true, isInFlight: true },
  refunded: OVER,
  refund_failed: { ...OVER, isInFlight: true },
  cancelled: { ...OVER, showsRefunds: false },
}

/** Returns the statuses to which a rule applies, in the order of the spec. */
export const statusesWhere = (rule: keyof StatusPolicy): readonly IntentStatus[] =>
  INTENT_STATUSES.filter((status) => STATUS_POLICY[status][rule])
