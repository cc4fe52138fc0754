import { randomBytes, randomUUID } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { createAccountStore } from '#adapters/prisma/accounts/account-store.ts'
import { createKeyStore } from '#adapters/prisma/accounts/key-store.ts'
import type { Database } from '#adapters/prisma/engine/database.ts'
import { CLOCK_MOVED, DIRECTORY_CHANGED } from '#adapters/prisma/engine/notices.ts'
import { createDeliveryLog } from '#adapters/prisma/events/delivery-log.ts'
import { createEndpointStore } from '#adapters/prisma/events/endpoint-store.ts'
import { createHeldStore } from '#adapters/prisma/payments/held-store.ts'
import { createOperatorStore, createWorkerStore } from '#adapters/prisma/platform/operator-store.ts'
import { createAnnouncer, createSettingStore } from '#adapters/prisma/platform/platform-store.ts'
import { makeAddress } from '#core/chain/base58.ts'
import { SOL } from '#core/chain/types.ts'
import type { DeliveryStatus } from '#core/events/delivery.ts'
import type { TransferStatus } from '#core/transfers/transfer.ts'
import type { DustLimits } from '#ports/held.ts'
import { describeOnBothEngines, emptyTables, openRecordedDatabase, type Statement } from '../../../support/database.ts'
import { AUTHOR } from '../../../support/keys.ts'
import { indexesOf, planOf } from '../../../support/statements.ts'
import { addBusiness } from '../../../support/stores.ts'
import { until } from '../../../support/until.ts'
import { addAccount, addEndpoint, addIntent, stage } from '../../../support/webhook-rows.ts'

// The operator's queries of the records, and the accounts that the operator manages, on both engines.
const WALLET = makeAddress('9xQeWvG816bUx9EPjHmaT23yvVM2ZWbrrpZb9PusVFin')
const NOW = new Date('2026-11-20T10:00:00Z')
const LATER = new Date('2026-11-20T11:00:00Z')

const empty = (db: Database) => emptyTables(db, 'accounts', 'settings', 'workers')

type TransferRow = {
  kind?: string
  status: string
  round?: number
  asset?: string
  portion?: string
  sourceAccount?: string
}

async function addTransfer(db: Database, accountId: string, intentId: string, row: TransferRow): Promise<string> {
  const { kind = 'sweep', status, round = 1, asset = 'SOL', portion = 'main', sourceAccount = null } = row
  const key = [kind, portion, intentId, round, asset].join(':')
  const [added] = await db.query<{ id: string }>(
    `INSERT INTO transfers (key, network, subject_kind, subject_id, kind, account_id, intent_id, source, source_account, authority,
       authority_key, asset, decimals, round, portion, status, reason, done_at, fence, created_at, updated_at)
     VALUES ($1, 'live', CASE WHEN $2 = 'rent' THEN 'rent' ELSE 'payment' END, $4, $2, $3, $4, $5, $10, $5, 'deposit/1/1', $6, 9,
       $7::int, $9::transfer_portion, $8::transfer_status, 'because', now(), 4, now() + $7::int * interval '1 second',
       now())
     RETURNING id`,
    [key, kind, accountId, intentId, WALLET, asset, round, status, portion, sourceAccount],
  )
  if (added === undefined) throw new Error('nothing was inserted')
  return added.id
}

