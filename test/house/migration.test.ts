import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PGlite } from '@electric-sql/pglite'
import { afterAll, afterEach, beforeAll, beforeEach, expect, it, vi } from 'vitest'
import { compareSchema, writeMigration } from '../../scripts/migration.ts'

const SCHEMA = `
datasource db {
  provider = "postgresql"
}
model Parcel {
  id     String @id
  state  String
  weight Int
  @@map("parcels")
}
`
const NOW = new Date('2030-01-02T03:04:05Z')
// Each test compares several times, one after the other.
vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 })

let prisma = ''
let database: PGlite

/** One database for the whole file, emptied for each comparison: to open one takes seconds. */
const compare = () =>
  compareSchema(prisma, async () => {
    await database.exec('DROP SCHEMA public CASCADE; CREATE SCHEMA public')
    return database
  })

beforeAll(async () => {
  database = await PGlite.create()
  vi.spyOn(database, 'close').mockResolvedValue()
})
afterAll(async () => {
  vi.restoreAllMocks()
  await database.close()
})

beforeEach(() => {
  prisma = mkdtempSync(join(tmpdir(), 'migration-'))
  writeFileSync(join(prisma, 'schema.prisma'), SCHEMA)
})
afterEach(() => rmSync(prisma, { recursive: true, force: true }))

it('a migration brings an empty history to the schema, and then there is nothing to do', async () => {
  const sql = await compare()
  expect(sql).toContain('CREATE TABLE "parcels"')
  const folder = writeMigration(prisma, 'init', sql ?? '', NOW)
  expect(folder).toBe('20300102030405_init')
  expect(readFileSync(join(prisma, 'migrations/migration_lock.toml'), 'utf8')).toContain('postgresql')
  expect(await compare()).toBeUndefined()

  writeFileSync(join(prisma, 'schema.prisma'), SCHEMA.replace('weight Int', 'weight BigInt'))
  expect(await compare()).toContain('ALTER COLUMN "weight" SET DATA TYPE BIGINT')
})

it('what a schema file cannot say is not dropped by the next migration', async () => {
  writeMigration(prisma, 'init', (await compare()) ?? '', NOW)
  const beyond = `
    CREATE UNIQUE INDEX "one_open" ON "parcels" ("state") WHERE "state" = 'open';
    CREATE INDEX "by_lower_state" ON "parcels" (lower("state"));
    ALTER TABLE "parcels" ADD CONSTRAINT "weighs" CHECK ("weight" > 0);
    CREATE SEQUENCE "blocks";
    CREATE VIEW "heavy" AS SELECT * FROM "parcels" WHERE "weight" > 100;
    CREATE FUNCTION "stay"() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'stay'; END $$;
    CREATE TRIGGER "stay" BEFORE DELETE ON "parcels" FOR EACH ROW EXECUTE FUNCTION "stay"();
  `
  writeMigration(prisma, 'rules', beyond, NOW)
  expect(await compare()).toBeUndefined()

  const covering = 'CREATE INDEX "covering" ON "parcels" ("state") INCLUDE ("weight");\n'
  const folder = writeMigration(prisma, 'covering', covering, NOW)
  expect(await compare()).toContain('DROP INDEX "covering"')
  const file = join(prisma, 'migrations', folder, 'migration.sql')
  writeFileSync(file, `-- before comparing: DROP INDEX "covering";\n${covering}`)
  expect(await compare()).toBeUndefined()
})

it('a migration that does not run is named', async () => {
  writeMigration(prisma, 'broken', 'CREATE TABLE "twice" (); CREATE TABLE "twice" ();', NOW)
  await expect(compare()).rejects.toThrow('migration 20300102030405_broken fails')
})

it('a new migration sorts after every older one, whatever the clock says', () => {
  expect(writeMigration(prisma, 'first', '', NOW)).toBe('20300102030405_first')
  expect(writeMigration(prisma, 'second', '', new Date('2020-01-01T00:00:00Z'))).toBe('20300102030406_second')
  expect(() => writeMigration(prisma, 'Third!', '', NOW)).toThrow('no name for a migration')
})
