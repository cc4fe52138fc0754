// Adds the settlements of a payment up. A business can sweep an address as often as something arrives there, so the lists are bounded.
import { capAtU64 } from '#core/money/amounts.ts'
import type { Settlement, SettlementLeg } from '#core/payments/intent-values.ts'
import { totalOf } from '#core/payments/position/shares.ts'
import { NEWEST } from '#core/payments/returns/newest.ts'

/**
 * Returns the figures of both. The newest transactions keep their legs; the legs of those before are one for each recipient and
 * purpose, with the newest transaction that paid it. So the legs still add up to what was received.
 */
export function mergeSettlements(earlier: Settlement, latest: Settlement): Settlement {
  const signatures = [...earlier.signatures, ...latest.signatures].slice(-NEWEST)
  const newest = new Set(signatures)
  const legs = [...earlier.legs, ...latest.legs]
  const before = Map.groupBy(
    legs.filter(({ signature }) => !newest.has(signature)),
    purposeOf,
  )
  const summed = [...before.values()].flatMap((group) => {
    const last = group.at(-1)
    return last === undefined ? [] : [{ ...last, amount: totalOf(group) }]
  })
  return {
    ...earlier,
    destinationAmount: capAtU64(earlier.destinationAmount + latest.destinationAmount),
    platformFeeAmount: capAtU64(earlier.platformFeeAmount + latest.platformFeeAmount),
    signatures,
    legs: [...summed, ...legs.filter(({ signature }) => newest.has(signature))],
  }
}

const purposeOf = ({ role, destination, mint, feeBps }: SettlementLeg): string =>
  [role, destination, mint, feeBps].join(' ')