describeOnBothEngines('the operator’s store', (open) => {
  let db: Database
  let accountId: string
  let intentId: string
  let store: ReturnType<typeof createOperatorStore>
  beforeAll(async () => {
    db = await open()
  })
  beforeEach(async () => {
    await empty(db)
    accountId = await addAccount(db)
    intentId = await addIntent(db, accountId)
    store = createOperatorStore(db)
  })
  const counts = (waitingSince = new Date(0)) => store.counts({ waitingSince })
  const add = (row: TransferRow) => addTransfer(db, accountId, intentId, row)
  const setIntent = (status: string) =>
    db.query(`UPDATE payment_intents SET status = $2::intent_status WHERE id = $1`, [intentId, status])

  it('answers while the database answers', async () => {
    await store.ping()
  })

  it('counts open intents, transfers under way, and transfers that wait for a person', async () => {
    const waits = {
      waitingTransfers: 0,
      longestWaiting: null,
      setAsidePayments: 0,
      firstSetAside: null,
    }
    const stands = { failedTransfers: 0, heldTransfers: 0, stuckIntents: 0, haltedAddresses: 0, disabledEndpoints: 0 }
    const none = { ...waits, ...stands }
    expect(await counts()).toEqual({ openIntents: 1, unfinishedTransfers: 0, ...none })
    await add({ status: 'planned' })
    await add({ status: 'in_progress', kind: 'rent' })
    await add({ status: 'done', kind: 'refund' })
    await setIntent('swept')
    expect(await counts()).toEqual({ openIntents: 0, unfinishedTransfers: 2, ...none })
  })

  it('shows the queues in which something waits: how much, since when, and how often it was tried again', async () => {
    expect(await store.queues()).toEqual([])
    await add({ status: 'planned' })
    await add({ status: 'in_progress', kind: 'refund' })
    await add({ status: 'done', kind: 'refund', round: 2 })
    await db.query(`UPDATE transfers SET attempt_count = 3, created_at = '2026-11-20T12:00:00Z' WHERE kind = 'refund'`)
    await db.query(
      `INSERT INTO set_aside_payments (intent_id, network, reason, attempts, set_aside_at, next_look_at)
       VALUES ($1, 'live', 'A price is missing.', 4, '2026-11-20T12:00:00Z', now())`,
      [intentId],
    )
    const oldestSince = new Date('2026-11-20T12:00:00Z')
    expect(await store.queues()).toEqual([
      { name: 'refund', waiting: 1, oldestSince, retries: 2 },
      { name: 'set_aside', waiting: 1, oldestSince, retries: 4 },
      { name: 'sweep', waiting: 1, oldestSince: expect.any(Date), retries: 0 },
    ])
  })

  it('counts a failed round only while no later round replaces it', async () => {
    await add({ status: 'failed', round: 1 })
    await add({ status: 'held', kind: 'refund', round: 1 })
    expect(await counts()).toMatchObject({ failedTransfers: 1, heldTransfers: 1 })
    await add({ status: 'done', round: 2 })
    await add({ status: 'done', kind: 'refund', asset: 'MINT', round: 2 })
    expect(await counts()).toMatchObject({ failedTransfers: 0, heldTransfers: 1 })
  })

  it('does not count a failed charge, which is tried again automatically', async () => {
    await add({ status: 'failed', kind: 'charge' })
    expect(await counts()).toMatchObject({ failedTransfers: 0 })
    await add({ status: 'held', kind: 'charge', round: 2 })
    expect(await counts()).toMatchObject({ heldTransfers: 1 })
  })

  it('counts another token account and the rent reserve by their own rounds', async () => {
    await add({ status: 'failed', kind: 'release', asset: 'MINT', round: 1, sourceAccount: 'OTHER' })
    await add({ status: 'done', kind: 'release', asset: 'MINT', round: 2 })
    expect(await counts()).toMatchObject({ failedTransfers: 1 })
    await add({ status: 'failed', round: 1 })
    await add({ status: 'in_progress', round: 2, portion: 'rent_reserve' })
    expect(await counts()).toMatchObject({ failedTransfers: 2 })
    await add({ status: 'failed', round: 3, portion: 'rent_reserve' })
    await add({ status: 'in_progress', round: 4, portion: 'rent_reserve' })
    expect(await counts()).toMatchObject({ failedTransfers: 2 })
  })

  it('counts each wallet of a refund by its own rounds', async () => {
    const refund = async (round: number, status: string, wallet: string) => {
      const id = await add({ status: 'planned', kind: 'refund', round })
      await db.query(`INSERT INTO transfer_legs VALUES ($1, 0, 'refund', $2, 9)`, [id, wallet])
      await db.query('UPDATE transfers SET status = $2::transfer_status WHERE id = $1', [id, status])
    }
    await refund(1, 'failed', 'FIRST')
    await refund(2, 'done', 'SECOND')
    expect(await counts()).toMatchObject({ failedTransfers: 1 })
    await refund(3, 'in_progress', 'FIRST')
    expect(await counts()).toMatchObject({ failedTransfers: 0 })
  })

  it('counts transfers that wait long, and shows the reason of the longest wait', async () => {
    await add({ status: 'in_progress', round: 3 })
    await add({ status: 'planned', kind: 'refund', round: 2 })
    const key = `refund:main:${intentId}:2:SOL`
    const waitingSince = new Date(Date.now() + 60_000)
    expect(await counts(waitingSince)).toMatchObject({
      waitingTransfers: 2,
      longestWaiting: { key, reason: 'because' },
    })
    await db.query('UPDATE transfers SET reason = NULL')
    expect(await counts(waitingSince)).toMatchObject({ longestWaiting: { key, reason: null } })
    expect(await counts(new Date(0))).toMatchObject({ waitingTransfers: 0, longestWaiting: null })
  })

  it.each<[string, TransferRow]>([
    ['a transfer that is done', { status: 'done' }],
    ['a transfer that is reported to a person in another way', { status: 'held' }],
    ['rent, which is not urgent', { status: 'in_progress', kind: 'rent' }],
    ['a charge, which has alerts of its own', { status: 'in_progress', kind: 'charge' }],
    ['a rent reserve, which goes last', { status: 'in_progress', portion: 'rent_reserve' }],
  ])('does not count as waiting %s', async (_what, row) => {
    await add(row)
    expect(await counts(new Date(Date.now() + 60_000))).toMatchObject({ waitingTransfers: 0, longestWaiting: null })
  })

  it('does not count a transfer that a halt blocks as waiting, because the halt is reported', async () => {
    const halt = `INSERT INTO halts (network, address, intent_id, reason, faults, halted_at)
      VALUES ('live', $1, $2, 'It differs.', '[]', now())`
    await add({ status: 'in_progress' })
    await db.query(halt, [WALLET, intentId])
    const waitingSince = new Date(Date.now() + 60_000)
    expect(await counts(waitingSince)).toMatchObject({ waitingTransfers: 0, haltedAddresses: 1 })
    await db.query(`UPDATE halts SET cleared_at = now(), cleared_by = 'reconciled'`)
    expect(await counts(waitingSince)).toMatchObject({ waitingTransfers: 1, haltedAddresses: 0 })
  })

  it('counts payments that are set aside, and names the first', async () => {
    const later = await addIntent(db, accountId)
    await db.query(
      `INSERT INTO set_aside_payments (intent_id, network, reason, set_aside_at, next_look_at)
       VALUES ($1, 'live', 'no price', $3, now()), ($2, 'live', 'no answer', $3::timestamptz + interval '1 minute', now())`,
      [intentId, later, NOW],
    )
    expect(await counts()).toMatchObject({ setAsidePayments: 2, firstSetAside: { intentId, reason: 'no price' } })
  })

  it('counts a payment as stuck when no transfer of it waits for a person', async () => {
    await setIntent('settle_failed')
    expect(await counts()).toMatchObject({ stuckIntents: 1, openIntents: 0 })
    await add({ status: 'failed' })
    expect(await counts()).toMatchObject({ stuckIntents: 0, failedTransfers: 1 })
  })

  it('counts endpoints that the service disabled, and not those that people disabled or deleted', async () => {
    const accounts = createAccountStore(db.prisma)
    await accounts.update(accountId, {}, AUTHOR, { url: 'https://a.example' })
    await accounts.update(accountId, {}, AUTHOR, { url: null })
    const tenant = await addBusiness(db)
    const own = createEndpointStore(db)
    const endpointId = await addEndpoint(db, tenant.accountId)
    await own.update(tenant, endpointId, { isEnabled: false }, AUTHOR)
    expect(await counts()).toMatchObject({ disabledEndpoints: 0 })
    await db.query(`UPDATE webhook_endpoints SET disabled_reason = 'gone' WHERE deleted_at IS NULL`)
    expect(await counts()).toMatchObject({ disabledEndpoints: 1 })
    await own.delete(tenant, endpointId, AUTHOR)
    expect(await counts()).toMatchObject({ disabledEndpoints: 0 })
  })

  it('lists transfers, the newest first, with the payment of each', async () => {
    const first = await add({ status: 'held' })
    const second = await add({ status: 'planned', round: 2 })
    const listed = await store.transfers({ status: null, limit: 20 })
    expect(listed.map(({ id }) => id)).toEqual([second, first])
    expect(listed[0]?.intentIndex).toBeGreaterThan(0)
    expect((await store.transfers({ status: 'held', limit: 20 })).map(({ id }) => id)).toEqual([first])
    expect(await store.transfers({ status: null, limit: 1 })).toHaveLength(1)
    expect(await store.transfer(randomUUID())).toBeNull()
  })

  it('lists instances at work until they end or are silent for long', async () => {
    const workers = createWorkerStore(db)
    const one = { id: randomUUID(), role: 'all', startedAt: NOW }
    const two = { id: randomUUID(), role: 'api', startedAt: LATER }
    await workers.beat(one, 600_000)
    await workers.beat(two, 600_000)
    await workers.beat({ ...one, startedAt: LATER }, 600_000)
    expect(await workers.list()).toMatchObject([one, two])
    await workers.retire(two.id)
    expect(await workers.list()).toHaveLength(1)
    await db.query("UPDATE workers SET last_seen_at = now() - interval '11 minutes'")
    await workers.beat(two, 600_000)
    expect((await workers.list()).map(({ id }) => id)).toEqual([two.id])
  })

  it('measures the silence of an instance until its next heartbeat', async () => {
    const workers = createWorkerStore(db)
    const one = { id: randomUUID(), role: 'all', startedAt: NOW }
    const silence = async () => (await workers.list())[0]?.silentMs ?? Number.NaN
    await workers.beat(one, 600_000)
    await db.query("UPDATE workers SET last_seen_at = now() - interval '90 seconds'")
    expect(Math.floor((await silence()) / 60_000)).toBe(1)
    await workers.beat(one, 600_000)
    expect(await silence()).toBeLessThan(60_000)
  })
})

