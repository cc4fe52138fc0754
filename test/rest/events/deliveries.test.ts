// The deliveries of a business by REST, over a real database: what they show, to whom, and their SQL.
import { Webhook } from 'standardwebhooks'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { formatWebhookSecret } from '#services/events/signature.ts'
import { type Answer, answerWith, type Receiver, startReceiver } from '../../support/receiver.ts'
import { withKey } from '../../support/services.ts'
import { indexesOf } from '../../support/statements.ts'
import { secretOf, startWebhookEdge, type WebhookEdge } from '../../support/webhook-edge.ts'
import { addEndpoint, addIntent, type Staged, stage } from '../../support/webhook-rows.ts'

let edge: WebhookEdge
beforeAll(async () => {
  edge = await startWebhookEdge()
})
afterAll(() => edge.close())
beforeEach(async () => {
  edge.world.now = START
  await edge.database.query('DELETE FROM webhook_deliveries')
  await edge.database.query('DELETE FROM webhook_endpoints')
})
const receivers: Receiver[] = []
afterEach(async () => {
  for (const receiver of receivers.splice(0)) await receiver.close()
})

const START = new Date('2026-11-20T12:00:00.000Z')
const inMinutes = (minutes: number) => new Date(START.getTime() + minutes * 60_000)

async function endpointThat(answer: Answer, accountId = edge.tenant.accountId) {
  const receiver = await startReceiver(answer)
  receivers.push(receiver)
  return { id: await addEndpoint(edge.database, accountId, receiver.url), receiver }
}
const event = (
  endpointId: string,
  at = START,
  fields: { type?: string; accountId?: string; intentId?: string } = {},
): Promise<Staged> => stage(edge.database, { accountId: edge.tenant.accountId, endpointId, dueAt: at, ...fields })

const get = async (path: string, key = edge.keys.own) => {
  const { status, body } = await edge.get(path, withKey(key))
  return status === 200 ? body : [status, body]
}
const idsOf = async (query: string, key?: string): Promise<string[]> =>
  (await get(`/webhook-deliveries${query}`, key)).deliveries.map(({ id }: { id: string }) => id)

describe('GET /webhook-deliveries/:id', () => {
  it('shows every attempt, with what was sent and what came back', async () => {
    let status = 500
    const { id, receiver } = await endpointThat((response) => {
      response.writeHead(status, { 'x-shop': 'one' }).end(`answer ${status}`)
    })
    const { deliveryId, eventId } = await event(id)
    await edge.deliver()
    status = 200
    edge.world.now = inMinutes(1)
    await edge.deliver()
    const shown = await get(`/webhook-deliveries/${deliveryId}`)
    const attempt = (at: number) => ({
      number: at + 1,
      duration_ms: expect.any(Number),
      request_headers: {
        'content-type': 'application/json',
        'user-agent': 'solana-payments-webhooks/1',
        'webhook-id': eventId,
        'webhook-timestamp': receiver.received[at]?.headers['webhook-timestamp'],
        'webhook-signature': receiver.received[at]?.headers['webhook-signature'],
      },
      response_headers: expect.objectContaining({ 'x-shop': 'one' }),
    })
    const body = JSON.parse(receiver.received[0]?.body ?? '')
    expect(shown).toEqual({
      id: deliveryId,
      endpoint_id: id,
      url: receiver.url,
      event_id: eventId,
      type: 'intent.created',
      status: 'succeeded',
      attempt_count: 2,
      next_attempt_at: null,
      last_status_code: 200,
      last_error: null,
      created_at: START.toISOString(),
      attempts: [
        {
          ...attempt(0),
          started_at: START.toISOString(),
          response_status: 500,
          response_body: 'answer 500',
          error: 'answered 500',
        },
        {
          ...attempt(1),
          started_at: inMinutes(1).toISOString(),
          response_status: 200,
          response_body: 'answer 200',
          error: null,
        },
      ],
      event: body,
    })
    expect(JSON.stringify(shown.event)).toBe(receiver.received[1]?.body)
  })

  it('shows a request without an answer, its time and the next try', async () => {
    const { id } = await endpointThat(() => {})
    const { deliveryId } = await event(id)
    await edge.deliver(50)
    expect(await get(`/webhook-deliveries/${deliveryId}`)).toMatchObject({
      status: 'pending',
      next_attempt_at: new Date(START.getTime() + 5_000).toISOString(),
      last_error: 'no answer within 0.05 s',
      attempts: [
        { response_status: null, response_headers: null, response_body: null, error: 'no answer within 0.05 s' },
      ],
    })
  })

  it('of an endpoint that is disabled has failed without an attempt, and of a deleted one is still shown', async () => {
    const { id, receiver } = await endpointThat(answerWith(200))
    const { deliveryId } = await event(id)
    await edge.ask('DELETE', `/webhook-endpoints/${id}`, withKey(edge.keys.own))
    await edge.deliver()
    expect(await get(`/webhook-deliveries/${deliveryId}`)).toMatchObject({
      endpoint_id: id,
      url: receiver.url,
      status: 'failed',
      attempt_count: 0,
      last_error: 'the endpoint is disabled',
      attempts: [],
    })
    expect(receiver.received).toEqual([])
    expect(await idsOf(`?endpoint_id=${id}`)).toEqual([deliveryId])
  })
})

