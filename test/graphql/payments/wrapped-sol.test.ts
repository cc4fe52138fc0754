// The allowlist shows SOL with the wrapped-SOL mint. Both edges accept this mint as SOL.
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { SOL, WRAPPED_SOL_MINT } from '#core/chain/types.ts'
import { MINT, pendingIntent } from '../../support/example-intent.ts'
import { CLIENT_SECRET, startTestService, type TestService, withKey } from '../../support/services.ts'

let asked: unknown[] = []
let service: TestService
beforeAll(async () => {
  service = await startTestService({
    services: {
      intents: {
        create: async (_caller, { acceptedAssets }) => {
          asked.push(acceptedAssets)
          return { intent: pendingIntent, clientSecret: CLIENT_SECRET, created: true }
        },
        selectToken: async (_secret, asset) => {
          asked.push(asset)
          return pendingIntent
        },
      },
    },
  })
})
afterAll(() => service.close())
beforeEach(() => {
  asked = []
})

it('POST /intents accepts it as SOL, and SOL once', async () => {
  const create = (accepted_tokens: object[]) =>
    service.post('/intents', { amount_usd_cents: 1, accepted_tokens }, withKey())
  const wrapped = { kind: 'spl', mint: WRAPPED_SOL_MINT }
  expect((await create([wrapped])).status).toBe(200)
  expect((await create([{ kind: 'sol' }, { kind: 'spl', mint: MINT }, wrapped])).status).toBe(200)
  expect(asked).toEqual([[SOL], [SOL, MINT]])
})

it('POST /intents/select-token selects SOL', async () => {
  const body = { client_secret: CLIENT_SECRET, mint: WRAPPED_SOL_MINT }
  expect((await service.post('/intents/select-token', body)).status).toBe(200)
  expect(asked).toEqual([SOL])
})

it('createPaymentIntent and selectToken accept it as SOL', async () => {
  const create = `mutation { createPaymentIntent(input: { amountUsdCents: 1, acceptedAssets: ["${WRAPPED_SOL_MINT}"] }) { created } }`
  expect((await service.graphql(create, {}, withKey())).body.errors).toBeUndefined()
  const select = `mutation { selectToken(clientSecret: "${CLIENT_SECRET}", asset: "${WRAPPED_SOL_MINT}") { status } }`
  expect((await service.graphql(select)).body.errors).toBeUndefined()
  expect(asked).toEqual([[SOL], SOL])
})

it('a list of more than 100 assets is refused by both edges, repeats included', async () => {
  const query = 'mutation($input: CreatePaymentIntentInput!) { createPaymentIntent(input: $input) { created } }'
  const create = (count: number) =>
    service.graphql(query, { input: { amountUsdCents: 1, acceptedAssets: Array(count).fill(SOL) } }, withKey())
  const { errors } = (await create(101)).body
  expect(errors[0]).toMatchObject({ message: 'acceptedAssets is too long', extensions: { code: 'invalid_request' } })
  const rest = { amount_usd_cents: 1, accepted_tokens: Array(101).fill({ kind: 'sol' }) }
  expect((await service.post('/intents', rest, withKey())).body).toEqual({ error: 'accepted_tokens is too long' })
  expect(asked).toEqual([])
  expect((await create(100)).body.errors).toBeUndefined()
  expect(asked).toEqual([[SOL]])
})

it('selectToken names the values that it accepts', async () => {
  const select = (argument: string) =>
    service.graphql(`mutation { selectToken(clientSecret: "cs"${argument}) { status } }`)
  const wrong = (await select(', asset: "x"')).body.errors[0]
  expect(wrong).toMatchObject({
    message: expect.stringContaining('"SOL" or the mint address of a token'),
    extensions: { code: 'invalid_request' },
  })
  expect((await select('')).body.errors[0].message).toContain('argument "asset" of type "Asset!" is required')
})
