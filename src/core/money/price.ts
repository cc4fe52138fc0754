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
