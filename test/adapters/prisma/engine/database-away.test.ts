import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type Database, isDatabaseUnavailable, openDatabase } from '#adapters/prisma/engine/database.ts'
import type { ServerFacts } from '#adapters/prisma/engine/sessions.ts'
import { withClass } from '#adapters/prisma/engine/unavailable.ts'
import { judgeRole, unusableServer } from '#adapters/prisma/engine/unusable-server.ts'
import { createPostgresDatabase } from '../../../support/database.ts'
import { startUnsteadyProxy, type UnsteadyProxy } from '../../../support/faulty-proxy.ts'
import { setInDatabase } from '../../../support/pgbouncer.ts'
import { until } from '../../../support/until.ts'

// An unreachable database causes an error of its own class, within a time limit, and is used again as soon as it is
// reachable.
describe('a database that is away', () => {
  const LIMITS = { connectionTimeoutMillis: 600, statement_timeout: 1_000, query_timeout: 1_300 }
  /** No call may take longer than the longest chain of limits: connect, then a statement. */
  const IN_GOOD_TIME = 4_000
  const POOL_SIZE = 3

  let direct: Awaited<ReturnType<typeof createPostgresDatabase>>
  let proxy: UnsteadyProxy
  let db: Database

  beforeEach(async () => {
    direct = await createPostgresDatabase()
    proxy = await startUnsteadyProxy(Number(new URL(direct.url).port))
    db = await openWith(LIMITS)
  })
  afterEach(async () => {
    await db.close()
    await proxy.close()
    await direct.drop()
  })

  const openWith = (limits: typeof LIMITS): Promise<Database> =>
    openDatabase({ kind: 'postgresql', url: throughProxy(), poolSize: POOL_SIZE, limits, listenerHeartbeat: 100 })

  function throughProxy(database?: string): string {
    const url = new URL(direct.url)
    url.port = String(proxy.port)
    if (database !== undefined) url.pathname = database
    return url.href
  }

  /** Every way to use the database; `statement` takes long. */
  const everyWay = (statement: string): Record<string, () => Promise<unknown>> => ({
    query: () => db.query(statement),
    'raw Prisma': () => db.prisma.$queryRawUnsafe(statement),
    transaction: () => db.prisma.$transaction((tx) => tx.$queryRawUnsafe(statement)),
  })
  const quick = () => ({
    ...everyWay('SELECT 1 AS one'),
    model: () => db.prisma.setting.count(),
    batch: () => db.prisma.$transaction([db.prisma.setting.count()]),
  })

  /** Starts all ways at once, and returns how each ended. */
  async function outcomes(ways: Record<string, () => Promise<unknown>>): Promise<Record<string, string>> {
    const pending = Object.entries(ways).map(async ([name, way]) => {
      const started = performance.now()
      const outcome = await way().then(
        () => 'answered',
        (error: unknown) => (isDatabaseUnavailable(error) ? 'unavailable' : `wrong error: ${error}`),
      )
      return [name, performance.now() - started > IN_GOOD_TIME ? 'too late' : outcome]
    })
    return Object.fromEntries(await Promise.all(pending))
  }

  const all = (ways: object, outcome: string) => Object.fromEntries(Object.keys(ways).map((name) => [name, outcome]))

  async function expectRecovered() {
    for (let round = 0; round < 2 * POOL_SIZE; round += 1)
      expect(await outcomes(quick())).toEqual(all(quick(), 'answered'))
  }

  it('a server that refuses connections is unavailable, and is used again at once when it is reachable', async () => {
    await proxy.cut()
    expect(await outcomes(quick())).toEqual(all(quick(), 'unavailable'))
    await proxy.restore()
    await expectRecovered()
  })

  it('a connection that breaks during a statement is unavailable', async () => {
    const slow = everyWay('SELECT pg_sleep(0.9)::text')
    const pending = outcomes(slow)
    await until(async () => (await activeStatements()) === Object.keys(slow).length)
    await proxy.cut()
    expect(await pending).toEqual(all(slow, 'unavailable'))
    await proxy.restore()
    await expectRecovered()
  })

  it('a server that is silent is unavailable, and leaves no dead connection in the pool', async () => {
    await expectRecovered()
    proxy.swallow()
    expect(await outcomes(quick())).toEqual(all(quick(), 'unavailable'))
    await proxy.restore()
    await expectRecovered()
  })

  it('a transaction that lost its connection does not pass it to the next', async () => {
    const begun: PromiseWithResolvers<void>[] = []
    const silence = Promise.withResolvers<void>()
    const interrupted = Array.from({ length: POOL_SIZE }, () => {
      const started = Promise.withResolvers<void>()
      begun.push(started)
      return db.prisma.$transaction(async (tx) => {
        await tx.setting.count()
        started.resolve()
        await silence.promise
        await tx.setting.count()
      })
    })
    await Promise.all(begun.map(({ promise }) => promise))
    proxy.swallow()
    silence.resolve()
    for (const { status } of await Promise.allSettled(interrupted)) expect(status).toBe('rejected')
    await proxy.restore()
    await expectRecovered()
  })

  it('a server that shuts down during a statement is unavailable', async () => {
    await db.close()
    // No statement reaches its end or a limit before the server ends it, on the slowest machine.
    db = await openWith({ ...LIMITS, statement_timeout: 60_000, query_timeout: 60_000 })
    const slow = everyWay('SELECT pg_sleep(60)::text')
    const pending = outcomes(slow)
    await until(async () => (await activeStatements()) === Object.keys(slow).length)
    await onServer(
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query LIKE 'SELECT pg_sleep%' AND datname = current_database()`,
    )
    expect(await pending).toEqual(all(slow, 'unavailable'))
    await expectRecovered()
  })

  it('a statement that takes too long is unavailable', async () => {
    const slow = everyWay('SELECT pg_sleep(5)::text')
    expect(await outcomes(slow)).toEqual(all(slow, 'unavailable'))
  })

  it('a row that is locked for too long is unavailable', async () => {
    const held = Promise.withResolvers<void>()
    const release = Promise.withResolvers<void>()
    const holder = onServerSession(async (session) => {
      await session.script('BEGIN; LOCK TABLE settings')
      held.resolve()
      await release.promise
      await session.script('ROLLBACK')
    })
    await held.promise
    const ways = { model: () => db.prisma.setting.count(), query: () => db.query('SELECT FROM settings') }
    expect(await outcomes(ways)).toEqual(all(ways, 'unavailable'))
    release.resolve()
    await holder
    await expectRecovered()
  })

  it('a refused statement does not affect its connection', async () => {
    const pids = async () => {
      const rows = await Promise.all(
        Array.from({ length: POOL_SIZE }, () => db.query('SELECT pg_backend_pid() AS pid')),
      )
      return new Set(rows.flat().map((row) => Reflect.get(row, 'pid')))
    }
    const before = await pids()
    for (let round = 0; round < 2 * POOL_SIZE; round += 1) {
      await expect(db.query('SELECT 1/0')).rejects.toThrow('division by zero')
      await expect(db.prisma.$queryRaw`SELECT 1/0`).rejects.toThrow()
    }
    expect(await pids()).toEqual(before)
  })

  it('a plan that a migration made stale is dropped with its connection', async () => {
    const read = () => db.query('SELECT * FROM settings')
    const attempts = async () => Promise.allSettled(Array.from({ length: POOL_SIZE }, read))
    await attempts()
    await onServer('ALTER TABLE settings ADD COLUMN added int')
    await attempts()
    for (const { status } of await attempts()) expect(status).toBe('fulfilled')
  })

  it('a pool that is busy for too long is unavailable', async () => {
    const busy = Array.from({ length: POOL_SIZE }, () => db.query('SELECT pg_sleep(0.9)'))
    expect(await outcomes({ query: () => db.query('SELECT 1') })).toEqual({ query: 'unavailable' })
    await Promise.all(busy)
  })

  it('a database that cannot be reached, or does not exist, does not open', async () => {
    const open = (url: string) => openDatabase({ kind: 'postgresql', url, limits: LIMITS })
    await expect(open(throughProxy('nowhere'))).rejects.toThrow(
      'the database does not open: database "nowhere" does not',
    )
    await proxy.cut()
    await expect(open(throughProxy())).rejects.toThrow('no database listens there (ECONNREFUSED)')
  })

  describe('the time zone of a session is UTC', () => {
    const at = new Date('2030-07-01T12:34:56.789Z')

    it.each([
      ['server', 'America/New_York', ''],
      ['address', 'Asia/Tokyo', `?options=${encodeURIComponent('-c TimeZone=Asia/Tokyo')}`],
    ])('although its %s gives it %s', async (_, given, options) => {
      const other = await openDatabase({ kind: 'postgresql', url: direct.url + options, poolSize: 1 })
      await other.prisma.setting.create({ data: { key: 'at', value: 1, updatedAt: at } })
      const session = `SELECT reset_val AS given, setting AS zone, updated_at FROM pg_settings, settings
      WHERE name = 'TimeZone'`
      const inUtc = [{ given, zone: 'UTC', updated_at: at }]
      expect([await other.query(session), await other.session(({ query }) => query(session))]).toEqual([inUtc, inUtc])
      await expect(other.prisma.setting.findFirst()).resolves.toMatchObject({ updatedAt: at })
      await other.close()
    })
  })

  it('a separate session has no time limits, whatever its role has', async () => {
    await setInDatabase(direct.url, 'statement_timeout = 50')
    await expect(onServer('SELECT pg_sleep(0.1)::text')).resolves.toHaveLength(1)
  })

  describe('a listener', () => {
    const notify = (payload: string) => onServer(`SELECT pg_notify('changes', '${payload}')`)

    it.each(['cut', 'swallow'] as const)(
      'is called to read again after the connection was lost (%s)',
      async (fault) => {
        const heard: string[] = []
        let reconnected = 0
        const stop = await db.listen(
          'changes',
          (payload) => heard.push(payload),
          () => {
            reconnected += 1
          },
        )
        await notify('before')
        await until(() => heard.includes('before'))
        expect(reconnected).toBe(0)

        const accepted = proxy.accepted()
        await proxy[fault]()
        await notify('missed')
        // The silence must be detected before it ends.
        if (fault === 'swallow') await until(() => proxy.accepted() > accepted)
        await proxy.restore()
        await until(() => reconnected === 1)
        await notify('after')
        await until(() => heard.includes('after'))
        expect(heard).toEqual(['before', 'after'])
        await stop()
      },
    )

    it('waits longer after every try while the server accepts logins but refuses LISTEN', async () => {
      const heard: string[] = []
      let reconnected = 0
      const stop = await db.listen(
        'changes',
        (payload) => heard.push(payload),
        () => {
          reconnected += 1
        },
      )
      proxy.misspell('LISTEN')
      const [accepted, lostAt] = [proxy.accepted(), performance.now()]
      await onServer(
        'SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()',
      )
      await until(() => proxy.accepted() >= accepted + 4)
      // The first try comes immediately, and the next three after 100, 200 and 400 milliseconds.
      expect(performance.now() - lostAt).toBeGreaterThan(650)

      await proxy.restore()
      await until(() => reconnected > 0)
      await notify('after')
      await until(() => heard.includes('after'))
      expect({ heard, reconnected }).toEqual({ heard: ['after'], reconnected: 1 })
      await stop()
    })

    it('that stopped while the connection was lost stays silent', async () => {
      const heard: string[] = []
      const stop = await db.listen('changes', (payload) => heard.push(payload))
      await proxy.cut()
      await stop()
      await proxy.restore()
      const stopOther = await db.listen('other', () => heard.push('other'))
      await notify('after')
      await onServer(`SELECT pg_notify('other', '')`)
      await until(() => heard.includes('other'))
      expect(heard).toEqual(['other'])
      await stopOther()
    })
  })

  /** Directly to the server, without the proxy. */
  async function onServerSession<T>(work: Parameters<typeof db.session<T>>[0]): Promise<T> {
    const server = await openDatabase({ kind: 'postgresql', url: direct.url, poolSize: 1 })
    return server.session(work).finally(() => server.close())
  }

  const onServer = (sql: string) => onServerSession((session) => session.query(sql))

  async function activeStatements(): Promise<number> {
    const sql = `SELECT pid FROM pg_stat_activity WHERE state = 'active' AND query LIKE 'SELECT pg_sleep%'
    AND datname = current_database()`
    return (await onServer(sql)).length
  }
})

// What the start says of a server that it cannot use. A message of the system is never shown: it can contain a part of a password.
describe('a server that cannot be used', () => {
  describe('unusable server', () => {
    const CORRECT = 'correct this, and start the service again'

    it.each([
      ['ECONNREFUSED', 'no database listens there (ECONNREFUSED)', undefined],
      ['ENOTFOUND', 'its host is not known (ENOTFOUND)', undefined],
      ['EAI_AGAIN', 'its host is not known (EAI_AGAIN)', undefined],
      ['ETIMEDOUT', 'the database cannot be reached (ETIMEDOUT)', undefined],
      ['SELF_SIGNED_CERT_IN_CHAIN', 'the database cannot be reached (SELF_SIGNED_CERT_IN_CHAIN)', CORRECT],
    ])('%s is explained, and the address only where it can be the cause', (code, message, advice) => {
      const error = withClass(Object.assign(new Error('connect to pass@host'), { code }))
      expect(unusableServer('directUrl', error)).toMatchObject({ address: 'directUrl', message, advice })
    })
  })

  // The refusals of a pooler whose sessions lack what the service needs.
  describe('judged server', () => {
    const NEEDED = { statement_timeout: 10_000, idle_in_transaction_session_timeout: 30_000 }

    const facts = (zone: string, statement: string): ServerFacts => ({
      version: 18,
      role: '"the-shop"',
      database: '1/1',
      lending: 'transaction',
      zone,
      limits: { statement_timeout: statement, idle_in_transaction_session_timeout: '30s' },
    })

    it.each(['UTC', 'Etc/UTC'])('a role whose sessions are in %s, with limits, can be used', (zone) => {
      expect(() => judgeRole(facts(zone, '5s'), NEEDED)).not.toThrow()
    })

    it('a pooler that forgets the time zone of a connection needs a role with UTC', () => {
      const refused = expect.objectContaining({
        address: 'url',
        advice: `run ALTER ROLE "the-shop" SET TimeZone = 'UTC'; then let the pooler reconnect`,
      })
      expect(() => judgeRole(facts('Europe/London', '5s'), NEEDED)).toThrow(refused)
    })

    it('a role needs limits for statements, where a connection cannot set them', () => {
      const advice = 'run ALTER ROLE "the-shop" SET statement_timeout = 10000; then let the pooler reconnect'
      expect(() => judgeRole(facts('UTC', '0'), NEEDED)).toThrow(expect.objectContaining({ advice }))
    })
  })
})
