// GET /images/NAME: what it costs an address to ask for images, and what it costs the process.
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { setTimeout } from 'node:timers/promises'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { DEFAULT_RATE_LIMITS } from '#graphql/limits.ts'
import { startTestService, type TestService } from '../support/services.ts'

const MOST = 3
const STORED = `${'a'.repeat(64)}.png`
const READ_MS = 10
const MISSING = `${'b'.repeat(64)}.png`

let service: TestService
let reads: string[]
/** Reads of the storage that have not ended, and the most at once. */
let underWay: number
let mostUnderWay: number
/** No read ends before so many are under way. */
let together: number
let gate: PromiseWithResolvers<void>
/** The size of each image. */
let size: number
beforeEach(async () => {
  reads = []
  underWay = 0
  mostUnderWay = 0
  together = 1
  gate = Promise.withResolvers()
  size = 8
  service = await startTestService({
    settings: { rateLimits: { ...DEFAULT_RATE_LIMITS, publicAddressPerMinute: MOST } },
    services: {
      images: {
        read: async (name) => {
          reads.push(name)
          underWay += 1
          mostUnderWay = Math.max(mostUnderWay, underWay)
          if (underWay >= together) gate.resolve()
          await gate.promise
          await setTimeout(READ_MS)
          underWay -= 1
          return name === MISSING ? null : { contentType: 'image/png', bytes: new Uint8Array(size) }
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

const MEGABYTE = 1_048_576
const MANY = 20
const nameNo = (number: number) => `${number.toString(16).padStart(64, '0')}.png`

describe('an image', () => {
  it('is read from the storage once, for requests at the same time and for later ones', async () => {
    const statuses = await Promise.all(Array.from({ length: 5 }, async () => (await ask(STORED)).status))
    expect(statuses).toEqual(Array(5).fill(200))
    expect((await ask(STORED)).status).toBe(200)
    expect(reads).toEqual([STORED])
  })

  it('is read again after others have taken its place in memory', async () => {
    size = 6 * MEGABYTE
    for (const number of [1, 2, 3, 2, 1]) await ask(nameNo(number))
    expect(reads).toEqual([1, 2, 3, 1].map(nameNo))
  })

  it('has one buffer for all clients that do not read it, also when it is too large to be kept', async () => {
    size = 20 * MEGABYTE
    const slow = [await askAndStop(STORED)]
    const before = process.memoryUsage().external
    slow.push(...(await Promise.all(Array.from({ length: MANY }, () => askAndStop(STORED)))))
    expect((process.memoryUsage().external - before) / MANY).toBeLessThan(MEGABYTE)
    expect(reads).toEqual([STORED])
    for (const socket of slow) socket.destroy()
    await expect.poll(() => service.logLines.filter((line) => line.includes('"status":499')).length).toBe(1 + MANY)
    ;(await askAndStop(STORED)).destroy()
    expect(reads).toEqual([STORED, STORED])
  })
})

it('images are read from the storage a few at a time', async () => {
  together = 16
  const answers = await Promise.all(Array.from({ length: 40 }, (_, at) => ask(nameNo(at))))
  expect(answers.map(({ status }) => status)).toEqual(Array(40).fill(200))
  expect(reads).toHaveLength(40)
  expect(mostUnderWay).toBe(16)
})

/** Requests an image, reads the beginning of the reply, and stops. */
async function askAndStop(name: string): Promise<Socket> {
  const socket = connect(service.port, '127.0.0.1', () =>
    socket.write(`GET /images/${name} HTTP/1.1\r\nHost: a\r\n\r\n`),
  )
  socket.on('error', () => undefined)
  await once(socket, 'data')
  return socket.pause()
}
