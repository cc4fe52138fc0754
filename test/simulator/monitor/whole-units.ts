// Reads amounts in whole units, by rules of the monitor's own.

const PLAIN = /^(0|[1-9]\d*)(?:\.(\d*[1-9]))?$/

/** Returns the base units of a plain decimal without needless zeros; null for any other text. */
export function baseUnitsOf(text: string, decimals: number): bigint | null {
  const [, whole, fraction = ''] = PLAIN.exec(text) ?? []
  return whole === undefined || fraction.length > decimals ? null : BigInt(whole + fraction.padEnd(decimals, '0'))
}

/** Returns the base units of an amount in whole units: an exact decimal in an event, a number in a status. */
export function baseUnitsOfFigure(figure: unknown, decimals: number): bigint | null {
  if (typeof figure === 'string') return baseUnitsOf(figure, decimals)
  if (typeof figure === 'bigint') return figure * 10n ** BigInt(decimals)
  return typeof figure === 'number' ? BigInt(Math.round(figure * 10 ** decimals)) : null
}
