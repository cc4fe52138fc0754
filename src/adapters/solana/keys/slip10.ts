// SLIP-0010 for Ed25519 with libsodium and node:crypto: many times faster than a pure JavaScript implementation, which
// is the reference in the tests.
import { createHmac, createPrivateKey, type KeyObject } from 'node:crypto'
import sodium from 'sodium-native'

/** A private node of the tree: 32 bytes of key and 32 bytes of chain code. Never leaves this folder. */
export type KeyNode = { readonly key: Buffer; readonly chainCode: Buffer }

const HARDENED = 0x80000000
const SHA512_BLOCK = 128
const SHA512_BYTES = 64
const MASTER_SECRET = new TextEncoder().encode('ed25519 seed')

/** Returns the root of the tree of a BIP-39 seed. */
export const masterNode = (seed: Uint8Array): KeyNode => split(hmacSha512(MASTER_SECRET, seed))

/** Returns the same by OpenSSL, to compare. */
export const masterNodeByOpenSsl = (seed: Uint8Array): KeyNode =>
  split(createHmac('sha512', MASTER_SECRET).update(seed).digest())

/** Derives one hardened step, the only kind that Ed25519 has. `index` is 0 … 2^31 − 1, without the hardening bit. */
export function childNode(parent: KeyNode, index: number): KeyNode {
  if (!Number.isInteger(index) || index < 0 || index >= HARDENED) throw new RangeError('a key index is 0 to 2^31 - 1')
  step.set(parent.key, 1)
  step.writeUInt32BE(index + HARDENED, 33)
  const node = split(hmacSha512(parent.chainCode, step))
  step.fill(0)
  return node
}

/** A zero, the key of the parent, and the index. */
const step = Buffer.alloc(37)

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

/**
 * Every key is shorter than a block, and is used as it is. Two hashes by libsodium in memory of their own take a sixth of the
 * time of two by node:crypto, which makes a buffer for each.
 */
function hmacSha512(key: Uint8Array, data: Uint8Array): Buffer {
  const message = inner.subarray(0, SHA512_BLOCK + data.length)
  message.fill(0x36, 0, SHA512_BLOCK).set(data, SHA512_BLOCK)
  outer.fill(0x5c, 0, SHA512_BLOCK)
  for (let i = 0; i < key.length; i += 1) {
    message[i] = 0x36 ^ (key[i] ?? 0)
    outer[i] = 0x5c ^ (key[i] ?? 0)
  }
  const digest = Buffer.alloc(SHA512_BYTES)
  sodium.crypto_hash_sha512(innerDigest, message)
  sodium.crypto_hash_sha512(digest, outer)
  inner.fill(0)
  outer.fill(0)
  return digest
}

/** For the longest data, which is a seed. */
const inner = Buffer.alloc(SHA512_BLOCK + 64)
const outer = Buffer.alloc(SHA512_BLOCK + SHA512_BYTES)
const innerDigest = outer.subarray(SHA512_BLOCK)
