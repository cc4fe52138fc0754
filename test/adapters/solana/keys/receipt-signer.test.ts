import { createPublicKey, verify } from 'node:crypto'
import fc from 'fast-check'
import { HDKey } from 'micro-key-producer/slip10.js'
import { describe, expect, test } from 'vitest'
import { createKeyTree } from '#adapters/solana/keys/key-tree.ts'
import { createReceiptSigner } from '#adapters/solana/keys/receipt-signer.ts'
import { addressOfBytes } from '#core/chain/public-key.ts'
import type { PublicKey } from '#ports/receipts.ts'
import { anyReceipted, changed, leavesOf } from '../../../support/receipts.ts'

const SEED = new Uint8Array(64).fill(5)
const signer = createReceiptSigner(SEED, 1)

const partsOf = (jws: string) => {
  const [header = '', payload = '', signature = ''] = jws.split('.')
  return { header, payload, signature }
}
const read = (part: string) => JSON.parse(Buffer.from(part, 'base64url').toString())

function isSignedBy(keys: readonly PublicKey[], jws: string): boolean {
  const { header, payload, signature } = partsOf(jws)
  const key = keys.find(({ kid }) => kid === read(header).kid)
  if (key === undefined) return false
  const publicKey = createPublicKey({ key, format: 'jwk' })
  return verify(null, Buffer.from(`${header}.${payload}`), publicKey, Buffer.from(signature, 'base64url'))
}

describe('the signer of receipts', () => {
  test('names its key, what it signs and how, and signs the same text each time', () => {
    const jws = signer.sign({ id: 'x' })
    expect(read(partsOf(jws).header)).toEqual({ alg: 'EdDSA', kid: 'receipts-1', typ: 'solana-payments-receipt' })
    expect(read(partsOf(jws).payload)).toEqual({ id: 'x' })
    expect(isSignedBy(signer.publicKeys, jws)).toBe(true)
    expect(createReceiptSigner(SEED, 1).sign({ id: 'x' })).toBe(jws)
  })

  test('signs nothing but what it was given: any changed leaf of a receipt breaks the signature', () => {
    fc.assert(
      fc.property(anyReceipted, ({ receipt }) => {
        const { header, signature } = partsOf(signer.sign(receipt))
        for (const { path, value } of leavesOf(receipt)) {
          const forged = Buffer.from(JSON.stringify(changed(receipt, path, `${value}1`))).toString('base64url')
          expect(isSignedBy(signer.publicKeys, `${header}.${forged}.${signature}`), path).toBe(false)
        }
      }),
      { numRuns: 10 },
    )
  })

  test('of the next version has another key, and lists those before it and the one after it, so that all receipts are good', () => {
    const next = createReceiptSigner(SEED, 3)
    expect(next.publicKeys.map(({ kid }) => kid)).toEqual(['receipts-1', 'receipts-2', 'receipts-3', 'receipts-4'])
    expect(next.publicKeys[0]).toEqual(signer.publicKeys[0])
    expect(new Set(next.publicKeys.map(({ x }) => x)).size).toBe(4)
    expect(isSignedBy(next.publicKeys, signer.sign({ id: 'x' }))).toBe(true)
    expect(isSignedBy(signer.publicKeys, createReceiptSigner(SEED, 2).sign({ id: 'x' }))).toBe(true)
    expect(isSignedBy(signer.publicKeys, next.sign({ id: 'x' }))).toBe(false)
  })

  test("has SLIP-0010's key at m/44'/501'/0'/2'/version'", () => {
    const keys = createReceiptSigner(SEED, 2).publicKeys.map(({ x }) => x)
    const expected = [1, 2, 3].map(
      (version) => HDKey.fromMasterSeed(SEED).derive(`m/44'/501'/0'/2'/${version}'`).publicKeyRaw,
    )
    expect(keys).toEqual(expected.map((key) => Buffer.from(key).toString('base64url')))
  })

  test('has keys of its own: none is that of a wallet of the service, and each lists its public half only', () => {
    const { addressOf } = createKeyTree(SEED)
    const wallets = (['live', 'test'] as const).flatMap((network) =>
      (['fee_payer', 'delegate'] as const).map((branch) => addressOf({ network, branch })),
    )
    for (const key of createReceiptSigner(SEED, 3).publicKeys) {
      expect(wallets).not.toContain(addressOfBytes(Buffer.from(key.x, 'base64url')))
      expect(Object.keys(key).sort()).toEqual(['alg', 'crv', 'kid', 'kty', 'use', 'x'])
    }
    expect(createReceiptSigner(new Uint8Array(64).fill(6), 1).publicKeys).not.toEqual(signer.publicKeys)
  })
})
