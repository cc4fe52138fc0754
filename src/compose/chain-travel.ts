// Moves the clock of a chain to the time of the sandbox.
import { ServiceError } from '#core/errors.ts'
import { moveChainClock, offersTimeTravel } from '#sandbox/chain/faucet.ts'
import { ChainStalled } from '#sandbox/chain/send-transaction.ts'
import type { NetworkRuntime } from './networks.ts'

/**
 * A chain this far behind its target has arrived: its clock shows whole seconds, and its newest block is some slots old. A chain
 * refuses to move to its present time, to which another URL of it, or another program, may have moved it.
 */
const ARRIVED_WITHIN_MS = 2_000

type MovableChain = Pick<NetworkRuntime, 'network' | 'rpcUrl' | 'isEmbedded'> & {
  readonly chain: Pick<NetworkRuntime['chain'], 'blockTime'>
}

/**
 * Moves a chain's clock where the chain offers that; any other chain keeps its own time. Throws `chain_stalled`,
 * `chain_unavailable`, `clock_not_moved`.
 */
export const travelOf =
  ({ network, rpcUrl, isEmbedded, chain }: MovableChain) =>
  async (to: Date): Promise<void> => {
    if (!isEmbedded && !(await offersTimeTravel(rpcUrl))) return
    try {
      await moveChainClock(rpcUrl, to)
    } catch (cause) {
      if (cause instanceof ChainStalled) throw new ServiceError('chain_stalled', {}, { cause })
      const { time } = await chain.blockTime()
      if (to.getTime() - time.getTime() <= ARRIVED_WITHIN_MS) return
      const reason = `the clock of the ${network} network shows ${time.toISOString()}, not ${to.toISOString()}`
      throw new ServiceError('clock_not_moved', { reason }, { cause })
    }
  }
