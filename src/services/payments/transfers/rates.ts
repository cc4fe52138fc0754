// Prices by which a refund of tokens is compared with what it costs the fee payer in SOL.
import { type Asset, SOL, WRAPPED_SOL_MINT } from '#core/chain/types.ts'
import { isPriceRefusal } from '#core/money/price-rules.ts'
import type { Rates } from '#core/payments/booking/preflight.ts'
import type { DecisionContext } from '#core/payments/machine/decision-context.ts'
import type { Price } from '#ports/price-feed.ts'
import type { PriceSource } from '#services/prices/price-source.ts'

/** Returns the rates of the assets, without those that have no recent price; none where SOL has no price. */
export async function readRates(
  prices: Pick<PriceSource, 'pricesFor'>,
  tokens: DecisionContext['tokens'],
  assets: ReadonlySet<Asset>,
): Promise<ReadonlyMap<Asset, Rates>> {
  if (assets.size === 0) return new Map()
  const sol = tokens.get(SOL) ?? { mint: WRAPPED_SOL_MINT, feedKey: SOL }
  const priced = [...assets].flatMap((asset) => tokens.get(asset) ?? [])
  const found = await prices.pricesFor([sol, ...priced])
  const priceOf = ({ mint }: { readonly mint: string }): Price | null => {
    const outcome = found.get(mint)
    return outcome === undefined || isPriceRefusal(outcome) ? null : outcome
  }
  const solPrice = priceOf(sol)
  return new Map(
    priced.flatMap((token) => {
      const price = priceOf(token)
      return price === null || solPrice === null ? [] : [[token.asset, { asset: price, sol: solPrice }]]
    }),
  )
}
