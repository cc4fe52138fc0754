// The payments of a marketplace as they change, over a websocket and a real database: nothing is missed and nothing is
// repeated across connections, and nothing of another marketplace is shown.
import type { Client } from 'graphql-ws'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { createWakeup } from '#adapters/prisma/events/follower.ts'
import { type Tenant, tenantOf } from '#core/accounts/account.ts'
import { ServiceError } from '#core/errors.ts'
import { RETENTION_MS } from '#core/events/delivery.ts'
import { makeBasisPoints } from '#core/money/amounts.ts'
import { startChange, step } from '#core/payments/change.ts'
import type { PaymentIntent } from '#core/payments/payment-intent.ts'
import { createCursors } from '#graphql/cursor.ts'
import type { MarketplaceFeed } from '#ports/live.ts'
import type { Credential } from '#services/accounts/account-services.ts'
import { pendingIntent } from '../../support/example-intent.ts'
import { type Results, serverSentEvents, subscribe, webSocketClient } from '../../support/graphql-client.ts'
import { NOW, units } from '../../support/payment.ts'
import { type SellerEdge, startSellerEdge } from '../../support/seller-edge.ts'
import { API_KEY, credential, startTestService, type TestService, withKey } from '../../support/services.ts'
import { addIntent, patchIntent, type Stores, storesOf } from '../../support/stores.ts'
import { until } from '../../support/until.ts'

const UPDATES = `subscription Updates($after: String) {
  marketplacePaymentsUpdated(after: $after) {
    cursor
    type
    payment { uuid status version seller { name } deposits { edges { node { amount } } } }
  }
}`
type Update = {
  cursor: string
  type: string
  payment: { uuid: string; status: string; version: number; seller: { name: string } }
}
const CURSOR = '{ marketplacePaymentsCursor }'
const HOUR_MS = 3_600_000

// biome-ignore lint/suspicious/noExplicitAny: a test looks into whatever came back.
const updateOf = (data: any): Update => data.marketplacePaymentsUpdated
const next = async (results: Results): Promise<Update> => updateOf((await results.next()).data)
const said = ({ type, payment }: Update) => [type, payment.uuid, payment.version]

