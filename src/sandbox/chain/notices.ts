// The websockets of clients. Account notices are made here. All other subscriptions are relayed to the runtime, which sends a notice
// when it executes something; here it arrives when the block is final, whatever commitment was asked for.
import { setTimeout as sleep } from 'node:timers/promises'
import { WebSocket } from 'ws'
import { z } from 'zod'
import type { AccountNotices } from './account-notices.ts'
import type { ChainClock } from './chain-clock.ts'
import { blockBelow, DEPTH } from './eras.ts'
import { failureText, parseExactJson, RpcFailure, resultText, stringifyExactJson } from './json-rpc.ts'

export type NoticeOptions = {
  /** The websocket of the runtime. */
  readonly wsUrl: string
  readonly accountNotices: Pick<AccountNotices, 'subscribe' | 'unsubscribe'>
  readonly chainClock: Pick<ChainClock, 'at' | 'eras'>
  readonly slotTimeMs: number
}

const MIN_LOOK_MS = 5

const accountRequest = z.object({ id: z.unknown(), method: z.literal('accountSubscribe'), params: z.unknown() })
const accountEnd = z.object({
  id: z.unknown(),
  method: z.literal('accountUnsubscribe'),
  params: z.tuple([z.number()]),
})
const subscription = z.object({ method: z.string().endsWith('Subscribe'), params: z.array(z.unknown()) }).loose()
const config = z.record(z.string(), z.unknown())
const stateNotice = z
  .object({
    method: z.string().endsWith('Notification'),
    params: z.object({ result: z.object({ context: z.object({}).loose() }).loose() }).loose(),
  })
  .loose()
type StateNotice = z.output<typeof stateNotice>

/** Serves a client, until it closes or the runtime does. */
export const serveNotices = (client: WebSocket, options: NoticeOptions): void => void new Relay(client, options)

class Relay {
  readonly #client: WebSocket
  readonly #options: NoticeOptions
  /** Resolves to the websocket of the runtime, when it is open. */
  #runtime: Promise<WebSocket> | null = null
  readonly #accounts = new Set<number>()
  /** Notices in the order of their arrival, each with a slot in which its transaction has landed at the latest. */
  readonly #held: { readonly notice: StateNotice; slot: number | null }[] = []
  #isReleasing = false

  constructor(client: WebSocket, options: NoticeOptions) {
    this.#client = client
    this.#options = options
    client.on('message', (data) => this.#take(String(data)))
    client.on('close', () => {
      for (const number of this.#accounts) options.accountNotices.unsubscribe(number)
    })
    // A `close` event follows.
    client.on('error', () => {})
  }

  #take(text: string): void {
    const answer = this.#answerAccounts(text)
    if (answer !== null) this.#client.send(answer)
    else {
      this.#runtime ??= this.#connect()
      this.#runtime.then((runtime) => runtime.send(atOnce(text))).catch(() => this.#client.terminate())
    }
  }

  /** Answers a request about notices of an account; null when it is another one. */
  #answerAccounts(text: string): string | null {
    const message = jsonOf(text)
    const begin = accountRequest.safeParse(message).data
    if (begin !== undefined) return this.#subscribe(begin)
    const end = accountEnd.safeParse(message).data
    if (end === undefined) return null
    const [number] = end.params
    return resultText(end.id, String(this.#accounts.delete(number) && this.#options.accountNotices.unsubscribe(number)))
  }

  #subscribe({ id, params }: z.output<typeof accountRequest>): string {
    try {
      const number = this.#options.accountNotices.subscribe(params, (text) => this.#client.send(text))
      this.#accounts.add(number)
      return resultText(id, String(number))
    } catch (error) {
      if (error instanceof RpcFailure) return failureText(id, error)
      throw error
    }
  }

  #connect(): Promise<WebSocket> {
    const runtime = new WebSocket(this.#options.wsUrl)
    runtime.on('message', (data) => this.#receive(String(data)))
    this.#client.on('close', () => runtime.terminate())
    runtime.on('close', () => this.#client.terminate())
    runtime.on('error', () => {})
    return new Promise((resolve) => runtime.once('open', () => resolve(runtime)))
  }

  #receive(text: string): void {
    const state = stateNotice.safeParse(parseExactJson(text))
    if (!state.success) {
      this.#client.send(text)
      return
    }
    this.#held.push({ notice: state.data, slot: null })
    if (!this.#isReleasing) this.#release().catch(() => this.#client.terminate())
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
  const read = subscription.safeParse(jsonOf(text))
  if (!read.success) return text
  const { params, ...request } = read.data
  const given = config.safeParse(params.at(-1))
  // Other parameters of subscriptions than the config are objects as well, but never the only and last one.
  const isConfig = given.success && params.length > 1
  const named = isConfig ? params.slice(0, -1) : params
  const settings = { ...(isConfig && given.data), commitment: 'processed' }
  return stringifyExactJson({ ...request, params: named.length === 0 ? [] : [...named, settings] })
}

/** Returns null for a text that is not JSON. */
function jsonOf(text: string): unknown {
  try {
    return parseExactJson(text)
  } catch {
    return null
  }
}

function withSlot(notice: StateNotice, slot: number): string {
  const { result } = notice.params
  const context = { ...result.context, slot }
  return stringifyExactJson({ ...notice, params: { ...notice.params, result: { ...result, context } } })
}
