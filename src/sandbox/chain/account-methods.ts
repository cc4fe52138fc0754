// Answers the state of accounts as of the block of a commitment. The runtime always answers its present state, and the clock right
// after a jump with the slot within its epoch.
import { getBase58Decoder } from '@solana/kit'
import { z } from 'zod'
import { type ChainClock, reachedBlock } from './chain-clock.ts'
import { type Block, blockTime } from './eras.ts'
import {
  addressParam,
  configured,
  parseExactJson,
  type ReadConfig,
  type RpcHandler,
  type RpcMethods,
  readConfig,
  readParams,
  stringifyExactJson,
  withContext,
} from './json-rpc.ts'
import type { StoredAccount } from './ledger-store.ts'
import { SLOTS_PER_EPOCH } from './origin.ts'
import type { RecentChanges } from './recent-changes.ts'
import { CLOCK_ACCOUNT } from './runtime-time.ts'
import type { Upstream } from './upstream.ts'
import type { WriteQueue } from './write-queue.ts'

/** Readings of many accounts, or of none in particular. */
const WHOLE_STATE = [
  'getTokenAccountsByOwner',
  'getTokenAccountsByDelegate',
  'getProgramAccounts',
  'getTokenAccountBalance',
  'getTokenSupply',
  'getTokenLargestAccounts',
  'getSupply',
  'getLargestAccounts',
]
const CLOCK_BYTES = 40
const SLOT_AT = 0
const EPOCH_AT = 16
const TIME_AT = 32

export type AccountDependencies = {
  readonly upstream: Pick<Upstream, 'call'>
  readonly queue: Pick<WriteQueue<unknown>, 'settled'>
  readonly chainClock: Pick<ChainClock, 'at' | 'settled' | 'eras'>
  readonly recent: Pick<RecentChanges, 'stateAt' | 'anyAfter'>
}

const dataSlice = z.object({ offset: z.number().int().nonnegative(), length: z.number().int().nonnegative() })
const accountConfig = readConfig.extend({ encoding: z.string().nullish(), dataSlice: dataSlice.nullish() })
type AccountConfig = z.output<typeof accountConfig>
const oneParams = z.tuple([addressParam, configured(accountConfig)])
const severalParams = z.tuple([z.array(addressParam), configured(accountConfig)])
const reply = z.object({ context: z.object({ slot: z.number() }).loose(), value: z.unknown() }).loose()
const several = z.array(z.unknown())
const account = z.object({ data: z.unknown() }).loose()
const base64Data = z.tuple([z.base64(), z.literal('base64')])
const parsedData = z.object({ parsed: z.object({ info: z.object({}).loose() }).loose() }).loose()
/** The first slot in a reply is that of its context. */
const CONTEXT_SLOT = /"slot":\d+/

/** Returns an account as it was, given how the runtime answers it now. */
type Earlier = (present: unknown) => unknown

export function createAccountMethods(dependencies: AccountDependencies): RpcMethods {
  const { recent, chainClock } = dependencies
  /** Returns null for an account that has not changed since. */
  const earlierAt =
    ({ slot }: Block, config: AccountConfig) =>
    (address: string): Earlier | null => {
      if (address === CLOCK_ACCOUNT) return clockAt(slot, blockTime(chainClock.eras(), slot))
      const state = recent.stateAt(address, slot)
      return state === undefined ? null : () => state && encode(state, config)
    }
  const read = createReader(dependencies)
  return {
    getAccountInfo(params) {
      const [address, config] = readParams(oneParams, params)
      return read('getAccountInfo', params, config, (block) => earlierAt(block, config)(address))
    },

    getMultipleAccounts(params) {
      const [addresses, config] = readParams(severalParams, params)
      return read('getMultipleAccounts', params, config, (block) => {
        const earlier = addresses.map(earlierAt(block, config))
        if (earlier.every((one) => one === null)) return null
        return (present) =>
          several.parse(present).map((one, index) => {
            const was = earlier[index]
            return was == null ? one : was(one)
          })
      })
    },

    getBalance(params) {
      const [address, config] = readParams(oneParams, params)
      return read('getBalance', params, config, ({ slot }) => {
        const state = recent.stateAt(address, slot)
        return state === undefined ? null : () => state?.lamports ?? 0
      })
    },

    ...Object.fromEntries(WHOLE_STATE.map((method) => [method, readWholeState(method, dependencies)])),
  }
}

/** Reads the present state, and puts back what is newer than the block that counts. */
const createReader =
  ({ upstream, queue, chainClock }: AccountDependencies) =>
  async (
    method: string,
    params: unknown,
    config: ReadConfig,
    earlierAt: (block: Block) => Earlier | null,
  ): Promise<string> => {
    const block = await reachedBlock(chainClock, config)
    const present = await upstream.call(method, params)
    // Whatever the runtime had executed is recorded by then.
    await queue.settled()
    const earlier = earlierAt(block)
    if (earlier === null) return present.replace(CONTEXT_SLOT, `"slot":${block.slot}`)
    return withContext(block.slot, stringifyExactJson(earlier(reply.parse(parseExactJson(present)).value)))
  }

/**
 * Such a reading cannot be put back, so it waits until it is final. A transaction that lands after it in the same slot is
 * missing.
 */
function readWholeState(method: string, { upstream, queue, chainClock, recent }: AccountDependencies): RpcHandler {
  return async (params) => {
    const last = Array.isArray(params) ? params.at(-1) : undefined
    const config = readConfig.safeParse(last).data ?? readConfig.parse({})
    const block = await reachedBlock(chainClock, config)
    const present = await upstream.call(method, params)
    await queue.settled()
    if (config.commitment !== 'processed' && recent.anyAfter(block.slot)) await chainClock.settled()
    const { slot } = await chainClock.at(config.commitment)
    return present.replace(CONTEXT_SLOT, `"slot":${slot}`)
  }
}

/** An account that was in another state a moment ago, in base58 or base64: as from a node that cannot parse its data. */
function encode({ data, ...state }: StoredAccount, { encoding, dataSlice: slice }: AccountConfig): object {
  const bytes = slice == null ? data : data.subarray(slice.offset, slice.offset + slice.length)
  const encoded =
    encoding === 'base58'
      ? [getBase58Decoder().decode(Uint8Array.from(bytes)), 'base58']
      : [Buffer.from(bytes).toString('base64'), 'base64']
  return { ...state, data: encoded, space: data.length }
}

const clockAt =
  (slot: number, seconds: number | null): Earlier =>
  (present) => {
    const found = account.safeParse(present).data
    return found === undefined || seconds === null ? present : { ...found, data: clockData(found.data, slot, seconds) }
  }

/** In the encodings that clients ask for: base64, whole, and parsed. Any other stays as it is. */
function clockData(data: unknown, slot: number, seconds: number): unknown {
  const epoch = Math.floor(slot / SLOTS_PER_EPOCH)
  const parsed = parsedData.safeParse(data)
  if (parsed.success) {
    const info = { ...parsed.data.parsed.info, slot, epoch, unixTimestamp: seconds }
    return { ...parsed.data, parsed: { ...parsed.data.parsed, info } }
  }
  const encoded = base64Data.safeParse(data)
  const bytes = Buffer.from(encoded.data?.[0] ?? '', 'base64')
  if (bytes.length !== CLOCK_BYTES) return data
  bytes.writeBigUInt64LE(BigInt(slot), SLOT_AT)
  bytes.writeBigUInt64LE(BigInt(epoch), EPOCH_AT)
  bytes.writeBigInt64LE(BigInt(seconds), TIME_AT)
  return [bytes.toString('base64'), 'base64']
}
