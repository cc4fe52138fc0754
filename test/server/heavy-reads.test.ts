// The cost of a page of payments for its caller, without a cost for others.
import { afterEach, describe, expect, it } from 'vitest'
import type { TenantReads } from '#adapters/prisma/tenant-reads.ts'
import { DEFAULT_RATE_LIMITS, type RateLimitSettings } from '#graphql/limits.ts'
import { EVERY_FIELD } from '../support/every-field.ts'
import { pendingIntent } from '../support/example-intent.ts'
import { emptyReads, NO_MATCHES } from '../support/reads.ts'
import { startTestService, TEST_API_KEY, type TestService, withKey } from '../support/services.ts'

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
