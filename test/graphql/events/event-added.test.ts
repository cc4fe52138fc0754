// The event log as it grows, over a websocket and server-sent events: nothing is missed and nothing is repeated across
// connections, and nothing of another business is shown.
import type { Client } from 'graphql-ws'
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest'
import { createLiveEventLog } from '#adapters/prisma/events/live-events.ts'
import type { Tenant } from '#core/accounts/account.ts'
import type { LoggedEvent } from '#core/events/envelope.ts'
import { startChange, step } from '#core/payments/change.ts'
import type { PaymentIntent } from '#core/payments/payment-intent.ts'
import { openTestDatabase } from '../../support/database.ts'
import { type Results, serverSentEvents, subscribe, webSocketClient } from '../../support/graphql-client.ts'
import { NOW, units } from '../../support/payment.ts'
import { withKey } from '../../support/services.ts'
import { addBusiness, addIntent, type Stores, storesOf } from '../../support/stores.ts'
import { until } from '../../support/until.ts'
import { startWebhookEdge, type WebhookEdge } from '../../support/webhook-edge.ts'

const ADDED = `subscription Added($after: String) {
  eventAdded(after: $after) { cursor event { id type version data } }
}`

let edge: WebhookEdge
let stores: Stores
const clients: Client[] = []
beforeAll(async () => {
  edge = await startWebhookEdge()
  stores = storesOf(edge.database)
})
afterEach(async () => {
  for (const client of clients.splice(0)) await client.dispose()
})
afterAll(() => edge.close())

function connect(key = edge.keys.own): Client {
  const client = webSocketClient(edge.url, withKey(key))
  clients.push(client)
  return client
}
const follow = (after: string | null, client = connect()) => subscribe(client, ADDED, { after })
type Added = { cursor: string; event: { id: string; type: string; version: number; data: { id: string } } }
// biome-ignore lint/suspicious/noExplicitAny: a test looks into whatever came back.
const next = async (results: Results): Promise<Added> => ((await results.next()) as any).data.eventAdded
const said = ({ event: { type, version, data } }: Added) => [type, data.id, version]

const pay = (by: Tenant = edge.tenant) => addIntent(stores, by)
async function receive(intent: PaymentIntent, amount: bigint): Promise<PaymentIntent> {
  const patch = { status: 'underpaid', received: units(amount) } as const
  const change = step(startChange(intent), patch, NOW, 'intent.underpaid')
  expect(await stores.work.apply(change)).toBe(true)
  return change.after
}
/** The last cursor of the log, by the list. */
async function lastCursor(): Promise<string> {
  const { body } = await edge.graphql('{ events(last: 1) { pageInfo { endCursor } } }', {}, withKey(edge.keys.own))
  return body.data.events.pageInfo.endCursor
}

it('continues after a cursor with what was missed, in order, and then with each new event', async () => {
  let intent = await pay()
  const connection = connect()
  const results = follow(await lastCursor(), connection)
  intent = await receive(intent, 1n)
  const seen = await next(results)
  expect(said(seen)).toEqual(['intent.underpaid', intent.id, 2])
  connection.terminate()

  const missed: PaymentIntent[] = []
  for (let count = 0; count < 45; count += 1) missed.push(await pay())
  const again = follow(seen.cursor)
  for (const { id } of missed) expect(said(await next(again))).toEqual(['intent.created', id, 1])
  const live = next(again)
  intent = await receive(intent, 2n)
  expect(said(await live)).toEqual(['intent.underpaid', intent.id, 3])
})

