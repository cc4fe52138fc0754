// The cost of a page of payments for its caller, without a cost for others.
import { once } from 'node:events'
import { ServerResponse } from 'node:http'
import { connect } from 'node:net'
import { afterEach, describe, expect, it, vi } from 'vitest'
import type { TenantReads } from '#adapters/prisma/tenant-reads.ts'
import { ServiceError } from '#core/errors.ts'
import { DEFAULT_RATE_LIMITS, type RateLimitSettings } from '#graphql/limits.ts'
import { pendingIntent } from '../support/example-intent.ts'
import { emptyReads, NO_MATCHES } from '../support/reads.ts'
import type { Json } from '../support/running-service.ts'
import {
  API_KEY,
  credential,
  startTestService,
  TEST_API_KEY,
  type TestOptions,
  type TestService,
  withKey,
} from '../support/services.ts'
import { EVERY_FIELD, SHARED_FIELDS } from '../support/wire.ts'

const open: { close(): unknown }[] = []
afterEach(async () => {
  for (const one of open.splice(0)) await one.close()
})

/** Answers each read with an empty page when the test releases it. */
function createReads() {
  const waiting: (() => void)[] = []
  const read = () => new Promise<never[]>((resolve) => waiting.push(() => resolve([])))
  const reads = emptyReads({
    paymentIntent: {
      nearMatches: async () => NO_MATCHES,
      indexedMatches: async () => NO_MATCHES,
      orderedMatches: async () => NO_MATCHES,
      findMany: read,
      findUnique: async () => null,
      findUniqueOrThrow: () => new Promise(() => {}),
    },
  })
  return { reads: () => reads, waiting, answer: () => waiting.splice(0).map((answer) => answer()) }
}

/** The limit of the key. Such a page costs more than the whole limit. */
const LIMITS = { ...DEFAULT_RATE_LIMITS, liveKeyPerSecond: 50 }

async function start(reads: () => TenantReads, rateLimits: RateLimitSettings | null = LIMITS): Promise<TestService> {
  const service = await startTestService({
    reads,
    services: { intents: { findByIndex: async () => pendingIntent } },
    settings: { rateLimits },
  })
  open.push(service)
  return service
}

const page = (size: number) => `{ paymentIntents(first: ${size}) { edges { node { ${EVERY_FIELD} } } } }`
const codeOf = ({ body }: { body: { errors?: { extensions: { code: string } }[] } }) =>
  body.errors?.[0]?.extensions.code ?? 'data'
const nothing = emptyReads()

describe('a page of 100 whole payments', () => {
  it('uses the limit of a live key for about a second', async () => {
    const service = await start(() => nothing)
    expect(codeOf(await service.graphql(page(100), {}, withKey()))).toBe('data')
    const next = await service.graphql(page(100), {}, withKey())
    expect([next.status, codeOf(next), next.headers.get('retry-after')]).toEqual([429, 'rate_limited', '1'])
    expect((await service.get('/status?index=1', withKey())).status).toBe(429)
    // Another key has its own count.
    expect((await service.get('/status?index=1', withKey(TEST_API_KEY))).status).toBe(200)
  })

  it('can be read by a test key, whose limit for a second is lower', async () => {
    const service = await start(() => nothing)
    expect(codeOf(await service.graphql(page(100), {}, withKey(TEST_API_KEY)))).toBe('data')
    expect((await service.get('/status?index=1', withKey(TEST_API_KEY))).status).toBe(429)
  })

  it('is read one at a time for a business, while light requests of the same business are answered', async () => {
    const { reads, waiting, answer } = createReads()
    const service = await start(reads, null)
    const pages = [100, 99, 98].map((size) => service.graphql(page(size), {}, withKey()))
    await expect.poll(() => waiting.length).toBe(1)
    expect((await service.get('/status?index=1', withKey())).status).toBe(200)
    expect(codeOf(await service.graphql('{ node(id: "x") { id } }', {}, withKey()))).toBe('data')
    expect(waiting).toHaveLength(1)
    for (const _page of pages) {
      await expect.poll(() => waiting.length).toBe(1)
      answer()
    }
    expect((await Promise.all(pages)).map(codeOf)).toEqual(['data', 'data', 'data'])
  })

  it('beyond those that may wait has the status of its code', async () => {
    const { reads, waiting, answer } = createReads()
    const service = await start(reads, null)
    const accept = { accept: 'application/graphql-response+json' }
    const pages = Array.from({ length: 10 }, (_, at) =>
      service.graphql(page(100 - at), {}, { ...withKey(), ...accept }),
    )
    const refused = await Promise.race(pages)
    expect([refused.status, codeOf(refused)]).toEqual([429, 'rate_limited'])
    for (let left = 9; left > 0; left -= 1) {
      await expect.poll(() => waiting.length).toBe(1)
      answer()
    }
    expect((await Promise.all(pages)).filter(({ status }) => status === 200)).toHaveLength(9)
  })

  it('is not read when its client no longer waits', async () => {
    const { reads, waiting, answer } = createReads()
    const service = await start(reads, null)
    const first = service.graphql(page(100), {}, withKey())
    await expect.poll(() => waiting.length).toBe(1)
    const leaving = new AbortController()
    const headers = { ...withKey(), 'content-type': 'application/json' }
    const body = JSON.stringify({ query: page(99) })
    const left = fetch(`${service.url}/graphql`, { method: 'POST', headers, body, signal: leaving.signal })
    leaving.abort()
    await expect(left).rejects.toThrow()
    answer()
    expect(codeOf(await first)).toBe('data')
    expect(waiting).toHaveLength(0)
  })
})

