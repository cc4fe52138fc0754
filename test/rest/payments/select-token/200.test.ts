import { expect, it } from 'vitest'
import { SOL } from '#core/chain/types.ts'
import { MINT, pendingIntent } from '../../../support/example-intent.ts'
import { CLIENT_SECRET, startTestService } from '../../../support/services.ts'
import { inSol, inToken } from '../../../support/wire.ts'

it('POST /intents/select-token answers exactly the locked amount; null is SOL', async () => {
  const asked: unknown[] = []
  const service = await startTestService({
    services: {
      intents: {
        selectToken: async (secret, asset) => {
          asked.push([secret, asset])
          return { ...pendingIntent, selection: asset === SOL ? inSol : inToken }
        },
      },
    },
  })
  const sol = await service.post('/intents/select-token', { client_secret: CLIENT_SECRET, mint: null })
  const token = await service.post('/intents/select-token', { client_secret: CLIENT_SECRET, mint: MINT })
  await service.close()
  expect(asked).toEqual([
    [CLIENT_SECRET, SOL],
    [CLIENT_SECRET, MINT],
  ])
  expect([sol.status, sol.body]).toEqual([
    200,
    {
      derivation_index: 42,
      address: pendingIntent.address,
      mint: null,
      mint_decimals: 9,
      expected_lamports: 133_266_667,
      status: 'pending',
      payment_uri: `solana:${pendingIntent.address}?amount=0.133266667&label=Corner%20Shop`,
    },
  ])
  expect(token.body).toMatchObject({ mint: MINT, mint_decimals: 6, expected_lamports: 25_000_000 })
  expect(Object.keys(token.body)).toEqual(Object.keys(sol.body))
})