describe('GET /webhook-deliveries', () => {
  it('lists the newest first, in pages', async () => {
    const { id } = await endpointThat(answerWith(200))
    const made: string[] = []
    for (let at = 0; at < 5; at += 1) made.unshift((await event(id, inMinutes(at))).deliveryId)
    const seen: string[] = []
    let cursor = ''
    do {
      const page = await get(`/webhook-deliveries?limit=2${cursor && `&cursor=${cursor}`}`)
      seen.push(...page.deliveries.map(({ id }: { id: string }) => id))
      cursor = page.next_cursor
    } while (cursor)
    expect(seen).toEqual(made)
  })

  it('finds by endpoint, event, payment, type, status and time', async () => {
    const [good, bad] = [await endpointThat(answerWith(204)), await endpointThat(answerWith(410))]
    const first = await event(good.id, inMinutes(0))
    const second = await event(bad.id, inMinutes(1))
    const intentId = await addIntent(edge.database, edge.tenant.accountId)
    const swept = await event(good.id, inMinutes(2), { type: 'intent.swept', intentId })
    edge.world.now = inMinutes(1)
    await edge.deliver()
    const [a, b, c] = [first.deliveryId, second.deliveryId, swept.deliveryId]
    expect(await idsOf('')).toEqual([c, b, a])
    expect(await idsOf(`?endpoint_id=${good.id}`)).toEqual([c, a])
    expect(await idsOf(`?event_id=${second.eventId}`)).toEqual([b])
    expect(await idsOf(`?payment_id=${intentId}`)).toEqual([c])
    expect(await idsOf('?type=intent.swept')).toEqual([c])
    expect(await idsOf('?status=succeeded')).toEqual([a])
    expect(await idsOf('?status=pending,failed')).toEqual([c, b])
    expect(await idsOf(`?from=${inMinutes(1).toISOString()}`)).toEqual([c, b])
    expect(await idsOf(`?from=${inMinutes(0).toISOString()}&to=${inMinutes(1).toISOString()}`)).toEqual([a])
    const document = 'query ($ids: [String!]) { deliveries(filter: { eventIds: $ids }) { edges { node { uuid } } } }'
    const ofEvents = async (ids: readonly string[]) =>
      (await edge.graphql(document, { ids }, withKey(edge.keys.own))).body
    const found = await ofEvents([first.eventId, second.eventId, 'x'])
    expect(found.data.deliveries.edges.map(({ node }: { node: { uuid: string } }) => node.uuid)).toEqual([b, a])
    expect((await ofEvents(Array.from({ length: 101 }, () => first.eventId))).errors[0].message).toBe(
      'eventIds must name at most 100 events',
    )
    for (const nothing of [
      `?endpoint_id=${a}`,
      '?endpoint_id=x',
      '?event_id=x',
      '?payment_id=x',
      '?status=failed&type=intent.swept',
    ])
      expect(await idsOf(nothing)).toEqual([])
    const { next_cursor } = await get('/webhook-deliveries?limit=1')
    expect(await get(`/webhook-deliveries?status=failed&cursor=${next_cursor}`)).toEqual([
      400,
      { error: 'cursor is not valid' },
    ])
  })

  it.each([
    ['status=done', 'status[0] must be one or more of pending, succeeded, failed, with commas between them'],
    ['type=moon.landed', 'type is not a type of event'],
    ['from=yesterday', 'from must be a time as in RFC 3339, such as 2026-11-20T12:00:00Z'],
    ['from=2026-11-21T00:00:00Z&to=2026-11-20T00:00:00Z', 'to must not be before from'],
    ['limit=0', 'limit must be an integer from 1 to 100'],
  ])('?%s answers 400', async (query, error) => {
    expect(await get(`/webhook-deliveries?${query}`)).toEqual([400, { error }])
  })
})

