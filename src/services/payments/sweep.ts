// POST /sweep: the business wants the balance now. It waits for the transfer, and a repeat answers with the same one.
import { ServiceError } from '#core/errors.ts'
import { add, ZERO } from '#core/money/amounts.ts'
import { isRentReserve } from '#core/payments/booking/rent-reserve.ts'
import type { IntentFacts } from '#core/payments/machine/change.ts'
import { decideSweep } from '#core/payments/machine/sweeping.ts'
import type { PaymentIntent } from '#core/payments/payment-intent.ts'
import type { Transfer } from '#core/transfers/transfer.ts'
import type { IntentChanges, IntentWatch } from '#ports/payment-changes.ts'
import type { IntentStore, IntentWorkStore } from '#ports/payments.ts'
import { decideAndApply } from '#services/payments/decide.ts'
import type { ReadDecisionContext } from '#services/payments/decision-context.ts'
import type { IntentServices, SweepResult } from '#services/payments/intent-services.ts'

/** How long a call waits, how often it looks where no change is told, and how many calls may wait. */
export const SWEEP_LIMITS = {
  waitMs: 30_000,
  lookEveryMs: 3_000,
  waitingOfBusiness: 50,
  waiting: 1_000,
} as const
const RETRY_AFTER_SECONDS = 5

export type SweepDeps = {
  readonly intents: Pick<IntentStore, 'findByIndex'>
  readonly store: Pick<IntentWorkStore, 'facts' | 'apply'>
  readonly decisionContext: ReadDecisionContext
  readonly changes: IntentChanges
}

export function createSweep(deps: SweepDeps): IntentServices['sweep'] {
  const places = new Places()
  return async (caller, index, signal) => {
    if (index === 0) throw new ServiceError('reserved_index')
    const intent = await deps.intents.findByIndex(caller, index)
    if (intent === null) throw new ServiceError('intent_not_found')
    const leave = places.take(caller.accountId)
    // Watched before it is planned, so that the plan's own change is one that wakes it.
    const watch = deps.changes.watch(intent.id, signal)
    try {
      return await sweep(deps, intent, watch, signal)
    } finally {
      watch.close()
      leave()
    }
  }
}

/** Plans the sweep and waits for its end. Stops when the client is gone: the sweep goes on without it. */
async function sweep(
  deps: SweepDeps,
  { id, network }: Pick<PaymentIntent, 'id' | 'network'>,
  watch: IntentWatch,
  signal: AbortSignal | undefined,
): Promise<SweepResult> {
  const plan = async () => {
    const context = await deps.decisionContext(network)
    await decideAndApply(deps.store, id, (facts) => decideSweep(facts, context))
  }
  await plan()
  for (let waited = 0; waited < SWEEP_LIMITS.waitMs && !signal?.aborted; ) {
    const facts = await deps.store.facts(id)
    const end = facts === null ? null : endOf(facts)
    if (end !== null) return end
    waited += await watch.next(Math.min(SWEEP_LIMITS.lookEveryMs, SWEEP_LIMITS.waitMs - waited))
    // It may have waited for money to become final. One that failed is not tried again on the same call.
    if (facts?.transfers.every(({ kind }) => kind !== 'sweep') === true) await plan()
  }
  throw new ServiceError('transfer_unconfirmed')
}

/** Counts the calls that wait, by business. */
class Places {
  readonly #taken = new Map<string, number>()
  #all = 0

  /** Returns what gives the place back. Throws `rate_limited` when there is none. */
  take(accountId: string): () => void {
    const own = this.#taken.get(accountId) ?? 0
    if (own >= SWEEP_LIMITS.waitingOfBusiness || this.#all >= SWEEP_LIMITS.waiting) {
      throw new ServiceError('rate_limited', { retry_after_seconds: RETRY_AFTER_SECONDS })
    }
    this.#count(accountId, 1)
    return () => this.#count(accountId, -1)
  }

  #count(accountId: string, by: number): void {
    const own = (this.#taken.get(accountId) ?? 0) + by
    if (own === 0) this.#taken.delete(accountId)
    else this.#taken.set(accountId, own)
    this.#all += by
  }
}

/** The newest sweep, once it is done. Throws `transfer_unconfirmed` when it has given up. */
function endOf({ intent, payee, transfers }: IntentFacts): SweepResult | null {
  const newest = transfers.filter((one) => one.kind === 'sweep' && !isRentReserve(one)).at(-1)
  if (intent.status === 'settle_failed' || newest?.status === 'held') {
    throw new ServiceError('transfer_unconfirmed', { reason: intent.statusReason ?? newest?.reason ?? '' })
  }
  if (newest?.status !== 'done' || newest.signature === null) return null
  const to =
    newest.legs.find(({ role }) => role === 'merchant' || role === 'seller')?.destination ?? payee.sweepDestination
  return {
    signature: newest.signature,
    amount: movedTo(newest, 'merchant', 'seller'),
    platformFee: movedTo(newest, 'platform'),
    from: newest.source,
    to: to ?? newest.source,
  }
}

const movedTo = ({ legs, moved }: Transfer, ...roles: Transfer['legs'][number]['role'][]) =>
  add(...legs.map(({ role }, at) => (roles.includes(role) ? (moved[at] ?? ZERO) : ZERO)))
