// GET /images/NAME: what it costs an address to ask for images.
import { afterEach, beforeEach, expect, it } from 'vitest'
import { DEFAULT_RATE_LIMITS } from '#graphql/limits.ts'
import { startTestService, type TestService } from '../support/services.ts'

const MOST = 3
const STORED = `${'a'.repeat(64)}.png`
const MISSING = `${'b'.repeat(64)}.png`

let service: TestService
let reads: string[]
beforeEach(async () => {
  reads = []
  service = await startTestService({
    settings: { rateLimits: { ...DEFAULT_RATE_LIMITS, publicAddressPerMinute: MOST } },
    services: {
      images: {
        read: async (name) => {
          reads.push(name)
          return name === STORED ? { contentType: 'image/png', bytes: new Uint8Array(8) } : null
        },
      },
    },
  })
})
afterEach(() => service.close())

const ask = (name: string) => service.get(`/images/${name}`)

it('images that exist cost nothing, however many a page has', async () => {
  const answers = await Promise.all(Array.from({ length: 5 * MOST }, () => ask(STORED)))
  expect(answers.map(({ status }) => status)).toEqual(Array(5 * MOST).fill(200))
  expect((await ask(MISSING)).status).toBe(404)
})

it('names that no image has cost a point each, and an address without a point reads nothing from the storage', async () => {
  for (let at = 0; at < MOST; at += 1) expect((await ask(MISSING)).status).toBe(404)
  const read = reads.length
  const refused = await ask(MISSING)
  expect([refused.status, Object.keys(refused.body)]).toEqual([429, ['error']])
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0)
  expect((await ask(STORED)).status).toBe(429)
  expect(reads).toHaveLength(read)
})
