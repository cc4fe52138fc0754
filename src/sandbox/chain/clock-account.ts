// Answers the clock account of the chain as of the block of a commitment. The runtime always answers its present state, and
// right after a jump with the slot within its epoch.
import { z } from 'zod'
import type { ChainClock } from './chain-clock.ts'
import { type Block, blockTime } from './eras.ts'
import { parseExactJson, stringifyExactJson } from './exact-json.ts'
import { configured, type RpcMethods, readConfig, readParams } from './json-rpc.ts'
import { SLOTS_PER_EPOCH } from './origin.ts'
import { CLOCK_ACCOUNT } from './runtime-time.ts'
import type { Upstream } from './upstream.ts'

const CLOCK_BYTES = 40
const SLOT_AT = 0
const EPOCH_AT = 16
const TIME_AT = 32

export type ClockAccountDependencies = {
  readonly upstream: Pick<Upstream, 'call'>
  readonly chainClock: Pick<ChainClock, 'at' | 'eras'>
}

const oneParams = z.tuple([z.string(), configured(readConfig)])
const severalParams = z.tuple([z.array(z.string()), configured(readConfig)])
const account = z.object({ data: z.unknown() }).loose().nullable()
const oneReply = z.object({ value: account }).loose()
const severalReply = z.object({ value: z.array(account) }).loose()
const base64Data = z.tuple([z.base64(), z.literal('base64')])
const parsedData = z.object({ parsed: z.object({ info: z.object({}).loose() }).loose() }).loose()

export function createClockAccountMethods({ upstream, chainClock }: ClockAccountDependencies): RpcMethods {
  const clockAnswerAt = async (config: z.output<typeof readConfig>) => {
    const block = await chainClock.at(config.commitment)
    const seconds = blockTime(chainClock.eras(), block.slot)
    return (address: string | undefined, found: z.output<typeof account>): z.output<typeof account> =>
      address !== CLOCK_ACCOUNT || found === null || seconds === null
        ? found
        : { ...found, data: clockData(found.data, block, seconds) }
  }
  return {
    async getAccountInfo(params) {
      const reply = await upstream.call('getAccountInfo', params)
      if (!names(params, (address) => address === CLOCK_ACCOUNT)) return reply
      const [address, config] = readParams(oneParams, params)
      const [answer, found] = [await clockAnswerAt(config), oneReply.parse(parseExactJson(reply))]
      return stringifyExactJson({ ...found, value: answer(address, found.value) })
    },

    async getMultipleAccounts(params) {
      const reply = await upstream.call('getMultipleAccounts', params)
      if (!names(params, (addresses) => Array.isArray(addresses) && addresses.includes(CLOCK_ACCOUNT))) return reply
      const [addresses, config] = readParams(severalParams, params)
      const [answer, found] = [await clockAnswerAt(config), severalReply.parse(parseExactJson(reply))]
      return stringifyExactJson({ ...found, value: found.value.map((one, index) => answer(addresses[index], one)) })
    },
  }
}

/** Only the clock account is changed: other accounts are read often, and pass through unchanged. */
const names = (params: unknown, isClock: (first: unknown) => boolean): boolean =>
  Array.isArray(params) && isClock(params[0])

/** In the encodings that clients ask for: base64, whole, and parsed. Any other stays as it is. */
function clockData(data: unknown, { slot }: Block, seconds: number): unknown {
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
