import {
  type Address,
  appendTransactionMessageInstruction,
  createTransactionMessage,
  type GetLatestBlockhashApi,
  getSignatureFromTransaction,
  type KeyPairSigner,
  pipe,
  type Rpc,
  setTransactionMessageFeePayerSigner,
  setTransactionMessageLifetimeUsingBlockhash,
  signTransactionMessageWithSigners,
} from '@solana/kit'
import { getTransferSolInstruction } from '@solana-program/system'

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
