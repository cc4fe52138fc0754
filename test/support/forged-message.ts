// A message with rewritten instructions: what a faulty compiler, or an attacker, could offer the signer.
import {
  type Address,
  appendTransactionMessageInstructions,
  type Blockhash,
  compileTransaction,
  createTransactionMessage,
  decompileTransactionMessage,
  getCompiledTransactionMessageDecoder,
  type Instruction,
  pipe,
  setTransactionMessageFeePayer,
  setTransactionMessageLifetimeUsingBlockhash,
} from '@solana/kit'

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
