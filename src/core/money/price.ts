import { type BasisPoints, makeBasisPoints } from './amounts.ts'

// A price is an exact decimal with a source and a time. Nothing here is a float.

/** An exact decimal number: `mantissa × 10^exponent`. */
export type Decimal = { readonly mantissa: bigint; readonly exponent: number }

/** US dollars per whole unit of an asset, by one source at one time: `usd = mantissa × 10^exponent`. */
export type Price = Decimal & {
  readonly source: string
  /** When the source says that the price was true, not when it was fetched. */
  readonly publishedAt: Date
  /** Half the width of the source's own confidence interval, in units of the mantissa, where it gives one. */
  readonly uncertainty?: bigint
  /** The prices of which this one is the median, where several sources were asked. */
  readonly medianOf?: readonly Price[]
}

const MAX_TEXT = 64
const MAX_EXPONENT = 64
const DECIMAL = /^(\d+)(?:\.(\d+))?(?:e([+-]?\d+))?$/i

/**
 * Reads an unsigned decimal exactly, in plain or scientific notation as JSON writes numbers: `150`, `0.9998`, `1.2e-7`.
 * Undefined for anything else, and for zero.
 */
export function decimalToPrice(text: string): Decimal | undefined {
  if (text.length > MAX_TEXT) return undefined
  const [, whole = '', fraction = '', exponent = '0'] = DECIMAL.exec(text) ?? []
  if (whole === '') return undefined
  const decimal = { mantissa: BigInt(whole + fraction), exponent: Number(exponent) - fraction.length }
  return isPlausible(decimal) ? trimZeros(decimal) : undefined
}

/**
 * Returns whether a price can be true at all: at least 10^-18 and less than 10^12 dollars a unit. No asset that anyone pays
 * with lies outside, and the bounds keep a lying source from making the arithmetic after it expensive.
 */
export function isPlausible({ mantissa, exponent }: Decimal): boolean {
  if (mantissa <= 0n || !Number.isInteger(exponent) || Math.abs(exponent) > MAX_EXPONENT) return false
  const digitsBeforePoint = mantissa.toString().length + exponent
  return digitsBeforePoint >= -17 && digitsBeforePoint <= 12
}

/** Returns the number as a plain decimal without an exponent: `150`, `0.9998`. */
export function decimalText({ mantissa, exponent }: Decimal): string {
  if (exponent >= 0) return (mantissa * 10n ** BigInt(exponent)).toString()
  const digits = mantissa.toString().padStart(1 - exponent, '0')
  return `${digits.slice(0, exponent)}.${digits.slice(exponent)}`
}

/** Returns the same numbers with one exponent, the smallest among them, so that their mantissas can be compared and added. */
export function alignDecimals(decimals: readonly Decimal[]): { mantissas: bigint[]; exponent: number } {
  const exponent = Math.min(...decimals.map((decimal) => decimal.exponent))
  return {
    mantissas: decimals.map((decimal) => decimal.mantissa * 10n ** BigInt(decimal.exponent - exponent)),
    exponent,
  }
}

/** Returns the same number with the shortest mantissa, so that equal numbers are written alike. */
export function trimZeros({ mantissa, exponent }: Decimal): Decimal {
  const digits = mantissa.toString()
  const significant = digits.replace(/0+$/, '')
  if (significant === '') return { mantissa, exponent }
  return { mantissa: BigInt(significant), exponent: exponent + digits.length - significant.length }
}

// Decides which price counts when several sources give one, and when none counts.

/**
 * Why there is no price. `unreachable`: too few sources gave one. `stale`: enough did, but not recently.
 * `disagree`: they are too far apart, or the confidence interval of one of them is that wide.
 */
export type PriceRefusal = { readonly refused: 'unreachable' | 'stale' | 'disagree' }

type PriceRules = {
  /** An older observation does not count. */
  readonly maxAgeMs: number
  /** A clock may run ahead a little. An observation from further in the future does not count. */
  readonly maxAheadMs: number
  /** Highest less lowest, against the median. */
  readonly maxSpreadBps: BasisPoints
}

const PRICE_RULES: PriceRules = { maxAgeMs: 60_000, maxAheadMs: 5_000, maxSpreadBps: makeBasisPoints(200) }

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
    medianOf: counted,
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
