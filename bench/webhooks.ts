// Webhooks of 10,000 events: what an endpoint that fails and one that hangs cost a good one, and whether a receiver that fails,
// hangs and restarts misses any.
import { createHash, randomUUID } from 'node:crypto'
import { Webhook as StandardWebhook } from 'standardwebhooks'
import { Webhook as SvixWebhook } from 'svix'
import { type Database, openDatabase } from '#adapters/prisma/engine/database.ts'
import { applyMigrations } from '#adapters/prisma/engine/migrate.ts'
import { createDeliveryStore } from '#adapters/prisma/events/delivery-store.ts'
import { QUEUE_DELIVERIES } from '#adapters/prisma/events/outbox.ts'
import { createWebhookSender } from '#adapters/webhook-http/sender.ts'
import { intentToJson } from '#core/payments/payment-intent.ts'
import { createDeliverer } from '#services/events/deliver.ts'
import { formatWebhookSecret } from '#services/events/signature.ts'
import { pendingIntent } from '../test/support/example-intent.ts'
import { type Answer, answerWith, type Receiver, startReceiver } from '../test/support/receiver.ts'
import { addAccount, addEndpoint } from '../test/support/webhook-rows.ts'
import { openWorkplace } from './harness/workplace.ts'
import type { BenchResult } from './result.ts'

const EVENTS = 10_000
/** The deadline of a request. The service waits 15 s. */
const HANGS_MS = 500
const HOUR_MS = 3_600_000

const secretOf = (endpointId: string, version: number): Uint8Array =>
  createHash('sha256').update(`${endpointId}:${version}`).digest()

export async function benchWebhooks(progress: (line: string) => void): Promise<readonly BenchResult[]> {
  await using cleanup = new AsyncDisposableStack()
  const place = await openWorkplace()
  cleanup.defer(() => place.close())
  const url = await place.postgres.createDatabase('webhooks')
  const db = await openDatabase({ kind: 'postgresql', url, poolSize: 10 })
  cleanup.defer(() => db.close())
  await applyMigrations(db)
  const sender = createWebhookSender({ allowPrivate: true, timeoutMs: HANGS_MS })
  cleanup.defer(() => sender.close())
  let now = new Date()
  const deliverer = createDeliverer({
    worker: randomUUID(),
    store: createDeliveryStore(db),
    sender,
    secrets: { secret: secretOf },
    chainName: () => 'solana:localnet',
    clock: { now: () => now },
    wallClock: { now: () => new Date() },
    random: { fraction: Math.random },
  })
  const open = async (answer: Answer): Promise<Receiver> => {
    const receiver = await startReceiver(answer)
    cleanup.defer(() => receiver.close())
    return receiver
  }
  /** Returns how many webhooks a second the good receiver gets while everything that is due is sent. */
  const rateOf = async (good: Receiver, others: readonly Receiver[]): Promise<number> => {
    await db.query('TRUNCATE webhook_deliveries CASCADE')
    await stage(
      db,
      [good, ...others].map((receiver) => receiver.url),
      now,
    )
    const [before, began] = [good.received.length, performance.now()]
    const run = deliverAll(deliverer)
    while (good.received.length < before + EVENTS) await new Promise((resolve) => setTimeout(resolve, 20))
    const rate = (EVENTS * 1_000) / (performance.now() - began)
    // What is left for the others is not sent.
    await db.query('DELETE FROM webhook_deliveries')
    await run
    return rate
  }

  progress(`${EVENTS.toLocaleString('en')} events to one endpoint`)
  const good = await open(answerWith(200))
  const alone = await rateOf(good, [])
  progress('the same next to an endpoint that fails and one that hangs')
  const [failing, hanging] = [await open(answerWith(500)), await open(() => {})]
  const neighboured = await rateOf(good, [failing, hanging])

  progress('the same to a receiver that fails, hangs and restarts')
  const unsteady = await openUnsteady()
  cleanup.defer(() => unsteady.close())
  unsteady.endpointIds.push(...(await stage(db, [unsteady.url], now)))
  let rounds = 0
  for (; (await pendingOf(db)) > 0; rounds += 1) {
    await deliverAll(deliverer)
    now = new Date(now.getTime() + HOUR_MS)
    await unsteady.restart()
  }
  const missing = EVENTS - unsteady.accepted.size
  return [
    {
      name: 'webhooks next to an endpoint that fails and one that hangs',
      ours: neighboured,
      baseline: alone,
      unit: 'webhooks/s',
      ratio: neighboured / alone,
      target: { atLeast: 0.7 },
      detail: `${failing.received.length} requests to the one that fails, ${hanging.received.length} to the one that hangs`,
    },
    {
      name: 'events missing or unsigned at an unsteady receiver',
      ours: missing + unsteady.unsigned.length,
      baseline: null,
      unit: `of ${EVENTS}`,
      ratio: missing + unsteady.unsigned.length,
      target: { atMost: 0 },
      detail: `${unsteady.requests()} requests in ${rounds} rounds of an hour, each verified by standardwebhooks and svix`,
    },
  ]
}

