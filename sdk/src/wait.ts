// Waits for a status of a payment: the websocket shows each change at once, and without one the client asks again and again.
import type { Call } from './call.ts'
import { SolanaPaymentsError } from './errors.ts'
import type { IntentStatus } from './generated/api.ts'
import type { RequestOptions } from './options.ts'
import { pause } from './pause.ts'

export type WaitOptions = Pick<RequestOptions, 'signal'> & {
  /** How long to wait, in milliseconds. Without end when left out: the window of a payment ends it. */
  readonly timeoutMs?: number | undefined
  /** Called with each status, the present one first. */
  readonly onStatus?: ((status: IntentStatus) => void) | undefined
}

/** What to wait for: the payment, and how to read it. */
export type Waited<T> = {
  readonly subscription: string
  readonly variables: Readonly<Record<string, unknown>>
  readonly read: (options: Pick<RequestOptions, 'signal'>) => Promise<T>
}

/** The ways of a payment. A payment with a later status of a way has had the earlier ones. */
const WAYS: readonly (readonly IntentStatus[])[] = [
  ['pending', 'underpaid', 'paid', 'overpaid', 'settling', 'swept'],
  ['refunding', 'refunded'],
]
/** Nothing more comes by itself. */
const ENDED: ReadonlySet<IntentStatus> = new Set(['swept', 'refunded', 'cancelled', 'settle_failed', 'refund_failed'])
const ASK_EVERY_MS = 2_000
/** With an open websocket, in case it is silent. */
const ASK_LIVE_EVERY_MS = 15_000

/** Resolves with the payment when it has had the status. Rejects when it ended in another one. */
export async function waitFor<T extends { readonly status: IntentStatus }>(
  call: Call,
  { subscription, variables, read }: Waited<T>,
  wanted: IntentStatus,
  { signal, timeoutMs, onStatus }: WaitOptions,
): Promise<T> {
  const deadline = timeoutMs === undefined ? null : Date.now() + timeoutMs
  const live = new Live(call, subscription, variables)
  let last: IntentStatus | null = null
  try {
    for (;;) {
      live.open()
      const payment = await read({ signal })
      const { status } = payment
      if (status !== last) onStatus?.(status)
      last = status
      if (hasHad(status, wanted)) return payment
      if (ENDED.has(status))
        throw new SolanaPaymentsError(`the payment is ${status}, and will not be ${wanted}`, { code: 'payment_ended' })
      const leftMs = deadline === null ? Number.POSITIVE_INFINITY : deadline - Date.now()
      if (leftMs <= 0)
        throw new SolanaPaymentsError(`the payment is still ${status}, and not ${wanted}`, { code: 'timed_out' })
      await live.change(status, Math.min(live.isOpen ? ASK_LIVE_EVERY_MS : ASK_EVERY_MS, leftMs), signal)
    }
  } finally {
    live.close()
  }
}

function hasHad(status: IntentStatus, wanted: IntentStatus): boolean {
  const way = WAYS.find((one) => one.includes(wanted)) ?? [wanted]
  return way.indexOf(status) >= way.indexOf(wanted)
}

/** Follows a payment over the websocket, in the protocol graphql-transport-ws. */
class Live {
  isOpen = false
  readonly #call: Call
  readonly #query: string
  readonly #variables: object
  #socket: WebSocket | null = null
  #status: string | null = null
  #wake = (): void => {}

  constructor(call: Call, query: string, variables: object) {
    this.#call = call
    this.#query = query
    this.#variables = variables
  }

  /** Opens the websocket, unless it is open. One that cannot be opened is tried again at the next call. */
  open(): void {
    const { WebSocket, baseUrl, apiKey } = this.#call
    if (WebSocket === null || this.#socket !== null) return
    const socket = new WebSocket(`${baseUrl.replace(/^http/, 'ws')}/graphql`, 'graphql-transport-ws')
    this.#socket = socket
    const send = (message: object): void => socket.send(JSON.stringify(message))
    const payload = apiKey === undefined ? {} : { authorization: `Bearer ${apiKey}` }
    socket.onopen = () => send({ type: 'connection_init', payload })
    socket.onmessage = ({ data }) => {
      const { type, payload } = JSON.parse(String(data))
      if (type === 'ping') send({ type: 'pong' })
      else if (type === 'connection_ack')
        send({ type: 'subscribe', id: '1', payload: { query: this.#query, variables: this.#variables } })
      else if (type === 'next' && payload?.data) this.#take(payload.data.payment.status)
      else socket.close()
    }
    socket.onclose = () => {
      this.isOpen = false
      if (this.#socket === socket) this.#socket = null
    }
    // The close event follows.
    socket.onerror = () => {}
  }

  #take(status: string): void {
    this.isOpen = true
    this.#status = status
    this.#wake()
  }

  /** Resolves when the payment has another status, or after the time. */
  async change(from: string, withinMs: number, signal: AbortSignal | undefined): Promise<void> {
    if (this.#status !== null && this.#status !== from) {
      this.#status = null
      return
    }
    const woken = new AbortController()
    const stop = (): void => woken.abort()
    this.#wake = () => this.#status !== from && stop()
    signal?.addEventListener('abort', stop)
    await pause(withinMs, woken.signal).catch(() => {})
    signal?.removeEventListener('abort', stop)
    signal?.throwIfAborted()
  }

  close(): void {
    const socket = this.#socket
    this.#socket = null
    socket?.close()
  }
}
