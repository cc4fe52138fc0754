// Prices by which a refund of tokens is compared with what it costs the fee payer in SOL.
import { type Asset, SOL, WRAPPED_SOL_MINT } from '#core/chain/types.ts'
import { isPriceRefusal } from '#core/money/price.ts'
import type { DecisionContext } from '#core/payments/decision-context.ts'
import { PRICE_WAIT_MS, type PreflightFacts } from '#core/payments/machine/preflight.ts'
import type { Token } from '#core/tokens/token.ts'
import { msSince } from '#lib/time.ts'
import type { Clock } from '#ports/clock.ts'
import type { Price } from '#ports/price-feed.ts'
import type { PriceSource } from '#services/prices/price-source.ts'

type RateFacts = Pick<PreflightFacts, 'rates' | 'unpricedSince'>

/** Returns the rates of the assets that the allowlist contains. An asset has none while it or SOL has no recent price. */
export type ReadRates = (
  tokens: DecisionContext['tokens'],
  assets: ReadonlySet<Asset>,
) => Promise<ReadonlyMap<Asset, RateFacts>>

export function createRatesReader(deps: {
  readonly prices: Pick<PriceSource, 'pricesFor'>
  readonly clock: Clock
}): ReadRates {
  const misses = new Map<string, { readonly first: Date; readonly last: Date }>()

  /** Returns when the first reading failed, and counts the present one. After an hour without a reading, it is the first again. */
  function unpricedSince(token: Token): Date {
    const now = deps.clock.now()
    const known = misses.get(nameOf(token))
    const goesOn = known !== undefined && msSince(known.last.getTime(), now.getTime()) < PRICE_WAIT_MS
    const first = goesOn ? known.first : now
    misses.set(nameOf(token), { first, last: now })
    return first
  }

  return async (tokens, assets) => {
    if (assets.size === 0) return new Map()
    const sol = tokens.get(SOL) ?? { mint: WRAPPED_SOL_MINT, feedKey: SOL }
    const priced = [...assets].flatMap((asset) => tokens.get(asset) ?? [])
    const found = await deps.prices.pricesFor([sol, ...priced])
    const priceOf = ({ mint }: { readonly mint: string }): Price | null => {
      const outcome = found.get(mint)
      return outcome === undefined || isPriceRefusal(outcome) ? null : outcome
    }
    const solPrice = priceOf(sol)
    const factsOf = (token: Token): RateFacts => {
      const price = priceOf(token)
      if (price === null || solPrice === null) return { rates: null, unpricedSince: unpricedSince(token) }
      misses.delete(nameOf(token))
      return { rates: { asset: price, sol: solPrice }, unpricedSince: null }
    }
    return new Map(priced.map((token) => [token.asset, factsOf(token)]))
  }
}

const nameOf = ({ network, asset }: Token): string => `${network} ${asset}`
