// Answers the position of the chain: slots and heights that only go forward, blockhashes of this life, the genesis hash.
import { z } from 'zod'
import type { Blockhashes } from './blockhashes.ts'
import type { ChainClock } from './chain-clock.ts'
import type { Block } from './eras.ts'
import { configured, RPC_CODES, RpcFailure, type RpcMethods, readConfig, readParams, withContext } from './json-rpc.ts'
import { SLOTS_PER_EPOCH } from './origin.ts'
import type { Upstream } from './upstream.ts'

export type ClockDependencies = {
  readonly upstream: Pick<Upstream, 'call'>
  readonly chainClock: Pick<ChainClock, 'at'>
  readonly blockhashes: Pick<Blockhashes, 'latest' | 'find'>
  readonly genesisHash: string
}

const configParams = z.tuple([configured(readConfig)])
const hashParams = z.tuple([z.string()]).rest(z.unknown())

export function createClockMethods({ upstream, chainClock, blockhashes, genesisHash }: ClockDependencies): RpcMethods {
  const blockFor = async (params: unknown): Promise<Block> => {
    const { commitment, minContextSlot } = readParams(configParams, params)[0]
    const block = await chainClock.at(commitment)
    if (block.slot < (minContextSlot ?? 0))
      throw new RpcFailure(RPC_CODES.contextNotReached, 'Minimum context slot has not been reached', {
        contextSlot: block.slot,
      })
    return block
  }
  return {
    getGenesisHash: async () => JSON.stringify(genesisHash),
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
      return withContext(slot, String(height <= (blockhashes.find(hash)?.lastValidBlockHeight ?? -1)))
    },
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
