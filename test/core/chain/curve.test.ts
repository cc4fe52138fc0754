// Whether an address can have a private key, against what @solana/kit says of the same bytes.
import { generateKeyPairSync } from 'node:crypto'
import { getAddressDecoder, getProgramDerivedAddress, isOffCurveAddress } from '@solana/kit'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { makeAddress } from '#core/chain/base58.ts'
import { isOnCurve } from '#core/chain/curve.ts'

const addressOf = (bytes: Uint8Array) => getAddressDecoder().decode(bytes)

describe('an address on the curve', () => {
  it('is what kit says it is, whatever the bytes', () => {
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 32, maxLength: 32 }), (bytes) => {
        const address = addressOf(bytes)
        expect(isOnCurve(address)).toBe(!isOffCurveAddress(address))
      }),
      { numRuns: 200 },
    )
  })

  it('is any that has a private key', () => {
    const { publicKey } = generateKeyPairSync('ed25519')
    const { x = '' } = publicKey.export({ format: 'jwk' })
    expect(isOnCurve(addressOf(Buffer.from(x, 'base64url')))).toBe(true)
  })

  it("is not a program's own", async () => {
    const [vault] = await getProgramDerivedAddress({
      programAddress: makeAddress('SQDS4ep65T869zMMBKyuUq6aD6EgTu8psMjkvj52pCf'),
      seeds: ['vault'],
    })
    expect(isOnCurve(vault)).toBe(false)
  })

  it('knows the edges of the field', () => {
    const edges = [0n, 1n, 2n, 2n ** 255n - 19n, 2n ** 255n - 20n, 2n ** 255n - 1n, 2n ** 255n]
    for (const y of edges) {
      const bytes = Uint8Array.from({ length: 32 }, (_, at) => Number((y >> BigInt(8 * at)) & 255n))
      const address = addressOf(bytes)
      expect([y, isOnCurve(address)]).toEqual([y, !isOffCurveAddress(address)])
    }
  })
})
