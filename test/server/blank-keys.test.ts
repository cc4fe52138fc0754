// A blank text identifies nothing, over REST and GraphQL.
import { afterAll, beforeAll, expect, it } from 'vitest'
import { startTestService, type TestService, withKey } from '../support/services.ts'

let service: TestService
beforeAll(async () => {
  // Every service throws when it is called, so an answer of 400 comes from the edge.
  service = await startTestService()
})
afterAll(() => service.close())

const BLANK = ['', ' ', '\t\n', '\u00a0', '\u200b'] as const

const CREATE = 'mutation ($input: CreatePaymentIntentInput!) { createPaymentIntent(input: $input) { created } }'

/** Each sends one blank key, and returns the status and code of the refusal. */
const KEYS: Readonly<Record<string, (blank: string) => Promise<unknown>>> = {
  'reference of POST /intents': (reference) =>
    rest(service.post('/intents', { amount_usd_cents: 1, accepted_tokens: [{ kind: 'sol' }], reference }, withKey())),
  'reference of GET /intents': (reference) =>
    rest(service.get(`/intents?${new URLSearchParams({ reference })}`, withKey())),
  'reference of createPaymentIntent': (reference) =>
    graphql(CREATE, { input: { amountUsdCents: 1, acceptedAssets: ['SOL'], reference } }, withKey()),
  'reference of createPaymentIntent, as a literal': (reference) => {
    const fields = `amountUsdCents: 1, acceptedAssets: ["SOL"], reference: ${JSON.stringify(reference)}`
    return graphql(`mutation { createPaymentIntent(input: { ${fields} }) { created } }`, {}, withKey())
  },
  'reference of paymentIntentByReference': (reference) =>
    graphql(
      'query ($reference: Text!) { paymentIntentByReference(reference: $reference) { id } }',
      { reference },
      withKey(),
    ),
  'reference of the filter of paymentIntents': (reference) =>
    graphql(
      'query ($filter: PaymentIntentFilter) { paymentIntents(filter: $filter) { edges { cursor } } }',
      { filter: { reference } },
      withKey(),
    ),
  'cursor of paymentIntents': (after) =>
    graphql('query ($after: String) { paymentIntents(after: $after) { edges { cursor } } }', { after }, withKey()),
  'name of createAccount': (name) => createAccount({ name, mode: 'live' }),
  'label of createAccount': (label) => createAccount({ name: 'Shop', mode: 'live', label }),
  'webhookUrl of createAccount': (webhookUrl) => createAccount({ name: 'Shop', mode: 'live', webhookUrl }),
  'name of updateAccount': (name) =>
    operator(
      'mutation ($input: UpdateAccountInput!) { updateAccount(id: "0b9d7f4e-93b4-4a0a-8f0a-5f3a52b1d002", input: $input) { id } }',
      { input: { name } },
    ),
  'name of allowToken': (name) => allowToken({ name }),
  'ticker of allowToken': (ticker) => allowToken({ ticker }),
  'feedKey of allowToken': (feedKey) => allowToken({ feedKey }),
  'reason of clearHalt': (reason) =>
    operator(
      'mutation ($reason: Text!) { clearHalt(id: "0b9d7f4e-93b4-4a0a-8f0a-5f3a52b1d002", reason: $reason) { id } }',
      { reason },
    ),
}

const createAccount = (input: object) =>
  operator('mutation ($input: CreateAccountInput!) { createAccount(input: $input) { apiKey } }', { input })

const allowToken = (input: object) =>
  operator('mutation ($input: AllowTokenInput!) { allowToken(input: $input) { name } }', {
    input: { network: 'live', asset: 'SOL', name: 'Solana', ticker: 'SOL', ...input },
  })

async function rest(answer: ReturnType<TestService['get']>) {
  const { status, body } = await answer
  return status === 400 && Object.keys(body).join() === 'error' ? 'invalid_request' : status
}

async function graphql(...request: Parameters<TestService['graphql']>) {
  const { body } = await service.graphql(...request)
  return body.errors?.[0].extensions.code
}

async function operator(query: string, variables: object) {
  const { body } = await service.operator(query, variables)
  return body.errors?.[0].extensions.code
}

it.each(Object.keys(KEYS))('refuses a blank %s', async (name) => {
  for (const blank of BLANK) expect([blank, await KEYS[name]?.(blank)]).toEqual([blank, 'invalid_request'])
})
