/**
 * The symbol that a feed key names, in capitals: `SOL` for `sol`, `SOL/USD` and `SOL-USD`. Undefined for a key that is
 * no ticker, a Pyth feed id for one, and for a pair quoted in anything but dollars.
 */
export function tickerOf(feedKey: string): string | undefined {
  return /^([A-Z0-9]{1,20})(?:[/-]USD)?$/.exec(feedKey.trim().toUpperCase())?.[1]
}
