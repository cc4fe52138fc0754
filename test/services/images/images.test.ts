// An uploaded image is judged by its content, encoded again without metadata, and served under a name of its content.
import { createHash } from 'node:crypto'
import { crc32, deflateSync } from 'node:zlib'
import sharp from 'sharp'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createImageCodec } from '#adapters/images/sharp-codec.ts'
import { USUAL_KEY_SCOPES } from '#core/accounts/permissions.ts'
import { SOL } from '#core/chain/types.ts'
import { MAX_IMAGE_BYTES } from '#core/images/image.ts'
import type { Token } from '#core/tokens/token.ts'
import { createImageServices, type ImageDeps } from '#services/images/images.ts'
import { createMemoryStorage, picture } from '../../support/images.ts'
import { SOL_TOKEN } from '../../support/payment.ts'
import { asOperator, credential, startTestService, type TestService, withKey } from '../../support/services.ts'

const objects = new Map<string, Uint8Array>()
const storage = createMemoryStorage(objects)
let token: Token = SOL_TOKEN
const deps: ImageDeps = {
  codec: createImageCodec(),
  storage,
  publicUrl: 'https://pay.example.com',
  directoryChanged: async () => {},
  tokens: {
    find: async (_network, asset) => (asset === SOL ? token : null),
    saveImage: async (_network, _asset, imageName) => {
      token = { ...token, imageName }
      return token
    },
  },
}

const ORDINARY = 'sk_live_Ordinary'
/** A key of an ordinary business that may change its settings. */
const SETTINGS = 'sk_live_Settings'
let service: TestService
beforeAll(async () => {
  service = await startTestService({
    services: {
      images: createImageServices(deps),
      accounts: {
        authenticate: async (secret) => {
          const known = credential('live')
          if (secret !== ORDINARY && secret !== SETTINGS) return known
          const scopes = secret === SETTINGS ? (['settings-manage'] as const) : USUAL_KEY_SCOPES
          return { ...known, marketplace: null, key: { ...known.key, scopes } }
        },
      },
    },
  })
})
afterAll(() => service.close())

const SET = 'mutation ($image: ImageData) { setTokenImage(network: live, asset: "SOL", image: $image) { imageUrl } }'
async function upload(image: Uint8Array | null): Promise<{ url: string; code: string }> {
  const base64 = image === null ? null : Buffer.from(image).toString('base64')
  const { body } = await service.operator(SET, { image: base64 }, asOperator)
  return { url: body.data?.setTokenImage?.imageUrl, code: body.errors?.[0]?.extensions?.code }
}
const stored = (url: string) => objects.get(url.split('/').at(-1) ?? '') ?? new Uint8Array()

it.each(['png', 'jpeg', 'webp'] as const)(
  'a %s is stored without metadata and served as what it is',
  async (format) => {
    const given = await picture().toFormat(format).toBuffer()
    expect(given.includes('a home address')).toBe(true)
    const { url } = await upload(given)
    const [, name = ''] = /^https:\/\/pay\.example\.com\/images\/([0-9a-f]{64}\.\w+)$/.exec(url) ?? []
    const response = await fetch(`${service.url}/images/${name}`)
    const bytes = new Uint8Array(await response.arrayBuffer())
    expect(response.status).toBe(200)
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'content-type': `image/${format}`,
      'cache-control': 'public, max-age=31536000, immutable',
      'x-content-type-options': 'nosniff',
      'content-security-policy': expect.stringContaining("default-src 'none'"),
      'cross-origin-resource-policy': 'cross-origin',
    })
    expect(name).toBe(`${createHash('sha256').update(bytes).digest('hex')}.${format}`)
    expect(Buffer.from(bytes).includes('a home address')).toBe(false)
    expect(await sharp(bytes).metadata()).toMatchObject({ format, width: 60, height: 40 })
    expect((await upload(null)).url).toBeNull()
  },
)

it('an image that is larger than shown anywhere is scaled down, and turned upright', async () => {
  const { url } = await upload(await picture(3_000, 1_500).withMetadata({ orientation: 6 }).jpeg().toBuffer())
  expect(await sharp(stored(url)).metadata()).toMatchObject({ width: 512, height: 1_024 })
})

