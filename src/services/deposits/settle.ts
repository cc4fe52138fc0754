// Paid intents whose deposits are all final but whose sweep was never planned: a crash between two steps left them.
import type { Network } from '#core/chain/types.ts'
import { decideSettlement } from '#core/intents/intent-machine.ts'
import type { IntentWorkStore } from '#ports/stores.ts'
import { decideAndApply } from '#services/decide.ts'
import type { ReadSurroundings } from './surroundings.ts'

const BATCH = 100

/** Plans what is left over. Finality plans sweeps itself, so there is normally nothing to do. */
export type SettleLeftovers = (network: Network) => Promise<{ settled: number }>

export function createSettler(deps: {
  store: Pick<IntentWorkStore, 'facts' | 'apply' | 'settleable'>
  surroundings: ReadSurroundings
}): SettleLeftovers {
  return async (network) => {
    const ids = await deps.store.settleable(network, BATCH)
    for (const id of ids) {
      const around = await deps.surroundings(network)
      await decideAndApply(deps.store, id, (facts) => decideSettlement(facts, around))
    }
    return { settled: ids.length }
  }
}
