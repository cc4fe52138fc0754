import { beforeAll, describe, expect, it } from 'vitest'
import { type Database, isDatabaseUnavailable, openDatabase } from '#adapters/prisma/engine/database.ts'
import {
  createPostgresDatabase,
  describeOnBothEngines,
  openTestDatabase,
  TEST_POOL_SIZE,
} from '../../../support/database.ts'
import { until } from '../../../support/until.ts'

const rejection = (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(
    () => undefined,
    (error: unknown) => error,
  )

describeOnBothEngines('a statement outside Prisma', (open) => {
  let db: Database
  beforeAll(async () => {
    db = await open()
  })

  it('answers with the same values for every type', async () => {
    const [row] = await db.query(`SELECT
      9223372036854775807::int8 AS int8, 2::int8 AS small, '18446744073709551615'::numeric(20,0) AS numeric, 7::int4 AS int4,
      1.5::float8 AS float8, true AS bool, 'x'::text AS text, NULL::int8 AS nothing,
      '00000000-0000-4000-8000-000000000001'::uuid AS uuid, '{"a":[1]}'::jsonb AS jsonb, '[]'::json AS json,
      '\\x00ff'::bytea AS bytea, '2030-01-02 03:04:05.678+09'::timestamptz AS timestamptz,
      '2030-01-02 03:04:05.678'::timestamp AS timestamp, '2030-01-02'::date AS date, 'swept'::intent_status AS enum,
      ARRAY[1, NULL]::int8[] AS int8s, ARRAY['a"b\\', NULL, 'NULL']::text[] AS texts, '{}'::text[] AS none,
      ARRAY['2030-01-02 00:00:00Z']::timestamptz[] AS times`)
    expect(row).toStrictEqual({
      int8: 9223372036854775807n,
      small: 2n,
      numeric: '18446744073709551615',
      int4: 7,
      float8: 1.5,
      bool: true,
      text: 'x',
      nothing: null,
      uuid: '00000000-0000-4000-8000-000000000001',
      jsonb: { a: [1] },
      json: [],
      bytea: new Uint8Array([0, 255]),
      timestamptz: new Date('2030-01-01T18:04:05.678Z'),
      timestamp: new Date('2030-01-02T03:04:05.678Z'),
      date: '2030-01-02',
      enum: 'swept',
      int8s: [1n, null],
      texts: ['a"b\\', null, 'NULL'],
      none: [],
      times: [new Date('2030-01-02T00:00:00Z')],
    })
  })

  it('accepts every kind of parameter, and returns it', async () => {
    const at = new Date('2030-01-02T03:04:05.678Z')
    const [row] = await db.query(
      `SELECT $1::int8 AS big, $2::numeric AS numeric, $3::timestamptz AS at, $4::timestamp AS local, $5::bytea AS bytes,
        $6::jsonb AS json, $7::text[] AS texts, $8::int8[] AS bigs, $9::bool AS yes, $10::int4 AS int, $11::text AS no,
        $12::bytea[] AS many, $13::uuid[] AS none`,
      [
        2n ** 63n - 1n,
        2n ** 64n - 1n,
        at,
        at,
        new Uint8Array([0, 92, 255]),
        { a: ['b"\\'], c: null },
        ['a,b', '"', '\\', '{}', '', 'NULL', null, 'ü'],
        [1n, null],
        false,
        -7,
        null,
        [new Uint8Array([1]), new Uint8Array([])],
        [],
      ],
    )
    expect(row).toStrictEqual({
      big: 2n ** 63n - 1n,
      numeric: '18446744073709551615',
      at,
      local: at,
      bytes: new Uint8Array([0, 92, 255]),
      json: { a: ['b"\\'], c: null },
      texts: ['a,b', '"', '\\', '{}', '', 'NULL', null, 'ü'],
      bigs: [1n, null],
      yes: false,
      int: -7,
      no: null,
      many: [new Uint8Array([1]), new Uint8Array([])],
      none: [],
    })
  })

  it('refuses undefined, which is ambiguous', async () => {
    const params: unknown[] = [undefined]
    const error = await rejection(Reflect.apply(db.query, db, ['SELECT $1::text', params]))
    expect(error).toBeInstanceOf(TypeError)
  })

  it('that is wrong is not reported as an unreachable database', async () => {
    for (const sql of ['SELECT * FROM nowhere', 'SELECT 1/0', "SELECT 'x'::int8", 'not sql']) {
      const error = await rejection(db.query(sql))
      expect(error).toBeInstanceOf(Error)
      expect(isDatabaseUnavailable(error)).toBe(false)
    }
    await expect(db.query('SELECT 1 AS still')).resolves.toEqual([{ still: 1 }])
  })
})

describeOnBothEngines('Prisma', (open) => {
  let db: Database
  beforeAll(async () => {
    db = await open()
  })
  const createSetting = (key: string, updatedAt = new Date(0)) =>
    db.prisma.setting.create({ data: { key, value: 1, updatedAt } })

  it('and statements outside it see the same instants', async () => {
    const at = new Date('2030-06-01T12:34:56.789Z')
    await createSetting('at', at)
    await expect(db.query(`SELECT updated_at FROM settings WHERE key = 'at'`)).resolves.toEqual([{ updated_at: at }])
    const [{ now } = { now: at }] = await db.query<{ now: Date }>('SELECT now() AS now')
    expect(Math.abs(now.getTime() - Date.now())).toBeLessThan(60_000)
    await expect(db.prisma.setting.findUnique({ where: { key: 'at' } })).resolves.toMatchObject({ updatedAt: at })
  })

  it('names a unique key that is taken', async () => {
    await createSetting('taken')
    const error = await rejection(createSetting('taken'))
    expect(error).toMatchObject({ code: 'P2002' })
    expect(isDatabaseUnavailable(error)).toBe(false)
  })

  it('rolls back a transaction that throws, and continues', async () => {
    const transaction = db.prisma.$transaction(async (tx) => {
      await tx.setting.create({ data: { key: 'undone', value: 1 } })
      throw new Error('no')
    })
    await expect(transaction).rejects.toThrow('no')
    await expect(db.prisma.setting.findUnique({ where: { key: 'undone' } })).resolves.toBeNull()
  })

  it('serves many transactions at once', async () => {
    const keys = Array.from({ length: 20 }, (_, index) => `many-${index}`)
    await Promise.all(keys.map((key) => db.prisma.$transaction((tx) => tx.setting.create({ data: { key, value: 1 } }))))
    await expect(db.prisma.setting.count({ where: { key: { startsWith: 'many-' } } })).resolves.toBe(20)
  })

  it('continues after a transaction that timed out before it began', async () => {
    const connections = db.kind === 'embedded' ? 1 : TEST_POOL_SIZE
    const release = Promise.withResolvers<void>()
    const held = Array.from({ length: connections }, () => {
      const begun = Promise.withResolvers<void>()
      const transaction = db.prisma.$transaction(async (tx) => {
        await tx.setting.count()
        begun.resolve()
        await release.promise
      })
      return { begun: begun.promise, transaction }
    })
    await Promise.all(held.map(({ begun }) => begun))
    const waiting = Array.from({ length: 3 }, () =>
      rejection(db.prisma.$transaction((tx) => tx.setting.count(), { maxWait: 50 })),
    )
    const errors = await Promise.all(waiting)
    release.resolve()
    await Promise.all(held.map(({ transaction }) => transaction))
    for (const error of errors) expect(isDatabaseUnavailable(error)).toBe(true)
    await expect(db.prisma.$transaction((tx) => tx.setting.count())).resolves.toBeGreaterThanOrEqual(0)
    await expect(db.query('SELECT 1 AS alive')).resolves.toEqual([{ alive: 1 }])
  })
})

describeOnBothEngines('a notice', (open) => {
  let db: Database
  beforeAll(async () => {
    db = await open()
  })

  it('reaches every listener of its channel and no other, until it stops listening', async () => {
    const heard: string[] = []
    const stopFirst = await db.listen('first', (payload) => heard.push(`first ${payload}`))
    const stopSecond = await db.listen('first', (payload) => heard.push(`second ${payload}`))
    const stopOther = await db.listen('Other channel', (payload) => heard.push(`other ${payload}`))
    await db.query('SELECT pg_notify($1, $2)', ['first', 'a'])
    await db.query('SELECT pg_notify($1, $2)', ['Other channel', 'b'])
    await until(() => heard.length === 3)
    expect(heard.sort()).toEqual(['first a', 'other b', 'second a'])

    await stopSecond()
    await db.query('SELECT pg_notify($1, $2)', ['first', 'c'])
    await until(() => heard.includes('first c'))
    await stopFirst()
    await db.query('SELECT pg_notify($1, $2)', ['first', 'd'])
    await db.query('SELECT pg_notify($1, $2)', ['Other channel', 'e'])
    await until(() => heard.includes('other e'))
    expect(heard).not.toContain('first d')
    expect(heard).not.toContain('second c')
    await stopOther()
  })

  it('arrives when its transaction commits, and never after a rollback', async () => {
    const heard: string[] = []
    const stop = await db.listen('entries', (payload) => heard.push(payload))
    const undone = db.prisma.$transaction(async (tx) => {
      await tx.$executeRaw`SELECT pg_notify('entries', 'undone')`
      throw new Error('undo')
    })
    await expect(undone).rejects.toThrow('undo')
    await db.prisma.$transaction(async (tx) => {
      await tx.$executeRaw`SELECT pg_notify('entries', 'done')`
    })
    await until(() => heard.includes('done'))
    expect(heard).toEqual(['done'])
    await stop()
  })
})

describe('two test databases', () => {
  it('are independent of each other', async () => {
    const [one, other] = await Promise.all([openTestDatabase(), openTestDatabase()])
    await one.prisma.setting.create({ data: { key: 'mine', value: 1 } })
    await expect(other.prisma.setting.count()).resolves.toBe(0)
    await Promise.all([one.close(), other.close()])
  })
})

it('a prepared statement has the same name in every process', async () => {
  const { url, drop } = await createPostgresDatabase()
  const [one, other] = await Promise.all(
    [url, url].map((at) => openDatabase({ kind: 'postgresql', url: at, poolSize: 1 })),
  )
  const texts = Array.from({ length: 5 }, (_, added) => `SELECT $1::int + ${added} AS sum`)
  for (const text of texts) await one?.query(text, [1])
  for (const text of texts.toReversed()) await other?.query(text, [1])
  const names = await one?.query(PREPARED)
  expect(names).toHaveLength(texts.length)
  await expect(other?.query(PREPARED)).resolves.toEqual(names)
  await Promise.all([one?.close(), other?.close()])
  await drop()
})

const PREPARED = `SELECT name, statement FROM pg_prepared_statements WHERE statement LIKE '%AS sum' ORDER BY name`