describeOnBothEngines('accounts of the operator', (open) => {
  let db: Database
  let accounts: ReturnType<typeof createAccountStore>
  beforeAll(async () => {
    db = await open()
    accounts = createAccountStore(db.prisma)
  })
  beforeEach(() => empty(db))
  const draft = () =>
    ({ id: randomUUID(), network: 'live', name: 'Shop', label: null, sweepDestination: null }) as const
  const newKey = () => ({
    id: randomUUID(),
    hash: randomBytes(32),
    hint: 'abcd',
    name: 'First key',
    scopes: ['payments'] as const,
  })

  it('are created together with a key and an endpoint', async () => {
    const key = newKey()
    const account = await accounts.open(draft(), key, 'https://a.example', AUTHOR)
    expect(account.derivationIndex).toBeGreaterThan(0)
    expect(await accounts.webhookUrl(account.id)).toBe('https://a.example')
    expect(await createKeyStore(db.prisma).findByHash(key.hash)).toMatchObject({
      key: { hint: 'abcd', scopes: ['payments'] },
      account: { id: account.id },
    })
  })

  it('are not created when a part fails', async () => {
    const key = newKey()
    await accounts.open(draft(), key, null, AUTHOR)
    await expect(accounts.open(draft(), { ...newKey(), hash: key.hash }, null, AUTHOR)).rejects.toThrow()
    expect(await accounts.list()).toHaveLength(1)
  })

  it('keep waiting deliveries when their webhook moves to another URL', async () => {
    const accountId = await addAccount(db)
    await accounts.update(accountId, {}, AUTHOR, { url: 'https://typo.example' })
    await stage(db, { accountId, endpointId: accountId, dueAt: NOW })
    await db.query(`UPDATE webhook_endpoints SET disabled_at = now(), disabled_reason = 'gone'`)
    expect(await accounts.webhookUrl(accountId)).toBeNull()
    await accounts.update(accountId, { name: 'Renamed' }, AUTHOR, { url: 'https://right.example' })
    const waiting = await db.query(
      `SELECT endpoint.url, endpoint.disabled_at, endpoint.disabled_reason FROM webhook_deliveries delivery
       JOIN webhook_endpoints endpoint ON endpoint.id = delivery.endpoint_id WHERE delivery.status = 'pending'`,
    )
    expect(waiting).toEqual([{ url: 'https://right.example', disabled_at: null, disabled_reason: null }])
    expect((await accounts.find(accountId))?.name).toBe('Renamed')
  })

  it('have one endpoint of the operator, with the id of the account, next to those of the business', async () => {
    const accountId = await addAccount(db)
    const own = await addEndpoint(db, accountId, 'https://own.example')
    const replace = (url: string | null) => accounts.update(accountId, {}, AUTHOR, { url })
    const inUse = () => db.query(`SELECT id, url FROM webhook_endpoints WHERE disabled_at IS NULL ORDER BY url`)
    for (const url of ['https://first.example', 'https://next.example']) {
      await replace(url)
      expect(await accounts.webhookUrl(accountId)).toBe(url)
      expect(await inUse()).toEqual(
        [
          { id: accountId, url },
          { id: own, url: 'https://own.example' },
        ].toSorted((a, b) => (a.url < b.url ? -1 : 1)),
      )
    }
    await replace(null)
    expect([await accounts.webhookUrl(accountId), await inUse()]).toEqual([
      null,
      [{ id: own, url: 'https://own.example' }],
    ])
    await replace('https://back.example')
    expect([await accounts.webhookUrl(accountId), await inUse()]).toEqual(['https://back.example', expect.any(Array)])
    expect(await inUse()).toHaveLength(2)
  })

  it('that do not exist cannot be changed', async () => {
    const change = { url: 'https://a.example', at: NOW }
    expect(await accounts.update(randomUUID(), { name: 'X' }, AUTHOR, change)).toBeNull()
  })

  it('notify the other instances of a change', async () => {
    const heard: string[] = []
    const stops = await Promise.all(
      [DIRECTORY_CHANGED, CLOCK_MOVED].map((channel) => db.listen(channel, () => void heard.push(channel))),
    )
    const announcer = createAnnouncer(db)
    await announcer.directoryChanged()
    await announcer.clockMoved()
    await until(() => heard.length === 2)
    expect(heard).toEqual([DIRECTORY_CHANGED, CLOCK_MOVED])
    await Promise.all(stops.map((stop) => stop()))
  })

  it('a setting has its last written value', async () => {
    const settings = createSettingStore(db.prisma)
    expect(await settings.read('sandbox.clock_offset_ms')).toBeNull()
    await settings.write('sandbox.clock_offset_ms', 600_000)
    await settings.write('sandbox.clock_offset_ms', 900_000)
    expect(await settings.read('sandbox.clock_offset_ms')).toBe(900_000)
  })
})

