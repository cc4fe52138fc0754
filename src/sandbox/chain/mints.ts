// Making mints, classic and Token-2022, with extensions where wanted.
import { type Address, createSolanaRpc, type KeyPairSigner, type Signature } from '@solana/kit'
import { getCreateAccountInstruction } from '@solana-program/system'
import { getInitializeMint2Instruction } from '@solana-program/token'
import type { MintExtension } from './mint-extensions.ts'
import { sendTransaction } from './send-transaction.ts'

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
