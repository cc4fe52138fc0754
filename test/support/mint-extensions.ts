// Further Token-2022 extensions for test mints.
import type { Address } from '@solana/kit'
import { addressBytes, extension, type MintExtension, number } from '#sandbox/chain/mints.ts'

export * from '#sandbox/chain/mints.ts'

const float = (value: number): Uint8Array => {
  const buffer = Buffer.alloc(8)
  buffer.writeDoubleLE(value)
  return buffer
}

/** New token accounts are frozen. */
export const defaultFrozen = (): MintExtension => extension(1, 28, 0, 2)
export const nonTransferable = (): MintExtension => extension(0, 32)
export const interestBearing = (authority: Address, basisPoints: number): MintExtension =>
  extension(52, 33, 0, addressBytes(authority), number(2, BigInt(basisPoints)))
export const scaledUiAmount = (authority: Address, multiplier: number): MintExtension =>
  extension(56, 43, 0, addressBytes(authority), float(multiplier))
export const pausable = (authority: Address): MintExtension => extension(33, 44, 0, addressBytes(authority))
