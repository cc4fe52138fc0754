// The allowlist in the database.
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createImageCodec } from '#adapters/images/sharp-codec.ts'
import type { Database } from '#adapters/prisma/engine/database.ts'
import { createTokenStore } from '#adapters/prisma/tokens/token-store.ts'
import { SOL } from '#core/chain/types.ts'
import type { TokenStore } from '#ports/directory.ts'
import { createImageServices } from '#services/images/images.ts'
import { openTestDatabase } from '../../support/database.ts'
import { createMemoryStorage, picture } from '../../support/images.ts'
import { SOL_TOKEN } from '../../support/payment.ts'

let db: Database
let tokens: TokenStore
beforeAll(async () => {
  db = await openTestDatabase()
  tokens = createTokenStore(db.prisma)
})
afterAll(() => db.close())

test('a token that is no longer accepted stays so when an image is uploaded meanwhile', async () => {
  await tokens.save(SOL_TOKEN)
  const objects = createMemoryStorage(new Map())
  const images = createImageServices({
    codec: createImageCodec(),
    publicUrl: 'https://pay.example.com',
    directoryChanged: async () => {},
    tokens,
    storage: {
      ...objects,
      async put(...image) {
        await tokens.save({ ...SOL_TOKEN, enabled: false })
        await objects.put(...image)
      },
    },
  })
  const saved = await images.setTokenImage('live', SOL, await picture().png().toBuffer())
  expect(saved).toMatchObject({ enabled: false, imageName: expect.stringContaining('.png') })
  expect(await tokens.find('live', SOL)).toEqual(saved)
})

test('a token that is allowed again keeps its image', async () => {
  await tokens.save({ ...SOL_TOKEN, imageName: null, ticker: 'WSOL' })
  expect(await tokens.find('live', SOL)).toMatchObject({ ticker: 'WSOL', imageName: expect.any(String) })
  expect(await tokens.saveImage('live', SOL, null)).toMatchObject({ imageName: null })
  expect(await tokens.saveImage('test', SOL, null)).toBeNull()
})
