// Slots, blocks and time as the runtime counts them: blocks from zero at each of its starts, time by even steps.
import { setTimeout as sleep } from 'node:timers/promises'
import { z } from 'zod'
import type { Block } from './eras.ts'
import type { Upstream } from './upstream.ts'

export type RuntimeTime = {
  /** The block being made now. */
  newest(): Promise<Block>
  /** The same, as soon as the first one is made. */
  first(slotTimeMs: number): Promise<Block>
  /** A jump by the runtime's cheat code: its answer, the block and the time (Unix, in milliseconds) after it. */
  jump(params: unknown): Promise<{ readonly reply: string; readonly block: Block; readonly timeMs: number }>
}

const CLOCK_ACCOUNT = 'SysvarC1ock11111111111111111111111111111111'

const epochInfo = z.object({ absoluteSlot: z.number(), blockHeight: z.number() })
// The account's slot is no use here: after a jump it holds the slot within its epoch until the next block.
const clockAccount = z.object({
  value: z.object({ data: z.object({ parsed: z.object({ info: z.object({ unixTimestamp: z.number() }) }) }) }),
})

/** `heightBase` blocks were made in earlier lives, or left out. */
export function createRuntimeTime(upstream: Pick<Upstream, 'call'>, heightBase: number): RuntimeTime {
  const newest = async (): Promise<Block> => {
    const info = epochInfo.parse(JSON.parse(await upstream.call('getEpochInfo', [{ commitment: 'processed' }])))
    return { slot: info.absoluteSlot, height: heightBase + info.blockHeight }
  }
  return {
    newest,
    async first(slotTimeMs) {
      for (;;) {
        const block = await newest()
        if (block.height > heightBase) return block
        await sleep(Math.min(slotTimeMs / 4, 20))
      }
    },
    async jump(params) {
      const reply = await upstream.call('surfnet_timeTravel', params)
      const account = await upstream.call('getAccountInfo', [CLOCK_ACCOUNT, { encoding: 'jsonParsed' }])
      const { unixTimestamp } = clockAccount.parse(JSON.parse(account)).value.data.parsed.info
      return { reply, block: await newest(), timeMs: unixTimestamp * 1000 }
    },
  }
}
