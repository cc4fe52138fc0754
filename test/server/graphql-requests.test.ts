import { gzipSync } from 'node:zlib'
import type { GraphQLError } from 'graphql'
import { serverAudits } from 'graphql-http'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { ServiceError } from '#core/errors.ts'
import type { Metadata } from '#core/metadata.ts'
import { makeBasisPoints, makeLamports } from '#core/money/amounts.ts'
import { DEFAULT_RATE_LIMITS } from '#graphql/limits.ts'
import { webSocketClient } from '../support/graphql-client.ts'
import { askRaw } from '../support/raw-connections.ts'
import { asOperator, startTestService, TEST_API_KEY, type TestService, withKey } from '../support/services.ts'
import { EVERY_FIELD } from '../support/wire.ts'

// The answers of /graphql to requests that it refuses: always an error in the shape of GraphQL, as JSON.
describe('graphql requests', () => {
  let service: TestService
  beforeAll(async () => {
    service = await startTestService({ settings: { introspection: false, graphiql: false } })
  })
  afterAll(() => service.close())

  const ask = { query: '{ __typename }' }
  const WRONG_ENCODING = 'send the body plain, or as the gzip, deflate or br that its Content-Encoding header names'
  const REFUSED = { code: 'invalid_request' }
  const CODES: Readonly<Record<number, string>> = {
    405: 'method_not_allowed',
    406: 'not_acceptable',
    413: 'body_too_large',
    415: 'unsupported_media_type',
  }

  async function refused(answer: ReturnType<TestService['get']>) {
    const { status, headers, body } = await answer
    expect(headers.get('content-type')).toBe('application/json; charset=utf-8')
    expect(Object.keys(body)).toEqual(['errors'])
    return [status, body.errors]
  }
  const error = (message: string, status = 400) => [
    { message, extensions: status === 400 ? REFUSED : { code: CODES[status] } },
  ]

  describe('a request for /graphql', () => {
    it.each([
      ['{"query":', 'the body is not valid JSON'],
      ['', 'the body is not valid JSON'],
      ['"query"', 'the body is not a JSON object'],
      ['[{"query":"{ __typename }"}]', 'the body is not a JSON object'],
      ['null', 'the body is not a JSON object'],
      ['{}', 'query is required, as a string'],
      ['{"query":5}', 'query is required, as a string'],
      ['{"query":"{ __typename }","variables":[]}', 'variables is a JSON object'],
      ['{"query":"{ __typename }","extensions":"x"}', 'extensions is a JSON object'],
      ['{"query":"{ __typename }","operationName":5}', 'operationName is a string'],
    ])('with the body %s shows the fault, and no cause', async (body, message) => {
      expect(await refused(service.post('/graphql', body))).toEqual([400, error(message)])
    })

    it.each(['', 'query=%7B__typename%7D&query=x', 'query=%7B__typename%7D&variables=%5B%5D'])(
      'with the query string %s is 400',
      async (query) => {
        expect(await refused(service.get(`/graphql?${query}`))).toEqual([
          400,
          [expect.objectContaining({ extensions: REFUSED })],
        ])
      },
    )

    it.each([
      ['application/graphql-response+json', {}],
      ['text/plain', { 'graphql-preflight': '1' }],
    ])('that declares its body as %s is answered', async (type, more) => {
      const answer = await service.post('/graphql', JSON.stringify(ask), { 'content-type': type, ...more })
      expect([answer.status, answer.body]).toEqual([200, { data: { __typename: 'Query' } }])
    })

    it('that accepts no supported media type gets 406', async () => {
      const message = 'accept application/json, application/graphql-response+json or text/event-stream'
      expect(await refused(service.post('/graphql', ask, { accept: 'text/csv' }))).toEqual([406, error(message, 406)])
    })

    it.each([
      ['{ __typename }', { data: { __typename: 'Query' } }],
      ['{ nothing', { errors: [expect.objectContaining({ message: expect.any(String) })] }],
    ])('with an empty Accept header is answered as one without it: %s', async (query, answer) => {
      const body = JSON.stringify({ query })
      const head =
        'POST /graphql HTTP/1.1\r\nHost: a\r\nConnection: close\r\nAccept: \r\nContent-Type: application/json\r\n'
      const reply = await askRaw(service.port, `${head}Content-Length: ${body.length}\r\n\r\n${body}`)
      expect([reply.status, reply.headers.get('content-type')]).toEqual([200, 'application/json; charset=utf-8'])
      expect(JSON.parse(reply.body)).toEqual(answer)
    })

    it.each(['application/json', 'application/graphql-response+json'])(
      'with a document that is refused gets an event, when it accepts events only: %s',
      async (type) => {
        const { headers, text } = await service.post(
          '/graphql',
          { query: '{ nothing' },
          { accept: 'text/event-stream', 'content-type': type },
        )
        expect(headers.get('content-type')).toContain('text/event-stream')
        expect(text).toContain('invalid_document')
      },
    )

    it('that accepts no events gets 406 for a subscription', async () => {
      const query = 'subscription { checkoutUpdated(clientSecret: "cs") { status } }'
      const message = 'a subscription is answered as text/event-stream, or over a websocket'
      expect(await refused(service.post('/graphql', { query }, { accept: 'application/json' }))).toEqual([
        406,
        error(message, 406),
      ])
    })

    it('by another method gets 405 with the allowed methods', async () => {
      const response = await fetch(`${service.url}/graphql`, { method: 'DELETE' })
      expect([response.status, response.headers.get('allow')]).toEqual([405, 'GET, POST, OPTIONS'])
      expect(await response.json()).toEqual({ errors: error('method not allowed', 405) })
    })

    it('with a compressed body is answered, and limited by the decompressed size', async () => {
      const compressed = (body: object) =>
        service.post('/graphql', new Blob([gzipSync(JSON.stringify(body))]), { 'content-encoding': 'gzip' })
      expect((await compressed(ask)).body).toEqual({ data: { __typename: 'Query' } })
      const bomb = { query: `{ __typename } #${'x'.repeat(1_000_000)}` }
      expect(await refused(compressed(bomb))).toEqual([413, error('the body is too large', 413)])
    })

    it('with a body in an unknown encoding gets 415', async () => {
      const answer = service.post('/graphql', ask, { 'content-encoding': 'zstd-of-tomorrow' })
      expect(await refused(answer)).toEqual([415, error(WRONG_ENCODING, 415)])
    })

    it('with a gzip body that Content-Encoding does not name gets 415, as in REST', async () => {
      const file = new Blob([gzipSync(JSON.stringify(ask))])
      expect(await refused(service.post('/graphql', file))).toEqual([415, error(WRONG_ENCODING, 415)])
      const { status, body } = await service.post('/intents', file, withKey())
      expect([status, body]).toEqual([415, { error: WRONG_ENCODING }])
    })

    it.each([
      ['application/graphql-response+json', 'application/graphql-response+json'],
      ['application/graphql-response+json,application/json;q=0.9', 'application/graphql-response+json'],
      ['application/json', 'application/json'],
      ['text/event-stream', 'application/json'],
    ])('that accepts %s is refused as %s, whatever the fault', async (accept, type) => {
      const refusals = [
        await service.post('/graphql', ask, { accept, ...withKey('sk_live_wrong') }),
        await service.post('/graphql', '{', { accept }),
        await service.post('/graphql', ask, { accept, 'content-type': 'text/plain' }),
      ]
      expect(refusals.map(({ status }) => status)).toEqual([401, 400, 415])
      for (const { headers, body } of refusals) {
        expect(headers.get('content-type')).toBe(`${type}; charset=utf-8`)
        expect(body.errors).toEqual([{ message: expect.any(String), extensions: { code: expect.any(String) } }])
      }
    })

    it.each(['/GRAPHQL', '/graphql/', '/GraphQL?query=%7B__typename%7D'])(
      'under another spelling, %s, matches no route',
      async (path) => {
        for (const answer of [await service.get(path), await service.post(path, ask)]) {
          expect([answer.status, answer.body]).toEqual([404, { error: 'not found' }])
        }
      },
    )

    it('is answered in the first JSON type that it accepts', async () => {
      const typeOf = async (accept: string) =>
        (await service.post('/graphql', { query: '{ nothing }' }, { accept })).headers.get('content-type')
      expect(await typeOf('application/graphql-response+json, application/json')).toContain('graphql-response+json')
      expect(await typeOf('application/json, application/graphql-response+json')).toContain('application/json')
      expect(await typeOf('*/*')).toContain('application/json')
    })
  })

  describe('a number that a double would round', () => {
    const price = (amount: string) =>
      `{"query":"mutation($input: CreatePaymentIntentInput!) { createPaymentIntent(input: $input) { clientSecret } }",
      "variables":{"input":{"amountUsdCents":${amount},"acceptedAssets":["SOL"]}}}`
    const product = (metadata: string) =>
      `{"query":"mutation($input: CreateSubscriptionProductInput!) { createSubscriptionProduct(input: $input) { created } }",
      "variables":{"input":{"name":"Coffee","metadata":${metadata}}}}`
    const codeOf = ({ body }: { body: { errors?: { extensions: { code: string } }[] } }) =>
      body.errors?.[0]?.extensions.code
    const stored: Metadata[] = []
    let shop: TestService
    beforeAll(async () => {
      shop = await startTestService({
        services: {
          billing: { merchant: async ({ tenant }) => ({ tenant, marketplaceFeeBps: makeBasisPoints(0) }) },
          catalogue: {
            createProduct: async (_merchant, { metadata }) => {
              stored.push(metadata)
              throw new ServiceError('product_exists')
            },
          },
        },
      })
    })
    afterAll(() => shop.close())

    it.each(['4.9999999999999999999', '9007199254740993'])('is no price: %s', async (amount) => {
      expect(codeOf(await shop.post('/graphql', price(amount), withKey()))).toBe('invalid_request')
    })

    it('in metadata is refused in a variable, and as in REST', async () => {
      const metadata = '{"parts":[{"n":12345678901234567890}]}'
      expect(codeOf(await shop.post('/graphql', product(metadata), withKey()))).toBe('invalid_metadata')
      const rest = await shop.post('/subscription-products', `{"name":"Coffee","metadata":${metadata}}`, withKey())
      expect([rest.status, rest.body]).toEqual([400, { error: 'invalid_metadata' }])
    })

    it('in metadata is refused in a document', async () => {
      const literal = (n: string) =>
        `mutation { createSubscriptionProduct(input: { name: "Coffee", metadata: { parts: [{ n: ${n} }] } }) { created } }`
      expect(codeOf(await shop.graphql(literal('12345678901234567890'), {}, withKey()))).toBe('invalid_request')
      expect(codeOf(await shop.graphql(literal('0.1'), {}, withKey()))).toBe('product_exists')
      expect(stored.pop()).toEqual({ parts: [{ n: 0.1 }] })
    })

    it('is no argument in a query string', async () => {
      const variables = encodeURIComponent('{"index":4.9999999999999999999}')
      const query = encodeURIComponent('query($index: Int!) { paymentIntent(index: $index) { id } }')
      const answer = await shop.get(`/graphql?query=${query}&variables=${variables}`, withKey())
      expect(codeOf(answer)).toBe('invalid_request')
    })

    it.each(['{"__proto__":{"a":1}}', '{"a":{"__proto__":1}}'])(
      'nor a key that would be lost: %s',
      async (metadata) => {
        expect(codeOf(await shop.post('/graphql', product(metadata), withKey()))).toBe('invalid_metadata')
        const rest = await shop.post('/subscription-products', `{"name":"Coffee","metadata":${metadata}}`, withKey())
        expect([rest.status, rest.body]).toEqual([400, { error: 'invalid_metadata' }])
      },
    )
  })
})

