// The embedded database keeps every acknowledged write, whatever happens to its process, and belongs to one process.
import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { openDatabase } from '#adapters/prisma/engine/database.ts'
import { copyEmbeddedTemplate, openTestDatabase } from '../../../support/database.ts'

const disk = vi.hoisted(() => ({ flushes: 0 }))
vi.mock('node:fs', async (importOriginal) => {
  const real = await importOriginal<typeof import('node:fs')>()
  const fdatasyncSync = (fd: number) => {
    disk.flushes += 1
    real.fdatasyncSync(fd)
  }
  return { ...real, fdatasyncSync }
})

// Each test starts several processes, one after the other.
vi.setConfig({ testTimeout: 90_000 })

let home = ''
let dataDir = ''
const children: ChildProcess[] = []

beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'embedded-'))
  dataDir = join(home, 'not-yet-there/database')
})
afterEach(() => {
  for (const child of children.splice(0)) child.kill('SIGKILL')
  rmSync(home, { recursive: true, force: true })
})

const open = () => openDatabase({ kind: 'embedded', dataDir })

/** Opens the database in a child process, and runs `body` there with `db`; returns its lines one by one. */
function startProcess(body: string): { lines: AsyncIterableIterator<string>; kill(): Promise<void> } {
  const script = `
    const { openDatabase } = await import('#adapters/prisma/engine/database.ts')
    const db = await openDatabase({ kind: 'embedded', dataDir: ${JSON.stringify(dataDir)} })
    ${body}`
  const child = spawn(process.execPath, ['--input-type=module', '-e', script], { stdio: ['ignore', 'pipe', 'inherit'] })
  children.push(child)
  return {
    lines: createInterface({ input: child.stdout })[Symbol.asyncIterator](),
    async kill() {
      const gone = new Promise((done) => child.once('exit', done))
      child.kill('SIGKILL')
      await gone
    },
  }
}

it('a statement does not wait for every earlier transaction', async () => {
  const db = await openTestDatabase()
  let ended = 0
  const begun = Promise.withResolvers<void>()
  const transactions = Array.from({ length: 20 }, () =>
    db.prisma.$transaction(async (tx) => {
      begun.resolve()
      for (let statement = 0; statement < 3; statement += 1) await tx.$queryRaw`SELECT 1`
      ended += 1
    }),
  )
  await begun.promise
  await db.query('SELECT 1')
  expect(ended).toBeLessThanOrEqual(2)
  await Promise.all(transactions)
  expect(ended).toBe(20)
  await db.close()
})

const WRITE_FOR_EVER = `
  await db.query('CREATE TABLE IF NOT EXISTS entries (id serial PRIMARY KEY, padding text)')
  for (;;) {
    const [row] = await db.query("INSERT INTO entries (padding) VALUES (repeat('x', 2000)) RETURNING id")
    process.stdout.write(row.id + '\\n')
  }`

it('every acknowledged row survives a process that is killed, again and again', async () => {
  await copyEmbeddedTemplate(dataDir)
  const acknowledged: number[] = []
  for (const rows of [1, 40, 200]) {
    const writer = startProcess(WRITE_FOR_EVER)
    for (let row = 0; row < rows; row += 1) acknowledged.push(Number((await writer.lines.next()).value))
    await writer.kill()
  }
  expect(acknowledged.length).toBe(241)
  const db = await open()
  const found = await db.query<{ id: number }>('SELECT id FROM entries WHERE id = ANY ($1) ORDER BY id', [acknowledged])
  expect(found.map(({ id }) => id)).toEqual(acknowledged)
  // Indexes and heap agree, and the table can be written to.
  await db.query('REINDEX TABLE entries')
  await db.query('INSERT INTO entries DEFAULT VALUES')
  await db.close()
})

it('a commit is flushed to the disk, not left to the operating system', async () => {
  await copyEmbeddedTemplate(dataDir)
  const db = await open()
  const settings = `SELECT name, setting FROM pg_settings
    WHERE name IN ('fsync', 'synchronous_commit', 'full_page_writes', 'wal_sync_method') ORDER BY name`
  await expect(db.query(settings)).resolves.toEqual([
    { name: 'fsync', setting: 'on' },
    { name: 'full_page_writes', setting: 'on' },
    { name: 'synchronous_commit', setting: 'on' },
    { name: 'wal_sync_method', setting: 'fsync' },
  ])
  await db.query('CREATE TABLE flushed (id int)')
  const before = disk.flushes
  await db.query('INSERT INTO flushed VALUES (1)')
  await db.prisma.$transaction((tx) => tx.$executeRaw`INSERT INTO flushed VALUES (2)`)
  expect(disk.flushes).toBeGreaterThanOrEqual(before + 2)
  await db.close()
})

it('a second process is refused, and accepted when the first has ended', async () => {
  await copyEmbeddedTemplate(dataDir)
  const holder = startProcess(`process.stdout.write('open\\n'); setInterval(() => {}, 1_000)`)
  await holder.lines.next()
  await expect(open()).rejects.toThrow(`${dataDir} is in use by another process`)
  await holder.kill()
  const db = await open()
  await expect(open()).rejects.toThrow('in use')
  await db.close()
  await (await open()).close()
})

it('a first start that was killed begins again', async () => {
  const unfinished = `${dataDir}.unfinished`
  mkdirSync(unfinished, { recursive: true })
  writeFileSync(join(unfinished, 'PG_VERSION'), '18\n')
  const db = await open()
  await expect(db.query('SELECT 1 AS one')).resolves.toEqual([{ one: 1 }])
  expect(existsSync(unfinished)).toBe(false)
  await db.close()
})

it('a database in memory leaves nothing behind', async () => {
  const db = await openDatabase({ kind: 'embedded', dataDir: 'memory' })
  await db.query('CREATE TABLE passing (id int)')
  await db.close()
  expect(existsSync('memory')).toBe(false)
})

it('a process that closed its database ends', async () => {
  await copyEmbeddedTemplate(dataDir)
  const { lines } = startProcess(`await db.close(); process.stdout.write('closed\\n')`)
  const entries: string[] = []
  for await (const line of lines) entries.push(line)
  expect(entries).toEqual(['closed'])
})
