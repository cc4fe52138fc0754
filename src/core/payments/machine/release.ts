// The release of held money to an address that the operator names, with a reason. docs/contract.md, "Held money".

import { type Address, type Asset, SOL } from '#core/chain/types.ts'
import { type BaseUnits, subtract, ZERO } from '#core/money/amounts.ts'
import { type Decision, type IntentFacts, moved, refused, UNCHANGED } from '#core/payments/change.ts'
import type { DecisionContext } from '#core/payments/decision-context.ts'
import { complete } from '#core/payments/machine/complete.ts'
import { newTransfer, nextRound } from '#core/payments/position/new-transfer.ts'
import {
  hasFailed,
  isOpen,
  Position,
  type PositionTransfer,
  paymentAssets,
  unreservedUnaccepted,
} from '#core/payments/position/position.ts'
import { sparingRent } from '#core/payments/position/rent-reserve.ts'
import { totalOf } from '#core/payments/position/shares.ts'
import { returnStateOf } from '#core/payments/returns/return-state.ts'
import {
  isRentReserve,
  makeLeg,
  type NewPaymentTransfer,
  type PaymentLeg,
  type PaymentTransfer,
  withoutEmpty,
} from '#core/payments/transfers.ts'

export type ReleaseOrder = {
  readonly asset: Asset
  readonly to: Address
  /** The operator's reason, for people. */
  readonly reason: string
  readonly decimals: number
  readonly tokenProgram: Address | null
}

/**
 * Other token accounts from which one order releases, those with the most first: a stranger can make any number, and each costs
 * a transaction. The order can be repeated.
 */
export const MAX_OTHER_ACCOUNTS = 10

/**
 * Decides a release of all held money of an asset that no transfer reserves, with one transfer for each token account.
 * `unchanged` while the same release is under way. When SOL arrives in small amounts, the release leaves the rent minimum at
 * the address, held.
 */
export function decideRelease(facts: IntentFacts, order: ReleaseOrder, context: DecisionContext): Decision {
  const { intent } = facts
  const start = new Position(facts, context)
  const ofAsset = facts.transfers.filter(({ asset }) => asset === order.asset)
  // A rent reserve goes last: a release does not wait for it.
  const open = ofAsset.filter((transfer) => isOpen(transfer) && !isRentReserve(transfer))
  const isOpenThere = (account: Address | null) => open.some(({ sourceAccount }) => sourceAccount === account)
  const held: readonly Held[] = [
    { sourceAccount: null, amount: amountStuck(start, order.asset) },
    ...inOtherAccounts(facts, order, ofAsset),
  ]
  // An open transfer may reserve the same money. With SOL it may also leave less than the rent minimum.
  const transfers = held
    .filter(({ sourceAccount }) => !isOpenThere(sourceAccount))
    .flatMap((there) => planRelease(facts, order, context, there))
  if (transfers.length === 0) return open.length > 0 ? whileOpen(open, order) : refused('nothing_held')
  const isOfPayment =
    transfers.some(({ sourceAccount }) => sourceAccount === null) && paymentAssets(facts.deposits).has(order.asset)
  const begun = intent.status === 'refund_failed' && isOfPayment ? start.moveTo('refunding') : start.step()
  const reasons = transfers.map(({ key }) => ({ key, reason: order.reason }))
  return moved(complete(begun.plan(...transfers).with({ releases: reasons })))
}

/** Decides about an order whose money other transfers reserve. */
function whileOpen(open: readonly PositionTransfer[], { to }: ReleaseOrder): Decision {
  const releases = open.filter(({ kind }) => kind === 'release')
  if (releases.length === 0) return refused('held_money_reserved')
  return releases.every((one) => goesTo(one, to)) ? UNCHANGED : refused('release_in_progress')
}

const goesTo = ({ legs }: Pick<PositionTransfer, 'legs'>, to: Address): boolean =>
  legs.some(({ role, destination }) => role === 'release' && destination === to)

/**
 * Returns the amount in base units that the last change left. Every change plans the refunds that are possible: what could go back
 * now was held then, by another price, rent minimum or list of custodians.
 */
function amountStuck(position: Position, asset: Asset): BaseUnits {
  const { is } = returnStateOf(position, asset)
  return is === 'stuck' || is === 'ready' ? totalOf(position.of(asset).free) : ZERO
}

type Held = { readonly sourceAccount: Address | null; readonly amount: BaseUnits }

/** Returns what other token accounts than the associated one contain, in base units. */
function inOtherAccounts(
  { deposits }: IntentFacts,
  { asset }: ReleaseOrder,
  transfers: readonly PositionTransfer[],
): readonly Held[] {
  const shares = unreservedUnaccepted(asset, deposits, transfers)
  return [...Map.groupBy(shares, ({ deposit }) => deposit.account)]
    .map(([sourceAccount, own]) => ({ sourceAccount, amount: totalOf(own) }))
    .sort((a, b) => (a.amount > b.amount ? -1 : 1))
    .slice(0, MAX_OTHER_ACCOUNTS)
}

function planRelease(
  facts: IntentFacts,
  order: ReleaseOrder,
  context: DecisionContext,
  { sourceAccount, amount }: Held,
): readonly NewPaymentTransfer[] {
  if (amount === 0n) return []
  const { asset, decimals, tokenProgram } = order
  const round = nextRound(facts.transfers, 'release')
  const whole = legsOf(order, amount, context)
  const sparing = asset === SOL && isDisturbed(facts) ? sparingRent(whole, context.rentMinimum) : null
  return [
    newTransfer(facts, {
      kind: 'release',
      sourceAccount,
      asset,
      decimals,
      tokenProgram,
      round,
      legs: sparing ?? whole,
    }),
  ]
}

/** Returns the legs. With SOL, the amount pays the network fee, as in a refund, unless nothing would be left. */
function legsOf({ asset, to }: ReleaseOrder, amount: BaseUnits, { terms }: DecisionContext): readonly PaymentLeg[] {
  const fee = asset === SOL && amount > terms.networkFee ? terms.networkFee : ZERO
  return withoutEmpty([makeLeg('release', to, subtract(amount, fee)), makeLeg('network_fee', terms.feePayer, fee)])
}

/** Returns whether dust has disturbed the last release of SOL: it failed on chain. */
function isDisturbed({ transfers }: IntentFacts): boolean {
  const last = transfers.findLast(({ kind, asset }) => kind === 'release' && asset === SOL)
  return last !== undefined && hasFailed(last)
}

/**
 * Returns the next round of a release of SOL that dust disturbs, with the same destination and less the rent minimum, which stays at
 * the address, held; null when the amount is too small for two parts.
 */
export function releaseDespiteDust(
  release: PaymentTransfer,
  facts: IntentFacts,
  { rentMinimum }: Pick<DecisionContext, 'rentMinimum'>,
): NewPaymentTransfer | null {
  const { kind, asset, decimals, tokenProgram } = release
  const legs = sparingRent(release.legs, rentMinimum)
  if (legs === null) return null
  const round = nextRound(facts.transfers, kind)
  return newTransfer(facts, { kind, asset, decimals, tokenProgram, round, legs })
}
