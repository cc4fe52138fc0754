// One websocket to one provider: subscribes to accounts and to final slots. Uses the socket itself, because kit's
// channel does not report when a server closes politely, and then waits for notices without end.
import type { Address } from '@solana/kit'
import { WebSocket } from 'ws'

// The account subscriptions of one websocket: which request asked for which account, and which subscription it became.

type NoticeSubscriptions = {
  /** Subscribes to the accounts that are new in the set, and unsubscribes from the accounts that have left it. */
  subscribe(wanted: ReadonlySet<Address>): void
  /** Takes the answer to a request: the number of a subscription, or null when the provider refused. */
  answered(request: number, subscription: string | null): void
  /** Returns the account of a subscription, if it is still wanted. */
  accountOf(subscription: string): Address | undefined
  /** Returns how many subscriptions the provider has confirmed. */
  count(): number
}

/** `send` sends one request and returns its number. Subscriptions' numbers stay text: they may exceed a double. */
function createNoticeSubscriptions(send: (method: string, params: readonly unknown[]) => number): NoticeSubscriptions {
  const requests = new Map<Address, number>()
  const asked = new Map<number, Address>()
  const subscriptions = new Map<Address, string>()
  const accounts = new Map<string, Address>()

  const subscribeTo = (account: Address): void => {
    const request = send('accountSubscribe', [account, { commitment: 'finalized', encoding: 'base64' }])
    requests.set(account, request)
    asked.set(request, account)
  }
  const unsubscribeFrom = (account: Address): void => {
    requests.delete(account)
    const subscription = subscriptions.get(account)
    // Not answered yet: `answered` unsubscribes an account that is no longer wanted.
    if (subscription === undefined) return
    subscriptions.delete(account)
    accounts.delete(subscription)
    send('accountUnsubscribe', [JSON.rawJSON(subscription)])
  }

  return {
    subscribe(wanted) {
      for (const account of requests.keys()) if (!wanted.has(account)) unsubscribeFrom(account)
      for (const account of wanted) if (!requests.has(account)) subscribeTo(account)
    },
    answered(request, subscription) {
      const account = asked.get(request)
      asked.delete(request)
      if (account === undefined || subscription === null) return
      if (requests.get(account) !== request) {
        send('accountUnsubscribe', [JSON.rawJSON(subscription)])
        return
      }
      subscriptions.set(account, subscription)
      accounts.set(subscription, account)
    },
    accountOf: (subscription) => accounts.get(subscription),
    count: () => subscriptions.size,
  }
}

// The messages of a provider's websocket.

type NoticeMessage =
  | { readonly kind: 'answer'; readonly request: number; readonly subscription: string | null }
  | { readonly kind: 'notice'; readonly subscription: string }
  | { readonly kind: 'slot'; readonly root: bigint }

/** Reads a message; null for every other text. Subscriptions' numbers stay text: they may exceed a double. */
function readMessage(text: string): NoticeMessage | null {
  try {
    const message: unknown = JSON.parse(text, (_key, value: unknown, context: { source?: string }) =>
      typeof value === 'number' ? context.source : value,
    )
    const { id, method, result, params } = fieldsOf(message)
    if (typeof id === 'string')
      return { kind: 'answer', request: Number(id), subscription: typeof result === 'string' ? result : null }
    const { subscription, result: notice } = fieldsOf(params)
    if (method === 'slotNotification') return slotNotice(fieldsOf(notice).root)
    return typeof subscription === 'string' ? { kind: 'notice', subscription } : null
  } catch {
    return null
  }
}

const slotNotice = (root: unknown): NoticeMessage | null =>
  typeof root === 'string' ? { kind: 'slot', root: BigInt(root) } : null

const fieldsOf = (value: unknown): Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null ? Object.fromEntries(Object.entries(value)) : {}

const OPENING_MS = 8000
/** Wallets and token accounts take a few hundred bytes. A provider that sends more is disconnected. */
const MAX_MESSAGE_BYTES = 1024 * 1024

type Handlers = {
  readonly onOpen: () => void
  /** Called for each account notice. */
  readonly onAccount: (account: Address) => void
  readonly onFinalSlot: (slot: bigint) => void
  /** Called once, when the connection ends or cannot be opened. */
  readonly onEnd: () => void
}

