// Rules for every endpoint of the table, so that a new endpoint follows them too.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ServiceError } from '#core/errors.ts'
import { API_VERSION } from '#core/events/subjects.ts'
import { makeBasisPoints } from '#core/money/amounts.ts'
import { ROUTES } from '#rest/routes.ts'
import { exampleCheckout, examplePortal } from '../support/example-billing.ts'
import { failingReads } from '../support/reads.ts'
import { examples, readCurl } from '../support/rest-page.ts'
import { type Answer, asOperator, startTestService, type TestService, withKey } from '../support/services.ts'

/** The request of the first example of an endpoint in src/rest/reference.md. It reaches its service. */
function exampleOf(name: string) {
  const example = examples.find(({ title }) => title === name)
  if (example === undefined) throw new Error(`src/rest/reference.md has no example of ${name}`)
  const { path, headers, body = '{}' } = readCurl(example.request)
  const type: string = headers['Content-Type'] ?? 'application/json'
  return { path, type, body: body.startsWith('@') ? new Blob(['an image']) : JSON.parse(body) }
}

let thrown: Error
const fail = (): never => {
  throw thrown
}
/** A route of the recovery page asks for it also before it refuses an input that cannot be read. */
let isPageOpen = false
let service: TestService
beforeAll(async () => {
  service = await startTestService({
    outage: (error) => (error instanceof RangeError ? 'database_unavailable' : null),
    reads: () => failingReads(async () => fail()),
    otherwise: fail,
    services: {
      billing: {
        merchant: async ({ tenant }) => ({ tenant, marketplaceFeeBps: makeBasisPoints(0) }),
        now: () => new Date(0),
      },
      subscriptionPortal: {
        readPortal: async (token) => (token === ':token' ? examplePortal : fail()),
        recovery: () => (isPageOpen ? { challengeUrl: '', verifyUrl: '' } : fail()),
      },
      subscriptionCheckout: {
        // A route asks for the checkout also before it refuses an input that cannot be read.
        readCheckout: async (token) => (token === ':token' ? exampleCheckout : fail()),
      },
    },
  })
})
afterAll(() => service.close())

const CASES = ROUTES.map((endpoint) => ({ ...endpoint, name: `${endpoint.method} ${endpoint.path}` }))
const KEYED = CASES.filter(({ credential }) => credential === 'key' || credential === 'key_or_session')
const WITH_BODY = CASES.filter(({ takes }) => takes === 'json')

const UNPROVED: Record<string, string>[] = [{}, withKey('sk_live_wrong')]

function ask(name: string, headers: Record<string, string> = withKey()): Promise<Answer> {
  const [method = ''] = name.split(' ')
  const { path, type, body } = exampleOf(name)
  if (method === 'GET' || method === 'DELETE') return service.ask(method, path, headers)
  return service.send(method, path, body, { 'content-type': type, ...headers })
}

const isOfBilling = (path: string): boolean => /^\/(?:subscription|charges\/|pay\/)/.test(path)

/** The time to wait, as the body of a refusal has it. */
function waitIn(path: string): object {
  if (isOfBilling(path)) return { retry_after_seconds: 3 }
  return path.startsWith('/marketplace') ? { retry_after_secs: 3 } : {}
}

/** The body of every refusal, except GET /health, which reports its state while it is down. */
const onlyError = ({ body }: Answer) => expect(Object.keys(body)).toEqual(['error'])
/** The status of an answer, and the code in its header. */
const refusalOf = ({ status, headers }: Answer) => [status, headers.get('error-code')]

describe.each(CASES)('$name', ({ name, path }) => {
  it('answers 500 to an internal failure, and shows only the request id', async () => {
    thrown = new Error(`column "secret" of 10.0.0.7 does not exist, at ${name}`)
    const answer = await ask(name)
    expect([...refusalOf(answer), answer.body]).toEqual([500, 'internal_error', { error: 'internal error' }])
    const line = service.logLines.find((text) => text.includes('does not exist') && text.includes(name)) ?? '{}'
    expect(JSON.parse(line).requestId).toBe(answer.headers.get('x-request-id'))
  })

  it('answers 503 while the database is unreachable', async () => {
    thrown = new RangeError('connect ECONNREFUSED 10.0.0.7:5432')
    const answer = await ask(name)
    expect([...refusalOf(answer), answer.headers.get('retry-after')]).toEqual([503, 'database_unavailable', '5'])
    onlyError(answer)
    expect(answer.text).not.toContain('10.0.0.7')
  })

  it('answers 429 with the time to wait', async () => {
    thrown = new ServiceError('rate_limited', { retry_after_seconds: 3 })
    const answer = await ask(name)
    expect([...refusalOf(answer), answer.headers.get('retry-after')]).toEqual([429, 'rate_limited', '3'])
    const { error, ...rest } = answer.body
    expect([error, rest]).toEqual([expect.any(String), waitIn(path)])
  })

  it('answers in its version, and refuses one that it does not have', async () => {
    thrown = new ServiceError('intent_not_found')
    const refused = await ask(name, { ...withKey(), 'api-version': '2020-01-01' })
    expect(refusalOf(refused)).toEqual([400, 'unknown_api_version'])
    expect(refused.body).toEqual({ error: `the header Api-Version must be ${API_VERSION}` })
    const [plain, asked] = [await ask(name), await ask(name, { ...withKey(), 'api-version': API_VERSION })]
    expect([asked.status, asked.body]).toEqual([plain.status, plain.body])
    for (const { headers } of [refused, plain, asked]) expect(headers.get('api-version')).toBe(API_VERSION)
  })

  it('answers 405 to another method, and lists the allowed methods', async () => {
    const own = CASES.filter((other) => other.path === path).map(({ method }) => method)
    const others = ['PUT', 'PATCH', 'DELETE', 'POST'].filter((method) => !own.some((each) => each === method))
    for (const method of others) {
      const response = await fetch(service.url + path, { method, headers: withKey() })
      expect(response.status).toBe(405)
      expect(response.headers.get('error-code')).toBe('method_not_allowed')
      expect(response.headers.get('allow')?.split(', ')).toEqual(expect.arrayContaining(own))
      expect(await response.json()).toEqual({ error: 'method not allowed' })
    }
  })
})

