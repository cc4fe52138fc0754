// The use cases of a buyer, for the intent of its client secret. Spec: "Checkout endpoints (client secret)".
import { hasCode, ServiceError } from '#core/errors.ts'
import { MAX_CHANGES, waitToChange } from '#core/events/change-limit.ts'
import { usdCentsToBaseUnits } from '#core/money/conversion.ts'
import { isPriceRefusal } from '#core/money/price.ts'
import { startChange, step } from '#core/payments/change.ts'
import { acceptsDetails, applyCustomerPatch, judgeCustomerPatch } from '#core/payments/customer-details.ts'
import { decideSelection, judgeQuote, judgeSelection } from '#core/payments/machine/checkout.ts'
import { type PaymentIntent, secondsLeft } from '#core/payments/payment-intent.ts'
import type { Token } from '#core/tokens/token.ts'
import type { Clock } from '#ports/clock.ts'
import type { ChangeStore, CheckoutStore, IntentWorkStore } from '#ports/payments.ts'
import type { Secrets } from '#ports/secrets.ts'
import type { Directory } from '#services/accounts/directory.ts'
import { type PriceSource, refusalError } from '#services/prices/price-source.ts'
import { CHANGED_MEANWHILE, retryWhenChanged } from '#services/retry-when-changed.ts'
import type { TakeInArrivals } from './arrivals.ts'
import { decideAndApply } from './decide.ts'
import type { IntentServices, Quote } from './intent-services.ts'
import type { LockRate, ReadLeastPayable } from './lock-rate.ts'

export type FindByClientSecret = (clientSecret: string) => Promise<PaymentIntent>

/** Returns a lookup by client secret. The lookup throws `invalid_client_secret` for an unknown or wrong secret. */
export const createFindByClientSecret =
  (deps: { checkout: CheckoutStore; secrets: Pick<Secrets, 'hash'> }): FindByClientSecret =>
  async (clientSecret) => {
    // The hash is found by an index, so the time of the lookup reveals no character of the secret.
    const intent = await deps.checkout.findByClientSecretHash(deps.secrets.hash(clientSecret))
    if (intent === null) throw new ServiceError('invalid_client_secret')
    return intent
  }

/** Carries out POST /intents/details: fields sent overwrite, fields omitted are untouched, null clears. */
export function createUpdateDetails(deps: {
  findByClientSecret: FindByClientSecret
  store: ChangeStore
  clock: Clock
}): IntentServices['updateDetails'] {
  return async (clientSecret, patch) => {
    const refusal = judgeCustomerPatch(patch)
    if (refusal !== null) {
      await deps.findByClientSecret(clientSecret)
      throw new ServiceError(refusal)
    }
    return retryWhenChanged(async () => {
      const intent = await deps.findByClientSecret(clientSecret)
      if (!acceptsDetails(intent.status)) throw new ServiceError('details_frozen', { status: intent.status })
      const customerDetails = applyCustomerPatch(intent.customerDetails, patch)
      const change = step(startChange(intent), { customerDetails }, deps.clock.now(), null)
      return (await deps.store.apply(change)) ? change.after : CHANGED_MEANWHILE
    })
  }
}

// GET /intents/quote: the price in every accepted asset that can be paid right now. Spec: "Quote".

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
        if (expected < leastPayable(intent)) unquoted.push({ asset, code: 'amount_too_small' })
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

// POST /intents/select-token: the buyer selects an asset, and the amount is locked at the present rate.

export function createSelectToken(deps: {
  findByClientSecret: FindByClientSecret
  store: Pick<IntentWorkStore, 'facts' | 'apply' | 'selectionTimes'>
  directory: Pick<Directory, 'tokens'>
  lockRate: LockRate
  takeInArrivals: TakeInArrivals
  clock: Clock
}): IntentServices['selectToken'] {
  return async (clientSecret, asset) => {
    const intent = await deps.findByClientSecret(clientSecret)
    // Checked before a price is requested, and again when the selection is decided.
    const refusal = judgeSelection(intent, asset, deps.clock.now())
    if (refusal !== null) throw new ServiceError(refusal, { status: intent.status })
    const token = (await deps.directory.tokens(intent.network)).get(asset)
    if (token === undefined) throw new ServiceError('asset_not_accepted', { asset })
    // Counted before the chain is read, too: a buyer cannot make calls to the provider without end.
    await requireRoom(deps.store, intent.id, deps.clock.now())
    const [selection, balances] = await Promise.all([deps.lockRate(intent, token), deps.takeInArrivals(intent)])
    const selected = await decideAndApply(deps.store, intent.id, async (facts) => {
      const now = deps.clock.now()
      const decision = decideSelection(facts, selection, now, balances)
      // Counted after the facts were read: when another selection comes in between, this change is not applied.
      if (decision.kind === 'moved') await requireRoom(deps.store, intent.id, now)
      return decision
    })
    if (selected === null) throw new ServiceError('invalid_client_secret')
    return selected
  }
}

/** Throws `rate_limited` when the buyer has reached the limit of selections. */
async function requireRoom(store: Pick<IntentWorkStore, 'selectionTimes'>, intentId: string, now: Date): Promise<void> {
  const wait = waitToChange(await store.selectionTimes(intentId, MAX_CHANGES), now)
  if (wait > 0) throw new ServiceError('rate_limited', { retry_after_seconds: Math.ceil(wait / 1_000) })
}
