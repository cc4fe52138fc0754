// The embedded engine: PostgreSQL as WebAssembly, in this process, with its own directory.
import { closeSync, existsSync, fdatasyncSync, mkdirSync, openSync, readdirSync, renameSync, rmSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { PGlite, type PGliteOptions } from '@electric-sql/pglite'
import { PrismaPGlite } from 'pglite-prisma-adapter'
import { lockDirectory } from '#adapters/prisma/engine/directory-lock.ts'
import { DurableFS, PrivateFS } from '#adapters/prisma/engine/embedded-files.ts'
import type { Database, Parameter, Session } from '#adapters/prisma/engine/engine.ts'
import { PARSERS, toWire } from '#adapters/prisma/engine/values.ts'
import { PrismaClient } from '#adapters/prisma/generated/client.ts'

/** PostgreSQL initializes its default of 128 MB at every start; the file cache of the system is as good. */
const SHARED_BUFFERS = ['-c', 'shared_buffers=16MB']
const NO_FSYNC = '-F'
/** All callers share one connection, so a transaction waits for earlier transactions. Milliseconds. */
const TRANSACTION_LIMITS = { maxWait: 10_000, timeout: 10_000 }

/** Opens the database in `directory`, and creates it at the first start. Throws when another process has it. */
export async function openEmbedded(directory: string | 'memory'): Promise<Database> {
  if (directory === 'memory') return embeddedDatabase(await openPGlite({}, { durable: false }))
  const path = resolve(directory)
  const unlock = lockDirectory(path)
  try {
    if (!existsSync(path)) await makeDatabase(path)
    return embeddedDatabase(await openPGlite({ fs: new DurableFS(path) }, { durable: true }), unlock)
  } catch (error) {
    unlock()
    throw error
  }
}

// Creates the database next to its place and then moves it, so a killed start leaves no partial database. Flushes
// everything once before the move, because flushing during the creation would take seconds.
async function makeDatabase(path: string): Promise<void> {
  const unfinished = `${path}.unfinished`
  rmSync(unfinished, { recursive: true, force: true })
  mkdirSync(unfinished, { mode: 0o700 })
  const database = await openPGlite({ fs: new PrivateFS(unfinished) }, { durable: false })
  await database.close()
  for (const entry of readdirSync(unfinished, { recursive: true, withFileTypes: true })) {
    if (entry.isFile()) flushFile(join(entry.parentPath, entry.name))
  }
  renameSync(unfinished, path)
}

function flushFile(path: string): void {
  const file = openSync(path, 'r+')
  fdatasyncSync(file)
  closeSync(file)
}

function openPGlite(options: PGliteOptions, { durable }: { readonly durable: boolean }): Promise<PGlite> {
  const startParams = [
    ...PGlite.defaultStartParams.filter((param) => !(durable && param === NO_FSYNC)),
    ...(durable ? ['-c', 'wal_sync_method=fsync'] : []),
    ...SHARED_BUFFERS,
  ]
  return PGlite.create({ ...options, startParams, parsers: PARSERS })
}

/**
 * Lets one transaction at a time wait for the connection. A statement behind many transactions waits for the running
 * transaction and one more, not for all.
 */
class PatientPGlite extends PrismaPGlite {
  override async connect(...args: Parameters<PrismaPGlite['connect']>): ReturnType<PrismaPGlite['connect']> {
    const adapter = await super.connect(...args)
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

/** Returns a Database over an open PGlite, and closes the PGlite; `afterClose` runs last. */
export function embeddedDatabase(pglite: PGlite, afterClose: () => void = () => {}): Database {
  const prisma = new PrismaClient({ adapter: new PatientPGlite(pglite), transactionOptions: TRANSACTION_LIMITS })
  let closing: Promise<void> | undefined
  const session: Session = {
    async query<Row extends object>(text: string, params: readonly Parameter[] = []) {
      return (await pglite.query<Row>(text, params.map(toWire))).rows
    },
    async script(sql) {
      await pglite.exec(sql)
    },
  }
  const close = async () => {
    await prisma.$disconnect()
    await pglite.close()
    afterClose()
  }
  return {
    kind: 'embedded',
    prisma,
    query: session.query,
    listen: (channel, onNotice) => pglite.listen(`"${channel}"`, onNotice),
    session: (work) => work(session),
    close: () => {
      closing ??= close()
      return closing
    },
  }
}