/** A service with two businesses, a proxy in front of it, and the default limits. */
async function startForTwo(
  services: TestOptions['services'],
  limits: Partial<RateLimitSettings> = {},
): Promise<TestService> {
  const other = credential('test')
  const service = await startTestService({
    reads: () => nothing,
    services: {
      accounts: {
        authenticate: async (key) =>
          key === API_KEY
            ? credential('live')
            : { ...other, tenant: { ...other.tenant, accountId: '0b9d7f4e-93b4-4a0a-8f0a-5f3a52b1d0cc' } },
      },
      ...services,
    },
    settings: { rateLimits: { ...DEFAULT_RATE_LIMITS, ...limits }, trustProxy: true },
  })
  open.push(service)
  return service
}

const wrongSecret = async (): Promise<never> => {
  throw new ServiceError('invalid_client_secret')
}
const aliased = (count: number, field: string) => Array.from({ length: count }, (_, at) => `a${at}: ${field}`).join(' ')
const WHOLE = `fragment Whole on Checkout { id ${SHARED_FIELDS} }`
const fromAddress = (at: number) => ({ 'x-forwarded-for': `2001:db8:0:${at.toString(16)}::1` })

describe('a heavy read of a business', () => {
  const SELECTIONS = `mutation($s: String!) {
    ${aliased(6, 'selectToken(clientSecret: $s, asset: "SOL") { ...Whole }')}
  } ${WHOLE}`
  const guess = () => ({ s: crypto.randomUUID() })

  it('waits for no caller without a key, from however many addresses', async () => {
    let asked = 0
    const gate = Promise.withResolvers<never>()
    const selectToken = () => {
      asked += 1
      return gate.promise
    }
    const service = await startForTwo({ intents: { selectToken } })
    const strangers = Array.from({ length: 225 }, (_, at) => service.graphql(SELECTIONS, guess(), fromAddress(at % 25)))
    await expect.poll(() => asked).toBe(225)
    expect(codeOf(await service.graphql(page(20), {}, withKey()))).toBe('data')
    gate.reject(new ServiceError('invalid_client_secret'))
    await Promise.all(strangers)
  })

  it.each([
    ['without a key', {}],
    ['with a key', withKey(TEST_API_KEY)],
  ])('waits for no refusal of a flood %s', async (_whose, headers) => {
    const service = await startForTwo({ intents: { checkoutStatus: wrongSecret } })
    const query = `query($s: String!) { ${aliased(6, 'checkout(clientSecret: $s) { ...Whole }')} } ${WHOLE}`
    const ask = () => service.graphql(query, guess(), { ...headers, ...fromAddress(1) })
    for (let sent = 0; sent < 120; sent += 6) await ask()
    const answered: string[] = []
    const flood = Array.from({ length: 8 }, async () => answered.push(codeOf(await ask())))
    const own = service.graphql(page(20), {}, withKey()).then((reply) => answered.push(codeOf(reply)))
    await Promise.all([own, ...flood])
    expect(answered).toEqual(['data', ...Array(8).fill('rate_limited')])
  })

  it('waits for no mutation of another business', async () => {
    const sweeping = Promise.withResolvers<never>()
    let asked = 0
    const sweep = () => {
      asked += 1
      return sweeping.promise
    }
    const service = await startForTwo({ intents: { sweep } })
    const mutation = `mutation {
      sweepPaymentIntent(index: 1) { signature }
      cancelPaymentIntent(index: 3) { deposits(first: 100) { edges { node { asset amount slot use seenAt } } } }
    }`
    const swept = service.graphql(mutation, {}, withKey(TEST_API_KEY))
    await expect.poll(() => asked).toBe(1)
    expect(codeOf(await service.graphql(page(20), {}, withKey()))).toBe('data')
    sweeping.reject(new ServiceError('intent_not_found'))
    await swept
  })
})

