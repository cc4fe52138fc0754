// API keys by their hash, on both engines.
import { randomBytes } from 'node:crypto'
import { beforeAll, expect, it, test, vi } from 'vitest'
import { createAccountStore } from '#adapters/prisma/accounts/account-store.ts'
import { createCredentialStore } from '#adapters/prisma/accounts/credential-store.ts'
import { createKeyStore } from '#adapters/prisma/accounts/key-store.ts'
import { createPortalSessionStore } from '#adapters/prisma/billing/portal-store.ts'
import type { Database } from '#adapters/prisma/engine/database.ts'
import { createDeliveryLog } from '#adapters/prisma/events/delivery-log.ts'
import type { Tenant } from '#core/accounts/account.ts'
import { newPortalSession } from '#core/billing/portal-session.ts'
import { startChange, step } from '#core/payments/change.ts'
import { addSubscription, addSubscriptionIntent, addTier } from '../../../support/billing-rows.ts'
import { describeOnBothEngines } from '../../../support/database.ts'
import { AUTHOR, addKey } from '../../../support/keys.ts'
import { addressNo, NOW } from '../../../support/payment.ts'
import { addBusiness, addIntent, newIntent, storesOf } from '../../../support/stores.ts'
import { addAccount } from '../../../support/webhook-rows.ts'

describeOnBothEngines('API keys', (open) => {
  let db: Database
  let accountId: string
  beforeAll(async () => {
    db = await open()
    accountId = await addAccount(db)
  })
  it('are found among a thousand wrong keys, in few statements', async () => {
    const statements = vi.spyOn(db.prisma.apiKey, 'findMany')
    const keys = createKeyStore(db.prisma)
    const { key, hash } = await addKey(db, accountId)
    const wrong = Array.from({ length: 1_000 }, () => keys.findByHash(randomBytes(32)))
    expect(await keys.findByHash(hash)).toMatchObject({ key: { id: key.id }, account: { id: accountId } })
    expect(new Set(await Promise.all(wrong))).toEqual(new Set([null]))
    expect(statements.mock.calls.length).toBeGreaterThan(0)
    expect(statements.mock.calls.length).toBeLessThanOrEqual(10)
  })

  it('are marked as used at most once a minute', async () => {
    const keys = createKeyStore(db.prisma)
    const { key, hash } = await addKey(db, accountId)
    const lastUsed = async () => (await keys.findByHash(hash))?.key.lastUsedAt
    expect(await lastUsed()).toBeNull()
    await keys.markUsed(key.id, NOW)
    await keys.markUsed(key.id, new Date(NOW.getTime() + 59_000))
    expect(await lastUsed()).toEqual(NOW)
    await keys.markUsed(key.id, new Date(NOW.getTime() + 61_000))
    expect(await lastUsed()).toEqual(new Date(NOW.getTime() + 61_000))
  })
})

// Credentials of every kind by their hash, on both engines.
describeOnBothEngines('a credential is found by its hash', (open) => {
  let db: Database
  let tenant: Tenant
  beforeAll(async () => {
    db = await open()
    tenant = await addBusiness(db)
  })
  const ISSUE: Readonly<Record<string, () => Promise<Uint8Array>>> = {
    'an API key': async () => (await addKey(db, tenant.accountId)).hash,
    async 'a client secret'() {
      const stores = storesOf(db)
      const draft = await newIntent(stores, tenant)
      await stores.intents.create(tenant, draft)
      return draft.clientSecretHash
    },
    async 'the token of a checkout'() {
      const { id } = await addSubscriptionIntent(db, await addTier(db, tenant))
      return (await db.prisma.subscriptionIntent.findUniqueOrThrow({ where: { id } })).tokenHash
    },
    async 'the token of a portal'() {
      const { subscription } = await addSubscription(db, await addTier(db, tenant), NOW.getTime())
      const issued = { tokenHash: randomBytes(32), subscriptionId: subscription.id }
      const session = newPortalSession('merchant', issued, NOW)
      await createPortalSessionStore(db).create([session])
      return session.tokenHash
    },
  }

  it.each(Object.keys(ISSUE))('%s, among a thousand wrong ones, in few statements', async (kind) => {
    const hash = await ISSUE[kind]?.()
    const query = vi.spyOn(db, 'query')
    const credentials = createCredentialStore(db)
    const wrong = Array.from({ length: 1_000 }, () => credentials.isIssued(randomBytes(32)))
    expect(hash !== undefined && (await credentials.isIssued(hash))).toBe(true)
    expect(new Set(await Promise.all(wrong))).toEqual(new Set([false]))
    expect(query.mock.calls.length).toBeLessThanOrEqual(10)
    query.mockRestore()
  })

  it('and not after a key is revoked', async () => {
    const { key, hash } = await addKey(db, tenant.accountId)
    await createKeyStore(db.prisma).revoke(tenant, key.id, AUTHOR)
    expect(await createCredentialStore(db).isIssued(hash)).toBe(false)
  })
})

