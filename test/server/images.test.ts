import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { setTimeout } from 'node:timers/promises'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { createImageCodec } from '#adapters/images/sharp-codec.ts'
import { type Asset, SOL, WRAPPED_SOL_MINT } from '#core/chain/types.ts'
import { MAX_IMAGE_BYTES } from '#core/images/image.ts'
import type { Token } from '#core/tokens/token.ts'
import { DEFAULT_RATE_LIMITS } from '#graphql/limits.ts'
import { createImageServices } from '#services/images/images.ts'
import { createMemoryStorage, METADATA, picture } from '../support/images.ts'
import { SOL_TOKEN } from '../support/payment.ts'
import { asOperator, startTestService, type TestService, withKey } from '../support/services.ts'

let service: TestService

// GET /images/NAME: what it costs an address to ask for images, and what it costs the process.
describe('images', () => {
  const MOST = 3
  const STORED = `${'a'.repeat(64)}.png`
  const READ_MS = 10
  const MISSING = `${'b'.repeat(64)}.png`

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
})

// The operator's route for images of tokens: the operator token alone, judged like every other image.
describe('the image of a token', () => {
  const objects = new Map<string, Uint8Array>()
  let token: Token = SOL_TOKEN
  const images = createImageServices({
    codec: createImageCodec(),
    storage: createMemoryStorage(objects),
    publicUrl: 'https://pay.example.com',
    directoryChanged: async () => {},
    tokens: {
      find: async (network: string, asset: Asset) => (network === 'live' && asset === SOL ? token : null),
      saveImage: async (_network, _asset, imageName) => {
        token = { ...token, imageName }
        return token
      },
    },
  })

  let png: Uint8Array<ArrayBuffer>
  beforeAll(async () => {
    service = await startTestService({ services: { images } })
    png = new Uint8Array(await picture().png().toBuffer())
  })
  afterAll(() => service.close())

  const ROUTE = '/operator/tokens/live/SOL/image'
  const put = (path = ROUTE, body: Uint8Array<ArrayBuffer> = png, headers: Record<string, string> = asOperator) =>
    service.send('PUT', path, new Blob([body]), { 'content-type': 'image/png', ...headers })

  it('the operator sets the image of a token and removes it', async () => {
    const set = await put()
    const url = expect.stringMatching(/^https:\/\/pay\.example\.com\/images\/[0-9a-f]{64}\.png$/)
    const shown = { mint: WRAPPED_SOL_MINT, is_native: true, name: 'Solana', ticker: 'SOL', decimals: 9 }
    expect([set.status, set.body]).toEqual([200, { ...shown, image_url: url }])
    expect(Buffer.from([...objects.values()][0] ?? []).includes(METADATA)).toBe(false)
    const served = await fetch(set.body.image_url.replace('https://pay.example.com', service.url))
    expect([served.status, served.headers.get('content-type')]).toEqual([200, 'image/png'])
    expect((await put(`/operator/tokens/live/${WRAPPED_SOL_MINT}/image`)).body).toEqual(set.body)
    const removed = await service.ask('DELETE', ROUTE, asOperator)
    expect([removed.status, removed.body]).toEqual([200, { ...shown, image_url: null }])
  })

  it('every other caller is 401', async () => {
    for (const headers of [{}, withKey(), { authorization: 'Bearer wrong' }]) {
      for (const answer of [await put(ROUTE, png, headers), await service.ask('DELETE', ROUTE, headers)]) {
        expect([answer.status, answer.body]).toEqual([401, { error: 'missing or invalid operator token' }])
        expect(answer.headers.get('www-authenticate')).toBe('Bearer realm="payments"')
      }
    }
    expect(token.imageName).toBeNull()
  })

  it('a token that is not on the allowlist is 404, and so is a path that names none', async () => {
    for (const path of ['live/EPjFWdd5AufqSSqeM2qNb1xkSmWjJ1xjHrSYBWQwyVyS', 'test/SOL', 'main/SOL', 'live/USDC'])
      expect((await put(`/operator/tokens/${path}/image`)).status).toBe(404)
  })

  it('a body that is no image is 400, a large one 413, one of another type 415, and another method 405', async () => {
    expect((await put(ROUTE, png.slice(0, 60))).status).toBe(400)
    expect((await put(ROUTE, new Uint8Array(0))).status).toBe(400)
    const large = await put(ROUTE, new Uint8Array(MAX_IMAGE_BYTES + 1))
    expect([large.status, large.body]).toEqual([413, { error: 'the image must have at most 1 MB' }])
    expect((await put(ROUTE, png, { ...asOperator, 'content-type': 'application/json' })).status).toBe(415)
    const other = await service.ask('GET', ROUTE, asOperator)
    expect([other.status, other.headers.get('allow')]).toEqual([405, 'PUT, DELETE, OPTIONS'])
  })

  it('with a port for the operator, the public port has no such route', async () => {
    const apart = await startTestService({ services: { images }, at: { operatorPort: 0 } })
    expect((await apart.ask('DELETE', ROUTE, asOperator)).status).toBe(404)
    const init = { method: 'DELETE', headers: asOperator }
    expect((await fetch(`${apart.operatorUrl}${ROUTE}`, init)).status).toBe(200)
    await apart.close()
  })
})
