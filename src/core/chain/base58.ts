// Reads addresses and signatures from the database or from JSON by their shape: base58 of a plausible length. An address
// from outside is judged where it comes in.
import { type Address, type Asset, type Blockhash, type Signature, SOL } from '#core/chain/types.ts'

const ADDRESS = /^[1-9A-HJ-NP-Za-km-z]{32,44}$/
const SIGNATURE = /^[1-9A-HJ-NP-Za-km-z]{64,88}$/

export const isAddress = (value: unknown): value is Address => typeof value === 'string' && ADDRESS.test(value)
export function assertAddress(value: unknown): asserts value is Address {
  if (!isAddress(value)) throw new RangeError(`${String(value)} is not an address`)
}
/** Throws RangeError on anything that is not shaped like 32 bytes in base58. */
export function makeAddress(value: string): Address {
  assertAddress(value)
  return value
}

export const isSignature = (value: unknown): value is Signature => typeof value === 'string' && SIGNATURE.test(value)
export function assertSignature(value: unknown): asserts value is Signature {
  if (!isSignature(value)) throw new RangeError(`${String(value)} is not a transaction signature`)
}
/** Throws RangeError on anything that is not shaped like 64 bytes in base58. */
export function makeSignature(value: string): Signature {
  assertSignature(value)
  return value
}

export const isAsset = (value: unknown): value is Asset => value === SOL || isAddress(value)
export function assertAsset(value: unknown): asserts value is Asset {
  if (!isAsset(value)) throw new RangeError(`${String(value)} is not an asset`)
}
/** Returns `SOL` or a mint. Throws RangeError on anything else. */
export function makeAsset(value: string): Asset {
  assertAsset(value)
  return value
}

const isBlockhash = (value: string): value is Blockhash => ADDRESS.test(value)
/** Throws RangeError on anything that is not shaped like 32 bytes in base58. */
export function makeBlockhash(value: string): Blockhash {
  if (!isBlockhash(value)) throw new RangeError(`${value} is not a blockhash`)
  return value
}
