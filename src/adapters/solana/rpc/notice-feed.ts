// One websocket to one provider: listens to accounts and says which one was touched. Written on the socket itself,
// because kit's channel does not tell when a server closes politely, and then waits for notices for ever.
import type { Address } from '@solana/kit'
import { type RawData, WebSocket } from 'ws'
import { createNoticeSubscriptions } from './notice-subscriptions.ts'

const OPENING_MS = 8000
/** Wallets and token accounts are a few hundred bytes; a provider that sends more is not listened to. */
const MAX_MESSAGE_BYTES = 1024 * 1024

export type NoticeFeed = {
  /** Replaces the set of accounts that are listened to. */
  listen(accounts: ReadonlySet<Address>): void
  /** Whether to be told with every slot how far the chain is final. */
  follow(wanted: boolean): void
  /** How many subscriptions the provider has confirmed. */
  subscribed(): number
  close(): void
}

type Handlers = {
  readonly opened: () => void
  readonly touched: (account: Address) => void
  readonly final: (slot: bigint) => void
  /** Called once, whatever ended the connection or kept it from opening. */
  readonly ended: () => void
}

export function openNoticeFeed(url: string, handlers: Handlers, heartbeatMs: number): NoticeFeed {
  const socket = new WebSocket(url, { handshakeTimeout: OPENING_MS, maxPayload: MAX_MESSAGE_BYTES })
  let wanted: ReadonlySet<Address> = new Set()
  let following = false
  let requests = 0
  const send = (method: string, params: readonly unknown[]): number => {
    requests += 1
    socket.send(JSON.stringify({ jsonrpc: '2.0', id: requests, method, params }))
    return requests
  }
  const subscriptions = createNoticeSubscriptions(send)
  const slots = createSlotSubscription(send)

  socket.on('open', () => {
    handlers.opened()
    subscriptions.listen(wanted)
    slots.follow(following)
  })
  socket.on('message', (data) => {
    const message = readMessage(data)
    if (message?.kind === 'slot' && following) handlers.final(message.root)
    if (message?.kind === 'answer') {
      subscriptions.answered(message.request, message.subscription)
      slots.answered(message.request, message.subscription)
    }
    const account = message?.kind === 'notice' ? subscriptions.accountOf(message.subscription) : undefined
    if (account !== undefined) handlers.touched(account)
  })
  // An error is always followed by the closing.
  socket.on('error', () => {})
  const stopHeartbeat = keepAlive(socket, heartbeatMs)
  socket.on('close', () => {
    stopHeartbeat()
    handlers.ended()
  })

  return {
    listen(accounts) {
      wanted = accounts
      if (socket.readyState === WebSocket.OPEN) subscriptions.listen(wanted)
    },
    follow(asked) {
      following = asked
      if (socket.readyState === WebSocket.OPEN) slots.follow(following)
    },
    subscribed: () => subscriptions.count(),
    close: () => socket.terminate(),
  }
}

/** One subscription that is wanted or not: a notice with every slot, which names the newest final one. */
function createSlotSubscription(send: (method: string, params: readonly unknown[]) => number) {
  let asked: number | null = null
  let subscription: string | null = null
  const end = (number: string): void => void send('slotUnsubscribe', [JSON.rawJSON(number)])
  return {
    follow(wanted: boolean): void {
      if (wanted) {
        asked ??= send('slotSubscribe', [])
        return
      }
      if (subscription !== null) end(subscription)
      asked = null
      subscription = null
    },
    answered(request: number, number: string | null): void {
      if (request === asked) subscription = number
    },
  }
}

/** A connection that died on the way says nothing at all, not even that it died; so it is asked, and ended if silent. */
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

type Message =
  | { readonly kind: 'answer'; readonly request: number; readonly subscription: string | null }
  | { readonly kind: 'notice'; readonly subscription: string }
  | { readonly kind: 'slot'; readonly root: bigint }

/** Null for anything else that a server may say. Numbers are kept as the text that stood there. */
function readMessage(data: RawData): Message | null {
  try {
    const message: unknown = JSON.parse(String(data), (_key, value: unknown, context: { source?: string }) =>
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

const slotNotice = (root: unknown): Message | null =>
  typeof root === 'string' ? { kind: 'slot', root: BigInt(root) } : null

const fieldsOf = (value: unknown): Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null ? Object.fromEntries(Object.entries(value)) : {}
