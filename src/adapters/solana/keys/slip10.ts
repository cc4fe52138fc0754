// SLIP-0010 for Ed25519 with node:crypto and libsodium: many times faster than a pure JavaScript implementation, which
// is the reference in the tests.
import { createPrivateKey, hash, type KeyObject } from 'node:crypto'
import sodium from 'sodium-native'

/** A private node of the tree: 32 bytes of key and 32 bytes of chain code. Never leaves this folder. */
export type KeyNode = { readonly key: Buffer; readonly chainCode: Buffer }

const HARDENED = 0x80000000
const SHA512_BLOCK = 128
const MASTER_SECRET = new TextEncoder().encode('ed25519 seed')

/** Returns the root of the tree of a BIP-39 seed. */
export const masterNode = (seed: Uint8Array): KeyNode => split(hmacSha512(MASTER_SECRET, seed))

/** Derives one hardened step, the only kind that Ed25519 has. `index` is 0 … 2^31 − 1, without the hardening bit. */
export function childNode(parent: KeyNode, index: number): KeyNode {
  if (!Number.isInteger(index) || index < 0 || index >= HARDENED) throw new RangeError('a key index is 0 to 2^31 - 1')
  const data = new Uint8Array(37)
  data.set(parent.key, 1)
  new DataView(data.buffer).setUint32(33, index + HARDENED)
  return split(hmacSha512(parent.chainCode, data))
}

/** Returns the signing key of a node. JWK is the fastest way of import that node:crypto offers. */
export function signingKey(node: KeyNode): KeyObject {
  // `x` must be present but is not read: the public key is derived from `d`.
  const jwk = { kty: 'OKP', crv: 'Ed25519', d: node.key.toString('base64url'), x: '' }
  return withoutStackTraces(() => createPrivateKey({ key: jwk, format: 'jwk' }))
}

/**
 * Runs work without stack traces. Node throws and catches four errors to find out that a key is no KeyObject; without
 * their stack traces an import takes a third less time.
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

/** Returns the 32 bytes of a signing key's public key, as the signing library derives it. */
export function publicHalf(key: KeyObject): Uint8Array {
  const { x } = key.export({ format: 'jwk' })
  if (x === undefined) throw new TypeError('an Ed25519 key has a public half')
  return Buffer.from(x, 'base64url')
}

/** Returns the 32 bytes of a node's public key. libsodium takes a third of the time of an import and export. */
export function publicKeyBytes({ key }: KeyNode): Uint8Array {
  const publicKey = Buffer.allocUnsafe(sodium.crypto_sign_PUBLICKEYBYTES)
  sodium.crypto_sign_seed_keypair(publicKey, secretKey, key)
  secretKey.fill(0)
  return publicKey
}

const secretKey = Buffer.alloc(sodium.crypto_sign_SECRETKEYBYTES)

const split = (digest: Buffer): KeyNode => ({ key: digest.subarray(0, 32), chainCode: digest.subarray(32) })

// Two one-shot hashes take a quarter of the time of one createHmac. Every key is shorter than a block, and is used as
// it is.
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
