// Decides which price counts when several sources give one, and when none counts.

import { type BasisPoints, makeBasisPoints } from '#core/money/amounts.ts'
import { alignDecimals, isPlausible, type Price, trimZeros } from '#core/money/price.ts'

/**
 * Why there is no price. `unreachable`: too few sources gave one. `stale`: enough did, but not recently.
 * `disagree`: they are too far apart, or the confidence interval of one of them is that wide.
 */
export type PriceRefusal = { readonly refused: 'unreachable' | 'stale' | 'disagree' }

export type PriceRules = {
  /** An older observation does not count. */
  readonly maxAgeMs: number
  /** A clock may run ahead a little. An observation from further in the future does not count. */
  readonly maxAheadMs: number
  /** Highest less lowest, against the median. */
  readonly maxSpreadBps: BasisPoints
}

export const PRICE_RULES: PriceRules = { maxAgeMs: 60_000, maxAheadMs: 5_000, maxSpreadBps: makeBasisPoints(200) }

export const isPriceRefusal = (outcome: Price | PriceRefusal): outcome is PriceRefusal => 'refused' in outcome

/**
 * Returns how many sources must agree: more than half of the configured ones. With three sources, no price
 * rests on one of them, even when the other two fail. A single configured source is trusted alone.
 */
export const quorumOf = (configured: number): number => Math.floor(configured / 2) + 1

/**
 * Returns the price that the sources agree on, or why there is none. `observations` holds at most one price a source;
 * `configured` is how many sources were asked. The agreed price is the median, as old as the oldest that counted.
 */
export function agreePrice(
  observations: readonly Price[],
  { now, configured, rules = PRICE_RULES }: { now: Date; configured: number; rules?: PriceRules },
): Price | PriceRefusal {
  const plausible = observations.filter(isPlausible)
  const counted = plausible.filter((price) => isTimely(price, now, rules))
  if (counted.length < quorumOf(configured)) {
    return { refused: plausible.length < quorumOf(configured) ? 'unreachable' : 'stale' }
  }
  const { lowest, median, highest, exponent } = spreadOf(counted)
  const isTooWide = (highest - lowest) * 10_000n > median * BigInt(rules.maxSpreadBps)
  if (isTooWide || counted.some((price) => isUnsure(price, rules))) return { refused: 'disagree' }
  return {
    ...trimZeros({ mantissa: median, exponent }),
    source: counted.map((price) => price.source).join('+'),
    publishedAt: new Date(Math.min(...counted.map((price) => price.publishedAt.getTime()))),
  }
}

/** Returns false for a broken date too: every comparison with NaN is. */
const isTimely = ({ publishedAt }: Price, now: Date, { maxAgeMs, maxAheadMs }: PriceRules): boolean => {
  const age = now.getTime() - publishedAt.getTime()
  return age <= maxAgeMs && age >= -maxAheadMs
}

const isUnsure = ({ mantissa, uncertainty = 0n }: Price, { maxSpreadBps }: PriceRules): boolean =>
  uncertainty < 0n || uncertainty * 10_000n > mantissa * BigInt(maxSpreadBps)

/**
 * Returns the lowest, median and highest with one exponent. The median of an even number is the exact middle of the middle two:
 * with one more decimal place half a sum is always a whole number, so this step does not round.
 */
function spreadOf(prices: readonly Price[]) {
  const { mantissas, exponent } = alignDecimals(prices)
  const sorted = mantissas.map((mantissa) => mantissa * 10n).sort((a, b) => (a < b ? -1 : a > b ? 1 : 0))
  const at = (index: number): bigint => sorted[index] ?? 0n
  return {
    lowest: at(0),
    median: (at(Math.ceil(sorted.length / 2) - 1) + at(Math.floor(sorted.length / 2))) / 2n,
    highest: at(sorted.length - 1),
    exponent: exponent - 1,
  }
}