// graphql-http's audit suite: the requirements of the GraphQL over HTTP specification for a server.
describe('graphql over http', () => {
  let service: TestService
  beforeAll(async () => {
    service = await startTestService()
  })
  afterAll(() => service.close())

  describe('GraphQL over HTTP', () => {
    for (const audit of serverAudits({ url: () => `${service.url}/graphql` })) {
      it(`${audit.id} ${audit.name}`, async () => {
        const result = await audit.fn()
        expect(result, JSON.stringify(result)).not.toMatchObject({ status: 'error' })
      })
    }
  })
})

// Limits of one document, and protection against requests from other sites.
describe('safety', () => {
  const FACTS = {
    cluster: 'live',
    checkoutWindowSeconds: 600,
    webhookEventTypes: [],
    apiVersion: '1',
  }

  let service: TestService
  let closed: TestService
  beforeAll(async () => {
    const { makeBasisPoints, makeLamports } = await import('#core/money/amounts.ts')
    const facts = () => ({
      ...FACTS,
      networkFeeLamports: makeLamports(10_050),
      platformFeeBps: makeBasisPoints(0),
      maxMarketplaceFeeBps: makeBasisPoints(5000),
    })
    const services = { platform: { facts } }
    service = await startTestService({ services })
    closed = await startTestService({ services, settings: { introspection: false, graphiql: false } })
  })
  afterAll(() => Promise.all([service.close(), closed.close()]))

  const PAGE = `paymentIntents(first: 100) { edges { node { status action message
  deposits(first: 5) { edges { node { amount asset use } } } transfers(first: 5) { edges { node { kind legs { amount role } } } }
  events(first: 5) { edges { node { type } } } } } }`
  const nested = (levels: number): string => (levels === 0 ? '__typename' : `events { ${nested(levels - 1)} }`)

  /** Fragments that each spread the next fragment at two places: few tokens, many fields. */
  const doubled = (levels: number): string =>
    `{ ...F0 } ${Array.from({ length: levels }, (_, at) => `fragment F${at} on Q { a { ...F${at + 1} } b { ...F${at + 1} } }`).join(' ')} fragment F${levels} on Q { c }`

  const ask = { query: '{ config { cluster } }' }

  describe('a document', () => {
    it.each([
      ['is more than 10 fields deep', `{ node(id: "x") { ... on PaymentIntent { ${nested(12)} } } }`],
      ['is more than 10 fields deep', `{ node(id: "x") { ...A } } fragment A on PaymentIntent { events { ...A } }`],
      [
        'has more than 15 aliases',
        `{ ${Array.from({ length: 16 }, (_, at) => `a${at}: config { cluster }`).join(' ')} }`,
      ],
      ['has more than 20 directives', `{ config { cluster ${'@include(if: true) '.repeat(21)} } }`],
      ['repeats more than 50 fields', `{ config { ${'cluster '.repeat(52)} } }`],
      ['repeats more than 50 fields', `{ ${'config { cluster } '.repeat(27)} }`],
      ['repeats more than 50 fields', `{ config { ${'... { cluster } '.repeat(52)} } }`],
      ['repeats more than 50 fields', `{ __typename } fragment Unused on Config { ${'cluster '.repeat(52)} }`],
      ['asks for more than 1000 fields', doubled(9)],
      ['more that 500 tokens', `{ config { ${'cluster '.repeat(497)} } }`],
      ['larger than 16 KB', `{ config { cluster } } # ${'x'.repeat(16 * 1024)}`],
      [
        'points, more than 250',
        `{ ${Array.from({ length: 4 }, (_, at) => `a${at}: paymentIntents(first: 100) { edges { node { ...F } } }`).join(' ')} } fragment F on PaymentIntent { ${EVERY_FIELD} }`,
      ],
    ])('that %s is refused before it runs', async (what, query) => {
      const { status, body } = await service.graphql(query, {}, { accept: 'application/graphql-response+json' })
      expect([status, body.data]).toEqual([400, undefined])
      expect(body.errors[0].message).toContain(what)
      expect(body.errors[0].extensions.code).toEqual(expect.stringMatching(/^\w+$/))
    })

    it('that reads a whole page and its records is within them', async () => {
      const { body } = await service.graphql(`{ ${PAGE} }`)
      expect(body.errors[0].extensions.code).toBe('unauthenticated')
    })

    it('of ordinary size runs', async () => {
      const { status, body } = await service.graphql(ask.query)
      expect([status, body]).toEqual([200, { data: { config: { cluster: 'live' } } }])
    })

    it('with which GraphiQL reads the schema runs', async () => {
      const { getIntrospectionQuery } = await import('graphql')
      const { body } = await service.graphql(getIntrospectionQuery())
      expect(body.errors).toBeUndefined()
      expect(body.data.__schema.types.length).toBeGreaterThan(20)
    })

    it('may not read the schema where introspection is disabled', async () => {
      const { body } = await closed.graphql('{ __schema { types { name } } }')
      expect(body.data).toBeUndefined()
      expect((await closed.graphql('{ confg { cluster } }')).text).not.toContain('config')
    })
  })

  describe('where introspection is disabled', () => {
    const pages = `query($filter: PaymentIntentFilter) { paymentIntents(filter: $filter) { edges { cursor } } }`

    it.each([
      ['an enum value', { status: ['pad'] }, '"paid"'],
      ['an input field', { referenc: 'x' }, '"reference"'],
    ])('no error of a variable suggests the name of %s', async (_what, filter, name) => {
      const reply = await service.graphql(pages, { filter }, withKey())
      expect(reply.body.errors[0].message).toContain(name)
      const hidden = await closed.graphql(pages, { filter }, withKey())
      expect(hidden.body.errors[0].extensions.code).toBe('invalid_request')
      expect(hidden.text).not.toContain('Did you mean')
      expect(hidden.text).not.toContain(JSON.stringify(name).slice(1, -1))
    })
  })

  describe('a request', () => {
    it('in a batch is refused', async () => {
      const { body } = await service.post('/graphql', [ask, ask])
      expect(body.errors).toHaveLength(1)
    })

    it.each([
      'text/plain',
      'application/x-www-form-urlencoded',
      'multipart/form-data; boundary=x',
      'application/graphql',
    ])('as %s, which a form on any page can send, is refused', async (type) => {
      const { status } = await service.post('/graphql', ask, { 'content-type': type })
      expect(status).toBe(415)
    })

    it('in another encoding than UTF-8 is refused, declared or not', async () => {
      const type = 'application/json; charset=latin1'
      expect((await service.post('/graphql', ask, { 'content-type': type })).status).toBe(415)
      const text = '{"query":"{ __typename } # ä"}'
      const { status, body } = await service.post('/graphql', new Blob([Buffer.from(text, 'latin1')]))
      expect([status, body.errors[0].message]).toEqual([400, 'the body is not valid UTF-8'])
      expect((await service.post('/graphql', text)).status).toBe(200)
    })

    it('may not run a mutation by GET', async () => {
      const simulate = encodeURIComponent('mutation { simulateDeposit(index: 1, kind: exact) { signature } }')
      expect((await service.get(`/graphql?query=${simulate}`)).status).toBe(405)
      const advance = encodeURIComponent('mutation { advanceClock(seconds: 1) { now } }')
      expect((await service.get(`/operator/graphql?query=${advance}`, asOperator)).status).toBe(405)
    })

    it('too large is 413, declared or not', async () => {
      const query = `{ config { cluster } } # ${'x'.repeat(70_000)}`
      expect((await service.graphql(query)).status).toBe(413)
      const body = new Blob([JSON.stringify({ query })]).stream()
      const chunked = await fetch(`${service.url}/graphql`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body,
        duplex: 'half',
      } as RequestInit)
      expect(chunked.status).toBe(413)
    })

    it('that is not JSON is 400', async () => {
      expect((await service.post('/graphql', '{"query":')).status).toBe(400)
    })

    it.each(['variables', 'extensions'])('by GET whose %s are not JSON is 400', async (name) => {
      const { status, body } = await service.get(`/graphql?query=${encodeURIComponent(ask.query)}&${name}=bad`)
      expect([status, body.errors[0].extensions]).toEqual([400, { code: 'invalid_request' }])
    })

    it('of another type is refused with a code', async () => {
      const { body } = await service.post('/graphql', ask, { 'content-type': 'text/plain' })
      expect(body.errors[0].extensions.code).toBe('unsupported_media_type')
    })
  })
})

