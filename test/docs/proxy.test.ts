// The configurations of nginx and Caddy in examples/proxy, in front of the service. docs/runbook.md, "Behind a proxy".
import { once } from 'node:events'
import type { IncomingMessage } from 'node:http'
import { type RequestOptions, request } from 'node:https'
import { text } from 'node:stream/consumers'
import { createClient } from 'graphql-ws'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { WebSocket } from 'ws'
import { DEFAULT_RATE_LIMITS } from '#graphql/limits.ts'
import { pendingIntent } from '../support/example-intent.ts'
import { subscribe } from '../support/graphql-client.ts'
import { LOCALHOST_CERTIFICATE } from '../support/localhost-certificate.ts'
import { PROXIES, programOf, type RunningProxy, startProxy } from '../support/proxies.ts'
import { asOperator, CLIENT_SECRET, startTestService, type TestService } from '../support/services.ts'

const PUBLIC_REQUESTS = 20
const BY_SECRET = 'subscription ($clientSecret: String!) { checkoutUpdated(clientSecret: $clientSecret) { status } }'
const SECRET = { clientSecret: CLIENT_SECRET }
const PENDING = { data: { checkoutUpdated: { status: 'pending' } } }

/** A client that trusts the certificate of the test. */
class TrustingSocket extends WebSocket {
  constructor(url: string, protocols: string | string[]) {
    super(url, protocols, { ca: LOCALHOST_CERTIFICATE })
  }
}

