// Numbers in texts that a double does not hold exactly.

/**
 * Returns whether the double means something else than its literal in JSON or GraphQL: integers must not change, and nothing else
 * may become an integer.
 */
export function isRounded(value: number, literal: string): boolean {
  if (!Number.isFinite(value)) return true
  if (/^-?\d+$/.test(literal)) return BigInt(literal) !== BigInt(value)
  return Number.isSafeInteger(value) && !isExactly(literal, BigInt(value))
}

/** Returns whether a JSON number means exactly this integer: `1.50e1` means 15, `4.9999999999999999999` does not mean 5. */
function isExactly(literal: string, integer: bigint): boolean {
  const [, sign = '', whole = '', fraction = '', exponent = '0'] =
    /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(literal) ?? []
  const digits = BigInt(`${sign}${whole}${fraction}`)
  if (digits === 0n) return integer === 0n
  const shift = Number(exponent) - fraction.length
  // A safe integer has 16 digits: a literal that means one shifts by at most 16 more than its own length.
  if (Math.abs(shift) > literal.length + 16) return false
  return shift >= 0 ? digits * 10n ** BigInt(shift) === integer : digits === integer * 10n ** BigInt(-shift)
}
