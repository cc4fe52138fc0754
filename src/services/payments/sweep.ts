// POST /sweep: a sweep that the business asks for. The call waits for the transfer, and a repeat returns the same transfer.

import { type ErrorContext, ServiceError } from '#core/errors.ts'
import { add, ZERO } from '#core/money/amounts.ts'
import type { IntentChange, IntentFacts } from '#core/payments/change.ts'
import type { DecisionContext } from '#core/payments/decision-context.ts'
import { decideSweep } from '#core/payments/machine/sweeping.ts'
import type { PaymentIntent } from '#core/payments/payment-intent.ts'
import { isOpen, Position } from '#core/payments/position/position.ts'
import { isForBusiness, isMainSweep } from '#core/payments/transfers.ts'
import type { Transfer } from '#core/transfers/transfer.ts'
import type { IntentChanges, IntentStore, IntentWatch, IntentWorkStore } from '#ports/payments.ts'
import { decideAndApply, type ReadDecisionContext } from './decide.ts'
import type { IntentServices, SweepResult } from './intent-services.ts'

/** The time that a call waits, the interval of its checks without a notice, and the most calls that wait. */
export const SWEEP_LIMITS = {
  waitMs: 30_000,
  checkEveryMs: 3_000,
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
    // The watch begins before the plan, so that the change of the plan wakes this call.
    const watch = deps.changes.watch(intent.id, signal)
    try {
      return await sweep(deps, intent, watch, signal)
    } finally {
      watch.close()
      leave()
    }
  }
}

/** Plans the sweep and waits until it is done. Stops when the client is gone; the sweep continues. */
async function sweep(
  deps: SweepDeps,
  intent: Pick<PaymentIntent, 'id' | 'network'>,
  watch: IntentWatch,
  signal: AbortSignal | undefined,
): Promise<SweepResult> {
  let planned = await planSweep(deps, intent)
  let facts: IntentFacts | null = null
  for (let waited = 0; waited < SWEEP_LIMITS.waitMs && !signal?.aborted; ) {
    facts = await deps.store.facts(intent.id)
    const end = facts === null ? null : endOf(facts, planned)
    if (end !== null) return end
    waited += await watch.next(Math.min(SWEEP_LIMITS.checkEveryMs, SWEEP_LIMITS.waitMs - waited))
    // A failed sweep is not planned again in the same call.
    if (facts?.transfers.every(({ kind }) => kind !== 'sweep') === true) planned = await planSweep(deps, intent)
  }
  throw new ServiceError('transfer_unconfirmed', reasonToWait(facts))
}

/** Returns why the open sweep has no transaction yet; nothing when it has one, or when none is open. */
function reasonToWait(facts: IntentFacts | null): ErrorContext {
  const open = facts?.transfers.find((one) => isMainSweep(one) && isOpen(one))
  return open?.attemptCount === 0 && open.reason !== null ? { reason: open.reason } : {}
}

/** What a call finds: a sweep follows, or nothing is left to sweep, so that the last sweep that is done is the answer. */
type Plan = 'follows' | 'nothing_left'

async function planSweep(
  { store, decisionContext }: SweepDeps,
  { id, network }: Pick<PaymentIntent, 'id' | 'network'>,
): Promise<Plan> {
  const context = await decisionContext(network)
  let plan: Plan = 'follows'
  await decideAndApply(store, id, (facts) => {
    const decision = decideSweep(facts, context)
    plan = planOf(decision.kind === 'moved' ? decision.change : undefined, facts, context)
    return decision
  })
  return plan
}

function planOf(change: IntentChange | undefined, facts: IntentFacts, context: DecisionContext): Plan {
  const { transfers } = new Position(facts, context, change)
  // A rent reserve that is planned again follows later: no call waits for it.
  return transfers.some((one) => isMainSweep(one) && isOpen(one)) ? 'follows' : 'nothing_left'
}

/** Counts the calls that wait, by business. */
class Places {
  readonly #taken = new Map<string, number>()
  #all = 0

  /** Takes a place, and returns a function that frees it. Throws `rate_limited` when no place is free. */
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

/**
 * Returns the newest sweep when it is done; null before. Where nothing is left, a sweep that failed is no longer the newest: its
 * money has left the address by another transfer. Throws `sweep_failed` when the settlement or the sweep failed, or is held.
 */
function endOf({ intent, payee, transfers }: IntentFacts, planned: Plan): SweepResult | null {
  const sweeps = transfers.filter(isMainSweep)
  const newest = planned === 'nothing_left' ? sweeps.findLast(({ status }) => status === 'done') : sweeps.at(-1)
  if (intent.status === 'settle_failed') throw sweepFailed(intent.statusReason ?? newest?.reason)
  if (newest?.status === 'held' || newest?.status === 'failed') throw sweepFailed(newest.reason)
  if (newest?.status !== 'done' || newest.signature === null) return null
  const to = newest.legs.find(isForBusiness)?.destination ?? payee.sweepDestination
  return {
    signature: newest.signature,
    amount: movedTo(newest, 'merchant', 'seller'),
    platformFee: movedTo(newest, 'platform'),
    from: newest.source,
    to: to ?? newest.source,
  }
}

const sweepFailed = (reason: string | null | undefined): ServiceError =>
  new ServiceError('sweep_failed', typeof reason === 'string' ? { reason } : {})

const movedTo = ({ legs, moved }: Transfer, ...roles: Transfer['legs'][number]['role'][]) =>
  add(...legs.map(({ role }, at) => (roles.includes(role) ? (moved[at] ?? ZERO) : ZERO)))