// What the operator lists and counts is read by indexes: it takes as long among many rows as among few.
describe('the plans of the operator’s statements', () => {
  const COUNT = 10_000
  /** Payments that ended, ten of them in a failure, ten with held money and ten with dust. */
  const ADD_PAYMENTS = `
INSERT INTO payment_intents (id, network, account_id, caller_account_id, address, client_secret_hash, price_usd_cents,
  accepted_assets, payee_label, status, held, expires_at, created_at)
SELECT gen_random_uuid(), 'live', $1::uuid, $1::uuid, 'Bench' || replace(lpad(number::text, 38, '0'), '0', 'x'),
  sha256(int4send(number)), 100, '{SOL}', 'Shop',
  CASE number % 1000 WHEN 1 THEN 'settle_failed' ELSE 'swept' END::intent_status,
  CASE number % 1000 WHEN 2 THEN '[{"mint":null,"amount":"5000000","reason":"It waits."}]'
    WHEN 3 THEN '[{"mint":null,"amount":"1","reason":"It is dust."}]' ELSE '[]' END::jsonb, now(), now() + number * interval '1 s'
FROM generate_series(1, ${COUNT}) number`
  /** A transfer for each, ten of them with each status but `done`. */
  const ADD_TRANSFERS = `
INSERT INTO transfers (key, network, subject_kind, subject_id, kind, account_id, intent_id, source, authority,
  authority_key, asset, decimals, status, done_at, created_at, updated_at)
SELECT id, 'live', 'payment', id, 'sweep', account_id, id, address, address, 'deposit/1/1', 'SOL', 9, ended.status,
  CASE ended.status WHEN 'done' THEN now() END, created_at, now()
FROM payment_intents, LATERAL (SELECT CASE derivation_index % 1000 WHEN 2 THEN 'failed' WHEN 3 THEN 'held'
  WHEN 4 THEN 'planned' WHEN 5 THEN 'in_progress' ELSE 'done' END::transfer_status AS status) ended`
  /** An event for each, of the first account for one of a hundred, of the second for all others. The third receives them. */
  const ADD_EVENTS = `
INSERT INTO events (network, account_id, receiver_account_id, type, subject_kind, subject_id, intent_id, data, created_at)
SELECT 'live', CASE derivation_index % 100 WHEN 0 THEN $1::uuid ELSE $2::uuid END, $3::uuid, 'intent.created', 'payment', id, id, '{}', created_at
FROM payment_intents`
  /** A delivery for each, a few of them not yet sent, or failed. */
  const ADD_DELIVERIES = `
INSERT INTO webhook_deliveries (event_id, endpoint_id, account_id, type, subject_id, sequence, status, created_at, finished_at)
SELECT event.id, $1::uuid, receiver_account_id, type, subject_id, sequence, delivered.status, created_at,
  CASE delivered.status WHEN 'pending' THEN NULL ELSE created_at END
FROM events event, LATERAL (SELECT CASE sequence % 1000 WHEN 1 THEN 'failed' WHEN 2 THEN 'pending' ELSE 'succeeded'
  END::delivery_status AS status) delivered`

  let db: Database
  let statements: Statement[]
  /** A marketplace, a seller with few of its payments, and a business without payments. */
  let ids: { readonly marketplace: string; readonly seller: string; readonly quiet: string }
  beforeAll(async () => {
    ;({ database: db, statements } = await openRecordedDatabase())
    const marketplace = await addAccount(db)
    const sellerOf = () => addAccount(db, { marketplaceId: marketplace })
    ids = { marketplace, seller: await sellerOf(), quiet: await addAccount(db) }
    // Row by row, the figures of the payments take longer than all the rest.
    await db.query('ALTER TABLE payment_intents DISABLE TRIGGER USER')
    await db.query(ADD_PAYMENTS, [marketplace])
    await db.query(ADD_TRANSFERS)
    await db.query(ADD_EVENTS, [ids.seller, await sellerOf(), marketplace])
    await db.query(ADD_DELIVERIES, [await addEndpoint(db, marketplace)])
    await db.session(({ script }) => script('VACUUM ANALYZE'))
  })
  afterAll(() => db.close())
  beforeEach(() => void statements.splice(0))

  /** The indexes of the statements since the last test, which read none of the large tables as a whole. */
  async function indexesRead(): Promise<readonly string[]> {
    const indexes: string[] = []
    for (const statement of [...statements]) {
      const plan = (await planOf(db, statement)).join('\n')
      expect(plan).not.toMatch(/Seq Scan on (payment_intents|transfers|events|webhook_deliveries)\b/)
      indexes.push(...(await indexesOf(db, statement)))
    }
    return indexes
  }

  it('the counts of what waits for a person read the failed rows only', async () => {
    const counted = await createOperatorStore(db).counts({ waitingSince: new Date(0) })
    expect(counted).toMatchObject({ failedTransfers: 10, heldTransfers: 10, stuckIntents: 10, unfinishedTransfers: 20 })
    expect(await indexesRead()).toEqual(expect.arrayContaining(['transfers_ended', 'payment_intents_failed']))
  })

  it.each<[TransferStatus | null, string]>([
    [null, 'transfers_ended'],
    ['planned', 'transfers_due'],
    ['in_progress', 'transfers_due'],
    ['done', 'transfers_ended'],
    ['failed', 'transfers_ended'],
    ['held', 'transfers_ended'],
  ])('the newest transfers with the status %s are found by an index', async (status, index) => {
    const listed = await createOperatorStore(db).transfers({ status, limit: 8 })
    expect(listed).toHaveLength(8)
    expect(listed.filter((transfer) => status !== null && transfer.status !== status)).toEqual([])
    expect(await indexesRead()).toContain(index)
  })

  it.each<[string, string | null]>([
    ['', null],
    [' of a business', 'marketplace'],
  ])('the newest payments%s with held money are found by an index, and so is dust', async (_whose, account) => {
    const filter = { network: null, accountId: account === null ? null : ids.marketplace }
    const dust: DustLimits = new Map([['live', new Map([[SOL, 1n]])]])
    const store = createHeldStore(db)
    expect(await store.payments({ ...filter, dust, afterIndex: COUNT, limit: 8 })).toHaveLength(8)
    expect(await store.payments({ ...filter, dust: null, afterIndex: null, limit: 100 })).toHaveLength(20)
    expect(await store.countDust({ ...filter, dust, most: 8 })).toBe(8)
    expect(new Set(await indexesRead())).toEqual(new Set(['payment_intents_held']))
  })

  it.each<[DeliveryStatus | null, string]>([
    [null, 'webhook_deliveries_newest'],
    ['pending', 'webhook_deliveries_account_id_status_created_at_id_idx'],
    ['succeeded', 'webhook_deliveries_newest'],
    ['failed', 'webhook_deliveries_failed'],
  ])('the newest deliveries with the status %s are found by an index', async (status, index) => {
    const listed = await createDeliveryLog(db).list({ accountId: null, status, limit: 8 })
    expect(listed).toHaveLength(8)
    expect(listed.filter((delivery) => status !== null && delivery.status !== status)).toEqual([])
    expect(await indexesRead()).toContain(index)
  })

  it.each([
    ['a marketplace', 'marketplace', 8],
    ['a seller', 'seller', 8],
    ['a business without events', 'quiet', 0],
  ] as const)('the newest deliveries of %s are found by its events', async (_whose, account, count) => {
    const listed = await createDeliveryLog(db).list({ accountId: ids[account], status: null, limit: 8 })
    expect(listed).toHaveLength(count)
    expect(await indexesRead()).toEqual(expect.arrayContaining(['events_of_log', 'events_of_sellers']))
  })
})
