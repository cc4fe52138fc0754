// One Solana network: every part of the port over one pool of providers.
import type { Network } from '#core/chain/types.ts'
import { ServiceError } from '#core/errors.ts'
import type { BlockSource } from '#ports/blocks.ts'
import type { Chain, ChainIdentity, DepositKeys } from '#ports/chain.ts'
import type { Clock } from '#ports/clock.ts'
import { createBlockMatcher } from './blocks/block-matcher.ts'
import { createBlockSource } from './blocks/block-source.ts'
import { createAccountReader } from './rpc/accounts.ts'
import { createAgreement } from './rpc/agreement.ts'
import { createExpiryProver } from './rpc/expiry-proof.ts'
import { createHistoryReader } from './rpc/history.ts'
import { createPaceReader, createSlotTimer } from './rpc/pace.ts'
import { createRpcPool, type RpcPool, type RpcPoolOptions } from './rpc/rpc-pool.ts'
import { createFinalSlots, createSlotFloor } from './rpc/slots.ts'
import { createSubmitter } from './rpc/submitter.ts'
import { createCompiler } from './transactions/compiler.ts'

export type ChainOptions = Pick<RpcPoolOptions, 'timeoutMs' | 'waitMs' | 'onFault'> & {
  readonly network: Network
  /** Several providers of the same network, the preferred provider first. */
  readonly rpcUrls: readonly string[]
  readonly depositKeys: DepositKeys
  readonly clock: Clock
  /** The price that the fee payer offers for a compute unit, in millionths of a lamport. */
  readonly computeUnitPrice?: bigint
  /** How long one blockhash is used for new transactions, in milliseconds. */
  readonly lifetimeCacheMs?: number
}

/** The state of the providers, for the operator and the metrics. A provider is named by its place in the list. */
export type ChainMonitor = {
  readonly rpc: Pick<RpcPool, 'calls' | 'health'>
  readonly reads: {
    /** Returns the newest slot at which accounts were read; null when none was read in the last half minute. */
    newestSlot(): bigint | null
  }
  /** Reads blocks over the same providers, on a thread of its own. */
  openBlocks(): BlockSource
}

const DEFAULT_COMPUTE_UNIT_PRICE = 10_000n
const DEFAULT_LIFETIME_CACHE_MS = 200

export function createChain(options: ChainOptions): Chain & ChainMonitor {
  const { clock, depositKeys, network } = options
  const { lifetimeCacheMs = DEFAULT_LIFETIME_CACHE_MS, computeUnitPrice = DEFAULT_COMPUTE_UNIT_PRICE } = options
  const pool = createRpcPool({ ...options, urls: options.rpcUrls })
  const finalSlots = createFinalSlots(pool, clock)
  const agreement = createAgreement(pool)
  const slotTimer = createSlotTimer(clock)
  const floor = createSlotFloor(clock)
  const accounts = createAccountReader(pool, clock, slotTimer, floor)
  return {
    rpc: pool,
    reads: { newestSlot: () => floor.current() ?? null },
    openBlocks: () => createBlockSource(pool, createBlockMatcher()),
    ...accounts,
    ...agreement,
    ...createHistoryReader(pool, finalSlots, agreement),
    ...createSubmitter(pool, clock, finalSlots, agreement, { lifetimeCacheMs }),
    ...createExpiryProver(pool),
    ...createCompiler({ accounts, depositKeys, network, computeUnitPrice }),
    ...createIdentity(pool),
    ...createPaceReader(pool, slotTimer),
  }
}

/** Reads the genesis hash. All providers must agree: otherwise deposits of one chain would be paid out on another. */
const createIdentity = (pool: Pick<RpcPool, 'askEach'>): ChainIdentity => ({
  async genesisHash() {
    const answers = await Promise.all(
      pool.askEach('getGenesisHash', ({ rpc, abortSignal }) => rpc.getGenesisHash().send({ abortSignal })),
    )
    const hashes = new Set(answers.flatMap((answer) => ('answer' in answer ? [answer.answer] : [])))
    const [hash] = hashes
    if (hash === undefined) throw new ServiceError('chain_unavailable', { method: 'getGenesisHash' })
    if (hashes.size > 1)
      throw new ServiceError('chain_unavailable', {
        method: 'getGenesisHash',
        reason: 'providers of different networks',
      })
    return hash
  },
})