const post = async (path: string, body: object = {}, key = edge.keys.own) => {
  const { status, body: shown } = await edge.post(path, body, withKey(key))
  return [status, shown]
}
const DISABLED = [409, { error: 'the webhook endpoint is disabled or deleted, so nothing is sent to it' }]

describe('POST /webhook-deliveries/:id/redeliver', () => {
  it('sends a delivery again, whatever became of it, with the same event', async () => {
    let status = 200
    const { id, receiver } = await endpointThat((response) => response.writeHead(status).end())
    const { deliveryId, eventId } = await event(id)
    for (const answer of [200, 410, 200]) {
      status = answer
      await edge.deliver()
      await edge.send('PATCH', `/webhook-endpoints/${id}`, { enabled: true }, withKey(edge.keys.own))
      const [code, { delivery }] = await post(`/webhook-deliveries/${deliveryId}/redeliver`)
      expect([code, delivery]).toEqual([
        202,
        expect.objectContaining({ id: deliveryId, status: 'pending', next_attempt_at: START.toISOString() }),
      ])
    }
    await edge.deliver()
    expect(receiver.received.map(({ headers }) => headers['webhook-id'])).toEqual([eventId, eventId, eventId, eventId])
    expect(await get(`/webhook-deliveries/${deliveryId}`)).toMatchObject({ status: 'succeeded', attempt_count: 4 })
  })

  it('is refused for a disabled endpoint, and for a delivery that does not exist', async () => {
    const { id } = await endpointThat(answerWith(200))
    const { deliveryId } = await event(id)
    await edge.send('PATCH', `/webhook-endpoints/${id}`, { enabled: false }, withKey(edge.keys.own))
    await edge.deliver()
    expect(await post(`/webhook-deliveries/${deliveryId}/redeliver`)).toEqual(DISABLED)
    expect(await get(`/webhook-deliveries/${deliveryId}`)).toMatchObject({ status: 'failed' })
    for (const none of [id, 'x'])
      expect(await post(`/webhook-deliveries/${none}/redeliver`)).toEqual([
        404,
        { error: 'webhook delivery not found' },
      ])
  })
})

describe('POST /webhook-endpoints/:id/test', () => {
  it('sends a signed test to this endpoint alone, whatever types it has chosen, and shows its answer', async () => {
    const [one, other] = [await endpointThat(answerWith(204)), await endpointThat(answerWith(204))]
    const types = { event_types: ['intent.swept'] }
    await edge.send('PATCH', `/webhook-endpoints/${one.id}`, types, withKey(edge.keys.own))
    const [code, { delivery }] = await post(`/webhook-endpoints/${one.id}/test`)
    expect([code, delivery]).toMatchObject([202, { endpoint_id: one.id, type: 'webhook.test', attempt_count: 0 }])
    await edge.deliver()
    const [got] = one.receiver.received
    const header = (name: string) => String(got?.headers[name])
    const verified = new Webhook(formatWebhookSecret(secretOf(one.id, 1))).verify(got?.body ?? '', {
      'webhook-id': header('webhook-id'),
      'webhook-timestamp': header('webhook-timestamp'),
      'webhook-signature': header('webhook-signature'),
    })
    expect(verified).toMatchObject({ id: delivery.event_id, type: 'webhook.test' })
    expect(await get(`/webhook-deliveries/${delivery.id}`)).toMatchObject({ status: 'succeeded', event: verified })
    expect(await get(`/events/${delivery.event_id}`)).toEqual(verified)
    expect(other.receiver.received).toEqual([])
  })

  it('is refused for a disabled endpoint', async () => {
    const { id } = await endpointThat(answerWith(204))
    await edge.send('PATCH', `/webhook-endpoints/${id}`, { enabled: false }, withKey(edge.keys.own))
    expect(await post(`/webhook-endpoints/${id}/test`)).toEqual(DISABLED)
  })
})

