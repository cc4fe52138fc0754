import { expect, it } from 'vitest'
import { pendingIntent } from '../../../support/example-intent.ts'
import { startTestService, withKey } from '../../../support/services.ts'
import { INTENT_FIELDS, inSol, settledIntent } from '../../../support/wire.ts'

it('GET /intents?reference= answers the stored intent: no secret, no payment link, no status', async () => {
  const asked: unknown[] = []
  const service = await startTestService({
    services: {
      intents: {
        findByReference: async ({ accountId }, reference) => {
          asked.push([accountId, reference])
          return reference === 'order 1&2' ? { ...pendingIntent, selection: inSol } : settledIntent
        },
      },
    },
  })
  const pending = await service.get(`/intents?reference=${encodeURIComponent('order 1&2')}`, withKey())
  const longest = await service.get(`/intents?reference=${encodeURIComponent('💸'.repeat(500))}`, withKey())
  const settled = await service.get('/intents?reference=settled', withKey())
  await service.close()
  expect(asked[0]).toEqual([pendingIntent.accountId, 'order 1&2'])
  expect([pending.status, longest.status]).toEqual([200, 200])
  expect(Object.keys(pending.body)).toEqual(INTENT_FIELDS)
  expect(pending.body).toMatchObject({ mint: null, mint_decimals: 9, expected_lamports: 133_266_667 })
  expect(Object.keys(settled.body).sort()).toEqual([...INTENT_FIELDS, 'customer_details', 'marketplace_fee_bps'].sort())
})
