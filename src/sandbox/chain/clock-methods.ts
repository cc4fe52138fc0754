// Answers the position of the chain: slots and heights that only go forward, blockhashes of this life, the genesis hash.
import { createHash } from 'node:crypto'
import { z } from 'zod'
import type { Blockhashes } from './blockhashes.ts'
import { type ChainClock, GENESIS_SLOT, reachedBlock } from './chain-clock.ts'
import type { Block } from './eras.ts'
import { configured, type RpcMethods, readConfig, readParams, withContext } from './json-rpc.ts'
import { SLOTS_PER_EPOCH } from './origin.ts'
import type { Upstream } from './upstream.ts'

export type ClockDependencies = {
  readonly upstream: Pick<Upstream, 'call'>
  readonly chainClock: Pick<ChainClock, 'at'>
  readonly blockhashes: Pick<Blockhashes, 'latest' | 'isValid'>
  readonly genesisHash: string
}

const configParams = z.tuple([configured(readConfig)])
const hashParams = z.tuple([z.string()]).rest(z.unknown())

export function createClockMethods({ upstream, chainClock, blockhashes, genesisHash }: ClockDependencies): RpcMethods {
  const blockFor = (params: unknown): Promise<Block> => reachedBlock(chainClock, readParams(configParams, params)[0])
  return {
    getGenesisHash: async () => JSON.stringify(genesisHash),
    getAgGenesisCert: async () => JSON.stringify(certificateOf(genesisHash)),
    getSlot: async (params) => JSON.stringify((await blockFor(params)).slot),
    getBlockHeight: async (params) => JSON.stringify((await blockFor(params)).height),

    getEpochInfo: async (params) => epochInfo(await blockFor(params), upstream),

    async getLatestBlockhash(params) {
      const { slot } = await blockFor(params)
      const { hash, lastValidBlockHeight } = blockhashes.latest()
      return withContext(slot, JSON.stringify({ blockhash: hash, lastValidBlockHeight }))
    },

    async isBlockhashValid(params) {
      const [hash] = readParams(hashParams, params)
      const { slot, height } = await chainClock.at('processed')
      return withContext(slot, String(blockhashes.isValid(hash, height)))
    },
  }
}

/** The certificate of a cluster that has run Alpenglow from its first slot on. No validator has signed it. */
function certificateOf(genesisHash: string): object {
  const bytes = (part: string, count: number): number[] => [
    ...createHash('shake256', { outputLength: count }).update(`certificate ${part} ${genesisHash}`).digest(),
  ]
  return {
    block: { slot: GENESIS_SLOT, blockId: bytes('block', 32) },
    signature: { signature: bytes('signature', 192), bitmap: [1] },
  }
}

export const epochInfo = async ({ slot, height }: Block, upstream: Pick<Upstream, 'call'>): Promise<string> =>
  JSON.stringify({
    absoluteSlot: slot,
    blockHeight: height,
    epoch: Math.floor(slot / SLOTS_PER_EPOCH),
    slotIndex: slot % SLOTS_PER_EPOCH,
    slotsInEpoch: SLOTS_PER_EPOCH,
    transactionCount: JSON.parse(await upstream.call('getTransactionCount')),
  })