/** A PNG of about 100 KB that has 30,000 × 30,000 pixels. */
function bomb(): Uint8Array {
  const chunk = (type: string, data: Buffer) => {
    const body = Buffer.concat([Buffer.from(type), data])
    const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)]
    length.writeUInt32BE(data.length)
    sum.writeUInt32BE(crc32(body))
    return Buffer.concat([length, body, sum])
  }
  const header = Buffer.alloc(13)
  header.writeUInt32BE(30_000, 0)
  header.writeUInt32BE(30_000, 4)
  header[8] = 1
  const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])
  const pixels = chunk('IDAT', deflateSync(Buffer.alloc(30_000 * 3_751)))
  return Buffer.concat([signature, chunk('IHDR', header), pixels, chunk('IEND', Buffer.alloc(0))])
}

it('everything else is refused by its content, and nothing is stored', async () => {
  const before = objects.size
  const png = await picture().png().toBuffer()
  const svg = Buffer.from('<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"/>')
  const gif = await picture().gif().toBuffer()
  const jpeg = Buffer.from([0xff, 0xd8, 0xff])
  for (const image of [svg, gif, Buffer.from('hello'), png.subarray(0, 60), bomb(), jpeg]) {
    expect((await upload(image)).code).toBe('invalid_image')
  }
  const padded = Buffer.concat([png, Buffer.alloc(MAX_IMAGE_BYTES)]).subarray(0, MAX_IMAGE_BYTES + 1)
  expect((await upload(padded)).code).toBe('image_too_large')
  expect(objects.size).toBe(before)
})

it('text after the end of an image is not stored', async () => {
  const png = await picture().png().toBuffer()
  const { url } = await upload(Buffer.concat([png, Buffer.from('<script>alert(1)</script>')]))
  expect(Buffer.from(stored(url)).includes('<script>')).toBe(false)
})

it('another public address changes the URLs of images that are stored already, and no storage makes them null', async () => {
  await upload(await picture().png().toBuffer())
  const name = token.imageName ?? ''
  expect(name).toMatch(/^[0-9a-f]{64}\.png$/)
  const moved = createImageServices({ ...deps, publicUrl: 'https://moved.example.com' })
  expect(moved.urlOf(name)).toBe(`https://moved.example.com/images/${name}`)
  expect(moved.urlOf(null)).toBeNull()
  expect(createImageServices({ ...deps, storage: null }).urlOf(name)).toBeNull()
})

it('a name that no image has is 404, whatever it names', async () => {
  const names = ['0'.repeat(64), `${'0'.repeat(64)}.png`, '..%2f..%2fmaster-seed', `${'0'.repeat(64)}.svg`]
  for (const name of names) expect((await fetch(`${service.url}/images/${name}`)).status).toBe(404)
  const posted = await fetch(`${service.url}/images/${'0'.repeat(64)}.png`, { method: 'POST' })
  expect([posted.status, posted.headers.get('allow')]).toEqual([405, 'GET, HEAD, OPTIONS'])
})

it('a large body is read for the operator, for marketplaces and for who may change settings alone', async () => {
  const large = { query: '{ __typename }', variables: { image: 'A'.repeat(100_000) } }
  const send = async (path: string, headers: Record<string, string>) =>
    (await service.post(path, large, headers)).status
  expect(await send('/operator/graphql', asOperator)).toBe(200)
  expect(await send('/graphql', withKey())).toBe(200)
  expect(await send('/graphql', withKey(SETTINGS))).toBe(200)
  expect(await send('/graphql', withKey(ORDINARY))).toBe(413)
  expect(await send('/graphql', {})).toBe(413)
})

it('a document in a body without a length is read up to 64 KB', async () => {
  const variables = { image: 'A'.repeat(100_000) }
  const large = new Blob([JSON.stringify({ query: '{ __typename }', variables })]).stream()
  const headers = { ...withKey(), 'content-type': 'application/json' }
  const init = { method: 'POST', headers, body: large, duplex: 'half' } as const
  expect((await fetch(`${service.url}/graphql`, init)).status).toBe(413)
})

it('a storage that is missing or away is an error of its own', async () => {
  const png = await picture().png().toBuffer()
  const without = createImageServices({ ...deps, storage: null })
  await expect(without.setTokenImage('live', SOL, png)).rejects.toMatchObject({ code: 'image_storage_missing' })
  expect(await without.read(`${'0'.repeat(64)}.png`)).toBeNull()
  const fail = async () => {
    throw new Error('ECONNREFUSED')
  }
  const away = createImageServices({ ...deps, storage: { put: fail, get: fail } })
  await expect(away.setTokenImage('live', SOL, png)).rejects.toMatchObject({ code: 'image_storage_unavailable' })
})
