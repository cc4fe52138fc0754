// A database behind PgBouncer: sessions are lent to a connection (`session`), or to each transaction (`transaction`).
import pg from 'pg'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type Database, openDatabase } from '#adapters/prisma/engine/database.ts'
import { openMigrated } from '#compose/database.ts'
import { ConfigError } from '#config/setting.ts'
import { createPostgresDatabase } from '../support/database.ts'
import { PGBOUNCER, ROLE_LIMITS, setInDatabase, startPgBouncer, WITHOUT_PGBOUNCER } from '../support/pgbouncer.ts'
import { until } from '../support/until.ts'

const ONE_FOR_EACH_TRANSACTION = 'its pooler gives each transaction another session'

let direct: Awaited<ReturnType<typeof createPostgresDatabase>>
const opened: (() => Promise<void>)[] = []

beforeEach(async () => {
  direct = await createPostgresDatabase()
})
afterEach(async () => {
  for (const close of opened.splice(0).reverse()) await close()
  await direct.drop()
})

type Addresses = { readonly url: string; readonly directUrl?: string }

async function open(addresses: Addresses): Promise<Database> {
  const database = await openMigrated({ kind: 'postgres', ...addresses }, () => {})
  opened.push(database.close)
  return database
}

/** Returns the line that refuses the start. */
const refusal = (addresses: Addresses): Promise<string> =>
  open(addresses).then(
    () => 'opened',
    (error: unknown) => (error instanceof ConfigError ? error.message : `wrong error: ${error}`),
  )

async function pooled(settings: Parameters<typeof startPgBouncer>[1]): Promise<string> {
  const { url, stop } = await startPgBouncer(direct.url, settings)
  opened.push(stop)
  return url
}

/** Statements with the same parameters and other answers. */
const SUMS = Array.from({ length: 25 }, (_, added) => ({ text: `SELECT $1::int + ${added} AS sum`, sum: 100 + added }))

/** Each database runs the statements in an order of its own, many at once and again and again. */
async function expectOwnAnswers(databases: readonly Database[]): Promise<void> {
  const orders = databases.map((database, index) => ({ database, sums: index === 0 ? SUMS : SUMS.toReversed() }))
  const asked = Array.from({ length: 6 }, () => orders)
    .flat()
    .flatMap(({ database, sums }) =>
      sums.map(async ({ text, sum }) => expect(await database.query(text, [100])).toEqual([{ sum }])),
    )
  await Promise.all(asked)
}

/** Everything that the service asks of a database. */
async function expectToServe(database: Database): Promise<void> {
  await database.query('DELETE FROM settings')
  const at = new Date('2030-07-01T12:34:56.789Z')
  const keys = Array.from({ length: 30 }, (_, index) => `key-${index}`)
  const heard: string[] = []
  const stop = await database.listen('changes', (payload) => heard.push(payload))
  await Promise.all(
    keys.map((key) =>
      database.prisma.$transaction(async (tx) => {
        await tx.setting.create({ data: { key, value: 1, updatedAt: at } })
        await tx.$executeRaw`SELECT pg_notify('changes', ${key})`
      }),
    ),
  )
  await until(() => heard.length === keys.length)
  await stop()
  const instants = await database.query('SELECT DISTINCT updated_at FROM settings')
  expect(instants).toEqual([{ updated_at: at }])
  const read = await Promise.all(keys.map((key) => database.prisma.setting.findUniqueOrThrow({ where: { key } })))
  expect(new Set(read.map(({ updatedAt }) => updatedAt.getTime()))).toEqual(new Set([at.getTime()]))
}

describe.skipIf(PGBOUNCER === null)(`a database behind PgBouncer${WITHOUT_PGBOUNCER}`, () => {
  it('in session mode needs no other address', async () => {
    const url = await pooled({ pool_mode: 'session', default_pool_size: 40 })
    const databases = await Promise.all([open({ url }), open({ url })])
    await expectOwnAnswers(databases)
    for (const database of databases) await expectToServe(database)
  })

  it('in transaction mode serves with a direct address', async () => {
    await setInDatabase(direct.url, ...ROLE_LIMITS)
    const url = await pooled({ pool_mode: 'transaction', default_pool_size: 3 })
    const databases = await Promise.all([open({ url, directUrl: direct.url }), open({ url, directUrl: direct.url })])
    await expectOwnAnswers(databases)
    for (const database of databases) await expectToServe(database)
  })

  it('in transaction mode is refused without a direct address, and with one that is none', async () => {
    await setInDatabase(direct.url, ...ROLE_LIMITS)
    const url = await pooled({ pool_mode: 'transaction' })
    const reason = `${ONE_FOR_EACH_TRANSACTION}, and notices and migrations need one of their own`
    expect([await refusal({ url }), await refusal({ url, directUrl: url })]).toEqual([
      `DATABASE_URL: ${reason}; set DATABASE_DIRECT_URL to the address of the server itself`,
      `DATABASE_DIRECT_URL: ${reason}; write the address of the server itself`,
    ])
  })

  it.each([0, 1])('in transaction mode is refused while it has idle sessions (round robin: %i)', async (round) => {
    const url = await pooled({ pool_mode: 'transaction', server_round_robin: round })
    const clients = Array.from({ length: 5 }, () => new pg.Client(url))
    for (const client of clients) await client.connect().then(() => client.query('BEGIN'))
    for (const client of clients) await client.query('COMMIT').then(() => client.end())
    expect(await refusal({ url })).toContain(`DATABASE_URL: ${ONE_FOR_EACH_TRANSACTION}`)
  })

  it('in transaction mode is refused when its role has no limits for statements', async () => {
    const url = await pooled({ pool_mode: 'transaction' })
    const statements = ROLE_LIMITS.map((setting) => `ALTER ROLE postgres SET ${setting}`).join('; ')
    expect(await refusal({ url, directUrl: direct.url })).toBe(
      `DATABASE_URL: ${ONE_FOR_EACH_TRANSACTION}, and the role postgres lacks settings that each of them needs; run ${statements}; then let the pooler reconnect`,
    )
  })

  it('is refused when the direct address is of another database', async () => {
    await setInDatabase(direct.url, ...ROLE_LIMITS)
    const other = await createPostgresDatabase()
    opened.push(other.drop)
    const url = await pooled({ pool_mode: 'transaction' })
    expect(await refusal({ url, directUrl: other.url })).toBe(
      'DATABASE_DIRECT_URL: this is not the database of DATABASE_URL; write its address',
    )
  })

  it('is refused while PgBouncer has no session for it', async () => {
    const url = await pooled({ pool_mode: 'session', default_pool_size: 1 })
    const opening = openDatabase({ kind: 'postgresql', url, limits: { query_timeout: 300 } })
    await expect(opening).rejects.toThrow('the database accepts connections, and answers no statement')
  })

  it('is refused with the parameter of its address that PgBouncer does not know', async () => {
    const url = `${await pooled({ pool_mode: 'session' })}?options=${encodeURIComponent('-c geqo=off')}`
    expect(await refusal({ url })).toBe(
      'DATABASE_URL: the database does not open: unsupported startup parameter: options; remove this parameter from the address',
    )
  })
})
