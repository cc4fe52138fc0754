import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { webSocketClient } from '../support/graphql-client.ts'
import { asOperator, startTestService, type TestService, withKey } from '../support/services.ts'

let service: TestService

// Every code that /graphql and /operator/graphql give to a request that reaches no field is documented, and its status is the
// documented one in every way to ask.
describe('codes of GraphQL', () => {
  const DOCUMENTED = new Set(
    [...readFileSync('docs/errors.md', 'utf8').matchAll(/^\| \d+ `(\w+)` \|/gm)].map(([, code]) => code),
  )

  type Request = {
    readonly query: string
    readonly variables?: Record<string, unknown>
    readonly operationName?: string
  }

  const MISTAKES: readonly (readonly [what: string, code: string, request: Request])[] = [
    ['a syntax error', 'invalid_document', { query: '{ nothing' }],
    ['an unknown field', 'invalid_document', { query: '{ nothing }' }],
    ['a literal that does not fit', 'invalid_document', { query: '{ paymentIntent(index: "x") { id } }' }],
    ['a literal that its scalar refuses', 'invalid_request', { query: 'mutation { fundDemoWallet(wallet: "x") }' }],
    ['a document without an operation', 'invalid_document', { query: 'fragment F on Query { __typename }' }],
    [
      'an operation name that the document lacks',
      'invalid_request',
      { query: 'query A { __typename }', operationName: 'B' },
    ],
    ['several operations and no name', 'invalid_request', { query: 'query A { __typename } query B { __typename }' }],
    [
      'a variable of a query that does not fit',
      'invalid_request',
      { query: 'query ($index: Int!) { paymentIntent(index: $index) { id } }', variables: { index: 'x' } },
    ],
    [
      'no variable of a query',
      'invalid_request',
      { query: 'query ($index: Int!) { paymentIntent(index: $index) { id } }' },
    ],
    [
      'a variable of a mutation that does not fit',
      'invalid_request',
      {
        query: 'mutation ($input: CreatePaymentIntentInput!) { createPaymentIntent(input: $input) { created } }',
        variables: { input: { amountUsdCents: 'x', unknown: 1 } },
      },
    ],
    [
      'a variable of a subscription that does not fit',
      'invalid_request',
      { query: 'subscription ($s: String!) { checkoutUpdated(clientSecret: $s) { status } }', variables: { s: 7 } },
    ],
    [
      'no variable of a subscription',
      'invalid_request',
      { query: 'subscription ($s: String!) { checkoutUpdated(clientSecret: $s) { status } }' },
    ],
  ]

  beforeAll(async () => {
    service = await startTestService()
  })
  afterAll(() => service.close())

  type Ways = { readonly path: string; readonly headers?: Record<string, string> }
  const PUBLIC: Ways = { path: '/graphql' }
  const OPERATOR: Ways = { path: '/operator/graphql', headers: asOperator }

  const RESPONSE_TYPE = 'application/graphql-response+json'
  const codeIn = (text: string) => /"code":"(\w+)"/.exec(text)?.[1]

  async function post({ path, headers = {} }: Ways, request: Request, accept: string) {
    const { status, text } = await service.post(path, request, { ...headers, accept })
    return [status, codeIn(text)]
  }

  async function get({ path, headers = {} }: Ways, { query, variables, operationName }: Request, accept: string) {
    const asked = new URLSearchParams({ query, variables: JSON.stringify(variables ?? {}) })
    if (operationName !== undefined) asked.set('operationName', operationName)
    const { status, text } = await service.get(`${path}?${asked}`, { ...headers, accept })
    return [status, codeIn(text)]
  }

  /** Returns the code in the first message about the operation: an error, or a result with errors. */
  async function overWebSocket(request: Request): Promise<unknown> {
    const client = webSocketClient(service.url)
    try {
      return await new Promise((resolve) => {
        const show = (message: unknown) => resolve(codeIn(JSON.stringify(message)))
        client.subscribe(request, { next: show, error: show, complete: () => resolve('complete') })
      })
    } finally {
      await client.dispose()
    }
  }

  describe('a request that reaches no field, with', () => {
    it.each(MISTAKES)('%s, has the documented code %s', async (_what, code, request) => {
      expect(DOCUMENTED).toContain(code)
      const isSubscription = request.query.startsWith('subscription')
      expect(await post(PUBLIC, request, 'text/event-stream')).toEqual([expect.any(Number), code])
      expect(await overWebSocket(request)).toBe(code)
      if (isSubscription) return
      expect(await post(PUBLIC, request, RESPONSE_TYPE)).toEqual([400, code])
      expect(await post(PUBLIC, request, 'application/json')).toEqual([200, code])
      if (request.query.startsWith('mutation')) return
      for (const accept of [RESPONSE_TYPE, 'application/json', 'text/event-stream']) {
        const [status, shown] = await get(PUBLIC, request, accept)
        expect([accept, status, shown]).toEqual([accept, accept === RESPONSE_TYPE ? 400 : 200, code])
      }
    })

    it.each<[code: string, request: Request]>([
      ['invalid_document', { query: '{ nothing' }],
      ['invalid_document', { query: '{ nothing }' }],
      ['invalid_request', { query: 'query A { __typename }', operationName: 'B' }],
      ['invalid_request', { query: 'query ($id: UUID!) { account(id: $id) { name } }', variables: { id: {} } }],
      [
        'invalid_request',
        { query: 'mutation ($s: Int!) { advanceClock(seconds: $s) { now } }', variables: { s: 'x' } },
      ],
    ])('a mistake for the operator, has the documented code %s: %o', async (code, request) => {
      expect(DOCUMENTED).toContain(code)
      expect(await post(OPERATOR, request, RESPONSE_TYPE)).toEqual([400, code])
      expect(await post(OPERATOR, request, 'application/json')).toEqual([200, code])
    })

    it.each([PUBLIC, OPERATOR])('a mutation sent by GET, is 405 and names POST: $path', async (ways) => {
      const query =
        ways === PUBLIC
          ? 'mutation { fundDemoWallet(wallet: "11111111111111111111111111111111") }'
          : 'mutation { advanceClock(seconds: 1) { now } }'
      for (const accept of [RESPONSE_TYPE, 'application/json', 'text/event-stream']) {
        expect(await get(ways, { query }, accept)).toEqual([405, 'method_not_allowed'])
      }
      const { headers } = await service.get(`${ways.path}?query=${encodeURIComponent(query)}`, ways.headers)
      expect(headers.get('allow')).toBe('POST')
    })

    it('an empty operation name, is answered as one without a name', async () => {
      const { body } = await service.post('/graphql', { query: '{ __typename }', operationName: '' })
      expect(body).toEqual({ data: { __typename: 'Query' } })
    })
  })
})

// A blank text identifies nothing, over REST and GraphQL.
describe('blank keys', () => {
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
})
