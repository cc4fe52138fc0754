// POST /intents/select-token: the buyer selects an asset, and the amount is locked at the present rate.
import { hasCode, ServiceError } from '#core/errors.ts'
import { usdCentsToBaseUnits } from '#core/money/conversion.ts'
import type { IntentFacts } from '#core/payments/change.ts'
import type { DecisionContext } from '#core/payments/decision-context.ts'
import type { ObservedDeposit } from '#core/payments/deposits/inbound.ts'
import { decideSelection, judgeSelection } from '#core/payments/machine/checkout.ts'
import { selectableAssets } from '#core/payments/machine/deposits.ts'
import { MAX_SELECTIONS, waitToSelect } from '#core/payments/machine/selection-limit.ts'
import type { Selection } from '#core/payments/parts.ts'
import type { PaymentIntent } from '#core/payments/payment-intent.ts'
import type { Token } from '#core/tokens/token.ts'
import type { Clock } from '#ports/clock.ts'
import type { IntentWorkStore } from '#ports/payments.ts'
import type { Directory } from '#services/accounts/directory.ts'
import { decideAndApply } from '#services/payments/decide.ts'
import type { IntentServices } from '#services/payments/intent-services.ts'
import type { PriceSource } from '#services/prices/price-source.ts'
import type { TakeInArrivals } from './arrivals.ts'
import type { FindByClientSecret } from './checkout.ts'
import type { ReadLeastPayable } from './payability.ts'

/**
 * Returns the selection of a token at the present rate. Throws `amount_too_large` when the token cannot express the price,
 * `amount_too_small` when so little of it could not be paid, or not settle, and `asset_not_usable` while nothing can be paid in it.
 */
export type LockRate = (
  intent: Pick<PaymentIntent, 'priceUsdCents' | 'marketplaceFeeBps'>,
  token: Token,
) => Promise<Selection>

export const createLockRate =
  (prices: Pick<PriceSource, 'priceOf'>, readLeastPayable: ReadLeastPayable): LockRate =>
  async ({ priceUsdCents, marketplaceFeeBps }, token) => {
    const { asset, decimals } = token
    const expected = usdCentsToBaseUnits(priceUsdCents, await prices.priceOf(token), decimals)
    if (typeof expected !== 'bigint') throw new ServiceError('amount_too_large', { asset })
    const leastPayable = await readLeastPayable(token)
    if (expected < leastPayable(marketplaceFeeBps)) throw new ServiceError('amount_too_small', { asset })
    return { asset, decimals, expected }
  }

/**
 * Returns the selection that arrived deposits lock at the present rate: the first asset in which the price can be paid. null
 * when they select no token, or only tokens in which it cannot be paid or that are not allowed. Throws while there is no price.
 */
export async function arrivalSelection(
  lockRate: LockRate,
  facts: IntentFacts,
  arrived: readonly ObservedDeposit[],
  { tokens }: Pick<DecisionContext, 'tokens'>,
): Promise<Selection | null> {
  for (const token of selectableAssets(facts, arrived).flatMap((asset) => tokens.get(asset) ?? [])) {
    try {
      return await lockRate(facts.intent, token)
    } catch (error) {
      if (!UNSELECTABLE.some((code) => hasCode(error, code))) throw error
    }
  }
  return null
}

const UNSELECTABLE = ['amount_too_large', 'amount_too_small', 'asset_not_usable'] as const

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
  const wait = waitToSelect(await store.selectionTimes(intentId, MAX_SELECTIONS), now)
  if (wait > 0) throw new ServiceError('rate_limited', { retry_after_seconds: Math.ceil(wait / 1_000) })
}
