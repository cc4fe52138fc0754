// Token-2022 extensions of mints, as data for `createMint`. Each gives the length of the extension in the account, and the data of
// the instruction that initializes it. Source: the source code of the program.
import { type Address, getAddressEncoder } from '@solana/kit'

/** One extension of a Token-2022 mint: the bytes that it takes in the account, and the data of its instruction. */
export type MintExtension = { readonly bytes: number; readonly initialize: Uint8Array }

const NO_ADDRESS = new Uint8Array(32)

export const addressBytes = (key: Address): Uint8Array => Uint8Array.from(getAddressEncoder().encode(key))

export const extension = (bytes: number, ...parts: readonly (number | Uint8Array)[]): MintExtension => ({
  bytes,
  initialize: Buffer.concat(parts.map((part) => (typeof part === 'number' ? Uint8Array.of(part) : part))),
})

export const number = (bytes: number, value: bigint): Uint8Array => {
  const buffer = Buffer.alloc(8)
  buffer.writeBigUInt64LE(value)
  return buffer.subarray(0, bytes)
}

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
/** Owners may configure their accounts for confidential transfers. There is no auditor. */
const confidentialTransfer = (authority: Address): MintExtension =>
  extension(65, 27, 0, addressBytes(authority), 1, NO_ADDRESS)
const confidentialTransferFee = (authority: Address): MintExtension =>
  extension(129, 37, 0, addressBytes(authority), new Uint8Array(32).fill(1))
export const permanentDelegate = (delegate: Address): MintExtension => extension(32, 35, addressBytes(delegate))
/** `null` is a hook without a program, which the authority can set at any time. */
export const transferHook = (authority: Address, program: Address | null): MintExtension =>
  extension(64, 36, 0, addressBytes(authority), program === null ? NO_ADDRESS : addressBytes(program))
/** Says that the mint holds its metadata itself. */
export const metadataPointer = (authority: Address, mint: Address): MintExtension =>
  extension(64, 39, 0, addressBytes(authority), addressBytes(mint))

/**
 * The extensions of PYUSD and of other regulated dollars, but for the metadata: its issuer can take tokens back, and later charge a
 * fee or name a program for each transfer.
 */
export const regulatedDollar = (authority: Address, mint: Address): readonly MintExtension[] => [
  mintCloseAuthority(authority),
  permanentDelegate(authority),
  transferFee(authority, 0, 0n),
  confidentialTransfer(authority),
  confidentialTransferFee(authority),
  transferHook(authority, null),
  metadataPointer(authority, mint),
]
