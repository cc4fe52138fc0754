// One websocket to one provider, with subscriptions to accounts. One of them is the clock of the chain, which changes in every slot: its
// notices prove that the provider still sends notices. Uses the socket itself, because kit's channel does not report when a server
// closes politely, and then waits for notices without end.
import { WebSocket } from 'ws'
import { makeAddress } from '#core/chain/base58.ts'
import type { Address } from '#core/chain/types.ts'
import { type FeedHandlers, type FeedOptions, type NoticeFeed, Ticks } from './notice-feed.ts'

const CLOCK_SYSVAR = makeAddress('SysvarC1ock11111111111111111111111111111111')
const OPENING_MS = 8000
/** Wallets and token accounts take a few hundred bytes. A provider that sends more is disconnected. */
const MAX_MESSAGE_BYTES = 1024 * 1024
/** A node confirms a subscription a moment before it begins. */
const BEGINS_WITHIN_SLOTS = 4n
/** Refused accounts that are tried again at once. */
const REFUSED_AT_ONCE = 50

// The messages of a provider's websocket.

type NoticeMessage =
  | { readonly kind: 'answer'; readonly request: number; readonly subscription: string | null }
  | { readonly kind: 'notice'; readonly subscription: string; readonly slot: bigint }

/** Reads a message; null for every other text. Subscriptions' numbers stay text: they may exceed a double. */
function readMessage(text: string): NoticeMessage | null {
  try {
    const message: unknown = JSON.parse(text, (_key, value: unknown, context: { source?: string }) =>
      typeof value === 'number' ? context.source : value,
    )
    const { id, result, params } = fieldsOf(message)
    if (typeof id === 'string')
      return { kind: 'answer', request: Number(id), subscription: isNumber(result) ? result : null }
    const { subscription, result: notice } = fieldsOf(params)
    const { slot } = fieldsOf(fieldsOf(notice).context)
    return isNumber(subscription) && isNumber(slot) ? { kind: 'notice', subscription, slot: BigInt(slot) } : null
  } catch {
    return null
  }
}

const isNumber = (value: unknown): value is string => typeof value === 'string' && /^(0|[1-9]\d*)$/.test(value)

const fieldsOf = (value: unknown): Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null ? Object.fromEntries(Object.entries(value)) : {}

type Subscription = {
  readonly account: Address
  /** The number that the provider gave it; null while it is not confirmed. */
  id: string | null
  /** From this slot on every change causes a notice. Null until the clock has ticked after the confirmation. */
  since: bigint | null
}

export class WebsocketFeed implements NoticeFeed {
  readonly #checkEveryMs: number
  readonly #handlers: FeedHandlers
  readonly #ticks: Ticks
  readonly #socket: WebSocket
  readonly #subscriptions = new Map<Address, Subscription>()
  readonly #byRequest = new Map<number, Subscription>()
  readonly #byId = new Map<string, Subscription>()
  /** Confirmed since the last tick. */
  #confirmed: Subscription[] = []
  /** Refused by the provider. */
  readonly #refused = new Set<Address>()
  #requests = 0

  constructor(url: string, options: FeedOptions, accounts: Iterable<Address>, handlers: FeedHandlers) {
    this.#checkEveryMs = options.checkEveryMs
    this.#handlers = handlers
    this.#ticks = new Ticks(options)
    this.#socket = new WebSocket(url, { handshakeTimeout: OPENING_MS, maxPayload: MAX_MESSAGE_BYTES })
    this.#socket.on('open', () => {
      for (const account of [CLOCK_SYSVAR, ...accounts]) this.subscribe(account)
    })
    this.#socket.on('message', (data) => this.#receive(String(data)))
    // A `close` event always follows an error.
    this.#socket.on('error', () => {})
    const timer = setInterval(() => this.#check(), options.checkEveryMs)
    timer.unref()
    this.#socket.on('close', () => {
      clearInterval(timer)
      handlers.onEnd()
    })
  }

  /** Subscribes to an account, unless the connection is not open yet: it subscribes to all of them then. */
  subscribe(account: Address): void {
    if (this.#socket.readyState !== WebSocket.OPEN) return
    const request = this.#send('accountSubscribe', [account, { commitment: 'finalized', encoding: 'base64' }])
    const subscription: Subscription = { account, id: null, since: null }
    this.#subscriptions.set(account, subscription)
    this.#byRequest.set(request, subscription)
  }

  unsubscribe(account: Address): void {
    this.#refused.delete(account)
    const subscription = this.#subscriptions.get(account)
    this.#subscriptions.delete(account)
    // Not answered yet: `#answered` unsubscribes an account that is no longer wanted.
    if (subscription?.id != null) this.#end(subscription.id)
  }

  coveredSince(account: Address): bigint | null {
    return this.#ticks.coveredSince(this.#subscriptions.get(account)?.since ?? null)
  }

  get isTicking(): boolean {
    return this.#ticks.isTicking
  }

  get isRefused(): boolean {
    return this.#refused.size > 0
  }

  close(): void {
    this.#socket.terminate()
  }

  /**
   * Ends a connection that is silent. A ping shows the provider, and whatever is on the way, that the others are in use. They
   * subscribe again to some accounts that were refused: too many requests may have come at once.
   */
  #check(): void {
    if (this.#socket.readyState !== WebSocket.OPEN) return
    if (this.#ticks.silentMs >= this.#checkEveryMs) {
      this.#socket.terminate()
      return
    }
    this.#socket.ping()
    for (const account of [...this.#refused].slice(0, REFUSED_AT_ONCE)) {
      this.#refused.delete(account)
      this.subscribe(account)
    }
  }

  #send(method: string, params: readonly unknown[]): number {
    this.#requests += 1
    this.#socket.send(JSON.stringify({ jsonrpc: '2.0', id: this.#requests, method, params }))
    return this.#requests
  }

  #end(id: string): void {
    this.#byId.delete(id)
    this.#send('accountUnsubscribe', [JSON.rawJSON(id)])
  }

  #receive(text: string): void {
    const message = readMessage(text)
    if (message?.kind === 'answer') this.#answered(message.request, message.subscription)
    if (message?.kind !== 'notice') return
    const subscription = this.#byId.get(message.subscription)
    if (subscription?.account === CLOCK_SYSVAR) this.#tick(message.slot)
    else if (subscription !== undefined) this.#noticed(subscription, message.slot)
  }

  #answered(request: number, id: string | null): void {
    const subscription = this.#byRequest.get(request)
    this.#byRequest.delete(request)
    if (subscription === undefined) return
    const { account } = subscription
    // The account may have been dropped, and be wanted again. A provider may give both of its requests the same number.
    const wanted = this.#subscriptions.get(account)
    if (id === null) {
      if (wanted === subscription) this.#refused.add(account)
      return
    }
    if (wanted === undefined) {
      this.#end(id)
      return
    }
    if (wanted.id !== null && wanted.id !== id) this.#end(wanted.id)
    wanted.id = id
    this.#byId.set(id, wanted)
    this.#confirmed.push(wanted)
  }

  #tick(slot: bigint): void {
    if (!this.#ticks.add(slot)) return
    for (const subscription of this.#confirmed) subscription.since ??= slot + BEGINS_WITHIN_SLOTS
    this.#confirmed = []
    this.#handlers.onTick(slot)
  }

  /** What is read at an earlier slot does not show the change. */
  #noticed(subscription: Subscription, slot: bigint): void {
    if (subscription.since !== null && subscription.since < slot) subscription.since = slot
    this.#handlers.onAccount(subscription.account)
  }
}
