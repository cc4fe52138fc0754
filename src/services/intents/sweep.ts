// POST /sweep: the business wants the balance now. It waits for the transfer, and a repeat answers with the same one.
import type { Tenant } from '#core/accounts/account.ts'
import { ServiceError } from '#core/errors.ts'
import type { IntentFacts } from '#core/intents/change.ts'
import { isLeftBehind } from '#core/intents/left-behind.ts'
import { decideSweep } from '#core/intents/sweeping.ts'
import { add, ZERO } from '#core/money/amounts.ts'
import type { Transfer } from '#core/transfers/transfer.ts'
import type { IntentStore, IntentWorkStore } from '#ports/stores.ts'
import type { Timer } from '#ports/timer.ts'
import { decideAndApply } from '#services/decide.ts'
import type { ReadSurroundings } from '#services/deposits/surroundings.ts'
import type { IntentServices, SweepResult } from '#services/services.ts'

const WAIT_MS = 30_000
const LOOK_EVERY_MS = 250

export type SweepDeps = {
  readonly intents: Pick<IntentStore, 'findByIndex'>
  readonly store: Pick<IntentWorkStore, 'facts' | 'apply'>
  readonly surroundings: ReadSurroundings
  readonly timer: Timer
}

export const createSweep =
  (deps: SweepDeps): IntentServices['sweep'] =>
  async (caller: Tenant, index) => {
    if (index === 0) throw new ServiceError('reserved_index')
    const intent = await deps.intents.findByIndex(caller, index)
    if (intent === null) throw new ServiceError('intent_not_found')
    const plan = async () => {
      const around = await deps.surroundings(intent.network)
      await decideAndApply(deps.store, intent.id, (facts) => decideSweep(facts, around))
    }
    await plan()
    for (let waited = 0; waited < WAIT_MS; waited += LOOK_EVERY_MS) {
      const facts = await deps.store.facts(intent.id)
      const end = facts === null ? null : endOf(facts)
      if (end !== null) return end
      await deps.timer.sleep(LOOK_EVERY_MS)
      // It may have waited for money to become final. One that failed is not tried again on the same call.
      if (facts?.transfers.every(({ kind }) => kind !== 'sweep') === true) await plan()
    }
    throw new ServiceError('transfer_unconfirmed')
  }

/** The newest sweep, once it is done. Throws `transfer_unconfirmed` when it has given up. */
function endOf({ intent, payee, transfers }: IntentFacts): SweepResult | null {
  const newest = transfers.filter((one) => one.kind === 'sweep' && !isLeftBehind(one)).at(-1)
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
