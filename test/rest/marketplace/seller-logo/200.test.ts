import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import sharp from 'sharp'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createFolderStorage, createS3Storage } from '#adapters/images/object-storage.ts'
import { random } from '#adapters/node/random.ts'
import type { ObjectStorage } from '#ports/images.ts'
import { startFakeS3 } from '../../../support/fake-s3.ts'
import { METADATA, picture } from '../../../support/images.ts'
import { PUBLIC_URL, type SellerEdge, startSellerEdge } from '../../../support/seller-edge.ts'
import { withKey } from '../../../support/services.ts'

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
