// SLIP-0010 for Ed25519, on node:crypto and libsodium: many times faster than the pure JavaScript implementations, which
// remain the oracle in the tests.
import { createPrivateKey, hash, type KeyObject } from 'node:crypto'
import sodium from 'sodium-native'

/** A private node of the tree: 32 bytes of key and 32 bytes of chain code. Never leaves this room. */
export type KeyNode = { readonly key: Buffer; readonly chainCode: Buffer }

const HARDENED = 0x80000000
const SHA512_BLOCK = 128
const MASTER_SECRET = new TextEncoder().encode('ed25519 seed')

/** The root of the tree of a BIP-39 seed. */
export const masterNode = (seed: Uint8Array): KeyNode => split(hmacSha512(MASTER_SECRET, seed))

/** One hardened step, the only kind that Ed25519 has. `index` is 0 … 2^31 − 1, without the hardening bit. */
export function childNode(parent: KeyNode, index: number): KeyNode {
  if (!Number.isInteger(index) || index < 0 || index >= HARDENED) throw new RangeError('a key index is 0 to 2^31 - 1')
  const data = new Uint8Array(37)
  data.set(parent.key, 1)
  new DataView(data.buffer).setUint32(33, index + HARDENED)
  return split(hmacSha512(parent.chainCode, data))
}

/** The signing key of a node. Importing it through JWK is the quickest way that node:crypto offers. */
export function signingKey(node: KeyNode): KeyObject {
  // `x` must be there but is not looked at: the public half always follows from `d`.
  const jwk = { kty: 'OKP', crv: 'Ed25519', d: node.key.toString('base64url'), x: '' }
  return withoutStackTraces(() => createPrivateKey({ key: jwk, format: 'jwk' }))
}

/**
 * Node finds out that the key it is given is no KeyObject by four errors, which it throws and catches itself; without
 * their stack traces, which nobody reads, an import costs a third less.
 */
function withoutStackTraces<T>(work: () => T): T {
  const limit = Error.stackTraceLimit
  Error.stackTraceLimit = 0
  try {
    return work()
  } finally {
    Error.stackTraceLimit = limit
  }
}

/** The 32 bytes of a signing key's public half, as the library knows it that signs. */
export function publicHalf(key: KeyObject): Uint8Array {
  const { x } = key.export({ format: 'jwk' })
  if (x === undefined) throw new TypeError('an Ed25519 key has a public half')
  return Buffer.from(x, 'base64url')
}

/** The 32 bytes of a node's public key. By libsodium in a third of the time that an import and export takes. */
export function publicKeyBytes({ key }: KeyNode): Uint8Array {
  const publicKey = Buffer.allocUnsafe(sodium.crypto_sign_PUBLICKEYBYTES)
  sodium.crypto_sign_seed_keypair(publicKey, secretKey, key)
  secretKey.fill(0)
  return publicKey
}

const secretKey = Buffer.alloc(sodium.crypto_sign_SECRETKEYBYTES)

const split = (digest: Buffer): KeyNode => ({ key: digest.subarray(0, 32), chainCode: digest.subarray(32) })

// Two one-shot hashes cost a quarter of one createHmac. Every key here is shorter than a block, so none is hashed first.
function hmacSha512(key: Uint8Array, data: Uint8Array): Buffer {
  const inner = new Uint8Array(SHA512_BLOCK + data.length).fill(0x36, 0, SHA512_BLOCK)
  const outer = new Uint8Array(SHA512_BLOCK + 64).fill(0x5c, 0, SHA512_BLOCK)
  for (let i = 0; i < key.length; i += 1) {
    inner[i] = 0x36 ^ (key[i] ?? 0)
    outer[i] = 0x5c ^ (key[i] ?? 0)
  }
  inner.set(data, SHA512_BLOCK)
  outer.set(hash('sha512', inner, 'buffer'), SHA512_BLOCK)
  return hash('sha512', outer, 'buffer')
}
