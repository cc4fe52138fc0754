import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { appendFileSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { text } from 'node:stream/consumers'
import { PGlite } from '@electric-sql/pglite'
import { bindMigrationAwareSqlAdapterFactory } from '@prisma/driver-adapter-utils'
import { type MigrationList, SchemaEngine } from '@prisma/schema-engine-wasm'
import { PrismaPGlite } from 'pglite-prisma-adapter'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type Database, openDatabase } from '#adapters/prisma/engine/database.ts'
import { embeddedDatabase } from '#adapters/prisma/engine/embedded.ts'
import { applyMigrations } from '#adapters/prisma/engine/migrate.ts'
import { createPostgresDatabase, describeOnBothEngines } from '../../../support/database.ts'

const ours = resolve(import.meta.dirname, '../../../../prisma/migrations')
let directory = ''

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'migrations-'))
})
afterEach(() => rmSync(directory, { recursive: true, force: true }))

function write(name: string, sql: string): void {
  mkdirSync(join(directory, name), { recursive: true })
  writeFileSync(join(directory, name, 'migration.sql'), sql)
}

describeOnBothEngines('migrations', (open) => {
  /** Empty, because the tests below have their own migrations. */
  async function openEmpty(): Promise<Database> {
    const db = await open()
    await db.session((session) => session.script('DROP SCHEMA public CASCADE; CREATE SCHEMA public'))
    return db
  }
  const tables = async (db: Database) => {
    const rows = await db.query<{ name: string }>(
      `SELECT tablename AS name FROM pg_tables WHERE schemaname = 'public' AND tablename <> '_prisma_migrations' ORDER BY 1`,
    )
    return rows.map(({ name }) => name)
  }

  it('are applied in order, each once', async () => {
    const db = await openEmpty()
    write('2_second', 'ALTER TABLE "a" ADD COLUMN "two" int; -- ends in a comment')
    write('1_first', 'CREATE TABLE "a" ("one" int);')
    expect(await applyMigrations(db, directory)).toEqual(['1_first', '2_second'])
    expect(await applyMigrations(db, directory)).toEqual([])
    write('3_third', 'CREATE TABLE "b" ();')
    expect(await applyMigrations(db, directory)).toEqual(['3_third'])
    expect(await tables(db)).toEqual(['a', 'b'])
  })

  it('that fail change nothing, and are tried again', async () => {
    const db = await openEmpty()
    write('1_good', 'CREATE TABLE "good" ();')
    write('2_bad', 'CREATE TABLE "half" (); SELECT 1/0;')
    await expect(applyMigrations(db, directory)).rejects.toThrow('migration 2_bad failed: division by zero')
    expect(await tables(db)).toEqual(['good'])
    write('2_bad', 'CREATE TABLE "whole" ();')
    expect(await applyMigrations(db, directory)).toEqual(['2_bad'])
    expect(await tables(db)).toEqual(['good', 'whole'])
  })

  it('that were edited after they were applied stop the start', async () => {
    const db = await openEmpty()
    write('1_first', 'CREATE TABLE "a" ();')
    await applyMigrations(db, directory)
    appendFileSync(join(directory, '1_first/migration.sql'), '-- harmless?')
    write('2_second', 'CREATE TABLE "b" ();')
    await expect(applyMigrations(db, directory)).rejects.toThrow('migration 1_first was edited')
    expect(await tables(db)).toEqual(['a'])
  })

  it('that are unknown to this version stop the start', async () => {
    const db = await openEmpty()
    write('1_first', 'CREATE TABLE "a" ();')
    write('2_newer', 'CREATE TABLE "b" ();')
    await applyMigrations(db, directory)
    rmSync(join(directory, '2_newer'), { recursive: true })
    await expect(applyMigrations(db, directory)).rejects.toThrow('2_newer, which this version does not know')
  })

  it('that another tool left unfinished stop the start, until they are marked as rolled back', async () => {
    const db = await openEmpty()
    write('1_first', 'CREATE TABLE "a" ();')
    await applyMigrations(db, directory)
    await db.query('UPDATE _prisma_migrations SET finished_at = NULL')
    await expect(applyMigrations(db, directory)).rejects.toThrow('migration 1_first failed half-way')
    await db.query('DROP TABLE "a"')
    await db.query('UPDATE _prisma_migrations SET rolled_back_at = now()')
    expect(await applyMigrations(db, directory)).toEqual(['1_first'])
  })
})

