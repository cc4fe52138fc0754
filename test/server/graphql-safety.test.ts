// Limits of one document, and protection against requests from other sites.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { asOperator, startTestService, type TestService, withKey } from '../support/services.ts'
import { EVERY_FIELD } from '../support/wire.ts'

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
