// The operator's queries of the records, and the accounts that the operator manages, on both engines.
import { randomBytes, randomUUID } from 'node:crypto'
import { beforeAll, beforeEach, expect, it } from 'vitest'
import { createAccountStore } from '#adapters/prisma/accounts/account-store.ts'
import { createKeyStore } from '#adapters/prisma/accounts/key-store.ts'
import type { Database } from '#adapters/prisma/engine/engine.ts'
import { CLOCK_MOVED, DIRECTORY_CHANGED } from '#adapters/prisma/engine/notices.ts'
import { createEndpointStore } from '#adapters/prisma/events/endpoint-store.ts'
import { createOperatorStore, createWorkerStore } from '#adapters/prisma/platform/operator-store.ts'
import { createAnnouncer, createSettingStore } from '#adapters/prisma/platform/platform-store.ts'
import { makeAddress } from '#core/chain/base58.ts'
import { describeOnBothEngines, emptyTables } from '../../../support/database.ts'
import { AUTHOR } from '../../../support/keys.ts'
import { addBusiness } from '../../../support/stores.ts'
import { until } from '../../../support/until.ts'
import { addAccount, addEndpoint, addIntent, stage } from '../../../support/webhook-rows.ts'

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
