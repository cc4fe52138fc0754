/** Returns the cents of dollars such as `19.99`; null when they are none. */
export function centsOf(dollars: string | null): number | null {
  const [, whole, fraction = ''] = /^(\d{1,9})(?:[.,](\d{1,2}))?$/.exec(dollars ?? '') ?? []
  return whole === undefined ? null : Number(whole) * 100 + Number(fraction.padEnd(2, '0'))
}