export class NoticeFeed {
  readonly #socket: WebSocket
  readonly #handlers: Handlers
  readonly #accounts: NoticeSubscriptions
  readonly #slots: SlotSubscription
  #wanted: ReadonlySet<Address> = new Set()
  #followsFinality = false
  #requests = 0

  constructor(url: string, handlers: Handlers, heartbeatMs: number) {
    this.#handlers = handlers
    this.#socket = new WebSocket(url, { handshakeTimeout: OPENING_MS, maxPayload: MAX_MESSAGE_BYTES })
    const send: SendRequest = (method, params) => this.#send(method, params)
    this.#accounts = createNoticeSubscriptions(send)
    this.#slots = createSlotSubscription(send)
    this.#socket.on('open', () => {
      handlers.onOpen()
      this.#accounts.subscribe(this.#wanted)
      this.#slots.follow(this.#followsFinality)
    })
    this.#socket.on('message', (data) => this.#receive(String(data)))
    // A `close` event always follows an error.
    this.#socket.on('error', () => {})
    const stopHeartbeat = keepAlive(this.#socket, heartbeatMs)
    this.#socket.on('close', () => {
      stopHeartbeat()
      handlers.onEnd()
    })
  }

  /** Replaces the set of accounts to subscribe to. */
  subscribe(accounts: ReadonlySet<Address>): void {
    this.#wanted = accounts
    if (this.#isOpen) this.#accounts.subscribe(accounts)
  }

  /** Subscribes to final slots, or unsubscribes. */
  followFinality(wanted: boolean): void {
    this.#followsFinality = wanted
    if (this.#isOpen) this.#slots.follow(wanted)
  }

  /** Returns how many account subscriptions the provider has confirmed. */
  subscribed(): number {
    return this.#accounts.count()
  }

  close(): void {
    this.#socket.terminate()
  }

  get #isOpen(): boolean {
    return this.#socket.readyState === WebSocket.OPEN
  }

  #send(method: string, params: readonly unknown[]): number {
    this.#requests += 1
    this.#socket.send(JSON.stringify({ jsonrpc: '2.0', id: this.#requests, method, params }))
    return this.#requests
  }

  #receive(text: string): void {
    const message = readMessage(text)
    if (message?.kind === 'slot' && this.#followsFinality) this.#handlers.onFinalSlot(message.root)
    if (message?.kind === 'answer') {
      this.#accounts.answered(message.request, message.subscription)
      this.#slots.answered(message.request, message.subscription)
    }
    const account = message?.kind === 'notice' ? this.#accounts.accountOf(message.subscription) : undefined
    if (account !== undefined) this.#handlers.onAccount(account)
  }
}

/** Sends a request and returns its number. */
type SendRequest = (method: string, params: readonly unknown[]) => number

/** The subscription to slots, wanted or not. Each of its notices names the newest final slot. */
type SlotSubscription = {
  follow(wanted: boolean): void
  /** Takes the answer to a request: the number of a subscription, or null when the provider refused. */
  answered(request: number, subscription: string | null): void
}

function createSlotSubscription(send: SendRequest): SlotSubscription {
  const unanswered = new Set<number>()
  let asked: number | null = null
  let confirmed: string | null = null
  const unsubscribeFrom = (subscription: string | null): void => {
    if (subscription !== null) send('slotUnsubscribe', [JSON.rawJSON(subscription)])
  }
  const subscribe = (): number => {
    const request = send('slotSubscribe', [])
    unanswered.add(request)
    return request
  }
  return {
    follow(wanted) {
      if (wanted) {
        asked ??= subscribe()
        return
      }
      // Not answered yet: `answered` unsubscribes what is no longer wanted.
      unsubscribeFrom(confirmed)
      asked = null
      confirmed = null
    },
    answered(request, subscription) {
      if (!unanswered.delete(request)) return
      if (request === asked) confirmed = subscription
      else unsubscribeFrom(subscription)
    },
  }
}

/** Pings a silent connection, and terminates it when it does not answer. Returns a function that stops the pings. */
function keepAlive(socket: WebSocket, everyMs: number): () => void {
  let heard = true
  const hear = (): void => {
    heard = true
  }
  socket.on('pong', hear)
  socket.on('message', hear)
  const timer = setInterval(() => {
    if (socket.readyState !== WebSocket.OPEN) return
    if (!heard) {
      socket.terminate()
      return
    }
    heard = false
    socket.ping()
  }, everyMs)
  timer.unref()
  return () => clearInterval(timer)
}