describe('on a real database', () => {
  let edge: SellerEdge
  let stores: Stores
  let other: Tenant
  let sellers: Record<'own' | 'other', string>
  const clients: Client[] = []
  beforeAll(async () => {
    edge = await startSellerEdge()
    stores = storesOf(edge.database)
    const create = async (key: string, name: string) =>
      (await edge.post('/marketplace/sellers', { name }, withKey(key))).body.id
    sellers = { own: await create(edge.keys.own, 'Blue Shop'), other: await create(edge.keys.other, 'Red Shop') }
    const [row] = await edge.database.query<{ id: string }>(
      'SELECT marketplace_account_id::text AS id FROM accounts WHERE id = $1',
      [sellers.other],
    )
    other = tenantOf({ id: row?.id ?? '', network: 'live' })
  })
  afterEach(async () => {
    for (const client of clients.splice(0)) await client.dispose()
  })
  afterAll(() => edge.close())

  function connect(key = edge.keys.own): Client {
    const client = webSocketClient(edge.url, { authorization: `Bearer ${key}` })
    clients.push(client)
    return client
  }
  const follow = (after: string | null, client = connect()) => subscribe(client, UPDATES, { after })
  const cursorOf = async (key = edge.keys.own): Promise<string> =>
    (await edge.graphql(CURSOR, {}, withKey(key))).body.data.marketplacePaymentsCursor
  const pay = (by = edge.tenant, accountId = sellers.own) =>
    addIntent(stores, by, { accountId, marketplaceFeeBps: makeBasisPoints(250) })
  const receive = async (intent: PaymentIntent, amount: bigint): Promise<PaymentIntent> => {
    const patch = { status: 'underpaid', received: units(amount) } as const
    const change = step(startChange(intent), patch, NOW, 'intent.underpaid')
    expect(await stores.work.apply(change)).toBe(true)
    return change.after
  }

  it('a payment that changes while the client is away is shown when it continues after its last cursor', async () => {
    const connection = connect()
    const results = follow(await cursorOf(), connection)
    const first = next(results)
    let intent = await pay()
    const created = await first
    expect(created).toMatchObject({
      type: 'intent.created',
      payment: { uuid: intent.id, status: 'pending', version: 1, seller: { name: 'Blue Shop' } },
    })
    intent = await receive(intent, 1n)
    const last = await next(results)
    expect(said(last)).toEqual(['intent.underpaid', intent.id, 2])
    connection.terminate()

    intent = await receive(intent, 2n)
    const another = await pay()
    intent = await receive(intent, 3n)
    const continued = follow(last.cursor)
    expect(said(await next(continued))).toEqual(['intent.underpaid', intent.id, 3])
    expect(said(await next(continued))).toEqual(['intent.created', another.id, 1])
    expect(said(await next(continued))).toEqual(['intent.underpaid', intent.id, 4])
    const live = next(continued)
    intent = await receive(intent, 4n)
    expect(said(await live)).toEqual(['intent.underpaid', intent.id, 5])
  })

  it('a change without an event is shown too, also to a client that was away', async () => {
    const start = await cursorOf()
    const live = follow(start)
    const intent = await receive(await pay(), 1n)
    for (const version of [1, 2]) expect((await next(live)).payment.version).toBe(version)
    const forked = await patchIntent(stores.work, intent, { status: 'pending', received: units(0n) })
    const shown = await next(live)
    expect([...said(shown), shown.payment.status]).toEqual(['intent.updated', intent.id, forked.version, 'pending'])
    const away = follow(start)
    for (const version of [1, 2]) expect((await next(away)).payment.version).toBe(version)
    expect(await next(away)).toMatchObject({
      cursor: expect.any(String),
      type: 'intent.updated',
      payment: shown.payment,
    })
  })

  it('clients that leave after any number of changes see each change once, in one order', async () => {
    let cursor = await cursorOf()
    let intent = await pay()
    const versions: number[] = []
    for (let connection = 0; connection < 6; connection += 1) {
      for (let amount = 1n; amount <= 5n; amount += 1n) intent = await receive(intent, BigInt(connection) * 5n + amount)
      const client = connect()
      const results = follow(cursor, client)
      for (let taken = 0; taken < connection + 2; taken += 1) {
        const update = await next(results)
        versions.push(update.payment.version)
        cursor = update.cursor
      }
      client.terminate()
    }
    const rest = follow(cursor)
    while (versions.at(-1) !== 31) versions.push((await next(rest)).payment.version)
    expect(versions).toEqual(Array.from({ length: 31 }, (_, at) => at + 1))
  })

  it('the payments of a second marketplace never arrive, and its cursors are refused', async () => {
    const cursor = await cursorOf()
    await pay(other, sellers.other)
    await addIntent(stores, edge.tenant)
    const mine = await pay()
    const results = follow(cursor)
    expect(said(await next(results))).toEqual(['intent.created', mine.id, 1])
    const pending = next(results)
    await pay(other, sellers.other)
    const later = await pay()
    expect(said(await pending)).toEqual(['intent.created', later.id, 1])
    for (const wrong of [
      await cursorOf(edge.keys.other),
      await cursorOf(edge.keys.test),
      '',
      'x',
      cursor.slice(0, -2),
    ]) {
      const { errors } = await follow(wrong).next()
      expect(errors).toMatchObject([{ message: 'after is not valid', extensions: { code: 'invalid_request' } }])
    }
  })

  it('without a cursor the changes from now on are shown', async () => {
    await pay()
    const response = await fetch(`${edge.url}/graphql`, {
      method: 'POST',
      headers: { ...withKey(edge.keys.viewer), accept: 'text/event-stream', 'content-type': 'application/json' },
      body: JSON.stringify({ query: UPDATES }),
    })
    const events = serverSentEvents(response)
    const later = await pay()
    expect(said(updateOf((await events.next()).value?.data))).toEqual(['intent.created', later.id, 1])
    await events.return(undefined)
  })

  it('a revoked marketplace still reads its payments', async () => {
    const [seller] = (await edge.get('/marketplace/sellers', withKey(edge.keys.revoked))).body.sellers
    const [row] = await edge.database.query<{ id: string }>(
      'SELECT marketplace_account_id::text AS id FROM accounts WHERE id = $1',
      [seller.id],
    )
    const results = follow(await cursorOf(edge.keys.revoked), connect(edge.keys.revoked))
    const first = next(results)
    const intent = await pay(tenantOf({ id: row?.id ?? '', network: 'live' }), seller.id)
    expect(said(await first)).toEqual(['intent.created', intent.id, 1])
  })

  it.each([
    ['ordinary', 'marketplace_not_found'],
    ['manager', 'forbidden'],
    ['payer', 'forbidden'],
  ] as const)('the key of a caller that may not read payments (%s) is refused', async (caller, code) => {
    const { errors } = await follow(null, connect(edge.keys[caller])).next()
    expect(errors).toMatchObject([{ extensions: { code } }])
    const { body } = await edge.graphql(CURSOR, {}, withKey(edge.keys[caller]))
    expect(body.errors).toMatchObject([{ extensions: { code } }])
  })
})