// Documents that the service has not seen before: reading a document takes time, so it is charged before it is read.
describe('new documents', () => {
  const FACTS = {
    cluster: 'live',
    checkoutWindowSeconds: 600,
    networkFeeLamports: makeLamports(10_050),
    platformFeeBps: makeBasisPoints(0),
    maxMarketplaceFeeBps: makeBasisPoints(5000),
    webhookEventTypes: [],
    apiVersion: '1',
  }
  const LIMITS = {
    ...DEFAULT_RATE_LIMITS,
    newDocumentsPerSecondOfLiveKey: 4,
    newDocumentsPerSecondOfTestKey: 3,
    newDocumentsPerMinuteOfAddress: 5,
  }

  const open: { close(): unknown }[] = []
  afterEach(async () => {
    for (const one of open.splice(0)) await one.close()
  })

  async function start(rateLimits = LIMITS): Promise<TestService> {
    const service = await startTestService({ services: { platform: { facts: () => FACTS } }, settings: { rateLimits } })
    open.push(service)
    return service
  }

  let number = 0
  const newDocument = (fields = '__typename'): string => `query New${++number} { ${fields} }`
  const known = '{ __typename }'

  async function codes(count: number, ask: (at: number) => ReturnType<TestService['graphql']>): Promise<string[]> {
    const answers: string[] = []
    for (let at = 0; at < count; at++) answers.push((await ask(at)).body.errors?.[0].extensions.code ?? 'data')
    return answers
  }

  describe('a new document', () => {
    it('is charged to its address, and above the limit answered by 429 with the time to wait', async () => {
      const service = await start()
      expect(await codes(7, () => service.graphql(newDocument()))).toEqual([
        ...Array(5).fill('data'),
        ...Array(2).fill('rate_limited'),
      ])
      const { status, headers, body } = await service.graphql(newDocument())
      expect([status, body.data]).toEqual([429, undefined])
      expect(Number(headers.get('retry-after'))).toBeGreaterThan(30)
      expect(body.errors[0].extensions).toEqual({ code: 'rate_limited', retryAfter: expect.any(Number) })
    })

    it('is charged once: the same documents can be sent as often as their fields allow, from one address', async () => {
      const service = await start()
      await codes(1, () => service.graphql(known))
      await codes(6, () => service.graphql(newDocument()))
      expect(await codes(30, () => service.graphql(known))).toEqual(Array(30).fill('data'))
    })

    it('is charged by its size', async () => {
      const service = await start()
      const comment = `#${'x'.repeat(4 * 1024)}\n`
      expect(await codes(2, () => service.graphql(comment + newDocument()))).toEqual(['data', 'rate_limited'])
    })

    it('is charged when it is not valid, and not again when it is repeated', async () => {
      const service = await start()
      const ask = () => service.graphql('{ nothing }')
      expect(await codes(10, ask)).toEqual(Array(10).fill('invalid_document'))
      expect(await codes(6, () => service.graphql(newDocument('nothing')))).toEqual([
        ...Array(4).fill('invalid_document'),
        ...Array(2).fill('rate_limited'),
      ])
    })

    it('that was refused counts as a call when it is repeated', async () => {
      const service = await start({ ...LIMITS, publicAddressPerMinute: 3 })
      expect(await codes(6, () => service.graphql('{ nothing }'))).toEqual([
        ...Array(4).fill('invalid_document'),
        ...Array(2).fill('rate_limited'),
      ])
      expect(await codes(1, () => service.graphql(known))).toEqual(['data'])
    })

    it('of a caller far above its limit is refused after a pause, without a delay for other callers', async () => {
      const service = await start()
      await codes(10, () => service.graphql(newDocument()))
      const started = performance.now()
      const flood = service.graphql(newDocument())
      await codes(1, () => service.graphql(newDocument(), {}, withKey()))
      expect((await flood).status).toBe(429)
      expect(performance.now() - started).toBeGreaterThan(200)
    })

    it('of a key is charged to the key alone', async () => {
      const service = await start()
      await codes(6, () => service.graphql(newDocument()))
      const byTestKey = () => service.graphql(newDocument(), {}, withKey(TEST_API_KEY))
      // All at once, because its count is for one second.
      const answers = await Promise.all([byTestKey(), byTestKey(), byTestKey(), byTestKey()])
      expect(answers.map(({ status }) => status).sort()).toEqual([200, 200, 200, 429])
      expect(await codes(1, () => service.graphql(newDocument(), {}, withKey()))).toEqual(['data'])
    })

    it('of the operator is not charged', async () => {
      const service = await start()
      expect(await codes(8, () => service.operator(newDocument()))).toEqual(Array(8).fill('data'))
    })

    it('over a websocket counts towards the same limit', async () => {
      const service = await start()
      const client = webSocketClient(service.url)
      open.push({ close: () => client.dispose() })
      const ask = () =>
        new Promise<string>((resolve) => {
          client.subscribe(
            { query: newDocument() },
            {
              next: () => resolve('data'),
              error: (errors) =>
                resolve(
                  String(
                    Array.isArray(errors) ? errors.map(({ extensions }: GraphQLError) => extensions.code) : errors,
                  ),
                ),
              complete: () => undefined,
            },
          )
        })
      const answers: string[] = []
      for (let at = 0; at < 5; at++) answers.push(await ask())
      expect(answers).toEqual(Array(5).fill('data'))
      expect(await ask()).toBe('rate_limited')
      expect(await codes(1, () => service.graphql(newDocument()))).toEqual(['rate_limited'])
    })

    it('that would take long to validate keeps the service busy for a short time only', async () => {
      const service = await start(DEFAULT_RATE_LIMITS)
      const repeated = 'network '.repeat(240)
      const before = process.cpuUsage()
      const answers = await Promise.all(
        Array.from({ length: 200 }, (_, at) => service.graphql(`query Q${at} { config { ${repeated} } }`)),
      )
      // Before documents were measured and charged, each took 88 ms of CPU time, 18 s in all.
      expect(process.cpuUsage(before).user / 1_000).toBeLessThan(6_000)
      // Each is larger than one KB, and costs two points.
      expect(answers.filter(({ status }) => status === 429)).toHaveLength(200 - 30)
    })
  })
})
