// Token-2022 extensions for test mints, as data for `createMint`. Each gives the length of the extension in the
// account, and the data of the instruction that initializes it. Source: the source code of the program.
import type { Address } from '@solana/kit'
import { addressBytes, type MintExtension } from '#sandbox/chain/mints.ts'

const number = (bytes: number, value: bigint): Uint8Array => {
  const buffer = Buffer.alloc(8)
  buffer.writeBigUInt64LE(value)
  return buffer.subarray(0, bytes)
}
const float = (value: number): Uint8Array => {
  const buffer = Buffer.alloc(8)
  buffer.writeDoubleLE(value)
  return buffer
}
const extension = (bytes: number, ...parts: readonly (number | Uint8Array)[]): MintExtension => ({
  bytes,
  initialize: Buffer.concat(parts.map((part) => (typeof part === 'number' ? Uint8Array.of(part) : part))),
})

/** Withholds a fee from each transfer: basis points, and a maximum in base units. */
export const transferFee = (authority: Address, basisPoints: number, maximum: bigint): MintExtension =>
  extension(
    108,
    26,
    0,
    1,
    addressBytes(authority),
    1,
    addressBytes(authority),
    number(2, BigInt(basisPoints)),
    number(8, maximum),
  )
export const mintCloseAuthority = (authority: Address): MintExtension => extension(32, 25, 1, addressBytes(authority))
/** New token accounts are frozen. */
export const defaultFrozen = (): MintExtension => extension(1, 28, 0, 2)
export const nonTransferable = (): MintExtension => extension(0, 32)
export const interestBearing = (authority: Address, basisPoints: number): MintExtension =>
  extension(52, 33, 0, addressBytes(authority), number(2, BigInt(basisPoints)))
export const permanentDelegate = (delegate: Address): MintExtension => extension(32, 35, addressBytes(delegate))
export const transferHook = (authority: Address, program: Address): MintExtension =>
  extension(64, 36, 0, addressBytes(authority), addressBytes(program))
export const scaledUiAmount = (authority: Address, multiplier: number): MintExtension =>
  extension(56, 43, 0, addressBytes(authority), float(multiplier))
export const pausable = (authority: Address): MintExtension => extension(33, 44, 0, addressBytes(authority))
