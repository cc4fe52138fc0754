// The embedded engine: PostgreSQL as WebAssembly, in this process, in a directory of its own.
import { closeSync, existsSync, fdatasyncSync, mkdirSync, openSync, readdirSync, renameSync, rmSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { PGlite, type PGliteOptions } from '@electric-sql/pglite'
import { PrismaPGlite } from 'pglite-prisma-adapter'
import { lockDirectory } from '#adapters/prisma/engine/directory-lock.ts'
import { DurableFS, PrivateFS } from '#adapters/prisma/engine/embedded-files.ts'
import type { Database, Parameter, Session } from '#adapters/prisma/engine/engine.ts'
import { PARSERS, toWire } from '#adapters/prisma/engine/values.ts'
import { PrismaClient } from '#adapters/prisma/generated/client.ts'

/** PostgreSQL's default of 128 MB is touched at every start; the file cache below it serves as well. */
const SHARED_BUFFERS = ['-c', 'shared_buffers=16MB']
const NO_FSYNC = '-F'
/** One connection serves all, so a transaction waits for those before it. Milliseconds. */
const TRANSACTION_LIMITS = { maxWait: 10_000, timeout: 10_000 }

/** Opens, and on the first start makes, the database in `directory`. Throws when another process has it. */
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

// Made beside its place and then moved there: a start that was killed half-way leaves no half a database. So nothing has
// to be flushed while it is made, which would take seconds, but everything once before it is moved.
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
 * Lets one transaction at a time wait for the connection. A statement that comes after many transactions waits for the one
 * that runs and one more, and not for all of them.
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

/** A Database over an open PGlite, which it closes; `afterClose` runs last. */
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
