// The cheat codes of the runtime. A code whose effect can be stored goes through the write queue like a transaction; others
// are refused, because the chain would lose their effect at its next start.
import { createHash } from 'node:crypto'
import { address } from '@solana/kit'
import { findAssociatedTokenPda, TOKEN_PROGRAM_ADDRESS } from '@solana-program/token'
import { z } from 'zod'
import type { Blockhashes } from './blockhashes.ts'
import { type ChainClock, GENESIS_SLOT, reachedBlock } from './chain-clock.ts'
import type { Block } from './eras.ts'
import {
  addressParam,
  configured,
  RPC_CODES,
  RpcFailure,
  type RpcHandler,
  type RpcMethods,
  readConfig,
  readParams,
  slotParam,
  withContext,
} from './json-rpc.ts'
import { SLOTS_PER_EPOCH } from './origin.ts'
import type { Destination } from './runtime-time.ts'
import { type Answered, answered, answerOf } from './send-methods.ts'
import type { Upstream } from './upstream.ts'
import type { WriteQueue } from './write-queue.ts'

// Answers the position of the chain: slots and heights that only go forward, blockhashes of this life, the genesis hash.

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

const epochInfo = async ({ slot, height }: Block, upstream: Pick<Upstream, 'call'>): Promise<string> =>
  JSON.stringify({
    absoluteSlot: slot,
    blockHeight: height,
    epoch: Math.floor(slot / SLOTS_PER_EPOCH),
    slotIndex: slot % SLOTS_PER_EPOCH,
    slotsInEpoch: SLOTS_PER_EPOCH,
    transactionCount: JSON.parse(await upstream.call('getTransactionCount')),
  })

export type CheatDependencies = {
  readonly upstream: Pick<Upstream, 'call'>
  readonly queue: Pick<WriteQueue<Answered>, 'submit'>
  readonly chainClock: Pick<ChainClock, 'travel'>
}

/** Cheat codes that change nothing which would have to be kept. */
const HARMLESS = [
  'surfnet_profileTransaction',
  'surfnet_getTransactionProfile',
  'surfnet_getProfileResultsByTag',
  'surfnet_registerIdl',
  'surfnet_getActiveIdl',
  'surfnet_getLocalSignatures',
  'surfnet_getSurfnetInfo',
  'surfnet_exportSnapshot',
  'surfnet_pauseClock',
  'surfnet_resumeClock',
]

const accountParams = z.tuple([addressParam]).rest(z.unknown())
const timeTravel = z
  .union([
    z.object({ absoluteTimestamp: slotParam }),
    z.object({ absoluteSlot: slotParam }),
    z.object({ absoluteEpoch: slotParam }),
  ])
  .transform((to): Destination => {
    if ('absoluteTimestamp' in to) return { timeMs: to.absoluteTimestamp }
    return { slot: 'absoluteSlot' in to ? to.absoluteSlot : to.absoluteEpoch * SLOTS_PER_EPOCH }
  })
const timeTravelParams = z.tuple([timeTravel])
const tokenAccountParams = z.union([
  z.tuple([addressParam, addressParam, z.unknown()]),
  z.tuple([addressParam, addressParam, z.unknown(), addressParam.nullish()]),
])

export function createCheatMethods({ upstream, queue, chainClock }: CheatDependencies): RpcMethods {
  const change = async (method: string, params: unknown, touched: readonly string[]): Promise<string> => {
    const execute = async (): Promise<Answered> => ({ answer: await answerOf(upstream.call(method, params)), touched })
    return answered(await queue.submit({ execute }))
  }
  const changeOne =
    (method: string): RpcHandler =>
    (params) =>
      change(method, params, [readParams(accountParams, params)[0]])

  return {
    surfnet_setAccount: changeOne('surfnet_setAccount'),
    surfnet_resetAccount: changeOne('surfnet_resetAccount'),

    async surfnet_setTokenAccount(params) {
      const [owner, mint, , program] = readParams(tokenAccountParams, params)
      const tokenProgram = program == null ? TOKEN_PROGRAM_ADDRESS : address(program)
      const [account] = await findAssociatedTokenPda({ owner: address(owner), mint: address(mint), tokenProgram })
      return change('surfnet_setTokenAccount', params, [account, mint])
    },

    async surfnet_timeTravel(params) {
      const [to] = readParams(timeTravelParams, params)
      const travel = async (): Promise<string> => epochInfo(await chainClock.travel(to), upstream)
      return answered(await queue.submit({ execute: async () => ({ answer: await answerOf(travel()) }), alone: true }))
    },
  }
}

/** Returns whether a method without an answer here may go to the runtime as it is. */
export function mayPass(method: string): boolean {
  return method.startsWith('surfnet_') ? HARMLESS.includes(method) : method !== 'sendBundle'
}

export const notKept = (method: string): RpcFailure =>
  new RpcFailure(RPC_CODES.methodNotFound, `${method} is not offered: its effect would not survive a restart`)