describe('over a feed of a test', () => {
  const position = (sequence: bigint) => ({ transaction: 7n, sequence, at: NOW })
  let service: TestService
  let client: Client
  let authenticate: () => Promise<Credential>
  /** Null while no stream is open. */
  let push: (() => void) | null
  beforeEach(async () => {
    push = null
    authenticate = async () => credential('live')
    const feed: MarketplaceFeed = {
      present: async () => position(0n),
      reaches: ({ at }) => at.getTime() === NOW.getTime(),
      async *follow(_marketplace, after, signal) {
        const wakeup = createWakeup(signal)
        push = wakeup.notify
        try {
          for (let sequence = after.sequence + 1n; await wakeup.wait(); sequence += 1n)
            yield {
              position: position(sequence),
              id: pendingIntent.id,
              type: 'intent.paid',
              createdAt: NOW,
              payment: pendingIntent,
            }
        } finally {
          push = null
        }
      },
    }
    service = await startTestService({
      feed,
      services: { accounts: { authenticate: () => authenticate() } },
      // Time that a test leaps over has no pings.
      settings: { streams: { feed: 1 }, webSockets: { heartbeatMs: HOUR_MS } },
    })
    client = webSocketClient(service.url, withKey(API_KEY))
  })
  afterEach(async () => {
    await client.dispose()
    await service.close()
  })

  const BRIEF = 'subscription ($after: String) { marketplacePaymentsUpdated(after: $after) { cursor } }'
  const refuse = (code: 'unauthenticated') => async (): Promise<never> => {
    throw new ServiceError(code)
  }
  const REFUSED: [whose: string, later: () => Promise<Credential>, code: string][] = [
    ['of a key that was revoked', refuse('unauthenticated'), 'unauthenticated'],
    [
      'of a business that is no marketplace any more',
      async () => ({ ...credential('live'), marketplace: null }),
      'marketplace_not_found',
    ],
    [
      'of a key that lost its scope',
      async () => ({ ...credential('live'), key: { ...credential('live').key, scopes: [] } }),
      'forbidden',
    ],
  ]
  /** Opens a stream and takes its first change. */
  async function taken(): Promise<Results> {
    const results = subscribe(client, BRIEF)
    const first = results.next()
    await until(() => push !== null)
    push?.()
    expect((await first).data).toBeDefined()
    return results
  }
  it.each(REFUSED)('a stream %s ends, and shows nothing more', async (_whose, later, code) => {
    const results = await taken()
    authenticate = later
    const second = results.next()
    push?.()
    await expect(second).rejects.toMatchObject([{ extensions: { code } }])
    await until(() => push === null)
  })

  describe('without a change', () => {
    beforeEach(() => void vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] }))
    afterEach(() => void vi.useRealTimers())

    it.each(REFUSED)('a stream %s ends within half a minute', async (_whose, later, code) => {
      const results = await taken()
      authenticate = later
      const second = results.next()
      vi.advanceTimersByTime(30_000)
      await expect(second).rejects.toMatchObject([{ extensions: { code } }])
      await until(() => push === null)
    })

    it('a stream continues while its key cannot be read', async () => {
      const results = await taken()
      const asked = Promise.withResolvers<void>()
      authenticate = async () => {
        asked.resolve()
        throw new Error('the database is away')
      }
      const second = results.next()
      vi.advanceTimersByTime(30_000)
      await asked.promise
      authenticate = async () => credential('live')
      push?.()
      expect((await second).data).toBeDefined()
    })
  })

  it('a marketplace has a limited number of streams', async () => {
    const held = subscribe(client, BRIEF)
    const first = held.next()
    await until(() => push !== null)
    const { errors } = await subscribe(client, BRIEF).next()
    expect(errors).toMatchObject([{ extensions: { code: 'rate_limited' } }])
    push?.()
    await first
    await held.stop()
  })

  it('a cursor whose changes may be deleted is refused', async () => {
    const { cursorSecret } = service.parts.settings
    const { tenant } = credential('live')
    const scope = JSON.stringify(['marketplacePaymentsUpdated', tenant.network, tenant.accountId])
    const old = new Date(NOW.getTime() - RETENTION_MS)
    const after = createCursors(cursorSecret).seal(scope, `7 7 ${old.toISOString()}`)
    const { errors } = await subscribe(client, BRIEF, { after }).next()
    expect(errors).toMatchObject([
      {
        message: 'after is older than 59 days: take a new cursor, and list the payments again',
        extensions: { code: 'invalid_request' },
      },
    ])
  })
})