it('ten processes that start together apply each migration once', async () => {
  const { url, drop } = await createPostgresDatabase()
  const db = await openDatabase({ kind: 'postgresql', url })
  await db.session((session) => session.script('DROP SCHEMA public CASCADE; CREATE SCHEMA public'))
  const script = `
    const { openDatabase } = await import('#adapters/prisma/engine/database.ts')
    const { applyMigrations } = await import('#adapters/prisma/engine/migrate.ts')
    const db = await openDatabase({ kind: 'postgresql', url: ${JSON.stringify(url)}, poolSize: 1 })
    console.log('ready')
    for await (const _ of process.stdin);
    console.log('applied', (await applyMigrations(db)).length)
    await db.close()`
  const processes = Array.from({ length: 10 }, () =>
    spawn(process.execPath, ['--input-type=module', '-e', script], { stdio: ['pipe', 'pipe', 'inherit'] }),
  )
  await Promise.all(processes.map(({ stdout }) => once(stdout, 'readable')))
  for (const { stdin } of processes) stdin.end()
  const outputs = await Promise.all(processes.map(({ stdout }) => text(stdout)))
  const applied = outputs.map((output) => Number(/applied (\d+)/.exec(output)?.[1]))
  const [book] = await db.query<{ entries: bigint; names: bigint }>(
    'SELECT count(*) AS entries, count(DISTINCT migration_name) AS names FROM _prisma_migrations',
  )
  expect(applied.sort((a, b) => b - a)).toEqual([Number(book?.names), 0, 0, 0, 0, 0, 0, 0, 0, 0])
  expect(book?.entries).toBe(book?.names)
  await db.close()
  await drop()
}, 60_000)

describe('the migrations table, and Prisma’s own engine', () => {
  const schema = readFileSync(join(ours, '../schema.prisma'), 'utf8')
  const filters = { externalTables: [], externalEnums: [] }
  let pglite: PGlite
  let db: Database
  let engine: SchemaEngine

  beforeEach(async () => {
    pglite = await PGlite.create()
    db = embeddedDatabase(pglite)
    const adapter = bindMigrationAwareSqlAdapterFactory(new PrismaPGlite(pglite))
    engine = await SchemaEngine.new({ datamodels: [['schema.prisma', schema]] }, () => {}, adapter)
  })
  afterEach(() => db.close())

  const names = () => readdirSync(ours).filter((name) => !name.includes('.'))
  const migrationsList = (): MigrationList => ({
    baseDir: ours,
    lockfile: { path: 'migration_lock.toml', content: readFileSync(join(ours, 'migration_lock.toml'), 'utf8') },
    shadowDbInitScript: '',
    migrationDirectories: names().map((path) => {
      const value = readFileSync(join(ours, path, 'migration.sql'), 'utf8')
      return { path, migrationFile: { path: 'migration.sql', content: { tag: 'ok', value } } }
    }),
  })

  it('it accepts migrations that the service applied', async () => {
    expect(await applyMigrations(db)).toEqual(names())
    expect(await engine.applyMigrations({ migrationsList: migrationsList(), filters })).toEqual({
      appliedMigrationNames: [],
    })
    const history = { migrationsList: migrationsList(), optInToShadowDatabase: false, filters }
    expect(await engine.diagnoseMigrationHistory(history)).toMatchObject({
      editedMigrationNames: [],
      failedMigrationNames: [],
      hasMigrationsTable: true,
      history: null,
    })
  })

  it('the service accepts migrations that it applied', async () => {
    const { appliedMigrationNames } = await engine.applyMigrations({ migrationsList: migrationsList(), filters })
    expect(appliedMigrationNames).toEqual(names())
    expect(await applyMigrations(db)).toEqual([])
    const columns = `SELECT column_name, data_type, character_maximum_length, is_nullable, column_default
      FROM information_schema.columns WHERE table_name = '_prisma_migrations' ORDER BY ordinal_position`
    const theirs = await db.query(columns)
    await db.query('DROP TABLE _prisma_migrations')
    await applyMigrations(db, directory)
    expect(await db.query(columns)).toEqual(theirs)
  })
})