describe('POST /webhook-endpoints/:id/redeliver', () => {
  it('sends what failed since a time again, or a range, or other statuses, of this endpoint alone', async () => {
    const { id, receiver } = await endpointThat(answerWith(200))
    const other = await endpointThat(answerWith(200))
    for (let at = 0; at < 4; at += 1) await event(id, inMinutes(at))
    await event(other.id, inMinutes(1))
    edge.world.now = inMinutes(5)
    await edge.deliver()
    await edge.database.query(`UPDATE webhook_deliveries SET status = 'failed' WHERE created_at >= $1`, [inMinutes(1)])
    const again = (body: object) => post(`/webhook-endpoints/${id}/redeliver`, body)
    const since = inMinutes(2).toISOString()
    expect(await again({ since })).toEqual([202, { count: 2 }])
    expect(await again({ since })).toEqual([202, { count: 0 }])
    expect(await again({ since: START.toISOString(), until: since, status: 'failed,succeeded' })).toEqual([
      202,
      { count: 2 },
    ])
    await edge.deliver()
    expect([receiver.received.length, other.receiver.received.length]).toEqual([8, 1])
    expect(new Set(receiver.received.map(({ headers }) => headers['webhook-id'])).size).toBe(4)
    expect(await again({ since: START.toISOString(), status: 'succeeded' })).toEqual([202, { count: 4 }])
  })

  it('is one statement', async () => {
    const { id } = await endpointThat(answerWith(200))
    await post(`/webhook-endpoints/${id}/redeliver`, { since: START.toISOString() })
    edge.statements.splice(0)
    await post(`/webhook-endpoints/${id}/redeliver`, { since: START.toISOString() })
    expect(edge.statements.filter(({ sql }) => sql.includes('UPDATE webhook_deliveries'))).toHaveLength(1)
  })

  it.each([
    [{}, 'since must be a time as in RFC 3339, such as 2026-11-20T12:00:00Z'],
    [{ since: START.toISOString(), until: '2020-01-01T00:00:00Z' }, 'until must not be before since'],
    [
      { since: START.toISOString(), status: 'lost' },
      'status[0] must be one or more of pending, succeeded, failed, with commas between them',
    ],
  ])('answers 400 to %j', async (body, error) => {
    const { id } = await endpointThat(answerWith(200))
    expect(await post(`/webhook-endpoints/${id}/redeliver`, body)).toEqual([400, { error }])
  })

  it('is refused for a disabled endpoint', async () => {
    const { id } = await endpointThat(answerWith(200))
    await edge.send('PATCH', `/webhook-endpoints/${id}`, { enabled: false }, withKey(edge.keys.own))
    expect(await post(`/webhook-endpoints/${id}/redeliver`, { since: START.toISOString() })).toEqual(DISABLED)
  })
})

