// LISTEN on a connection of its own, which is reopened when it is lost, while a channel has listeners.
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import type { Database } from '#adapters/prisma/engine/engine.ts'
import { withClass } from '#adapters/prisma/engine/unavailable.ts'

type Subscriber = { readonly onNotice: (payload: string) => void; readonly onReconnect: () => void }

/** Milliseconds. */
const FIRST_RETRY = 100
const LAST_RETRY = 5_000

/**
 * A statement every `heartbeat` milliseconds detects a dead connection; `config.query_timeout` must limit the
 * statement.
 */
export function createListener(config: pg.ClientConfig, heartbeat: number): Pick<Database, 'listen' | 'close'> {
  const channels = new Map<string, Set<Subscriber>>()
  const closed = new AbortController()
  let connection: Promise<Connection> | undefined
  let isReconnecting = false

  const subscribersOf = (channel: string) => [...(channels.get(channel) ?? [])]
  const dispatch = (channel: string, payload: string) => {
    for (const { onNotice } of subscribersOf(channel)) onNotice(payload)
  }

  function connected(): Promise<Connection> {
    connection ??= connect(config, heartbeat, dispatch, lost).catch((error) => {
      connection = undefined
      throw withClass(error)
    })
    return connection
  }

  function lost(): void {
    connection = undefined
    if (!isReconnecting) void reconnect()
  }

  /** A server may accept the connection and refuse LISTEN: the connection is then lost again, and this loop continues. */
  async function reconnect(): Promise<void> {
    const isNeeded = () => channels.size > 0 && !closed.signal.aborted
    isReconnecting = true
    for (let wait = FIRST_RETRY; isNeeded() && !(await listenAgain()); wait = Math.min(2 * wait, LAST_RETRY))
      await sleep(wait, undefined, { signal: closed.signal }).catch(() => {})
    isReconnecting = false
  }

  /** Returns whether the present connection listens to every channel. */
  async function listenAgain(): Promise<boolean> {
    try {
      const current = connected()
      const { run } = await current
      for (const channel of channels.keys()) await run(`LISTEN ${pg.escapeIdentifier(channel)}`)
      for (const channel of channels.keys()) for (const { onReconnect } of subscribersOf(channel)) onReconnect()
      return connection === current
    } catch {
      return false
    }
  }

  async function listen(channel: string, onNotice: Subscriber['onNotice'], onReconnect = () => {}) {
    const subscriber = { onNotice, onReconnect }
    const subscribers = channels.get(channel) ?? new Set()
    channels.set(channel, subscribers.add(subscriber))
    try {
      const { run } = await connected()
      await run(`LISTEN ${pg.escapeIdentifier(channel)}`)
    } catch (error) {
      drop(channel, subscriber)
      throw error
    }
    return async () => {
      if (!drop(channel, subscriber)) return
      const last = channels.size === 0
      // A connection that fails here no longer listens.
      await connection
        ?.then(({ run, end }) => (last ? end() : run(`UNLISTEN ${pg.escapeIdentifier(channel)}`)))
        .catch(() => {})
    }
  }

  /** Returns true when it was the last listener of the channel. */
  function drop(channel: string, subscriber: Subscriber): boolean {
    const subscribers = channels.get(channel)
    if (subscribers?.delete(subscriber) !== true || subscribers.size > 0) return false
    return channels.delete(channel)
  }

  async function close() {
    closed.abort()
    channels.clear()
    await connection?.then(({ end }) => end()).catch(() => {})
  }
  return { listen, close }
}

type Connection = { readonly run: (sql: string) => Promise<void>; readonly end: () => Promise<void> }

async function connect(
  config: pg.ClientConfig,
  heartbeat: number,
  onNotice: (channel: string, payload: string) => void,
  onLost: () => void,
): Promise<Connection> {
  const client = new pg.Client(config)
  client.on('notification', ({ channel, payload = '' }) => onNotice(channel, payload))
  client.on('error', () => {})
  await client.connect()
  let tail: Promise<unknown> = Promise.resolve()
  // Runs one statement at a time, as the driver requires. A failed statement ends the connection; a new connection
  // starts clean.
  const run = (sql: string): Promise<void> => {
    const ran = tail.then(async () => {
      await client.query(sql)
    })
    tail = ran.catch(() => client.end())
    return ran.catch((error) => Promise.reject(withClass(error)))
  }
  const beating = setInterval(() => run('SELECT 1').catch(() => {}), heartbeat)
  client.once('end', () => {
    clearInterval(beating)
    onLost()
  })
  return { run, end: () => client.end() }
}
