// Slots, blocks and time as the runtime counts them: blocks from zero at each of its starts, time by even steps.
import { setTimeout as sleep } from 'node:timers/promises'
import { z } from 'zod'
import type { Block } from './eras.ts'
import type { Upstream } from './upstream.ts'

/** Where to jump: to a slot, or to a time (Unix, in milliseconds). */
export type Destination = { readonly slot: number } | { readonly timeMs: number }
/** The block made after a jump, and its time. */
export type Landing = { readonly block: Block; readonly timeMs: number }

export type RuntimeTime = {
  /** Returns the block being made now. */
  newest(): Promise<Block>
  /** Returns the same, as soon as the first one is made. */
  first(): Promise<Block>
  /** Leaves out slots until it is there or a little beyond; null when it already was. */
  jump(to: Destination): Promise<Landing | null>
}

export type RuntimeTimeOptions = {
  readonly upstream: Pick<Upstream, 'call'>
  /** So many blocks were made in earlier lives, or left out. */
  readonly heightBase: number
  readonly slotTimeMs: number
}

export const CLOCK_ACCOUNT = 'SysvarC1ock11111111111111111111111111111111'
/** A jump shorter than this could land on a slot that the runtime reaches by itself while it takes the command. */
const MIN_JUMP_MS = 1000

const epochInfo = z.object({ absoluteSlot: z.number(), blockHeight: z.number() })
// The slot of the account is wrong after a jump: until the next block it is the slot within its epoch.
const clockAccount = z.object({
  value: z.object({ data: z.object({ parsed: z.object({ info: z.object({ unixTimestamp: z.number() }) }) }) }),
})

export function createRuntimeTime({ upstream, heightBase, slotTimeMs }: RuntimeTimeOptions): RuntimeTime {
  const newest = async (): Promise<Block> => {
    const info = epochInfo.parse(JSON.parse(await upstream.call('getEpochInfo', [{ commitment: 'processed' }])))
    return { slot: info.absoluteSlot, height: heightBase + info.blockHeight }
  }
  /** Returns the time cut to the second, as the runtime reports it. */
  const timeMs = async (): Promise<number> => {
    const account = await upstream.call('getAccountInfo', [CLOCK_ACCOUNT, { encoding: 'jsonParsed' }])
    return clockAccount.parse(JSON.parse(account)).value.data.parsed.info.unixTimestamp * 1000
  }
  const slotsTo = async (to: Destination): Promise<number> => {
    if ('slot' in to) return to.slot - (await newest()).slot
    // To the next full second, so that the time is reached even when it is cut.
    return Math.ceil((Math.ceil(to.timeMs / 1000) * 1000 - (await timeMs())) / slotTimeMs)
  }
  return {
    newest,
    async first() {
      for (;;) {
        const block = await newest()
        if (block.height > heightBase) return block
        await sleep(Math.min(slotTimeMs / 4, 20))
      }
    },
    async jump(to) {
      const wanted = await slotsTo(to)
      if (wanted <= 0) return null
      const slots = Math.max(wanted, Math.ceil(MIN_JUMP_MS / slotTimeMs) + 1)
      // By slots always. Given a time, the runtime counts slots on from the place in its epoch, forgets that place when
      // the jump leaves the epoch, and the next jump goes back.
      await upstream.call('surfnet_timeTravel', [{ absoluteSlot: (await newest()).slot + slots }])
      return { block: await newest(), timeMs: await timeMs() }
    },
  }
}
