// Settles paid intents whose deposits are all final but whose sweep was never planned, because of a crash between two steps.
import type { Network } from '#core/chain/types.ts'
import { decideSettlement } from '#core/payments/machine/deposits.ts'
import type { IntentWorkStore } from '#ports/payments.ts'
import { decideAndApply } from '#services/payments/decide.ts'
import type { ReadDecisionContext } from './decision-context.ts'

const BATCH = 100

/** Plans missing sweeps. Normally there is none, because the change that makes deposits final plans the sweep. */
export type SettleLeftovers = (network: Network) => Promise<{ settled: number }>

export function createSettler(deps: {
  store: Pick<IntentWorkStore, 'facts' | 'apply' | 'settleable'>
  decisionContext: ReadDecisionContext
  onError: (error: unknown, context: Readonly<Record<string, string>>) => void
}): SettleLeftovers {
  return async (network) => {
    let settled = 0
    for (const intent of await deps.store.settleable(network, BATCH)) {
      try {
        const context = await deps.decisionContext(network)
        await decideAndApply(deps.store, intent, (facts) => decideSettlement(facts, context))
        settled += 1
      } catch (error) {
        deps.onError(error, { intent })
      }
    }
    return { settled }
  }
}
