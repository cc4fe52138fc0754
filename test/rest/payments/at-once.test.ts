// Many concurrent requests of one checkout, over the real stores: a write is decided again when another write came
// first.
import { createHash } from 'node:crypto'
import { expect, it } from 'vitest'
import { MAX_CHANGES } from '#core/events/change-limit.ts'
import { createFindByClientSecret, createSelectToken, createUpdateDetails } from '#services/payments/checkout.ts'
import { describeOnBothEngines } from '../../support/database.ts'
import { choice, context, NOW } from '../../support/payment.ts'
import { CLIENT_SECRET, startTestService } from '../../support/services.ts'
import { addBusiness, addIntent, storesOf } from '../../support/stores.ts'

const hash = (secret: string) => createHash('sha256').update(secret).digest()

describeOnBothEngines('fifty requests of one checkout at once', (open) => {
  it('are all answered, and the limit of selections holds', async () => {
    const db = await open()
    const stores = storesOf(db)
    const tenant = await addBusiness(db)
    await addIntent(stores, tenant, { clientSecretHash: hash(CLIENT_SECRET) })
    const findByClientSecret = createFindByClientSecret({ checkout: stores.checkout, secrets: { hash } })
    const deps = { findByClientSecret, checkout: stores.checkout, store: stores.work, clock: { now: () => NOW } }
    const selectToken = createSelectToken({
      ...deps,
      directory: { tokens: async () => context().tokens },
      lockRate: async () => choice('SOL', 5_000_000n),
      takeInArrivals: async () => [],
    })
    const service = await startTestService({
      services: { intents: { selectToken, updateDetails: createUpdateDetails(deps) } },
    })

    const answers = await Promise.all(
      Array.from({ length: 50 }, (_, at) =>
        at % 2 === 0
          ? service.post('/intents/select-token', { client_secret: CLIENT_SECRET, mint: null })
          : service.post('/intents/details', { client_secret: CLIENT_SECRET, first_name: `Ada ${at}` }),
      ),
    )

    await service.close()
    const statusesOf = (selects: boolean) =>
      answers.filter((_, at) => (at % 2 === 0) === selects).map(({ status }) => status)
    expect(statusesOf(false)).toEqual(Array(25).fill(200))
    expect(statusesOf(true).toSorted()).toEqual([...Array(MAX_CHANGES).fill(200), ...Array(25 - MAX_CHANGES).fill(429)])
  })
})
