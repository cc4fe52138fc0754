// POST /intents/select-token: the buyer selects an asset, and the amount is locked at the present rate.
import { ServiceError } from '#core/errors.ts'
import { MAX_CHANGES, waitToChange } from '#core/events/change-limit.ts'
import { decideSelection, judgeSelection } from '#core/payments/machine/checkout.ts'
import type { Clock } from '#ports/clock.ts'
import type { IntentWorkStore } from '#ports/payments.ts'
import type { Directory } from '#services/accounts/directory.ts'
import { decideAndApply } from '#services/payments/decide.ts'
import type { IntentServices } from '#services/payments/intent-services.ts'
import type { TakeInArrivals } from './arrivals.ts'
import type { FindByClientSecret } from './checkout.ts'
import type { LockRate } from './lock-rate.ts'

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
