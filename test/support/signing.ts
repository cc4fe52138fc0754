// Signing for tests of other rules: a refusal fails the test.

import {
  type Address,
  appendTransactionMessageInstruction,
  appendTransactionMessageInstructions,
  type Blockhash,
  compileTransaction,
  createTransactionMessage,
  decompileTransactionMessage,
  type GetLatestBlockhashApi,
  getCompiledTransactionMessageDecoder,
  getSignatureFromTransaction,
  type Instruction,
  type KeyPairSigner,
  pipe,
  type Rpc,
  setTransactionMessageFeePayer,
  setTransactionMessageFeePayerSigner,
  setTransactionMessageLifetimeUsingBlockhash,
  signTransactionMessageWithSigners,
} from '@solana/kit'
import { getTransferSolInstruction } from '@solana-program/system'
import type { TransactionPlan } from '#core/transfers/plan.ts'
import type { Signer } from '#ports/transactions.ts'

export async function mustSign(signer: Signer, plan: TransactionPlan, message: Uint8Array) {
  const signing = await signer.sign(plan, message)
  if ('refused' in signing) throw new Error(signing.refused)
  return signing
}

// A message with rewritten instructions: what a faulty compiler, or an attacker, could offer the signer.

export type Rewrite = (instructions: readonly Instruction[]) => readonly Instruction[]
export type Patch = { readonly feePayer?: Address; readonly blockhash?: Blockhash; readonly version?: 0 | 'legacy' }

export function forgeMessage(message: Uint8Array, rewrite: Rewrite, patch: Patch = {}): Uint8Array {
  const compiled = getCompiledTransactionMessageDecoder().decode(message)
  const { instructions, feePayer } = decompileTransactionMessage(compiled)
  if (!('lifetimeToken' in compiled)) throw new Error('a compiled message has a lifetime')
  const blockhash = patch.blockhash ?? (compiled.lifetimeToken as Blockhash)
  const transaction = pipe(
    createTransactionMessage({ version: patch.version ?? 0 }),
    (empty) => setTransactionMessageFeePayer(patch.feePayer ?? feePayer.address, empty),
    (paid) => setTransactionMessageLifetimeUsingBlockhash({ blockhash, lastValidBlockHeight: 0n }, paid),
    (living) => appendTransactionMessageInstructions(rewrite(instructions), living),
    compileTransaction,
  )
  return Uint8Array.from(transaction.messageBytes)
}

/** A transfer of SOL, signed but not sent. */
export async function signedTransfer(
  rpc: Rpc<GetLatestBlockhashApi>,
  from: KeyPairSigner,
  to: Address,
  amount: bigint,
) {
  const { value: lifetime } = await rpc.getLatestBlockhash().send()
  const message = pipe(
    createTransactionMessage({ version: 0 }),
    (empty) => setTransactionMessageFeePayerSigner(from, empty),
    (paid) => setTransactionMessageLifetimeUsingBlockhash(lifetime, paid),
    (living) =>
      appendTransactionMessageInstruction(getTransferSolInstruction({ source: from, destination: to, amount }), living),
  )
  const transaction = await signTransactionMessageWithSigners(message)
  return {
    transaction,
    signature: getSignatureFromTransaction(transaction),
    lastValidBlockHeight: lifetime.lastValidBlockHeight,
  }
}
