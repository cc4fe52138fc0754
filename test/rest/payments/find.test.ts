import { expect, it } from 'vitest'
import { ServiceError } from '#core/errors.ts'
import { MINT, pendingIntent, SIGNATURE } from '../../support/example-intent.ts'
import { readsOfUnaccepted } from '../../support/reads.ts'
import { startTestService, withKey } from '../../support/services.ts'
import { INTENT_FIELDS, inSol, settledIntent } from '../../support/wire.ts'

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

it('GET /intents?reference= answers the tokens at the address that are not allowed, and leaves an empty list out', async () => {
  const seen = { arrivals: 2n, lastSignature: SIGNATURE, lastSeenAt: pendingIntent.createdAt }
  const service = await startTestService({
    services: { intents: { findByReference: async () => pendingIntent } },
    reads: () =>
      readsOfUnaccepted([
        { mint: MINT, ...seen },
        { mint: '', ...seen },
      ]),
  })
  const { body } = await service.get('/intents?reference=order-1', withKey())
  await service.close()
  const shown = { arrivals: 2, last_signature: SIGNATURE, last_seen_at: pendingIntent.createdAt.toISOString() }
  expect(body.unaccepted_tokens).toEqual([
    { mint: MINT, ...shown },
    { mint: null, ...shown },
  ])
})

it('GET /intents answers 400 without exactly one valid reference', async () => {
  const service = await startTestService()
  for (const query of [
    '',
    '?reference=',
    '?reference=a&reference=b',
    '?reference=a%00b',
    `?reference=${'a'.repeat(501)}`,
  ]) {
    const { status, body } = await service.get(`/intents${query}`, withKey())
    expect([query, status, body.error]).toEqual([query, 400, expect.stringMatching(/^reference /)])
  }
  await service.close()
})

it('GET /intents answers 404 when no intent has that reference', async () => {
  const service = await startTestService({
    services: {
      intents: {
        findByReference: async () => {
          throw new ServiceError('intent_not_found')
        },
      },
    },
  })
  const { status, body } = await service.get('/intents?reference=order-8', withKey())
  await service.close()
  expect([status, Object.keys(body)]).toEqual([404, ['error']])
})
