// A wallet that subscribes: it signs the approve that the service has prepared, and can take the allowance back.
import {
  address,
  getTransactionDecoder,
  getTransactionEncoder,
  type KeyPairSigner,
  partiallySignTransaction,
  type Signature,
} from '@solana/kit'
import { getRevokeInstruction } from '@solana-program/token'
import { associatedTokenAddress } from '#adapters/solana/keys/associated-token.ts'
import type { DemoToken } from './payment.ts'
import { sendTransaction } from './send-transaction.ts'

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
