// Whether 32 bytes can have a private key, against what @solana/kit says of the same bytes.
import { generateKeyPairSync } from 'node:crypto'
import { getAddressDecoder, getProgramDerivedAddress, isOffCurveAddress } from '@solana/kit'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { makeAddress } from '#core/chain/base58.ts'
import { isOnCurve } from '#core/chain/curve.ts'
import { bytesOfAddress } from '#core/chain/public-key.ts'

const isOnCurveByKit = (bytes: Uint8Array) => !isOffCurveAddress(getAddressDecoder().decode(bytes))

// A curve check goes wrong at small values of y, at values near the field's prime, and at the sign bit.
const aCandidate = fc.oneof(
  fc.uint8Array({ minLength: 32, maxLength: 32 }),
  fc
    .record({
      first: fc.integer({ min: 0, max: 255 }),
      middle: fc.constantFrom(0, 255),
      last: fc.constantFrom(0, 127, 128, 255),
    })
    .map(({ first, middle, last }) => Uint8Array.of(first, ...new Uint8Array(30).fill(middle), last)),
)

describe('an address on the curve', () => {
  it('is what kit says it is, whatever the bytes', () => {
    fc.assert(
      fc.property(aCandidate, (bytes) => {
        expect(isOnCurve(bytes)).toBe(isOnCurveByKit(bytes))
      }),
      { numRuns: 400 },
    )
  })

  it('is what kit says at the edges of the field, with either sign', () => {
    const prime = 2n ** 255n - 19n
    const edges = [0n, 1n, 2n, prime - 1n, prime, prime + 1n, 2n ** 255n - 1n]
    for (const y of edges.flatMap((edge) => [edge, edge + 2n ** 255n])) {
      const bytes = Uint8Array.from({ length: 32 }, (_, at) => Number((y >> BigInt(8 * at)) & 255n))
      expect([y, isOnCurve(bytes)]).toEqual([y, isOnCurveByKit(bytes)])
    }
  })

  it('is any that has a private key, wherever its bytes lie', () => {
    const { publicKey } = generateKeyPairSync('ed25519')
    const { x = '' } = publicKey.export({ format: 'jwk' })
    const key = Buffer.from(x, 'base64url')
    expect(isOnCurve(key)).toBe(true)
    expect(isOnCurve(Buffer.concat([new Uint8Array(3), key]).subarray(3))).toBe(true)
  })

  it("is not a program's own", async () => {
    const [vault] = await getProgramDerivedAddress({
      programAddress: makeAddress('SQDS4ep65T869zMMBKyuUq6aD6EgTu8psMjkvj52pCf'),
      seeds: ['vault'],
    })
    expect(isOnCurve(bytesOfAddress(vault))).toBe(false)
  })
})
