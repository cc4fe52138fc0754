// GET /intents/quote: the price in every accepted asset that can be paid right now. Spec: "Quote".
import { hasCode, ServiceError } from '#core/errors.ts'
import { usdCentsToBaseUnits } from '#core/money/conversion.ts'
import { isPriceRefusal } from '#core/money/price-rules.ts'
import { judgeQuote } from '#core/payments/machine/checkout.ts'
import { secondsLeft } from '#core/payments/payment-intent.ts'
import type { Token } from '#core/tokens/token.ts'
import type { Clock } from '#ports/clock.ts'
import type { Directory } from '#services/accounts/directory.ts'
import type { IntentServices, Quote } from '#services/payments/intent-services.ts'
import { type PriceSource, refusalError } from '#services/prices/price-source.ts'
import type { FindByClientSecret } from './checkout.ts'
import type { ReadLeastPayable } from './payability.ts'

export function createQuote(deps: {
  findByClientSecret: FindByClientSecret
  directory: Pick<Directory, 'tokens'>
  prices: Pick<PriceSource, 'pricesFor'>
  leastPayable: ReadLeastPayable
  clock: Clock
}): IntentServices['quote'] {
  return async (clientSecret) => {
    const intent = await deps.findByClientSecret(clientSecret)
    const now = deps.clock.now()
    const refusal = judgeQuote(intent, now)
    if (refusal !== null) throw new ServiceError(refusal, { status: intent.status })
    const allowed = await deps.directory.tokens(intent.network)
    const tokens = intent.acceptedAssets.flatMap((asset) => allowed.get(asset) ?? [])
    const prices = await deps.prices.pricesFor(tokens)
    const quotes: Quote['quotes'][number][] = []
    const unquoted: Quote['unquoted'][number][] = []
    let unusable: ServiceError | null = null
    for (const token of tokens) {
      const { asset } = token
      const price = prices.get(token.mint) ?? { refused: 'unreachable' }
      if (isPriceRefusal(price)) {
        unquoted.push({ asset, code: refusalError(token, price).code })
        continue
      }
      const expected = usdCentsToBaseUnits(intent.priceUsdCents, price, token.decimals)
      if (typeof expected !== 'bigint') {
        unquoted.push({ asset, code: 'amount_too_large' })
        continue
      }
      try {
        const leastPayable = await deps.leastPayable(token)
        if (expected < leastPayable(intent.marketplaceFeeBps)) unquoted.push({ asset, code: 'amount_too_small' })
        else quotes.push({ asset, symbol: token.ticker, decimals: token.decimals, expected })
      } catch (error) {
        if (!hasCode(error, 'asset_not_usable')) throw error
        unusable = error
        unquoted.push({ asset, code: 'asset_not_usable' })
      }
    }
    if (quotes.length === 0) throwFeedFailure(tokens, prices)
    if (quotes.length === 0 && unusable !== null) throw unusable
    return { priceUsdCents: intent.priceUsdCents, expiresInSeconds: secondsLeft(intent, now), quotes, unquoted }
  }
}

/** Throws the refusal of a price feed, if one caused the empty quote. A price that no asset can express is no error. */
function throwFeedFailure(tokens: readonly Token[], prices: Awaited<ReturnType<PriceSource['pricesFor']>>): void {
  for (const token of tokens) {
    const price = prices.get(token.mint) ?? { refused: 'unreachable' }
    if (isPriceRefusal(price)) throw refusalError(token, price)
  }
}
