// The dashboard's connection to the API: what is shown is read over HTTP, and read again whenever something has changed.
import {
  type AnyVariables,
  Client,
  cacheExchange,
  fetchExchange,
  mapExchange,
  type Operation,
  subscriptionExchange,
} from '@urql/core'
import { createClient } from 'graphql-ws'
import { earlyKey, site } from '#dashboard/browser/site.ts'

/** How often an open connection is pinged, and how long the service may take to answer. */
const PING_EVERY_MS = 5_000
const ANSWER_WITHIN_MS = 5_000
/** The longest wait between two attempts to open a connection. */
const AGAIN_MS = 4_000

const API = `${site.root}/graphql`

type Listener = (isOnline: boolean) => void
const listeners = new Set<Listener>()

/** Calls back whenever the connection is lost, and when it is there again. Returns what ends it. */
export function onConnection(listener: Listener): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

let overdue: ReturnType<typeof setTimeout> | undefined
const expectAnswer = (): void => {
  clearTimeout(overdue)
  overdue = setTimeout(() => socket.terminate(), ANSWER_WITHIN_MS)
}

const socket = createClient({
  url: new URL(API, location.href).href.replace(/^http/, 'ws'),
  keepAlive: PING_EVERY_MS,
  retryAttempts: Number.POSITIVE_INFINITY,
  shouldRetry: () => true,
  retryWait: (retries) => new Promise((resolve) => setTimeout(resolve, Math.min(AGAIN_MS, 500 * 2 ** retries))),
  on: {
    connecting: expectAnswer,
    ping: (isReceived) => isReceived || expectAnswer(),
    // Only a pong answers a ping: a change may have been on its way before the connection broke.
    pong: () => clearTimeout(overdue),
    connected: () => {
      clearTimeout(overdue)
      for (const listener of listeners) listener(true)
      // What has changed since the last reading was not seen, also before the first connection.
      readAgain()
    },
    closed: () => {
      clearTimeout(overdue)
      for (const listener of listeners) listener(false)
    },
  },
})

// A browser that knows it before the connection does says it at once.
addEventListener('offline', () => socket.terminate())

/** The reads of what is shown now, by their keys. */
const shown = new Map<number, Operation>()
const watching = mapExchange({
  onOperation(operation) {
    if (operation.kind === 'query') shown.set(operation.key, operation)
    if (operation.kind === 'teardown') shown.delete(operation.key)
  },
})

// Where the early script comes later than this one, or there is none, nothing was asked early.
window.early ??= new Map()

/**
 * Takes the answer to a read that was asked for early. It lacks the `__typename` by which the cache knows what a change makes old;
 * no change needs it, because all that is shown is read again after each of them, and first when the connection is there.
 */
const fetchOnce: typeof fetch = async (input, init) => {
  if (typeof init?.body === 'string' && window.early.size > 0) {
    const asked = earlyKey(JSON.parse(init.body))
    const answer = window.early.get(asked)
    window.early.delete(asked)
    const early = await answer
    if (early) return early
  }
  return await fetch(input, init)
}

export const client = new Client({
  url: API,
  fetch: fetchOnce,
  preferGetMethod: false,
  requestPolicy: 'cache-and-network',
  exchanges: [
    watching,
    cacheExchange,
    fetchExchange,
    subscriptionExchange({
      forwardSubscription: ({ query = '', variables }) => ({
        subscribe: (sink) => ({
          unsubscribe: socket.subscribe({ query, ...(isObject(variables) && { variables }) }, sink),
        }),
      }),
    }),
  ],
})

/** Connects again, as another session, and reads everything again that is shown. */
export function reconnect(): void {
  socket.terminate()
  readAgain()
}

const isObject = (variables: AnyVariables): variables is Record<string, unknown> => typeof variables === 'object'

/** At most this often: a busy shop has many events a second. */
const READ_EVERY_MS = 500
let isDue = false

/** Reads everything again that is shown. */
export function readAgain(): void {
  // An answer from before a change is not shown after it.
  window.early.clear()
  if (isDue) return
  isDue = true
  setTimeout(() => {
    isDue = false
    for (const operation of shown.values())
      client.reexecuteOperation(
        client.createRequestOperation('query', operation, { ...operation.context, requestPolicy: 'network-only' }),
      )
  }, READ_EVERY_MS)
}
