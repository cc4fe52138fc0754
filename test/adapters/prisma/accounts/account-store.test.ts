// API keys by their hash, on both engines.
import { randomBytes, randomUUID } from 'node:crypto'
import { beforeAll, expect, it, test, vi } from 'vitest'
import { createAccountStore, createKeyStore } from '#adapters/prisma/accounts/account-store.ts'
import { createCredentialStore } from '#adapters/prisma/accounts/credential-store.ts'
import { createPortalSessionStore } from '#adapters/prisma/billing/portal-store.ts'
import type { Database } from '#adapters/prisma/engine/database.ts'
import { createDeliveryLog } from '#adapters/prisma/events/delivery-log.ts'
import type { Tenant } from '#core/accounts/account.ts'
import { newPortalSession } from '#core/billing/portal-session.ts'
import { startChange, step } from '#core/payments/change.ts'
import { addSubscription, addSubscriptionIntent, addTier } from '../../../support/billing-rows.ts'
import { describeOnBothEngines } from '../../../support/database.ts'
import { NOW } from '../../../support/payment.ts'
import { addBusiness, addIntent, newIntent, storesOf } from '../../../support/stores.ts'
import { addAccount } from '../../../support/webhook-rows.ts'

describeOnBothEngines('API keys', (open) => {
  let db: Database
  let accountId: string
  beforeAll(async () => {
    db = await open()
    accountId = await addAccount(db)
  })
  const newKey = () => ({ id: randomUUID(), accountId, hash: randomBytes(32), hint: 'abcd', scopes: [] })

  it('are found among a thousand wrong keys, in few statements', async () => {
    const statements = vi.spyOn(db.prisma.apiKey, 'findMany')
    const keys = createKeyStore(db.prisma)
    const key = newKey()
    await keys.create(key)
    const wrong = Array.from({ length: 1_000 }, () => keys.findByHash(randomBytes(32)))
    expect(await keys.findByHash(key.hash)).toMatchObject({ key: { id: key.id }, account: { id: accountId } })
    expect(new Set(await Promise.all(wrong))).toEqual(new Set([null]))
    expect(statements.mock.calls.length).toBeGreaterThan(0)
    expect(statements.mock.calls.length).toBeLessThanOrEqual(10)
  })

  it('are not found after they are revoked', async () => {
    const keys = createKeyStore(db.prisma)
    const key = newKey()
    await keys.create(key)
    await keys.revoke(key.id, new Date('2026-11-20T10:00:00Z'))
    expect(await keys.findByHash(key.hash)).toBeNull()
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
  const newKey = () => ({ id: randomUUID(), accountId: tenant.accountId, hash: randomBytes(32), hint: '', scopes: [] })

  const ISSUE: Readonly<Record<string, () => Promise<Uint8Array>>> = {
    async 'an API key'() {
      const key = newKey()
      await createKeyStore(db.prisma).create(key)
      return key.hash
    },
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
    const keys = createKeyStore(db.prisma)
    const key = newKey()
    await keys.create(key)
    await keys.revoke(key.id, NOW)
    expect(await createCredentialStore(db).isIssued(key.hash)).toBe(false)
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
    await accounts.update(accountId, {}, { url: 'https://shop.example/', eventTypes: ['intent.swept'], at: NOW })
    expect(await accounts.webhookEvents(accountId)).toEqual(['intent.swept'])

    const intent = await addIntent(stores, tenant)
    await createDeliveryLog(db).stageTest({ accountId, network: 'live', at: NOW })
    expect(await types()).toEqual(['webhook.test'])
    await stores.work.apply(step(startChange(intent), { status: 'swept' }, NOW, 'intent.swept'))
    expect(await types()).toEqual(['intent.swept', 'webhook.test'])

    await accounts.update(accountId, {}, { url: 'https://new.example/', at: NOW })
    expect(await accounts.webhookEvents(accountId)).toEqual(['intent.swept'])
    await accounts.update(accountId, {}, { eventTypes: [], at: NOW })
    expect([await accounts.webhookUrl(accountId), await accounts.webhookEvents(accountId)]).toEqual([
      'https://new.example/',
      [],
    ])
    await addIntent(stores, tenant)
    expect(await types()).toEqual(['intent.created', 'intent.swept', 'webhook.test'])
  })
})
