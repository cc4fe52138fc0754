import { randomUUID } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { json } from 'node:stream/consumers'
import sharp from 'sharp'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createFolderStorage, createS3Storage } from '#adapters/images/object-storage.ts'
import { random } from '#adapters/node/random.ts'
import { MAX_IMAGE_BYTES } from '#core/images/image.ts'
import { DEFAULT_RATE_LIMITS } from '#graphql/limits.ts'
import { UPLOAD_LIMITS } from '#graphql/uploads.ts'
import type { ObjectStorage } from '#ports/images.ts'
import { createMemoryStorage, METADATA, picture, startFakeS3 } from '../../support/images.ts'
import { PUBLIC_URL, type SellerEdge, startSellerEdge } from '../../support/seller-edge.ts'
import { withKey } from '../../support/services.ts'

describe('accepted', () => {
  type Opened = { readonly storage: ObjectStorage; close(): Promise<void> }

  const STORAGES: Readonly<Record<string, () => Promise<Opened>>> = {
    async 'a folder'() {
      const directory = await mkdtemp(join(tmpdir(), 'logos-'))
      return { storage: createFolderStorage(directory, random.uuid), close: () => rm(directory, { recursive: true }) }
    },
    async 'a bucket of S3'() {
      const bucket = { bucket: 'images', region: 'us-east-1' }
      const s3 = await startFakeS3({ ...bucket, secret: 'secret' })
      const settings = { ...bucket, endpoint: s3.url, accessKeyId: 'key', secretAccessKey: 'secret' }
      return { storage: createS3Storage(settings), close: () => s3.close() }
    },
  }

  describe.each(Object.entries(STORAGES))('with %s', (_name, open) => {
    let opened: Opened
    let edge: SellerEdge
    let path: string
    beforeAll(async () => {
      opened = await open()
      edge = await startSellerEdge({}, undefined, opened.storage)
      const { body } = await edge.post('/marketplace/sellers', { name: 'Blue Shop' }, withKey(edge.keys.own))
      path = `/marketplace/sellers/${body.id}`
    })
    afterAll(async () => {
      await edge.close()
      await opened.close()
    })

    const put = (image: Uint8Array, type: string) =>
      edge.send('PUT', `${path}/logo`, new Blob([new Uint8Array(image)]), {
        ...withKey(edge.keys.own),
        'content-type': type,
      })
    const remove = () => edge.ask('DELETE', `${path}/logo`, withKey(edge.keys.own))
    const trail = async () => {
      const { body } = await edge.get('/marketplace/audit?action=seller.updated', withKey(edge.keys.own))
      return body.audit.map(({ changes, actor }: { changes: object; actor: object }) => ({ changes, actor }))
    }
    const pathOf = (url: string) => url.replace(PUBLIC_URL, '')

    it.each(['png', 'jpeg', 'webp'] as const)('a %s becomes the logo, without its metadata', async (format) => {
      const image = await picture().toFormat(format).toBuffer()
      expect(image.includes(METADATA)).toBe(true)
      const { status, body } = await put(image, `image/${format}`)
      expect([status, body.logo_url]).toEqual([200, expect.stringContaining(`${PUBLIC_URL}/images/`)])
      expect((await edge.get(path, withKey(edge.keys.own))).body).toEqual(body)
      const served = await fetch(`${edge.url}${pathOf(body.logo_url)}`)
      const bytes = Buffer.from(await served.arrayBuffer())
      expect([served.status, served.headers.get('content-type')]).toEqual([200, `image/${format}`])
      expect(bytes.includes(METADATA)).toBe(false)
      expect(await sharp(bytes).metadata()).toMatchObject({ format, width: 60, height: 40 })
    })

    it('the content decides the format, and not the declared type', async () => {
      const { body } = await put(await picture().webp().toBuffer(), 'image/png')
      expect(body.logo_url).toMatch(/\.webp$/)
    })

    it('each change is in the audit trail with its actor and the path of the logo before and after, and no other is', async () => {
      await remove()
      const before = (await trail()).length
      const red = await picture(8, 8, 'red').png().toBuffer()
      const first = pathOf((await put(red, 'image/png')).body.logo_url)
      const { body: same } = await put(red, 'image/png')
      const second = pathOf((await put(await picture(8, 8, 'blue').png().toBuffer(), 'image/png')).body.logo_url)
      const removed = await remove()
      expect([removed.status, removed.body.logo_url, pathOf(same.logo_url)]).toEqual([200, null, first])
      expect((await remove()).body).toEqual(removed.body)
      const entries = (await trail()).slice(0, -before || undefined)
      const actor = {
        kind: 'api_key',
        credential: `sk_live_…${edge.keys.own.slice(-4)}`,
        ip: expect.stringContaining('127.0.0.1'),
      }
      expect(entries).toEqual([
        { actor, changes: { logo_url: [second, null] } },
        { actor, changes: { logo_url: [first, second] } },
        { actor, changes: { logo_url: [null, first] } },
      ])
      expect(second).not.toBe(first)
    })
  })
})

describe('refused', () => {
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
})