describe.each(PROXIES)('%s as examples/proxy configures it', (name) => {
  const isMissing = programOf(name) === null
  const WITHOUT = isMissing ? ` (skipped: no ${name} is installed; install the package ${name})` : ''
  let service: TestService
  let proxy: RunningProxy
  beforeAll(async () => {
    if (isMissing) return
    service = await startTestService({
      live: {
        async *follow(_id, signal) {
          yield pendingIntent
          await once(signal, 'abort')
        },
      },
      services: {
        intents: {
          checkoutStatus: async () => pendingIntent,
          quote: async () => ({
            priceUsdCents: pendingIntent.priceUsdCents,
            expiresInSeconds: 600,
            quotes: [],
            unquoted: [],
          }),
        },
        tokens: { allowed: async () => [], known: async () => [] },
        billing: { now: () => pendingIntent.createdAt },
      },
      settings: {
        trustProxy: true,
        rateLimits: { ...DEFAULT_RATE_LIMITS, publicAddressPerMinute: PUBLIC_REQUESTS },
      },
    })
    proxy = await startProxy(name, service.port)
  })
  afterAll(async () => {
    await proxy?.stop()
    await service?.close()
  })

  /** Sends a request to the proxy. `body` is sent as JSON. */
  async function open(path: string, options: RequestOptions = {}, body?: string): Promise<IncomingMessage> {
    const { port } = proxy
    const method = body === undefined ? 'GET' : 'POST'
    const headers = { host: `localhost:${port}`, 'content-type': 'application/json', ...options.headers }
    const to = { host: '127.0.0.1', servername: 'localhost', ca: LOCALHOST_CERTIFICATE, port, path, method }
    const sent = request({ ...to, ...options, headers })
    sent.end(body)
    const [reply] = await once(sent, 'response')
    return reply
  }
  async function ask(...asked: Parameters<typeof open>) {
    const reply = await open(...asked)
    return { status: reply.statusCode, headers: reply.headers, body: await text(reply) }
  }

  it.skipIf(isMissing)(`passes a page and a call of REST on${WITHOUT}`, async () => {
    const page = await ask(`/pay/i/${CLIENT_SECRET}`, { headers: { accept: 'text/html' } })
    expect([page.status, page.headers['content-type']]).toEqual([200, 'text/html; charset=utf-8'])
    const called = await ask('/allowed-tokens')
    expect([called.status, called.body, called.headers['x-request-id']]).toEqual([
      200,
      '{"tokens":[]}',
      expect.any(String),
    ])
    const posted = await ask('/graphql', {}, '{"query":"{ __typename }"}')
    expect([posted.status, posted.body]).toEqual([200, '{"data":{"__typename":"Query"}}'])
  })

  it.skipIf(isMissing || name === 'caddy')(`leads from http to https${WITHOUT}`, async () => {
    const reply = await fetch(`http://127.0.0.1:${proxy.httpPort}/health?a=b`, { redirect: 'manual' })
    expect([reply.status, reply.headers.get('location')]).toEqual([301, 'https://127.0.0.1/health?a=b'])
  })

  it.skipIf(isMissing)(`passes the head and each server-sent event on at once${WITHOUT}`, async () => {
    const body = JSON.stringify({ query: BY_SECRET, variables: SECRET })
    const signal = AbortSignal.timeout(5_000)
    const reply = await open('/graphql', { headers: { accept: 'text/event-stream' }, signal }, body)
    expect([reply.statusCode, reply.headers['content-type']]).toEqual([200, expect.stringMatching('text/event-stream')])
    let received = ''
    for await (const part of reply) {
      received += part
      if (received.includes(`event: next\ndata: ${JSON.stringify(PENDING)}`)) break
    }
    expect(received).toContain('event: next')
  })

  it.skipIf(isMissing)(`passes a websocket on${WITHOUT}`, async () => {
    const url = `wss://localhost:${proxy.port}/graphql`
    const client = createClient({ url, webSocketImpl: TrustingSocket, retryAttempts: 0 })
    expect(await subscribe(client, BY_SECRET, SECRET).next()).toEqual(PENDING)
    await client.dispose()
  })

  it.skipIf(isMissing)(`names its client, and nothing that the client names${WITHOUT}`, async () => {
    const from = (localAddress: string, forged: string) =>
      ask('/allowed-tokens', { localAddress, headers: { 'x-forwarded-for': forged } })
    for (let sent = 0; sent < PUBLIC_REQUESTS; sent += 1)
      expect((await from('127.0.0.5', `203.0.113.${sent}`)).status).toBe(200)
    expect((await from('127.0.0.5', '203.0.113.99')).status).toBe(429)
    expect((await from('127.0.0.6', '127.0.0.5')).status).toBe(200)
  })

  it.skipIf(isMissing)(`forwards nothing to the operator's routes${WITHOUT}`, async () => {
    const query = '{"query":"{ __typename }"}'
    expect((await service.operator('{ __typename }')).status).toBe(200)
    for (const path of ['/operator/graphql', '/%6fperator/graphql', '/pay/../operator/graphql', '//operator/graphql']) {
      const answer = await ask(path, { headers: asOperator }, query)
      expect([path, answer.status, answer.body.includes('Query')]).toEqual([path, 404, false])
    }
    const { status, headers } = await ask('/metrics', { headers: asOperator })
    expect([status, headers['x-request-id']]).toEqual([404, undefined])
  })

  it.skipIf(isMissing)(`refuses a body that is larger than any that the service reads${WITHOUT}`, async () => {
    const image = JSON.stringify({ query: '{ __typename }', variables: { image: 'a'.repeat(1_400_000) } })
    // The service itself judges this size.
    expect((await ask('/graphql', {}, image)).headers['x-request-id']).toBeDefined()
    const tooLarge = await ask('/graphql', {}, 'a'.repeat(2 * 1024 * 1024 + 1))
    // Caddy 2.6 answers 502 where it cuts a body off.
    expect([413, 502]).toContain(tooLarge.status)
    expect(tooLarge.headers['x-request-id']).toBeUndefined()
  })

  it.skipIf(isMissing)(`logs no secret${WITHOUT}`, async () => {
    await ask(`/pay/i/${CLIENT_SECRET}`)
    await ask(`/intents/status?client_secret=${CLIENT_SECRET}`)
    expect(proxy.log()).not.toContain(CLIENT_SECRET)
    expect(proxy.log().includes(' GET 200 ')).toBe(name === 'nginx')
  })
})
