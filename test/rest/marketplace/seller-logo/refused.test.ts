import { randomUUID } from 'node:crypto'
import { request } from 'node:http'
import { json } from 'node:stream/consumers'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { MAX_IMAGE_BYTES } from '#core/images/image.ts'
import { DEFAULT_RATE_LIMITS } from '#graphql/limits.ts'
import { UPLOAD_LIMITS } from '#graphql/uploads.ts'
import { createMemoryStorage, picture } from '../../../support/images.ts'
import { type SellerEdge, startSellerEdge } from '../../../support/seller-edge.ts'
import { withKey } from '../../../support/services.ts'

const MAX = 8
const objects = new Map<string, Uint8Array>()
let edge: SellerEdge
let sellerId: string
let png: Uint8Array<ArrayBuffer>
beforeAll(async () => {
  const rateLimits = { ...DEFAULT_RATE_LIMITS, imagesPerMinute: MAX }
  edge = await startSellerEdge({ rateLimits }, undefined, createMemoryStorage(objects))
  sellerId = (await edge.post('/marketplace/sellers', { name: 'Blue Shop' }, withKey(edge.keys.own))).body.id
  png = new Uint8Array(await picture().png().toBuffer())
})
afterAll(() => edge.close())

const put = (image: Uint8Array<ArrayBuffer> | string, type = 'image/png', key = edge.keys.test, id = sellerId) =>
  edge.send('PUT', `/marketplace/sellers/${id}/logo`, new Blob([image]), { ...withKey(key), 'content-type': type })

it.each(['application/json', 'image/svg+xml', 'image/gif', 'application/octet-stream'])(
  'a body that is declared as %s is 415',
  async (type) => {
    const { status, body } = await put(png, type)
    expect([status, body]).toEqual([415, { error: 'send the image as image/png, image/jpeg or image/webp' }])
  },
)

it('a file that is no image is 400, whatever it is declared as', async () => {
  const { body: seller } = await edge.post('/marketplace/sellers', { name: 'Red' }, withKey(edge.keys.other))
  for (const file of ['<svg xmlns="http://www.w3.org/2000/svg"/>', 'GIF89a', png.slice(0, 60)]) {
    const { status, body } = await put(file, 'image/png', edge.keys.other, seller.id)
    expect([status, body]).toEqual([400, { error: expect.stringContaining('must be a PNG, JPEG or WebP file') }])
  }
  // Files that are no image count towards the limit of images.
  for (let at = 3; at < MAX; at += 1) await put('no image', 'image/png', edge.keys.other, seller.id)
  const { status, body } = await put(png, 'image/png', edge.keys.other, seller.id)
  expect([status, body]).toEqual([429, { error: expect.any(String), retry_after_secs: expect.any(Number) }])
  expect(objects.size).toBe(0)
})

it('a request without an image is 400', async () => {
  const { status, body } = await put('', 'image/png', edge.keys.own)
  expect([status, body]).toEqual([400, { error: 'image must be the bytes of a PNG, JPEG or WebP file' }])
})

it('more than 1 MB is 413, with a declared length and without one', async () => {
  const large = new Uint8Array(MAX_IMAGE_BYTES + 1)
  large.set(png)
  const { status, body } = await put(large)
  expect([status, body]).toEqual([413, { error: 'the image must have at most 1 MB' }])
  const headers = { ...withKey(edge.keys.own), 'content-type': 'image/png' }
  const init = { method: 'PUT', headers, body: new Blob([large]).stream(), duplex: 'half' } as const
  const chunked = await fetch(`${edge.url}/marketplace/sellers/${sellerId}/logo`, init)
  expect([chunked.status, await chunked.json()]).toEqual([413, { error: 'the image must have at most 1 MB' }])
})

/** Sends the head of an upload. The body follows with `end`. */
function begin(key: string, length: number) {
  const headers = { ...withKey(key), 'content-type': 'image/png', 'content-length': length }
  const asked = request(`${edge.url}/marketplace/sellers/no-id/logo`, { method: 'PUT', headers })
  const answer = new Promise<{ status: number | undefined; body: unknown }>((resolve, reject) => {
    asked.once('error', reject)
    asked.once('response', async (response) => resolve({ status: response.statusCode, body: await json(response) }))
  })
  asked.flushHeaders()
  return { asked, answer }
}

it('more uploads at once than a business may have are 429 with the time to wait', async () => {
  const most = UPLOAD_LIMITS.atOncePerCaller
  const uploads = Array.from({ length: most + 1 }, () => begin(edge.keys.test, png.length))
  const refused = await Promise.race(uploads.map(({ answer }) => answer))
  expect(refused).toEqual({ status: 429, body: { error: expect.any(String), retry_after_secs: 1 } })
  for (const { asked } of uploads) asked.end(png)
  const answers = await Promise.all(uploads.map(({ answer }) => answer))
  expect(answers.filter(({ body }) => Object(body).error === 'seller not found')).toHaveLength(most)
  expect((await put(png)).status).toBe(404)
})

it('nothing is stored for a seller of another marketplace or for an unknown one', async () => {
  for (const id of [sellerId, randomUUID(), 'no-id'])
    expect((await put(png, 'image/png', edge.keys.test, id)).body).toEqual({ error: 'seller not found' })
  expect(objects.size).toBe(0)
})

it('a body is read for a proved caller alone', async () => {
  const { asked, answer } = begin('sk_live_wrong', MAX_IMAGE_BYTES)
  expect((await answer).status).toBe(401)
  asked.destroy()
})
