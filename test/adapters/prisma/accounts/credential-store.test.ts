// Credentials of every kind by their hash, on both engines.
import { randomBytes, randomUUID } from 'node:crypto'
import { beforeAll, expect, it, vi } from 'vitest'
import { createCredentialStore } from '#adapters/prisma/accounts/credential-store.ts'
import { createKeyStore } from '#adapters/prisma/accounts/key-store.ts'
import { createPortalSessionStore } from '#adapters/prisma/billing/portal-session-store.ts'
import type { Database } from '#adapters/prisma/engine/engine.ts'
import type { Tenant } from '#core/accounts/account.ts'
import { newPortalSession } from '#core/billing/portal-session.ts'
import { addSubscription, addSubscriptionIntent, addTier } from '../../../support/billing-rows.ts'
import { describeOnBothEngines } from '../../../support/database.ts'
import { NOW } from '../../../support/payment.ts'
import { addBusiness, newIntent, storesOf } from '../../../support/stores.ts'

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
