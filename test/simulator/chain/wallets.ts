// People on the chain: wallets with their own keys, which pay, send dust, freeze and close accounts by real
// transactions.
import { createPrivateKey, createPublicKey, type KeyObject, sign } from 'node:crypto'
import {
  AccountRole,
  type Address,
  appendTransactionMessageInstructions,
  compileTransaction,
  createNoopSigner,
  createTransactionMessage,
  getAddressDecoder,
  type Instruction,
  pipe,
  setTransactionMessageFeePayer,
  setTransactionMessageLifetimeUsingBlockhash,
} from '@solana/kit'
import { getTransferSolInstruction } from '@solana-program/system'
import {
  getBurnInstruction,
  getCloseAccountInstruction,
  getCreateAssociatedTokenIdempotentInstruction,
  getFreezeAccountInstruction,
  getMintToInstruction,
  getThawAccountInstruction,
  getTransferCheckedInstruction,
} from '@solana-program/token'
import { associatedTokenAddress } from '#adapters/solana/keys/associated-token.ts'
import type { Lifetime } from '#core/chain/types.ts'
import type { Dice } from '../dice.ts'

export type Wallet = { readonly address: Address; readonly key: KeyObject }

/** A token of the simulated world. */
export type WorldMint = {
  readonly ticker: string
  readonly mint: Address
  readonly program: Address
  readonly decimals: number
  readonly transferFeeBps: number | null
}

const PKCS8_ED25519 = Buffer.from('302e020100300506032b657004220420', 'hex')

export function createWallet(dice: Dice): Wallet {
  const key = createPrivateKey({
    key: Buffer.concat([PKCS8_ED25519, dice.bytes(32)]),
    format: 'der',
    type: 'pkcs8',
  })
  const spki = createPublicKey(key).export({ format: 'der', type: 'spki' })
  return { address: getAddressDecoder().decode(spki.subarray(-32)), key }
}

export const holdingPlace = (owner: Address, { mint, program }: Pick<WorldMint, 'mint' | 'program'>): Address =>
  associatedTokenAddress(owner, mint, program)

/** Returns the signed bytes of a transaction; the first signer pays. */
export function signedTransaction(
  signers: readonly Wallet[],
  instructions: readonly Instruction[],
  lifetime: Lifetime,
): Uint8Array {
  const [payer] = signers
  if (payer === undefined) throw new RangeError('a transaction needs a signer')
  const { messageBytes, signatures } = pipe(
    createTransactionMessage({ version: 0 }),
    (message) => setTransactionMessageFeePayer(payer.address, message),
    (message) => setTransactionMessageLifetimeUsingBlockhash(lifetime, message),
    (message) => appendTransactionMessageInstructions(instructions, message),
    compileTransaction,
  )
  const names = Object.keys(signatures)
  const signed = names.map((name) => {
    const signer = signers.find(({ address }) => address === name)
    if (signer === undefined) throw new RangeError(`${name} does not sign`)
    return sign(null, Uint8Array.from(messageBytes), signer.key)
  })
  return Uint8Array.from(Buffer.concat([Uint8Array.of(names.length), ...signed, Uint8Array.from(messageBytes)]))
}

export const paySol = (from: Wallet, to: Address, amount: bigint): Instruction =>
  getTransferSolInstruction({ source: createNoopSigner(from.address), destination: to, amount })

/** Creates an owner's account if it does not exist. */
export const openHolding = (payer: Wallet, owner: Address, mint: WorldMint): Instruction =>
  getCreateAssociatedTokenIdempotentInstruction({
    payer: createNoopSigner(payer.address),
    ata: holdingPlace(owner, mint),
    owner,
    mint: mint.mint,
    tokenProgram: mint.program,
  })

/** Creates the receiver's account if it does not exist, at the payer's expense. */
export const payToken = (
  from: Wallet,
  to: Address,
  mint: WorldMint,
  amount: bigint,
  payer = from,
): readonly Instruction[] => [
  openHolding(payer, to, mint),
  getTransferCheckedInstruction(
    {
      source: holdingPlace(from.address, mint),
      mint: mint.mint,
      destination: holdingPlace(to, mint),
      authority: createNoopSigner(from.address),
      amount,
      decimals: mint.decimals,
    },
    { programAddress: mint.program },
  ),
]

export const freeze = (authority: Wallet, account: Address, { mint, program }: WorldMint): Instruction =>
  getFreezeAccountInstruction(
    { account, mint, owner: createNoopSigner(authority.address) },
    { programAddress: program },
  )

export const thaw = (authority: Wallet, account: Address, { mint, program }: WorldMint): Instruction =>
  getThawAccountInstruction({ account, mint, owner: createNoopSigner(authority.address) }, { programAddress: program })

/** Empties an account to another wallet and closes it. */
export const closeHolding = (
  owner: Wallet,
  friend: Address,
  mint: WorldMint,
  amount: bigint,
): readonly Instruction[] => [
  ...(amount > 0n ? payToken(owner, friend, mint, amount) : []),
  getCloseAccountInstruction(
    {
      account: holdingPlace(owner.address, mint),
      destination: owner.address,
      owner: createNoopSigner(owner.address),
    },
    { programAddress: mint.program },
  ),
]

export const mintTo = (authority: Wallet, owner: Address, mint: WorldMint, amount: bigint): readonly Instruction[] => [
  openHolding(authority, owner, mint),
  getMintToInstruction(
    {
      mint: mint.mint,
      token: holdingPlace(owner, mint),
      mintAuthority: createNoopSigner(authority.address),
      amount,
    },
    { programAddress: mint.program },
  ),
]

/** Takes back the tokens of an owner, as the permanent delegate. */
export const burnFrom = (delegate: Wallet, owner: Address, mint: WorldMint, amount: bigint): Instruction =>
  getBurnInstruction(
    {
      account: holdingPlace(owner, mint),
      mint: mint.mint,
      authority: createNoopSigner(delegate.address),
      amount,
    },
    { programAddress: mint.program },
  )

/**
 * A transaction that names an address and does not change it. An amount that the wallet pays to itself makes it unique.
 */
export function nameOnly(from: Wallet, named: Address, amount: bigint): Instruction {
  const instruction = getTransferSolInstruction({
    source: createNoopSigner(from.address),
    destination: from.address,
    amount,
  })
  return { ...instruction, accounts: [...instruction.accounts, { address: named, role: AccountRole.READONLY }] }
}
