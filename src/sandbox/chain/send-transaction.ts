// Sending from the outside, as any wallet would: sign, send, wait until confirmed.
import { setTimeout as sleep } from 'node:timers/promises'
import {
  appendTransactionMessageInstructions,
  createSolanaRpc,
  createTransactionMessage,
  getBase64EncodedWireTransaction,
  getSignatureFromTransaction,
  type Instruction,
  pipe,
  type Signature,
  setTransactionMessageFeePayerSigner,
  setTransactionMessageLifetimeUsingBlockhash,
  signTransactionMessageWithSigners,
  type TransactionSigner,
} from '@solana/kit'
import { getAddMemoInstruction } from '@solana-program/memo'
import { random } from '#adapters/node/random.ts'
import { MEMO_PROGRAM_ADDRESS } from '#adapters/solana/instructions.ts'

const POLL_MS = 25
/** A blockhash lives for 150 blocks, well below this at any pace that the chain may be set to. */
const CONFIRMED_WITHIN_MS = 90_000

/**
 * Resolves when the transaction is confirmed. Rejects when it is refused, fails or gets lost.
 *
 * A memo tells it from all others: of two equal ones with one blockhash the chain would take only the first, and two equal
 * payments would be one.
 */
export async function sendTransaction(
  rpcUrl: string,
  feePayer: TransactionSigner,
  instructions: readonly Instruction[],
): Promise<Signature> {
  const rpc = createSolanaRpc(rpcUrl)
  const { value: lifetime } = await rpc.getLatestBlockhash({ commitment: 'confirmed' }).send()
  const memo = getAddMemoInstruction({ memo: random.uuid() }, { programAddress: MEMO_PROGRAM_ADDRESS })
  const message = pipe(
    createTransactionMessage({ version: 0 }),
    (empty) => setTransactionMessageFeePayerSigner(feePayer, empty),
    (paid) => setTransactionMessageLifetimeUsingBlockhash(lifetime, paid),
    (living) => appendTransactionMessageInstructions([...instructions, memo], living),
  )
  const transaction = await signTransactionMessageWithSigners(message)
  const wire = getBase64EncodedWireTransaction(transaction)
  await rpc.sendTransaction(wire, { encoding: 'base64', preflightCommitment: 'processed' }).send()
  const signature = getSignatureFromTransaction(transaction)
  await confirmed(rpcUrl, signature)
  return signature
}

/** Resolves when the transaction is confirmed. Rejects when it failed, or is not seen for too long. */
export async function confirmed(rpcUrl: string, signature: Signature): Promise<void> {
  const rpc = createSolanaRpc(rpcUrl)
  for (let waitedMs = 0; waitedMs < CONFIRMED_WITHIN_MS; waitedMs += POLL_MS) {
    const [status] = (await rpc.getSignatureStatuses([signature]).send()).value
    if (status?.err != null) throw new Error(`transaction ${signature} failed: ${stringify(status.err)}`)
    if (status?.confirmationStatus === 'confirmed' || status?.confirmationStatus === 'finalized') return
    await sleep(POLL_MS)
  }
  throw new Error(`transaction ${signature} was not confirmed`)
}

const stringify = (error: unknown): string =>
  JSON.stringify(error, (_key, value) => (typeof value === 'bigint' ? value.toString() : value))