describe('the reply of a heavy read', () => {
  // Characters of three and four bytes: some pieces of the reply end inside of one.
  const reference = '支払い😀'.repeat(100)
  const { paymentIntent, ...others } = emptyReads()
  const payments = (count: number) => Array.from({ length: count }, () => ({ ...pendingIntent, reference }))
  const reads = { ...others, paymentIntent: { ...paymentIntent, findMany: async () => payments(100) } }
  const post = (service: TestService, query: string) =>
    fetch(`${service.url}/graphql`, {
      method: 'POST',
      headers: { ...withKey(), 'content-type': 'application/json' },
      body: JSON.stringify({ query }),
    })
  const longPage = `paymentIntents(first: 100) { edges { node { ${SHARED_FIELDS} } } }`

  it('is whole, with its length', async () => {
    const service = await start(() => reads)
    const reply = await post(service, `{ ${longPage} }`)
    const bytes = Buffer.from(await reply.arrayBuffer())
    expect(bytes.length).toBeGreaterThan(3 * 65_536)
    expect(reply.headers.get('content-length')).toBe(String(bytes.length))
    const { data, errors }: Json = JSON.parse(bytes.toString())
    expect(errors).toBeUndefined()
    expect(data.paymentIntents.edges).toHaveLength(100)
    for (const { node } of data.paymentIntents.edges) expect(node).toMatchObject({ reference, derivationIndex: 42 })
  })

  it('is written and sent in parts, between which others are answered', async () => {
    const service = await start(() => reads)
    const stringify = vi.spyOn(JSON, 'stringify')
    const write = vi.spyOn(ServerResponse.prototype, 'write')
    const end = vi.spyOn(ServerResponse.prototype, 'end')
    const reply = await post(service, `{ ${longPage} }`)
    expect((await reply.text()).length).toBeGreaterThan(100_000)
    const texts = stringify.mock.results.map(({ value }) => String(value).length)
    const chunks = [...write.mock.calls, ...end.mock.calls].map(([chunk]) => chunk?.length ?? 0)
    vi.restoreAllMocks()
    expect(Math.max(...texts)).toBeLessThan(32_768)
    expect(Math.max(...chunks)).toBe(65_536)
  })

  it('is given up when its client leaves, which harms nothing', async () => {
    const service = await start(() => reads, null)
    const { port } = new URL(service.url)
    const head = ['POST /graphql HTTP/1.1', 'Host: localhost', 'Content-Type: application/json']
    const body = JSON.stringify({ query: `{ ${longPage} }` })
    const leave = async (): Promise<void> => {
      const socket = connect(Number(port), '127.0.0.1')
      const { authorization } = withKey()
      socket.write(
        [...head, `Authorization: ${authorization}`, `Content-Length: ${body.length}`, '', body].join('\r\n'),
      )
      await once(socket, 'data')
      socket.resetAndDestroy()
      await once(socket, 'close')
    }
    for (let at = 0; at < 5; at += 1) await leave()
    expect((await service.get('/status?index=1', withKey())).status).toBe(200)
  })

  it('has no data where its variables do not fit', async () => {
    const service = await start(() => reads)
    const body = JSON.stringify({
      query: `query($r: String!) { ${longPage} redirectDomain(id: $r) { host } }`,
      variables: { r: 7 },
    })
    const headers = { ...withKey(), 'content-type': 'application/json' }
    const reply: Json = await (await fetch(`${service.url}/graphql`, { method: 'POST', headers, body })).json()
    expect(Object.keys(reply)).toEqual(['errors'])
  })

  it('has its errors next to its data, and none of their causes', async () => {
    const service = await start(() => ({
      ...reads,
      redirectDomain: {
        ...others.redirectDomain,
        findMany: async () => {
          throw new Error('a secret cause')
        },
      },
    }))
    const text = await (await post(service, `{ ${longPage} redirectDomains { edges { node { host } } } }`)).text()
    const { data, errors }: Json = JSON.parse(text)
    expect(text).not.toContain('a secret cause')
    expect(errors).toHaveLength(1)
    expect(errors[0]).toMatchObject({ path: ['redirectDomains'], extensions: { code: 'internal_error' } })
    expect([data.redirectDomains, data.paymentIntents.edges.length]).toEqual([null, 100])
  })
})

