// A wallet that pays what a payment URI asks for.
import {
  address,
  getTransactionDecoder,
  getTransactionEncoder,
  type KeyPairSigner,
  partiallySignTransaction,
  type Signature,
} from '@solana/kit'
import { getTransferSolInstruction } from '@solana-program/system'
import {
  getCreateAssociatedTokenIdempotentInstructionAsync,
  getRevokeInstruction,
  getTransferCheckedInstruction,
} from '@solana-program/token'
import { associatedTokenAddress } from '#adapters/solana/keys/associated-token.ts'
import { sendTransaction } from './send-transaction.ts'

export type DemoToken = { readonly mint: string; readonly token_program: string; readonly decimals: number }

/** Pays `amount` base units to the deposit address, as any wallet would; `token` null is SOL. */
export async function payFromWallet(
  rpcUrl: string,
  wallet: KeyPairSigner,
  payment: { readonly to: string; readonly amount: bigint; readonly token: DemoToken | null },
): Promise<Signature> {
  const { to, amount, token } = payment
  const owner = address(to)
  if (token === null) {
    return sendTransaction(rpcUrl, wallet, [getTransferSolInstruction({ source: wallet, destination: owner, amount })])
  }
  const mint = address(token.mint)
  const tokenProgram = address(token.token_program)
  const source = associatedTokenAddress(wallet.address, mint, tokenProgram)
  const destination = associatedTokenAddress(owner, mint, tokenProgram)
  const { decimals } = token
  return sendTransaction(rpcUrl, wallet, [
    await getCreateAssociatedTokenIdempotentInstructionAsync({ payer: wallet, owner, mint, tokenProgram }),
    getTransferCheckedInstruction(
      { source, mint, destination, authority: wallet, amount, decimals },
      { programAddress: tokenProgram },
    ),
  ])
}

// A wallet that subscribes: it signs the approve that the service has prepared, and can take the allowance back.

/** Adds the signature of the wallet to a transaction in wire format. */
export async function signTransactionOf(wallet: KeyPairSigner, transaction: Uint8Array): Promise<Uint8Array> {
  const signed = await partiallySignTransaction([wallet.keyPair], getTransactionDecoder().decode(transaction))
  return Uint8Array.from(getTransactionEncoder().encode(signed))
}

/** Removes the allowance of the wallet's token account, as its owner may at any time. The wallet pays the fee in SOL. */
export function revokeAllowance(
  rpcUrl: string,
  wallet: KeyPairSigner,
  { mint, token_program }: DemoToken,
): Promise<Signature> {
  const tokenProgram = address(token_program)
  const source = associatedTokenAddress(wallet.address, address(mint), tokenProgram)
  return sendTransaction(rpcUrl, wallet, [
    getRevokeInstruction({ source, owner: wallet }, { programAddress: tokenProgram }),
  ])
}
