// The release of held money to the address that a person approved, with a reason: that of the operator, or one that the buyer
// proposes to the business. docs/contract.md, "Held money".

import { type Address, type Asset, SOL } from '#core/chain/types.ts'
import { type BaseUnits, subtract, ZERO } from '#core/money/amounts.ts'
import { type Decision, type IntentFacts, moved, refused, UNCHANGED } from '#core/payments/change.ts'
import type { DecisionContext } from '#core/payments/decision-context.ts'
import { complete } from '#core/payments/machine/complete.ts'
import { newTransfer, nextRound } from '#core/payments/position/new-transfer.ts'
import { hasFailed, Position, type PositionTransfer, paymentAssets } from '#core/payments/position/position.ts'
import { sparingRent } from '#core/payments/position/rent-reserve.ts'
import { type Held, openOf, releasableOf } from '#core/payments/returns/releasable.ts'
import {
  isReleased,
  makeLeg,
  type NewPaymentTransfer,
  type PaymentLeg,
  type PaymentTransfer,
  type ReleaseRole,
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
 * Decides a release of all held money of an asset that no transfer reserves, with one transfer for each token account.
 * `unchanged` while the same release is under way. When SOL arrives in small amounts, the release leaves the rent minimum at
 * the address, held.
 */
export function decideRelease(facts: IntentFacts, order: ReleaseOrder, context: DecisionContext): Decision {
  const start = new Position(facts, context)
  const transfers = releasesOf(start, { ...order, role: 'release' }, releasableOf(start, order.asset))
  if (transfers.length > 0) {
    const begun = takesRefund(start, transfers) ? start.moveTo('refunding') : start.step()
    return moved(complete(planReleases(begun, transfers, order.reason)))
  }
  const open = openOf(start, order.asset)
  return open.length > 0 ? whileOpen(open, order) : refused('nothing_held')
}

/** Returns whether releases continue a refund that waits for a person. */
export const takesRefund = ({ intent, deposits }: Position, releases: readonly NewPaymentTransfer[]): boolean =>
  intent.status === 'refund_failed' &&
  releases.some(({ sourceAccount, asset }) => sourceAccount === null && paymentAssets(deposits).has(asset))

/** Adds releases, with the reason of the person who decided. */
export const planReleases = (position: Position, releases: readonly NewPaymentTransfer[], reason: string): Position =>
  position.plan(...releases).with({ releases: releases.map(({ key }) => ({ key, reason })) })

/** Decides about an order whose money other transfers reserve. */
function whileOpen(open: readonly PositionTransfer[], { to }: ReleaseOrder): Decision {
  const releases = open.filter(({ kind }) => kind === 'release')
  if (releases.length === 0) return refused('held_money_reserved')
  return releases.every((one) => goesTo(one, to)) ? UNCHANGED : refused('release_in_progress')
}

const goesTo = ({ legs }: Pick<PositionTransfer, 'legs'>, to: Address): boolean =>
  legs.some((leg) => isReleased(leg) && leg.destination === to)

/** The receiver of a release, and why it gets the money. */
export type Receiver = Pick<ReleaseOrder, 'asset' | 'to' | 'decimals' | 'tokenProgram'> & { readonly role: ReleaseRole }

/** Returns a transfer for each part of the held money. */
export function releasesOf(
  { facts, context }: Position,
  receiver: Receiver,
  held: readonly Held[],
): readonly NewPaymentTransfer[] {
  const { asset, decimals, tokenProgram } = receiver
  const round = nextRound(facts.transfers, 'release')
  return held.map(({ sourceAccount, amount }) => {
    const whole = legsOf(receiver, amount, context)
    const sparing = asset === SOL && isDisturbed(facts) ? sparingRent(whole, context.rentMinimum) : null
    const legs = sparing ?? whole
    return newTransfer(facts, { kind: 'release', sourceAccount, asset, decimals, tokenProgram, round, legs })
  })
}

/** Returns the legs. With SOL, the amount pays the network fee, as in a refund, unless nothing would be left. */
function legsOf({ asset, to, role }: Receiver, amount: BaseUnits, { terms }: DecisionContext): readonly PaymentLeg[] {
  const fee = asset === SOL && amount > terms.networkFee ? terms.networkFee : ZERO
  return withoutEmpty([makeLeg(role, to, subtract(amount, fee)), makeLeg('network_fee', terms.feePayer, fee)])
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
