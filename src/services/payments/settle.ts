// Paid intents whose deposits are all final but whose sweep was never planned: a crash between two steps left them.
import type { Network } from '#core/chain/types.ts'
import { decideSettlement } from '#core/payments/machine/deposits.ts'
import type { IntentWorkStore } from '#ports/stores.ts'
import { decideAndApply } from '#services/payments/decide.ts'
import type { ReadSurroundings } from './decision-context.ts'

const BATCH = 100

/** Plans what is left over. Finality plans sweeps itself, so there is normally nothing to do. */
export type SettleLeftovers = (network: Network) => Promise<{ settled: number }>

export function createSettler(deps: {
  store: Pick<IntentWorkStore, 'facts' | 'apply' | 'settleable'>
  surroundings: ReadSurroundings
  onError: (error: unknown, context: Readonly<Record<string, string>>) => void
}): SettleLeftovers {
  return async (network) => {
    let settled = 0
    for (const intent of await deps.store.settleable(network, BATCH)) {
      try {
        const around = await deps.surroundings(network)
        await decideAndApply(deps.store, intent, (facts) => decideSettlement(facts, around))
        settled += 1
      } catch (error) {
        deps.onError(error, { intent })
      }
    }
    return { settled }
  }
}