describe('a heavy read that waits for something else than the processor', () => {
  it('delays the reads of its own business, and no read of another one', async () => {
    const prices = Promise.withResolvers<never>()
    let asked = 0
    const quote = () => {
      asked += 1
      return prices.promise
    }
    const service = await startForTwo({ intents: { checkoutStatus: async () => pendingIntent, quote } })
    const quotes = `{ quote(clientSecret: "cs") { priceUsdCents } ${page(20).slice(1)}`
    const own = [1, 2].map(() => service.graphql(quotes, {}, withKey(TEST_API_KEY)))
    await expect.poll(() => asked).toBe(1)
    expect(codeOf(await service.graphql(page(20), {}, withKey()))).toBe('data')
    expect(asked).toBe(1)
    prices.reject(new ServiceError('price_feed_unreachable'))
    await Promise.all(own)
    expect(asked).toBe(2)
  })
})

describe('an operation without a turn', () => {
  const status = (service: TestService, secret: string) => service.get(`/intents/status?client_secret=${secret}`)

  const wholes = `${aliased(7, 'checkout(clientSecret: "cs_right") { ...Whole }')}`
  const checkoutStatus = async (secret: string) => (secret === 'cs_wrong' ? await wrongSecret() : pendingIntent)

  it('costs the client secret that it reads with as many points as a key would pay', async () => {
    const service = await startForTwo({ intents: { checkoutStatus } })
    // A point for each of its seven calls, and four for the size of the reply. A wrong secret pays for nothing.
    const query = `{ wrong: checkout(clientSecret: "cs_wrong") { id } ${wholes} } ${WHOLE}`
    const { headers, body } = await service.graphql(query)
    expect(body.data.a6.id).toBe(pendingIntent.id)
    expect(headers.get('ratelimit')).toContain('"client-secret";r=0;')
    expect((await status(service, 'cs_right')).status).toBe(429)
    expect((await status(service, 'cs_other')).status).toBe(200)
  })

  it('costs a key as much when it reads with client secrets', async () => {
    const intents = { checkoutStatus, findByIndex: async () => pendingIntent }
    const service = await startForTwo({ intents }, { liveKeyPerSecond: 2 })
    await service.graphql(`{ ${wholes} } ${WHOLE}`, {}, withKey())
    expect((await service.get('/status?index=1', withKey())).status).toBe(429)
    expect((await service.get('/status?index=1', withKey(TEST_API_KEY))).status).toBe(200)
  })

  it('is a mutation of at most 100 points', async () => {
    const service = await startForTwo({})
    const payments = `payments(first: 100) { edges { node { ${EVERY_FIELD} } } }`
    const two = `mutation { a: archiveSeller(id: "x") { ${payments} } b: archiveSeller(id: "y") { ${payments} } }`
    const reply = await service.graphql(two, {}, { ...withKey(), accept: 'application/graphql-response+json' })
    expect([reply.status, codeOf(reply)]).toEqual([400, 'document_too_large'])
  })
})

describe('node', () => {
  const node = (id: string) => `{ node(id: ${JSON.stringify(id)}) { id } }`
  const globalId = (text: string) => Buffer.from(text).toString('base64')

  it('counts as one call of its key', async () => {
    const service = await start(() => nothing)
    const ask = (at: number) =>
      service.graphql(
        'query($id: ID!) { node(id: $id) { id } }',
        { id: globalId(`PaymentIntent:${at}`) },
        withKey(TEST_API_KEY),
      )
    const answers = await Promise.all(Array.from({ length: 30 }, (_, at) => ask(at)))
    expect(answers.map(codeOf).filter((code) => code === 'rate_limited')).toHaveLength(5)
  })

  it.each([
    ['an unknown intent', globalId(`PaymentIntent:${pendingIntent.id}`)],
    ['an intent by an id that is no UUID', globalId('PaymentIntent:7')],
    ['a type without nodes', globalId('Account:7')],
    ['an unknown type', globalId('Nothing:7')],
    ['a type of GraphQL itself', globalId('__Schema:7')],
    ['nothing', ''],
    ['no global id', 'x'],
    ['no base64', '\u{1f600}'],
  ])('answers null for %s', async (_what, id) => {
    const service = await start(() => nothing)
    expect((await service.graphql(node(id), {}, withKey())).body).toEqual({ data: { node: null } })
    expect(codeOf(await service.graphql(node(id)))).toBe('unauthenticated')
  })
})
