// Relays the websocket of the runtime. The runtime sends a notice when it executes something; here it arrives when the block is
// final, whatever commitment was asked for, so that a reading at `finalized` shows what the notice says.
import { setTimeout as sleep } from 'node:timers/promises'
import { WebSocket } from 'ws'
import { z } from 'zod'
import type { ChainClock } from './chain-clock.ts'
import { blockBelow, DEPTH } from './eras.ts'
import { parseExactJson, stringifyExactJson } from './json-rpc.ts'

export type NoticeOptions = {
  /** The websocket of the runtime. */
  readonly wsUrl: string
  readonly chainClock: Pick<ChainClock, 'at' | 'eras'>
  readonly slotTimeMs: number
}

const MIN_LOOK_MS = 5

const subscription = z.object({ method: z.string().endsWith('Subscribe'), params: z.array(z.unknown()) }).loose()
const config = z.record(z.string(), z.unknown())
const slotNotice = z
  .object({
    method: z.literal('slotNotification'),
    params: z.object({ result: z.object({ root: z.number() }).loose() }).loose(),
  })
  .loose()
const stateNotice = z
  .object({
    method: z.string().endsWith('Notification'),
    params: z.object({ result: z.object({ context: z.object({}).loose() }).loose() }).loose(),
  })
  .loose()
type SlotNotice = z.output<typeof slotNotice>
type StateNotice = z.output<typeof stateNotice>

/** Connects a client to the runtime, until either of them closes. */
export const relayNotices = (client: WebSocket, options: NoticeOptions): void => void new Relay(client, options)

class Relay {
  readonly #client: WebSocket
  readonly #options: NoticeOptions
  /** Notices in the order of their arrival, each with a slot in which its transaction has landed at the latest. */
  readonly #held: { readonly notice: StateNotice; slot: number | null }[] = []
  #isReleasing = false
  #isNamingRoot = false

  constructor(client: WebSocket, options: NoticeOptions) {
    this.#client = client
    this.#options = options
    const runtime = new WebSocket(options.wsUrl)
    const opened = new Promise<void>((resolve) => runtime.once('open', resolve))
    client.on('message', (data) => void opened.then(() => runtime.send(atOnce(String(data)))))
    runtime.on('message', (data) => this.#receive(String(data)))
    client.on('close', () => runtime.terminate())
    runtime.on('close', () => client.terminate())
    // A `close` event follows.
    for (const socket of [client, runtime]) socket.on('error', () => {})
  }

  #receive(text: string): void {
    const message = parseExactJson(text)
    const state = stateNotice.safeParse(message)
    if (state.success) {
      this.#held.push({ notice: state.data, slot: null })
      if (!this.#isReleasing) this.#release().catch(() => this.#client.terminate())
      return
    }
    const slot = slotNotice.safeParse(message)
    if (!slot.success) this.#client.send(text)
    else if (!this.#isNamingRoot) this.#nameRoot(slot.data).catch(() => this.#client.terminate())
  }

  /** Names the newest final slot: the one of the runtime is 31 behind. Meanwhile further notices of slots are dropped. */
  async #nameRoot(notice: SlotNotice): Promise<void> {
    this.#isNamingRoot = true
    const { slot: root } = await this.#options.chainClock.at('finalized')
    const result = { ...notice.params.result, root }
    this.#client.send(stringifyExactJson({ ...notice, params: { ...notice.params, result } }))
    this.#isNamingRoot = false
  }

  async #release(): Promise<void> {
    const { chainClock, slotTimeMs } = this.#options
    this.#isReleasing = true
    while (this.#held.length > 0 && this.#client.readyState === WebSocket.OPEN) {
      const arrived = this.#held.length
      const newest = await chainClock.at('processed')
      for (const held of this.#held.slice(0, arrived)) held.slot ??= newest.slot
      const final = blockBelow(chainClock.eras(), newest, DEPTH.finalized).slot
      for (let held = this.#held[0]; held?.slot != null && held.slot <= final; held = this.#held[0]) {
        this.#client.send(withSlot(held.notice, final))
        this.#held.shift()
      }
      await sleep(Math.max(MIN_LOOK_MS, slotTimeMs / 4))
    }
    this.#isReleasing = false
  }
}

/** Returns a request as it goes to the runtime: a subscription is for what has just been executed. */
function atOnce(text: string): string {
  try {
    const read = subscription.safeParse(parseExactJson(text))
    if (!read.success) return text
    const { params, ...request } = read.data
    const given = config.safeParse(params.at(-1))
    // Other parameters of subscriptions than the config are objects as well, but never the only and last one.
    const isConfig = given.success && params.length > 1
    const named = isConfig ? params.slice(0, -1) : params
    const settings = { ...(isConfig && given.data), commitment: 'processed' }
    return stringifyExactJson({ ...request, params: named.length === 0 ? [] : [...named, settings] })
  } catch {
    return text
  }
}

function withSlot(notice: StateNotice, slot: number): string {
  const { result } = notice.params
  const context = { ...result.context, slot }
  return stringifyExactJson({ ...notice, params: { ...notice.params, result: { ...result, context } } })
}
