// What a process that is a worker alone answers at the operator's port.
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createLog } from '#server/log.ts'
import { createMetrics } from '#server/metrics.ts'
import { startWorkerServer } from '#server/worker-server.ts'

const TOKEN = 'op_a-token-of-the-operator'
const metrics = createMetrics()

let server: Awaited<ReturnType<typeof startWorkerServer>>
beforeAll(async () => {
  metrics.gauge('answers', 'How many answers there are.', () => 42)
  const parts = { operatorToken: TOKEN, metrics, newId: () => 'id', log: createLog('silent') }
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
    expect([refused.status, refused.headers.get('www-authenticate')]).toEqual([401, 'Bearer'])
    expect(await refused.text()).not.toContain('answers')
  }
})

test('anyone may ask whether it runs, and nothing else', async () => {
  expect((await ask('/health')).status).toBe(200)
  expect((await ask('/graphql')).status).toBe(404)
  const posted = await ask('/metrics', { ...as(TOKEN), method: 'POST' })
  expect([posted.status, posted.headers.get('allow')]).toEqual([405, 'GET'])
})
