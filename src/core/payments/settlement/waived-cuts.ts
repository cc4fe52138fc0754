// The cuts that a settlement left to the seller, found when it is booked. docs/contract.md, "Fees".

import { SOL } from '#core/chain/types.ts'
import { add, type BaseUnits, makeBasisPoints, mulBpsFloor } from '#core/money/amounts.ts'
import type { IntentChange, IntentFacts } from '#core/payments/change.ts'
import { totalOf } from '#core/payments/position/shares.ts'
import { isMainSweep, isRentReserve, type PaymentTransfer } from '#core/payments/transfers.ts'

/**
 * Returns the cuts that a settled sweep has no leg for. The marketplace's rate does not change after the creation of the payment, so a
 * missing leg was waived. The platform's rate can change: its leg was waived when the round before this one was withdrawn and had it.
 * `left` is the part of the business that the sweep left at the address.
 */
export function waivedCuts(
  sweep: PaymentTransfer,
  { intent, payee, transfers }: IntentFacts,
  left: BaseUnits,
): NonNullable<IntentChange['waived']> {
  if (payee.marketplace === null || sweep.asset !== SOL || isRentReserve(sweep)) return []
  const settles = add(totalOf(sweep.legs.filter(({ role }) => role !== 'refund')), left)
  const rates = { marketplace: intent.marketplaceFeeBps ?? 0, platform: withdrawnPlatformBps(sweep, transfers) }
  return (['marketplace', 'platform'] as const)
    .filter((role) => sweep.legs.every((leg) => leg.role !== role))
    .map((role) => ({ role, amount: mulBpsFloor(settles, makeBasisPoints(rates[role])) }))
    .filter(({ amount }) => amount > 0n)
}

/** Returns the rate of the platform's leg in the round before, when that round failed; otherwise 0. */
function withdrawnPlatformBps({ round }: PaymentTransfer, transfers: readonly PaymentTransfer[]): number {
  const [before] = transfers.filter((one) => isMainSweep(one) && one.round < round).sort((a, b) => b.round - a.round)
  if (before?.status !== 'failed') return 0
  return before.legs.find(({ role }) => role === 'platform')?.feeBps ?? 0
}
