/** Returns the cents of dollars such as `19.99`; null when they are none. */
export function centsOf(dollars: string | null): number | null {
  const [, whole, fraction = ''] = /^(\d{1,9})(?:[.,](\d{1,2}))?$/.exec(dollars ?? '') ?? []
  return whole === undefined ? null : Number(whole) * 100 + Number(fraction.padEnd(2, '0'))
}

/** Percents with at most two decimals. */
export const PERCENT = '\\d{1,3}([.,]\\d{1,2})?'

/** Returns basis points as a person enters them. */
export const percentIn = (bps: number): string => String(bps / 100)

/** Returns the basis points of a percentage such as `2.5`; null when it is none. */
export const bpsOf: (percent: string | null) => number | null = centsOf

/** Returns the base units of an amount such as `0.13`; null when it is none, or has more decimals than its asset. */
export function unitsOf(amount: string | null, decimals: number): string | null {
  const [, whole, fraction = ''] = /^(\d{1,20})(?:[.,](\d+))?$/.exec(amount ?? '') ?? []
  return whole === undefined || fraction.length > decimals
    ? null
    : String(BigInt(whole + fraction.padEnd(decimals, '0')))
}
