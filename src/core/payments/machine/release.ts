// The release of held money to an address that the operator names, with a reason. docs/contract.md, "Held money".
import { type Address, type Asset, SOL } from '#core/chain/types.ts'
import { type BaseUnits, subtract, ZERO } from '#core/money/amounts.ts'
import { isRentReserve } from '#core/payments/booking/rent-reserve.ts'
import {
  type Decision,
  type IntentFacts,
  moved,
  moveTo,
  refused,
  startChange,
  step,
  UNCHANGED,
} from '#core/payments/machine/change.ts'
import type { DecisionContext } from '#core/payments/machine/decision-context.ts'
import {
  isOpen,
  paymentAssets,
  type Reservation,
  reservationsAfter,
  unreservedOf,
  unreservedUnaccepted,
} from '#core/payments/machine/reservations.ts'
import { nextRound, obligationOf } from '#core/payments/obligation.ts'
import { totalOf } from '#core/payments/returns/deposit-shares.ts'
import { returnStateOf } from '#core/payments/returns/return-state.ts'
import { withReturns } from '#core/payments/returns/returns.ts'
import type { NewPaymentTransfer, PaymentLeg } from '#core/payments/transfers.ts'

import type { TransferPortion } from '#core/transfers/transfer.ts'

export type ReleaseOrder = {
  readonly asset: Asset
  readonly to: Address
  /** The operator's reason, for people. */
  readonly reason: string
  readonly decimals: number
  readonly tokenProgram: Address | null
  /** The account that transfers of the asset draw from: the address itself for SOL. */
  readonly account: Address
}

/**
 * Decides a release of all held money of an asset that no transfer reserves. `unchanged` while the same release is under
 * way.
 */
export function decideRelease(facts: IntentFacts, order: ReleaseOrder, context: DecisionContext): Decision {
  const { intent } = facts
  const start = startChange(intent)
  const reservations = reservationsAfter(start, facts).filter(({ asset }) => asset === order.asset)
  // A rent reserve goes last: a release does not wait for it.
  const open = reservations.filter((reservation) => isOpen(reservation) && !isRentReserve(reservation))
  const releases = open.filter(({ kind }) => kind === 'release')
  if (releases.length > 0)
    return releases.every((one) => goesTo(one, order.to)) ? UNCHANGED : refused('release_in_progress')
  // An open transfer may reserve the same money. With SOL it may also leave less than the rent minimum.
  if (open.length > 0) return refused('held_money_reserved')
  if (facts.deposits.some(({ asset, state }) => asset === order.asset && state === 'confirmed')) {
    return refused('held_money_not_final')
  }
  const transfers = [
    ...planRelease(facts, order, context, 'main', amountStuck(facts, order.asset, context)),
    ...planRelease(facts, order, context, 'unaccepted', unacceptedAmount(facts, order, reservations)),
  ]
  if (transfers.length === 0) return refused('nothing_held')
  const isOfPayment = paymentAssets(facts.deposits.filter(({ state }) => state !== 'dropped')).has(order.asset)
  const begun =
    intent.status === 'refund_failed' && isOfPayment
      ? moveTo(start, 'refunding', {}, context.now)
      : step(start, {}, context.now, null)
  const reasons = transfers.map(({ key }) => ({ key, reason: order.reason }))
  return moved(withReturns({ ...begun, transfers, releases: reasons }, facts, context))
}

const goesTo = ({ legs }: Pick<Reservation, 'legs'>, to: Address): boolean =>
  legs.some(({ role, destination }) => role === 'release' && destination === to)

/** Returns the amount in base units that cannot go back automatically. */
function amountStuck(facts: IntentFacts, asset: Asset, context: DecisionContext): BaseUnits {
  const start = startChange(facts.intent)
  if (returnStateOf(start, facts, asset, context).is !== 'stuck') return ZERO
  return totalOf(unreservedOf(asset, facts.deposits, facts.transfers))
}

/** Returns the unaccepted money in the account that transfers draw from, in base units. */
function unacceptedAmount(
  { deposits }: IntentFacts,
  { asset, account }: ReleaseOrder,
  reservations: readonly Reservation[],
): BaseUnits {
  const within = deposits.filter((deposit) => deposit.account === account)
  return totalOf(unreservedUnaccepted(asset, within, reservations))
}

function planRelease(
  facts: IntentFacts,
  order: ReleaseOrder,
  context: DecisionContext,
  portion: TransferPortion,
  amount: BaseUnits,
): readonly NewPaymentTransfer[] {
  if (amount === 0n) return []
  const { asset, decimals, tokenProgram } = order
  const round = nextRound(facts.transfers, 'release')
  const legs = legsOf(order, amount, context)
  return [obligationOf(facts, { kind: 'release', portion, asset, decimals, tokenProgram, round, legs })]
}

/** Returns the legs. With SOL, the amount pays the network fee, as in a refund, unless nothing would be left. */
function legsOf({ asset, to }: ReleaseOrder, amount: BaseUnits, { terms }: DecisionContext): readonly PaymentLeg[] {
  const fee = asset === SOL && amount > terms.networkFee ? terms.networkFee : ZERO
  const legs: readonly PaymentLeg[] = [
    { role: 'release', destination: to, amount: subtract(amount, fee), feeBps: null },
    { role: 'network_fee', destination: terms.feePayer, amount: fee, feeBps: null },
  ]
  return legs.filter((leg) => leg.amount > 0n)
}