describe.each(KEYED)('$name', ({ name }) => {
  it('answers 401 without a key and to a wrong key', async () => {
    for (const headers of UNPROVED) {
      const answer = await ask(name, headers)
      expect(answer.body).toEqual({ error: 'missing or invalid API key' })
      expect(refusalOf(answer)).toEqual([401, 'unauthenticated'])
      expect(answer.headers.get('www-authenticate')).toBe('Bearer realm="payments"')
    }
  })

  it('answers 401 to the operator token, which is no API key', async () => {
    const answer = await ask(name, asOperator)
    expect([answer.status, answer.body]).toEqual([401, { error: 'missing or invalid API key' }])
  })
})

describe.each(WITH_BODY)('$name', ({ name, path, method }) => {
  beforeAll(() => {
    isPageOpen = true
  })
  afterAll(() => {
    isPageOpen = false
  })
  const needsBody = Object.keys(exampleOf(name).body).length > 0
  it.each([...(needsBody ? [''] : []), '{', '[]', 'null', '7', '"x"'])('answers 400 to the body %s', async (body) => {
    const answer = await service.send(method, path, body, withKey())
    expect(answer.status).toBe(400)
    // Billing names the missing field.
    const { field: _field, ...rest } = answer.body
    onlyError(isOfBilling(path) ? { ...answer, body: rest } : answer)
  })

  it('answers 413 to a body beyond 64 KiB', async () => {
    const answer = await service.send(method, path, { x: 'a'.repeat(66_000) }, withKey())
    expect(refusalOf(answer)).toEqual([413, 'body_too_large'])
    onlyError(answer)
  })

  it.each(['text/plain', 'application/x-www-form-urlencoded'])('answers 415 to %s', async (type) => {
    const answer = await service.send(method, path, exampleOf(name).body, { ...withKey(), 'content-type': type })
    expect(refusalOf(answer)).toEqual([415, 'unsupported_media_type'])
    onlyError(answer)
  })

  it('answers 400 to a body that is not UTF-8, and reads no byte of it as another character', async () => {
    const body = JSON.stringify({ ...exampleOf(name).body, reference: 'order-ä' })
    const answer = await service.send(method, path, new Blob([Buffer.from(body, 'latin1')]), withKey())
    const error = isOfBilling(path) ? 'invalid_request' : 'the body is not valid UTF-8'
    expect([...refusalOf(answer), answer.body]).toEqual([400, 'invalid_request', { error }])
  })

  it.each(['latin1', '"utf-16"', 'utf-7'])('answers 415 to a body declared to be in %s', async (charset) => {
    const type = `application/json; charset=${charset}`
    const answer = await service.send(method, path, exampleOf(name).body, { ...withKey(), 'content-type': type })
    expect(answer.status).toBe(415)
    onlyError(answer)
  })

  it.each(['utf-8', 'UTF8', '"utf-8"', 'us-ascii'])('reads a body declared to be in %s', async (charset) => {
    thrown = new ServiceError('intent_not_found')
    const type = `application/json; charset=${charset}`
    expect(
      (await service.send(method, path, exampleOf(name).body, { ...withKey(), 'content-type': type })).status,
    ).toBe(404)
  })

  it('names the fields of the body that it ignores, in a refusal too', async () => {
    thrown = new ServiceError('intent_not_found')
    const body = { ...exampleOf(name).body, foreign: { a: 1 }, ...(path.includes(':id') && { id: 'another' }) }
    const answer = await service.send(method, path, body, withKey())
    const ignored = path.includes(':id') ? 'foreign, id' : 'foreign'
    expect([answer.status, answer.headers.get('ignored-fields')]).toEqual([404, ignored])
    const plain = await service.send(method, path, exampleOf(name).body, withKey())
    expect(plain.headers.get('ignored-fields')).toBeNull()
  })

  it('answers 415 to an encoding that it cannot read', async () => {
    const answer = await service.send(method, path, exampleOf(name).body, {
      ...withKey(),
      'content-encoding': 'zstd-but-not',
    })
    expect(answer.status).toBe(415)
    onlyError(answer)
  })
})

it('a HEAD is a GET without a body', async () => {
  thrown = new ServiceError('intent_not_found')
  const response = await fetch(`${service.url}/status?index=1`, { method: 'HEAD', headers: withKey() })
  expect([response.status, await response.text()]).toEqual([404, ''])
})