async function deliverAll(deliverer: ReturnType<typeof createDeliverer>): Promise<void> {
  while ((await deliverer.runOnce()).again);
}

async function pendingOf(db: Database): Promise<number> {
  const [row] = await db.query<{ count: bigint }>(`SELECT count(*) FROM webhook_deliveries WHERE status = 'pending'`)
  return Number(row?.count)
}

/** Stages events of as many payments, each with a delivery to an endpoint at every URL. Returns the endpoints. */
async function stage(db: Database, urls: readonly string[], at: Date): Promise<readonly string[]> {
  const accountId = await addAccount(db)
  const endpoints = await Promise.all(urls.map((url) => addEndpoint(db, accountId, url)))
  await db.query(
    `WITH staged AS (
       INSERT INTO events (network, account_id, receiver_account_id, type, subject_kind, subject_id, intent_id, data,
         created_at)
       SELECT 'live', $1::uuid, $1::uuid, 'intent.created', 'payment', id, id, $2, $3
       FROM (SELECT gen_random_uuid() AS id FROM generate_series(1, $4::int) OFFSET 0) payment
       RETURNING id, receiver_account_id, type, subject_id, sequence
     ), wanted AS (
       SELECT id AS event_id, endpoint_id, receiver_account_id AS account_id, type, subject_id, sequence,
         $3::timestamptz AS staged_at
       FROM staged CROSS JOIN unnest($5::uuid[]) endpoint_id
     ), ${QUEUE_DELIVERIES}
     SELECT count(*) FROM queued`,
    [accountId, intentToJson(pendingIntent), at, EVENTS, endpoints],
  )
  await db.session(({ script }) => script('ANALYZE'))
  return endpoints
}

type Request = Receiver['received'][number]

/** A receiver that refuses every seventh webhook, never answers every 400th, and can restart at its port. */
async function openUnsteady() {
  const endpointIds: string[] = []
  const accepted = new Set<unknown>()
  const unsigned: Request[] = []
  let requests = 0
  const answer: Answer = (response, request) => {
    requests += 1
    if (!endpointIds.some((id) => isSigned(request, id))) unsigned.push(request)
    if (requests % 400 === 0) return
    const isAccepted = requests % 7 > 0
    if (isAccepted) accepted.add(request.headers['webhook-id'])
    response.writeHead(isAccepted ? 200 : 503).end()
    // In the middle of everything.
    if (requests === EVENTS / 2) void restart()
  }
  let receiver = await startReceiver(answer)
  const { url, port } = receiver
  async function restart(): Promise<void> {
    await receiver.close()
    receiver = await startReceiver(answer, port)
  }
  return { url, endpointIds, accepted, unsigned, requests: () => requests, restart, close: () => receiver.close() }
}

function isSigned({ headers, body }: Request, endpointId: string): boolean {
  const secret = formatWebhookSecret(secretOf(endpointId, 1))
  const signed = Object.fromEntries(
    ['id', 'timestamp', 'signature'].map((name) => [`webhook-${name}`, String(headers[`webhook-${name}`])]),
  )
  try {
    new StandardWebhook(secret).verify(body, signed)
    new SvixWebhook(secret).verify(body, signed)
    return true
  } catch {
    return false
  }
}
