// OPERATOR_PORT: the operator's routes have a port of their own, and are not on the public port.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { asOperator, startTestService, type TestService, withKey } from '../support/services.ts'

const NOT_FOUND = { error: 'not found' }
const query = '{ accounts { id } }'

let service: TestService
beforeAll(async () => {
  service = await startTestService({
    at: { operatorPort: 0 },
    services: {
      accounts: { list: async () => [] },
      audit: { halts: async () => [] },
      held: { payments: async () => ({ payments: [], nextIndex: null, dustPayments: 0 }) },
    },
  })
})
afterAll(() => service.close())

const atOperator = async (path: string, init: RequestInit = {}) => {
  const response = await fetch(`${service.operatorUrl}${path}`, init)
  return { status: response.status, headers: response.headers, text: await response.text() }
}
const post = (headers: Record<string, string>) =>
  atOperator('/operator/graphql', {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify({ query }),
  })

describe('the public port', () => {
  it('answers 404 for the operator’s paths, to the operator too', async () => {
    for (const headers of [asOperator, withKey(), {}]) {
      const posted = await service.operator(query, {}, headers)
      expect([posted.status, posted.body]).toEqual([404, NOT_FOUND])
      const page = await service.get('/operator/graphql', { ...headers, accept: 'text/html' })
      expect([page.status, page.body]).toEqual([404, NOT_FOUND])
      const metrics = await service.get('/metrics', headers)
      expect([metrics.status, metrics.body]).toEqual([404, NOT_FOUND])
    }
  })

  it('serves all other paths', async () => {
    expect((await service.graphql('{ __typename }')).body.data).toEqual({ __typename: 'Query' })
    expect((await service.get('/')).status).toBe(200)
  })
})

describe('the operator’s port', () => {
  it('is a different port', () => {
    expect(service.operatorUrl).not.toBe(service.url)
  })

  it('answers the operator', async () => {
    const { status, headers, text } = await post({ ...asOperator, 'x-request-id': 'mine' })
    expect([status, JSON.parse(text)]).toEqual([200, { data: { accounts: [] } }])
    expect([headers.get('x-request-id'), headers.get('cache-control')]).toEqual(['mine', 'no-store'])
    expect((await atOperator('/metrics', { headers: asOperator })).text).toContain('http_request_duration_seconds')
  })

  it('refuses all other callers', async () => {
    for (const headers of [withKey(), {}]) {
      expect((await post(headers)).status).toBe(401)
      expect((await atOperator('/metrics', { headers })).status).toBe(401)
    }
  })

  it.each(['/', '/graphql', '/health', '/intents', '/config', '/operator', '/operator/graphql/'])(
    'has nothing at %s',
    async (path) => {
      const { status, text } = await atOperator(path, { headers: { ...asOperator, accept: 'application/json' } })
      expect([status, JSON.parse(text)]).toEqual([404, NOT_FOUND])
    },
  )

  it('limits a request like the public port', async () => {
    const json = { 'content-type': 'application/json' }
    const headers = { ...json, ...asOperator }
    const post = (length: number, sent: Readonly<Record<string, string>>) => {
      const body = JSON.stringify({ query: `${query} # ${'x'.repeat(length)}` })
      return atOperator('/operator/graphql', { method: 'POST', headers: sent, body })
    }
    expect((await post(70_000, json)).status).not.toBe(200)
    // The operator may send an image.
    expect((await post(70_000, headers)).status).toBe(200)
    expect((await post(2_000_000, headers)).status).toBe(413)
    const wide = JSON.stringify({ query: `{ ${'accounts { id } '.repeat(60)} }` })
    const { text } = await atOperator('/operator/graphql', { method: 'POST', headers, body: wide })
    expect(JSON.parse(text).errors[0].extensions.code).toBe('document_too_large')
  })
})

it('both ports close together', async () => {
  const other = await startTestService({ at: { operatorPort: 0 } })
  await other.close()
  for (const url of [other.url, other.operatorUrl]) await expect(fetch(url)).rejects.toThrow()
})

it('an operator’s port in use is an error at once, and leaves no port open', async () => {
  const { startServer } = await import('#server/server.ts')
  const at = { host: '127.0.0.1', port: 0, operatorPort: service.port }
  await expect(startServer(service.parts, at)).rejects.toMatchObject({ code: 'EADDRINUSE', port: service.port })
})