it('no other business, key without the scope or revoked key sends anything again, or a test', async () => {
  const { id, receiver } = await endpointThat(answerWith(410))
  const { deliveryId } = await event(id)
  await edge.deliver()
  await edge.send('PATCH', `/webhook-endpoints/${id}`, { enabled: true }, withKey(edge.keys.own))
  for (const [path, body] of [
    [`/webhook-deliveries/${deliveryId}/redeliver`, {}],
    [`/webhook-endpoints/${id}/test`, {}],
    [`/webhook-endpoints/${id}/redeliver`, { since: START.toISOString() }],
  ] as const) {
    for (const key of [edge.keys.other, edge.keys.test]) expect((await post(path, body, key))[0]).toBe(404)
    expect((await post(path, body, edge.keys.unscoped))[0]).toBe(403)
    expect((await post(path, body, edge.keys.revoked))[0]).toBe(401)
  }
  await edge.deliver()
  expect(receiver.received).toHaveLength(1)
})

it('both show nothing to another business, a key without the scope, and a revoked key', async () => {
  const { id } = await endpointThat(answerWith(200))
  const { deliveryId } = await event(id)
  for (const key of [edge.keys.other, edge.keys.test]) {
    expect(await idsOf('', key)).toEqual([])
    expect(await idsOf(`?endpoint_id=${id}`, key)).toEqual([])
    const missing = [404, { error: 'webhook delivery not found' }]
    expect(await get(`/webhook-deliveries/${deliveryId}`, key)).toEqual(missing)
  }
  for (const path of ['/webhook-deliveries', `/webhook-deliveries/${deliveryId}`]) {
    expect((await edge.get(path, withKey(edge.keys.unscoped))).status).toBe(403)
    expect((await edge.get(path, withKey(edge.keys.revoked))).status).toBe(401)
    expect((await edge.get(path)).status).toBe(401)
  }
  expect(await get('/webhook-deliveries/x')).toEqual([404, { error: 'webhook delivery not found' }])
})

describe('in a large table', () => {
  const COUNT = 20_000
  let endpointId: string
  beforeEach(async () => {
    endpointId = (await endpointThat(answerWith(200))).id
    const theirs = (await endpointThat(answerWith(200), edge.other.accountId)).id
    const { eventId } = await event(endpointId)
    // Two businesses have them in turns; a few have failed.
    await edge.database.query(
      `WITH made AS (
         INSERT INTO events (network, account_id, receiver_account_id, type, subject_kind, subject_id, intent_id, data)
         SELECT network, account_id, receiver_account_id, type, subject_kind, subject_id, intent_id, data
         FROM events, generate_series(1, ${COUNT}) WHERE id = $1 RETURNING id, sequence
       )
       INSERT INTO webhook_deliveries (event_id, endpoint_id, account_id, type, sequence, status, created_at, finished_at)
       SELECT id, CASE WHEN sequence % 2 = 0 THEN $2::uuid ELSE $3::uuid END,
         CASE WHEN sequence % 2 = 0 THEN $4::uuid ELSE $5::uuid END, 'intent.created', sequence,
         CASE WHEN sequence % 1000 = 0 THEN 'failed' ELSE 'succeeded' END::delivery_status, now(), now()
       FROM made`,
      [eventId, endpointId, theirs, edge.tenant.accountId, edge.other.accountId],
    )
    await edge.database.session(({ script }) => script('VACUUM ANALYZE events, webhook_deliveries'))
  })

  it('a page is read by an index, in as many statements as it has kinds of rows', async () => {
    await idsOf('')
    for (const [query, index] of [
      ['?limit=100', /account_id_created_at/],
      ['?status=failed', /account_id_status/],
      [`?endpoint_id=${endpointId}`, /account_id_endpoint_id_created_at/],
    ] as const) {
      edge.statements.splice(0)
      await idsOf(query)
      expect(edge.statements).toHaveLength(2)
      const indexes = await indexesOf(edge.database, edge.statements[0])
      expect(indexes).toEqual([expect.stringMatching(index)])
    }
    const document = `{ deliveries(first: 50) { edges { node { attempts { number } event { id data } } } } }`
    edge.statements.splice(0)
    const { body } = await edge.graphql(document, {}, withKey(edge.keys.own))
    expect(body.data.deliveries.edges).toHaveLength(50)
    // The deliveries, their endpoints, attempts and events, and the accounts of the events.
    expect(edge.statements).toHaveLength(5)
  })
})
