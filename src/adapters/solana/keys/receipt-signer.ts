// Signs receipts by keys of the master seed that sign nothing else. docs/contract.md, "Receipts".
import { sign } from 'node:crypto'
import type { ReceiptSigner } from '#ports/receipts.ts'
import { createKeyTree } from './key-tree.ts'
import { publicHalf, signingKey } from './slip10.ts'

/** What a signature is for: another kind of JWS by the same key is no receipt. */
const TYPE = 'solana-payments-receipt'

/**
 * `version` is the key that signs. Those before it are listed for the receipts that they have signed, and the next one so that caches have
 * it before it signs.
 */
export function createReceiptSigner(seed: Uint8Array, version: number): ReceiptSigner {
  const tree = createKeyTree(seed)
  const keys = Array.from({ length: version + 1 }, (_, at) => {
    const key = signingKey(tree.receiptNode(at + 1))
    return { kid: `receipts-${at + 1}`, key }
  })
  const current = keys.at(-2)
  if (current === undefined) throw new RangeError('the first version is 1')
  const header = encoded({ alg: 'EdDSA', kid: current.kid, typ: TYPE })
  return {
    sign(payload) {
      const signed = `${header}.${encoded(payload)}`
      return `${signed}.${sign(null, Buffer.from(signed), current.key).toString('base64url')}`
    },
    publicKeys: keys.map(({ kid, key }) => ({
      kty: 'OKP',
      crv: 'Ed25519',
      x: Buffer.from(publicHalf(key)).toString('base64url'),
      kid,
      use: 'sig',
      alg: 'EdDSA',
    })),
  }
}

const encoded = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url')
