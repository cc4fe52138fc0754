// The bounds of a range of time that a caller asks for.

/** The first moment of year 0, in ms. It is before every bound that is accepted. */
const FIRST = Date.parse('0000-01-01T00:00:00.000Z')
/** The last moment that RFC 3339 can write in UTC, in ms. */
const LAST = Date.parse('9999-12-31T23:59:59.999Z')

/**
 * Returns the nearest bound that RFC 3339 can write in UTC, for a time in ms. A time of year 0 or 9999 with an offset can be
 * outside it. No payment is that old or that new, so the bound includes and excludes the same payments.
 */
export const clampBound = (ms: number): Date => new Date(Math.min(Math.max(ms, FIRST), LAST))
