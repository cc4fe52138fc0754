import { randomUUID } from 'node:crypto'
import { GCProfiler } from 'node:v8'
import { afterAll, beforeAll, describe, expect, it, test } from 'vitest'
import { type Database, isDatabaseUnavailable, openDatabase } from '#adapters/prisma/engine/database.ts'
import type { Parameter } from '#adapters/prisma/engine/engine.ts'
import { createLateNotices } from '#adapters/prisma/engine/notices.ts'
import { keepUp } from '#adapters/prisma/engine/upkeep.ts'
import { createDeliveryStore } from '#adapters/prisma/events/delivery-store.ts'
import {
  createPostgresDatabase,
  describeOnBothEngines,
  openTestDatabase,
  TEST_POOL_SIZE,
} from '../../../support/database.ts'
import { until } from '../../../support/until.ts'
import { addAccount, addEndpoint, stage, stageMany } from '../../../support/webhook-rows.ts'

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

// How long the answers of the database stay in memory.
describe('answers of the database', () => {
  describe('answers', () => {
    let direct: Awaited<ReturnType<typeof createPostgresDatabase>>
    let db: Database
    beforeAll(async () => {
      direct = await createPostgresDatabase()
      db = await openDatabase({ kind: 'postgresql', url: direct.url, poolSize: 2 })
    })
    afterAll(async () => {
      await db.close()
      await direct.drop()
    })

    const ROWS = `SELECT at, md5(at::text) AS name, md5((at + 1)::text) AS other FROM generate_series(1, 1000) at`

    type Heap = {
      readonly heapSpaceStatistics: readonly { readonly spaceName: string; readonly spaceUsedSize: number }[]
    }
    const used = ({ heapSpaceStatistics }: Heap, name: string): number =>
      heapSpaceStatistics.find(({ spaceName }) => spaceName === name)?.spaceUsedSize ?? Number.NaN

    it('the answer of a statement is gone when its reader is done with it', async () => {
      const read = () => db.query(ROWS)
      for (let at = 0; at < 20; at += 1) await read()
      const profiler = new GCProfiler()
      profiler.start()
      for (let at = 0; at < 500; at += 1) await read()
      const { statistics } = profiler.stop()
      const young = statistics.filter(({ gcType }) => gcType === 'Scavenge')
      expect(young.length).toBeGreaterThan(2)
      const shares = young.map(({ beforeGC, afterGC }) => {
        const survived = used(afterGC, 'new_space') + used(afterGC, 'old_space') - used(beforeGC, 'old_space')
        return survived / used(beforeGC, 'new_space')
      })
      // The median: what other tests of the process have left survives one or two of them.
      expect(shares.toSorted((a, b) => a - b)[Math.floor(shares.length / 2)]).toBeLessThan(0.15)
    })
  })

  describeOnBothEngines('an id that the database draws', (open) => {
    it('is a UUID of version 7, which sorts after the ids before it', async () => {
      const db = await open()
      const rows = await db.query<{ id: string }>('SELECT time_ordered_uuid()::text AS id FROM generate_series(1, 100)')
      const ids = rows.map(({ id }) => id)
      expect(ids.every((id) => /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/.test(id))).toBe(
        true,
      )
      expect(ids).toEqual(ids.toSorted())
      const time = Number.parseInt(ids[0]?.replace('-', '').slice(0, 12) ?? '', 16)
      expect(Math.abs(Date.now() - time)).toBeLessThan(60_000)
    })

    it('is drawn so for every table', async () => {
      const db = await open()
      const drawn = await db.query<{ default: string }>(
        `SELECT DISTINCT column_default AS default FROM information_schema.columns
       WHERE table_schema = 'public' AND data_type = 'uuid' AND column_default IS NOT NULL`,
      )
      expect(drawn).toEqual([{ default: 'time_ordered_uuid()' }])
    })
  })
})

