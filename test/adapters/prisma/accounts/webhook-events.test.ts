// The types of events that a business chooses for its webhooks.
import { randomUUID } from 'node:crypto'
import { beforeAll, expect, test } from 'vitest'
import { createAccountStore } from '#adapters/prisma/accounts/account-store.ts'
import type { Database } from '#adapters/prisma/engine/database.ts'
import { createDeliveryLog } from '#adapters/prisma/events/delivery-log.ts'
import { startChange, step } from '#core/payments/change.ts'
import { describeOnBothEngines } from '../../../support/database.ts'
import { NOW } from '../../../support/payment.ts'
import { addBusiness, addIntent, storesOf } from '../../../support/stores.ts'

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
    const newId = randomUUID()
    await accounts.update(accountId, {}, { newId, url: 'https://shop.example/', eventTypes: ['intent.swept'], at: NOW })
    expect(await accounts.webhookEvents(accountId)).toEqual(['intent.swept'])

    const intent = await addIntent(stores, tenant)
    await createDeliveryLog(db).stageTest({ accountId, network: 'live', at: NOW })
    expect(await types()).toEqual(['webhook.test'])
    await stores.work.apply(step(startChange(intent), { status: 'swept' }, NOW, 'intent.swept'))
    expect(await types()).toEqual(['intent.swept', 'webhook.test'])

    await accounts.update(accountId, {}, { newId, url: 'https://new.example/', at: NOW })
    expect(await accounts.webhookEvents(accountId)).toEqual(['intent.swept'])
    await accounts.update(accountId, {}, { newId, eventTypes: [], at: NOW })
    expect([await accounts.webhookUrl(accountId), await accounts.webhookEvents(accountId)]).toEqual([
      'https://new.example/',
      [],
    ])
    await addIntent(stores, tenant)
    expect(await types()).toEqual(['intent.created', 'intent.swept', 'webhook.test'])
  })
})
