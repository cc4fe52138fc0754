// Making mints, classic and Token-2022, with extensions where wanted.
import { type Address, createSolanaRpc, getAddressEncoder, type KeyPairSigner, type Signature } from '@solana/kit'
import { getCreateAccountInstruction } from '@solana-program/system'
import { getInitializeMint2Instruction } from '@solana-program/token'
import { sendTransaction } from './send-transaction.ts'

// Token-2022 extensions of mints, as data for `createMint`. Each gives the length of the extension in the account, and the data of
// the instruction that initializes it. Source: the source code of the program.

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

export type TokenMetadata = { readonly name: string; readonly symbol: string; readonly uri: string }

export type NewMint = {
  readonly mint: KeyPairSigner
  /** Pays, and may mint and freeze. */
  readonly authority: KeyPairSigner
  readonly decimals: number
  readonly tokenProgram: Address
  readonly extensions?: readonly MintExtension[]
  /** Kept in the mint itself, which needs the metadata pointer extension. */
  readonly metadata?: TokenMetadata
}

const MINT_BYTES = 82
/** With extensions, a mint is as long as a token account and then says what it is. */
const EXTENDED_MINT_BYTES = 166
/** Each extension is preceded by its type and length. */
const EXTENSION_HEADER_BYTES = 4
/** Names the instruction of the token metadata interface that sets the first values. */
const INITIALIZE_METADATA = [210, 225, 30, 162, 88, 184, 77, 141]
const READONLY = 0
const WRITABLE = 1
const READONLY_SIGNER = 2

export async function createMint(rpcUrl: string, options: NewMint): Promise<Signature> {
  const { mint, authority, decimals, tokenProgram, extensions = [], metadata } = options
  const extensionBytes = extensions.reduce((sum, { bytes }) => sum + EXTENSION_HEADER_BYTES + bytes, 0)
  const space = extensions.length === 0 ? MINT_BYTES : EXTENDED_MINT_BYTES + extensionBytes
  // The metadata makes the account longer later on; its rent must be there by then.
  const finalSpace = space + (metadata === undefined ? 0 : metadataBytes(metadata))
  const lamports = await createSolanaRpc(rpcUrl).getMinimumBalanceForRentExemption(BigInt(finalSpace)).send()
  return sendTransaction(rpcUrl, authority, [
    getCreateAccountInstruction({ payer: authority, newAccount: mint, lamports, space, programAddress: tokenProgram }),
    ...extensions.map(({ initialize }) => ({
      programAddress: tokenProgram,
      accounts: [{ address: mint.address, role: WRITABLE }],
      data: initialize,
    })),
    getInitializeMint2Instruction(
      { mint: mint.address, decimals, mintAuthority: authority.address, freezeAuthority: authority.address },
      { programAddress: tokenProgram },
    ),
    ...(metadata === undefined ? [] : [initializeMetadata(mint.address, authority, tokenProgram, metadata)]),
  ])
}

const initializeMetadata = (
  mint: Address,
  authority: KeyPairSigner,
  programAddress: Address,
  { name, symbol, uri }: TokenMetadata,
) => ({
  programAddress,
  accounts: [
    { address: mint, role: WRITABLE },
    { address: authority.address, role: READONLY },
    { address: mint, role: READONLY },
    { address: authority.address, role: READONLY_SIGNER, signer: authority },
  ],
  data: Buffer.concat([Uint8Array.from(INITIALIZE_METADATA), ...[name, symbol, uri].map(lengthAndText)]),
})

/** Returns the update authority and mint, the three texts, and an empty list of further fields. */
const metadataBytes = ({ name, symbol, uri }: TokenMetadata): number =>
  EXTENSION_HEADER_BYTES + 64 + [name, symbol, uri].reduce((sum, text) => sum + lengthAndText(text).length, 0) + 4

function lengthAndText(text: string): Uint8Array {
  const bytes = Buffer.from(text)
  const length = Buffer.alloc(4)
  length.writeUInt32LE(bytes.length)
  return Buffer.concat([length, bytes])
}