describe('the upkeep of tables', () => {
  const now = new Date('2026-11-20T12:00:00.000Z')
  const worker = randomUUID()
  /** After these, PostgreSQL keeps one plan of a statement for all parameters. */
  const EXECUTIONS = 20

  let db: Database
  let shop: Parameters<typeof stage>[1]

  beforeAll(async () => {
    db = await openTestDatabase()
    const accountId = await addAccount(db)
    shop = { accountId, endpointId: await addEndpoint(db, accountId), dueAt: now }
  })
  afterAll(() => db.close())

  const claim = () =>
    createDeliveryStore(db).claim({
      now,
      leaseMs: 45_000,
      limit: 1,
      perEndpoint: 1_000,
      failing: [],
      resting: [],
      worker,
      deadAfterMs: 15_000,
    })

  async function planOfClaim(): Promise<string> {
    const [{ name } = { name: '' }] = await db.query<{ name: string }>(
      // This statement is prepared as well.
      "SELECT name FROM pg_prepared_statements WHERE statement LIKE '%RECURSIVE' || ' hop%'",
    )
    const explain = `EXPLAIN EXECUTE ${name} (now(), now(), 1, 1000, '${worker}', 15000, '{}', '{}')`
    const lines = await db.query<{ 'QUERY PLAN': string }>(explain)
    return lines.map((line) => line['QUERY PLAN']).join('\n')
  }

  async function sizeOf(table: string): Promise<number> {
    const [row] = await db.query<{ rows: number }>(
      `SELECT reltuples::int AS rows FROM pg_class WHERE relname = '${table}'`,
    )
    return row?.rows ?? Number.NaN
  }

  test('a statement that was planned for empty tables is planned again when they have grown', async () => {
    for (let execution = 0; execution < EXECUTIONS; execution += 1) await claim()
    await stageMany(db, 30, shop)
    await db.query(`
    INSERT INTO events (network, account_id, receiver_account_id, type, subject_kind, subject_id, intent_id, data, created_at)
    SELECT network, account_id, receiver_account_id, type, subject_kind, subject_id, intent_id, data, created_at
    FROM events CROSS JOIN generate_series(1, 50)`)
    expect(await planOfClaim()).toContain('Seq Scan on events')
    await keepUp(db)
    expect(await planOfClaim()).not.toContain('Seq Scan on events')
    expect(await claim()).toHaveLength(1)
  })

  test('the space of old row versions is freed', async () => {
    await stageMany(db, 100, shop)
    for (let turn = 0; turn < 3; turn += 1) {
      await db.query(`UPDATE webhook_deliveries SET next_attempt_at = next_attempt_at + interval '1 second'`)
    }
    await db.query('SELECT pg_stat_force_next_flush()')
    const dead = async () => {
      const [row] = await db.query<{ dead: bigint }>(
        "SELECT n_dead_tup AS dead FROM pg_stat_user_tables WHERE relname = 'webhook_deliveries'",
      )
      return Number(row?.dead)
    }
    expect(await dead()).toBeGreaterThan(100)
    await keepUp(db)
    expect(await dead()).toBe(0)
  })

  test('a table that has changed little keeps its statistics', async () => {
    await keepUp(db)
    const before = await sizeOf('events')
    await stage(db, shop)
    await keepUp(db)
    expect(await sizeOf('events')).toBe(before)
  })

  test('a server keeps up itself', async () => {
    const refuse = () => Promise.reject(new Error('a statement was sent'))
    await expect(keepUp({ kind: 'postgresql', query: refuse, session: refuse })).resolves.toBeUndefined()
  })
})

describe('late notices', () => {
  /** A database whose statements end when the test says so; each is shown as its notices. */
  function openStatements() {
    const statements: {
      readonly notices: readonly (readonly [channel: unknown, payload: unknown])[]
      end: () => void
      fail: () => void
    }[] = []
    const db = {
      query<Row extends object>(_text: string, [channels, payloads]: readonly Parameter[] = []): Promise<Row[]> {
        const ended = Promise.withResolvers<Row[]>()
        const names = Array.isArray(channels) ? channels : []
        const texts: readonly unknown[] = Array.isArray(payloads) ? payloads : []
        statements.push({
          notices: names.map((name, at) => [name, texts[at]]),
          end: () => ended.resolve([]),
          fail: () => ended.reject(new Error('the database is away')),
        })
        return ended.promise
      },
    }
    return { db, statements, announce: createLateNotices(db) }
  }

  test('ids that arrive while a notice is being sent share the next notice', async () => {
    const { announce, statements } = openStatements()
    announce('created', ['a'])
    announce('created', ['b'])
    announce('created', ['c'])
    announce('due')
    expect(statements.map(({ notices }) => notices)).toEqual([[['created', 'a']]])
    statements[0]?.end()
    await expect
      .poll(() => statements[1]?.notices)
      .toEqual([
        ['created', 'b,c'],
        ['due', ''],
      ])
    statements[1]?.end()
    announce('due')
    await expect.poll(() => statements[2]?.notices).toEqual([['due', '']])
  })

  test('no notice is longer than PostgreSQL takes', async () => {
    const { announce, statements } = openStatements()
    const ids = Array.from({ length: 400 }, () => crypto.randomUUID())
    announce('created', ids)
    const payloads = statements[0]?.notices.map(([, payload]) => String(payload)) ?? []
    expect(payloads.join(',')).toBe(ids.join(','))
    for (const payload of payloads) expect(Buffer.byteLength(payload)).toBeLessThan(8_000)
  })

  test('a notice that fails is lost, and the next one is sent', async () => {
    const { announce, statements } = openStatements()
    announce('created', ['a'])
    statements[0]?.fail()
    await expect
      .poll(() => {
        announce('created', ['b'])
        return statements.length
      })
      .toBeGreaterThan(1)
    expect(statements[1]?.notices[0]?.[0]).toBe('created')
  })

  test('no ids are no notice', () => {
    const { announce, statements } = openStatements()
    announce('created', [])
    expect(statements).toEqual([])
  })
})
