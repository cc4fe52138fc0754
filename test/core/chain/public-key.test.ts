import { getAddressDecoder, getBase58Decoder, isAddress as kitIsAddress } from '@solana/kit'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { addressOfBytes, bytesOfAddress, isGivenAsset, isPublicKey } from '#core/chain/public-key.ts'

const base58 = getBase58Decoder()

describe('an address from outside', () => {
  it('is one when it decodes to 32 bytes, leading zeros included', () => {
    fc.assert(
      fc.property(fc.nat(32), fc.uint8Array({ minLength: 32, maxLength: 32 }), (zeros, bytes) => {
        expect(isPublicKey(base58.decode(bytes.fill(0, 0, zeros)))).toBe(true)
      }),
    )
  })

  it('is none when it decodes to any other length', () => {
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 20, maxLength: 40 }), (bytes) => {
        fc.pre(bytes.length !== 32)
        expect(isPublicKey(base58.decode(bytes))).toBe(false)
      }),
    )
  })

  it('is judged by the last digit at the largest and smallest numbers, for any count of leading zeros', () => {
    for (let zeros = 0; zeros < 32; zeros += 1) {
      const ones = '1'.repeat(zeros)
      const largest = new Uint8Array(32 - zeros).fill(0xff)
      const smallest = new Uint8Array(32 - zeros).fill(1, 0, 1)
      const tooLarge = new Uint8Array(33 - zeros).fill(1, 0, 1)
      const tooSmall = new Uint8Array(31 - zeros).fill(0xff)
      for (const bytes of [largest, smallest]) expect(isPublicKey(ones + base58.decode(bytes))).toBe(true)
      for (const bytes of [tooLarge, tooSmall]) expect(isPublicKey(ones + base58.decode(bytes))).toBe(false)
    }
    expect(isPublicKey('1'.repeat(32))).toBe(true)
    expect(isPublicKey('1'.repeat(33))).toBe(false)
  })

  it('is judged as kit judges it', () => {
    const characters = fc.constantFrom(...'123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz0OIl ')
    const nearly = fc.string({ unit: characters, minLength: 30, maxLength: 46 })
    fc.assert(fc.property(fc.oneof(nearly, fc.string()), (text) => isPublicKey(text) === kitIsAddress(text)))
  })

  it('is never a number, null or an object', () => {
    for (const value of [7, null, undefined, {}, ['So11111111111111111111111111111111111111112']]) {
      expect(isPublicKey(value)).toBe(false)
    }
  })
})

describe('the address of 32 bytes', () => {
  it('is the one that kit gives, leading zeros included', () => {
    fc.assert(
      fc.property(fc.nat(32), fc.uint8Array({ minLength: 32, maxLength: 32 }), (zeros, bytes) => {
        bytes.fill(0, 0, zeros)
        expect(addressOfBytes(bytes)).toBe(getAddressDecoder().decode(bytes))
        expect(bytesOfAddress(addressOfBytes(bytes))).toEqual(bytes)
      }),
    )
  })

  it('is that of a part of a larger buffer', () => {
    const bytes = Uint8Array.from({ length: 40 }, (_, at) => at)
    expect(addressOfBytes(bytes.subarray(3, 35))).toBe(getAddressDecoder().decode(bytes, 3))
  })

  it('does not exist for fewer or more', () => {
    for (const length of [0, 31, 33]) expect(() => addressOfBytes(new Uint8Array(length))).toThrow(RangeError)
  })
})

it('an asset from outside is SOL or a mint', () => {
  expect(isGivenAsset('SOL')).toBe(true)
  expect(isGivenAsset('So11111111111111111111111111111111111111112')).toBe(true)
  expect(isGivenAsset('sol')).toBe(false)
})
