/**
 * Returns the symbol that a feed key names, in capitals: `SOL` for `sol`, `SOL/USD` and `SOL-USD`. Undefined for a key that
 * is not a ticker, such as a Pyth feed id, and for a pair that is not quoted in dollars.
 */
export function tickerOf(feedKey: string): string | undefined {
  return /^([A-Z0-9]{1,20})(?:[/-]USD)?$/.exec(feedKey.trim().toUpperCase())?.[1]
}
