// The embedded engine: PostgreSQL as WebAssembly, in this process, with its own directory.

import { EventEmitter, once } from 'node:events'
import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { Duplex } from 'node:stream'
import { Worker } from 'node:worker_threads'
import type { PGlite } from '@electric-sql/pglite'
import { PrismaPg } from '@prisma/adapter-pg'
import pg from 'pg'
import { lockDirectory } from './directory-lock.ts'
import { DurableFS, openPGlite } from './embedded-files.ts'
import type { Database } from './engine.ts'
import { onPool, run } from './pooled.ts'
import { resilientPool } from './resilient-pool.ts'

// The embedded PostgreSQL as pg reaches it: a stream that carries the messages of PostgreSQL's protocol, as a socket does.

type Done = (error?: Error | null) => void

/** The first byte of the message that ends a connection. */
const TERMINATE = 'X'.charCodeAt(0)

/** For `stream` in the settings of pg. Closing it leaves the database open. */
class EmbeddedStream extends Duplex {
  readonly #pglite: PGlite

  constructor(pglite: PGlite) {
    super()
    this.#pglite = pglite
  }

  connect(): void {
    process.nextTick(() => this.emit('connect'))
  }

  /** Messages that pg sends together run together. */
  override _writev(chunks: ReadonlyArray<{ readonly chunk: Buffer }>, done: Done): void {
    this.#run(Buffer.concat(chunks.map(({ chunk }) => chunk))).then(() => done(), done)
  }

  override _write(messages: Buffer, _: unknown, done: Done): void {
    this.#run(messages).then(() => done(), done)
  }

  /** The database runs in this process, so it has answered when its promise resolves. */
  async #run(messages: Buffer): Promise<void> {
    if (messages[0] === TERMINATE) return
    const answer: Buffer[] = []
    const onRawData = (bytes: Uint8Array): void => void answer.push(Buffer.from(bytes))
    await this.#pglite.execProtocolRawStream(messages, { syncToFs: false, onRawData })
    this.push(Buffer.concat(answer))
  }

  override _read(): void {}

  override _final(done: Done): void {
    this.push(null)
    done()
  }

  // What pg asks of a socket.
  setNoDelay(): void {}
  setKeepAlive(): void {}
  ref(): void {}
  unref(): void {}
}

/** All callers share one connection, so a transaction waits for earlier transactions. Milliseconds. */
const TRANSACTION_LIMITS = { maxWait: 10_000, timeout: 10_000 }

/** Opens the database in `directory`, and creates it at the first start. Throws when another process has it. */
export async function openEmbedded(directory: string | 'memory'): Promise<Database> {
  if (directory === 'memory') return embeddedDatabase(await openPGlite({}, { durable: false }))
  const path = resolve(directory)
  const unlock = lockDirectory(path)
  try {
    if (!existsSync(path)) await createDatabase(path)
    return embeddedDatabase(await openPGlite({ fs: new DurableFS(path) }, { durable: true }), unlock)
  } catch (error) {
    unlock()
    throw error
  }
}

/** Creates the database on a thread of its own, in seconds. */
async function createDatabase(path: string): Promise<void> {
  const thread = new Worker(new URL('./creation-thread.ts', import.meta.url), { workerData: path })
  await once(thread, 'exit')
}

/**
 * Lets one transaction at a time wait for the connection. A statement behind many transactions waits for the running
 * transaction and one more, not for all.
 */
class PatientPg extends PrismaPg {
  override async connect(): ReturnType<PrismaPg['connect']> {
    const adapter = await super.connect()
    const start = adapter.startTransaction.bind(adapter)
    let last: Promise<unknown> = Promise.resolve()
    adapter.startTransaction = (...options) => {
      const started = last.then(() => start(...options))
      last = started.catch(() => {})
      return started
    }
    return adapter
  }
}

/** Returns a Database over an open PGlite, and closes both; `afterClose` runs last. */
export function embeddedDatabase(
  pglite: PGlite,
  afterClose: () => void = () => {},
  pool: pg.Pool = embeddedPool(pglite),
): Database {
  const channels = new EventEmitter().setMaxListeners(0)
  pool.on('connect', (client) =>
    client.on('notification', ({ channel, payload = '' }) => channels.emit(channel, payload)),
  )
  const { prisma, query } = onPool(pool, { limits: TRANSACTION_LIMITS, prepares: true, Adapter: PatientPg })
  const script = async (sql: string) => void (await pool.query(sql))
  let closing: Promise<void> | undefined
  const close = async () => {
    await prisma.$disconnect()
    await pool.end()
    await pglite.close()
    afterClose()
  }
  return {
    kind: 'embedded',
    prisma,
    query,
    async listen(channel, onNotice) {
      channels.on(channel, onNotice)
      await script(`LISTEN ${pg.escapeIdentifier(channel)}`)
      return async () => {
        channels.off(channel, onNotice)
        if (channels.listenerCount(channel) === 0) await script(`UNLISTEN ${pg.escapeIdentifier(channel)}`)
      }
    },
    session: (work) => work({ query: (text, params) => run(pool, text, params), script }),
    close: () => {
      closing ??= close()
      return closing
    },
  }
}

/** Returns the one connection to `pglite`. A caller waits until it is free, however long that takes. */
export function embeddedPool(pglite: PGlite): pg.Pool {
  const pool = new pg.Pool({
    user: 'postgres',
    database: 'postgres',
    max: 1,
    idleTimeoutMillis: 0,
    stream: () => new EmbeddedStream(pglite),
    // The database outlives a connection, and with it what the connection before this one left.
    onConnect: async (client) => void (await client.query('ROLLBACK; DEALLOCATE ALL')),
  })
  // As on a server: a connection that breaks while it is idle is replaced, and must not end the process.
  pool.on('error', () => {})
  return resilientPool(pool, null)
}