// The types of events that a business chooses for its webhooks.
describeOnBothEngines('an endpoint that has chosen intent.swept', (open) => {
  let db: Database
  beforeAll(async () => {
    db = await open()
  })

  test('receives no other event of a payment, the test of the operator, and everything when it chooses all', async () => {
    const stores = storesOf(db)
    const tenant = await addBusiness(db)
    const accounts = createAccountStore(db.prisma)
    const { accountId } = tenant
    const types = async () => {
      const deliveries = await createDeliveryLog(db).list({ accountId, status: null, limit: 10 })
      return deliveries.map(({ type }) => type).sort()
    }
    await accounts.update(accountId, {}, AUTHOR, {
      url: 'https://shop.example/',
      eventTypes: ['intent.swept'],
    })
    expect(await accounts.webhookEvents(accountId)).toEqual(['intent.swept'])

    const intent = await addIntent(stores, tenant)
    await createDeliveryLog(db).stageTest({ accountId, endpointId: null, network: 'live', at: NOW })
    expect(await types()).toEqual(['webhook.test'])
    await stores.work.apply(step(startChange(intent), { status: 'swept' }, NOW, 'intent.swept'))
    expect(await types()).toEqual(['intent.swept', 'webhook.test'])

    await accounts.update(accountId, {}, AUTHOR, { url: 'https://new.example/' })
    expect(await accounts.webhookEvents(accountId)).toEqual(['intent.swept'])
    await accounts.update(accountId, {}, AUTHOR, { eventTypes: [] })
    expect([await accounts.webhookUrl(accountId), await accounts.webhookEvents(accountId)]).toEqual([
      'https://new.example/',
      [],
    ])
    const entries = await db.prisma.auditEntry.findMany({ where: { accountId }, orderBy: { position: 'asc' } })
    expect(entries).toMatchObject([
      { action: 'webhook.created', actorKind: 'operator' },
      { action: 'webhook.updated', changes: { host: ['shop.example', 'new.example'] } },
      { action: 'webhook.updated', changes: { event_types: [['intent.swept'], []] } },
    ])
    await addIntent(stores, tenant)
    expect(await types()).toEqual(['intent.created', 'intent.swept', 'webhook.test'])
  })
})

const WALLET = addressNo(77)

describeOnBothEngines('the audit log says of a changed business', (open) => {
  let db: Database
  beforeAll(async () => {
    db = await open()
  })

  test('what buyers see and where its money goes, each before and after, and nothing of what stayed', async () => {
    const accountId = await addAccount(db)
    const accounts = createAccountStore(db.prisma)
    const { name } = (await accounts.find(accountId)) ?? {}
    await accounts.update(accountId, { label: 'Mugs', logoName: 'mugs.png', sweepDestination: WALLET }, AUTHOR)
    await accounts.update(accountId, { label: 'Mugs', ...(name !== undefined && { name }) }, AUTHOR)
    expect(await entriesOf(accountId)).toEqual([
      { action: 'business.updated', changes: { label: [null, 'Mugs'], logo_url: [null, '/images/mugs.png'] } },
      { action: 'business.payout_changed', changes: { sweep_destination: [null, WALLET] } },
    ])
  })

  test('each change once, when several come at the same time', async () => {
    const accountId = await addAccount(db)
    const accounts = createAccountStore(db.prisma)
    const labels = ['A', 'B', 'C', 'D', 'E']
    await Promise.all(labels.map((label) => accounts.update(accountId, { label }, AUTHOR)))
    const changes = (await entriesOf(accountId)).map((entry) => Object(entry.changes).label)
    expect(changes.map(([, after]) => after).sort()).toEqual(labels)
    expect(changes.map(([before]) => before)).toEqual([null, ...changes.slice(0, -1).map(([, after]) => after)])
  })

  const entriesOf = (accountId: string) =>
    db.prisma.auditEntry.findMany({
      where: { accountId },
      orderBy: { position: 'asc' },
      select: { action: true, changes: true },
    })
})
