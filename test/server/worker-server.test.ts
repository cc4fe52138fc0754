// What a process that is a worker alone answers at the operator's port.
import { afterAll, beforeAll, expect, it, test } from 'vitest'
import { createLog } from '#server/log.ts'
import { createMetrics } from '#server/metrics.ts'
import { startWorkerServer } from '#server/worker-server.ts'

const TOKEN = 'op_a-token-of-the-operator'
const metrics = createMetrics()
const lines: string[] = []

let server: Awaited<ReturnType<typeof startWorkerServer>>
beforeAll(async () => {
  metrics.gauge('answers', 'How many answers there are.', () => 42)
  const parts = {
    metrics,
    tracing: null,
    newId: () => 'made',
    now: () => new Date(),
    log: createLog('info', { write: (line) => void lines.push(line) }),
    settings: { operatorToken: TOKEN, trustProxy: false },
  }
  server = await startWorkerServer(parts, { host: '127.0.0.1', port: 0 })
})
afterAll(() => server.close())

const ask = (path: string, init: RequestInit = {}) => fetch(`http://127.0.0.1:${server.port}${path}`, init)
const as = (token: string): RequestInit => ({ headers: { authorization: `Bearer ${token}` } })

test('its metrics are for the operator only', async () => {
  const answer = await ask('/metrics', as(TOKEN))
  expect([answer.status, answer.headers.get('content-type')]).toEqual([200, metrics.contentType])
  expect(await answer.text()).toMatch(/^answers 42$/m)
  for (const init of [{}, as('op_another')]) {
    const refused = await ask('/metrics', init)
    expect([refused.status, refused.headers.get('www-authenticate')]).toEqual([401, 'Bearer realm="payments"'])
    expect(await refused.json()).toEqual({ error: 'operator only' })
  }
})

it.each(['/', '/health', '/graphql', '/operator/graphql'])('has nothing at %s', async (path) => {
  const answer = await ask(path, as(TOKEN))
  expect([answer.status, await answer.json()]).toEqual([404, { error: 'not found' }])
})

it('answers, logs and measures a request as the API does', async () => {
  const headers = { ...as(TOKEN).headers, 'x-request-id': 'mine' }
  const posted = await ask('/metrics', { headers, method: 'POST' })
  expect([posted.status, posted.headers.get('allow')]).toEqual([405, 'GET, HEAD, OPTIONS'])
  expect([posted.headers.get('x-request-id'), posted.headers.get('cache-control')]).toEqual(['mine', 'no-store'])
  expect(posted.headers.get('content-security-policy')).toContain("default-src 'none'")
  await expect
    .poll(() => lines.map((line) => JSON.parse(line)))
    .toContainEqual(expect.objectContaining({ requestId: 'mine', status: 405 }))
  expect(await (await ask('/metrics', as(TOKEN))).text()).toMatch(/^http_request_duration_seconds_count.*status="405"/m)
})
