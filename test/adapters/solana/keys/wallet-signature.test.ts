// Signatures of wallets are verified as the validators do it.
import { generateKeyPairSync, sign } from 'node:crypto'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { verifyWalletSignature } from '#adapters/solana/keys/wallet-signature.ts'
import { addressOfBytes } from '#core/chain/public-key.ts'

function newWallet() {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519')
  const { x = '' } = publicKey.export({ format: 'jwk' })
  return { privateKey, address: addressOfBytes(Buffer.from(x, 'base64url')) }
}
const [wallet, other] = [newWallet(), newWallet()]
const aMessage = fc.uint8Array({ minLength: 0, maxLength: 300 })

test('a wallet’s own signature of the exact message is valid, and no other is', () => {
  fc.assert(
    fc.property(aMessage, fc.nat(63), fc.integer({ min: 1, max: 255 }), (message, at, flip) => {
      const signature = Uint8Array.from(sign(null, message, wallet.privateKey))
      expect(verifyWalletSignature(wallet.address, message, signature)).toBe(true)
      expect(verifyWalletSignature(other.address, message, signature)).toBe(false)
      expect(verifyWalletSignature(wallet.address, Uint8Array.of(...message, 0), signature)).toBe(false)
      expect(verifyWalletSignature(wallet.address, message, signature.with(at, (signature[at] ?? 0) ^ flip))).toBe(
        false,
      )
      expect(verifyWalletSignature(wallet.address, message, signature.subarray(0, 63))).toBe(false)
    }),
    { numRuns: 50 },
  )
})

test('no signature is valid for an address that is a key of small order', () => {
  const everyone = Uint8Array.of(1, ...new Uint8Array(31))
  const forged = Uint8Array.of(...everyone, ...new Uint8Array(32))
  const message = Buffer.from('A forged text')
  expect(verifyWalletSignature(addressOfBytes(everyone), message, forged)).toBe(false)
  expect(verifyWalletSignature(addressOfBytes(new Uint8Array(32)), message, forged)).toBe(false)
})

test('a signature has no second form', () => {
  const message = Buffer.from('once')
  const signature = Uint8Array.from(sign(null, message, wallet.privateKey))
  const order = 2n ** 252n + 27_742_317_777_372_353_535_851_937_790_883_648_493n
  const number = BigInt(`0x${Buffer.from(signature.toReversed().subarray(0, 32)).toString('hex')}`) + order
  const bytes = Uint8Array.from(Buffer.from(number.toString(16).padStart(64, '0'), 'hex')).toReversed()
  const second = Uint8Array.of(...signature.subarray(0, 32), ...bytes)
  expect(second).toHaveLength(64)
  expect(verifyWalletSignature(wallet.address, message, second)).toBe(false)
})