// The embedded engine has one connection, so its transactions end in the order in which they begin.
it('waits for an older transaction, whose event comes first', async () => {
  const db = await openTestDatabase('postgresql')
  const own = storesOf(db)
  const tenant = await addBusiness(db)
  const liveLog = await createLiveEventLog(db, { idle: 3_600_000, pending: 20 })
  const start = await liveLog.present()
  const [first, second] = [await addIntent(own, tenant), await addIntent(own, tenant)]
  const controller = new AbortController()
  const events: LoggedEvent[] = []
  const over = (async () => {
    for await (const event of liveLog.follow(tenant, start, controller.signal)) events.push(event)
  })()
  await until(() => events.length === 2)
  await db.session(async ({ query }) => {
    await query('BEGIN')
    // It has a number before its first event has one.
    await query('SELECT pg_current_xact_id()')
    const change = step(startChange(second), { status: 'underpaid', received: units(5n) }, NOW, 'intent.underpaid')
    expect(await own.work.apply(change)).toBe(true)
    for (let reading = 0; reading < 20; reading += 1) await liveLog.present()
    expect(events).toHaveLength(2)
    await query(
      `INSERT INTO events (network, account_id, receiver_account_id, type, subject_kind, subject_id, intent_id, data)
       SELECT network, account_id, receiver_account_id, 'intent.paid', subject_kind, subject_id, intent_id, data
       FROM events WHERE intent_id = $1`,
      [first.id],
    )
    await query('COMMIT')
  })
  await until(() => events.length === 4)
  expect(events.slice(2).map(({ type }) => type)).toEqual(['intent.paid', 'intent.underpaid'])
  controller.abort()
  await over
  await liveLog.close()
  await db.close()
})

it('is the same by server-sent events', async () => {
  const first = await pay()
  const after = await lastCursor()
  const second = await pay()
  const response = await fetch(`${edge.url}/graphql`, {
    method: 'POST',
    headers: { ...withKey(edge.keys.own), accept: 'text/event-stream', 'content-type': 'application/json' },
    body: JSON.stringify({ query: ADDED, variables: { after } }),
  })
  const events = serverSentEvents(response)
  const sent = async (): Promise<Added> => (await events.next()).value.data.eventAdded
  expect(said(await sent())).toEqual(['intent.created', second.id, 1])
  const live = sent()
  const changed = await receive(first, 9n)
  expect(said(await live)).toEqual(['intent.underpaid', changed.id, 2])
})

it('shows a business its own events alone, also with the cursor of another business', async () => {
  const theirs = follow(null, connect(edge.keys.other))
  expect(await begun(edge.other, [theirs])).toMatchObject([{ event: { type: 'intent.created' } }])
  await pay()
  const foreign = await follow(await lastCursor(), connect(edge.keys.other)).next()
  expect(JSON.stringify(foreign)).toContain('invalid_request')
})

/** Returns the first event of each stream. They have begun when it arrives. */
async function begun(by: Tenant, streams: readonly Results[]): Promise<readonly Added[]> {
  const pinged = setInterval(() => void pay(by), 50)
  return await Promise.all(streams.map(next)).finally(() => clearInterval(pinged))
}

it('ends at the next event when its key is revoked', async () => {
  const by = await addBusiness(edge.database)
  const stream = follow(null, connect(await edge.keyOf(by)))
  await begun(by, [stream])
  await edge.revokeKeys(by)
  await pay(by)
  const reading = (async () => {
    for (;;) await next(stream)
  })()
  expect(JSON.stringify(await reading.catch((refusal: unknown) => refusal))).toContain('unauthenticated')
})

it('may be followed 50 times at once by a business', async () => {
  const by = await addBusiness(edge.database)
  const key = await edge.keyOf(by)
  const connection = connect(key)
  await begun(
    by,
    Array.from({ length: 50 }, () => follow(null, connection)),
  )
  expect(JSON.stringify(await follow(null, connect(key)).next())).toContain('rate_limited')
})

it('is refused with a revoked key, and without the scopes', async () => {
  const scopeless = await edge.keyOf(edge.tenant, ['payments-view'])
  const refused = await follow(null, connect(scopeless)).next()
  expect(JSON.stringify(refused)).toContain('forbidden')
  const { status } = await edge.graphql(ADDED, {}, { ...withKey(edge.keys.revoked), accept: 'text/event-stream' })
  expect(status).toBe(401)
})
