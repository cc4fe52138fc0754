// The operator's route for images of tokens: the operator token alone, judged like every other image.
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createImageCodec } from '#adapters/images/sharp-codec.ts'
import { type Asset, SOL, WRAPPED_SOL_MINT } from '#core/chain/types.ts'
import { MAX_IMAGE_BYTES } from '#core/images/image.ts'
import type { Token } from '#core/tokens/token.ts'
import { createImageServices } from '#services/images/images.ts'
import { createMemoryStorage, METADATA, picture } from '../support/images.ts'
import { SOL_TOKEN } from '../support/payment.ts'
import { asOperator, startTestService, type TestService, withKey } from '../support/services.ts'

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

let service: TestService
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
