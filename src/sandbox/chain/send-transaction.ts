// Sending from the outside, as any wallet would: sign, send, wait until it is final.
import { setTimeout as sleep } from 'node:timers/promises'
import {
  appendTransactionMessageInstructions,
  createSolanaRpc,
  createTransactionMessage,
  getBase64EncodedWireTransaction,
  getSignatureFromTransaction,
  type Instruction,
  isSolanaError,
  pipe,
  type Signature,
  SOLANA_ERROR__JSON_RPC__SERVER_ERROR_SEND_TRANSACTION_PREFLIGHT_FAILURE,
  SOLANA_ERROR__TRANSACTION_ERROR__BLOCKHASH_NOT_FOUND,
  setTransactionMessageFeePayerSigner,
  setTransactionMessageLifetimeUsingBlockhash,
  signTransactionMessageWithSigners,
  type TransactionSigner,
} from '@solana/kit'
import { getAddMemoInstruction } from '@solana-program/memo'
import { random } from '#adapters/node/random.ts'
import { MEMO_PROGRAM_ADDRESS } from '#adapters/solana/transactions/instructions.ts'

const POLL_MS = 25
/** A block takes ten seconds at the very most, and the one after it confirms. */
const DEADLINE_MS = 30_000

/** The chain answers too late, or takes in nothing: asking again is no use. */
export class ChainStalled extends Error {
  override readonly name = 'ChainStalled'
}

/** Rejects with ChainStalled when `work`, which heeds the signal, does not end in good time. */
export async function withDeadline<T>(
  work: (abortSignal: AbortSignal) => Promise<T>,
  withinMs: number = DEADLINE_MS,
): Promise<T> {
  const abortSignal = AbortSignal.timeout(withinMs)
  try {
    return await work(abortSignal)
  } catch (error) {
    if (!abortSignal.aborted) throw error
    throw new ChainStalled(`the chain did not take it in within ${withinMs / 1000} seconds`, { cause: error })
  }
}

/**
 * Resolves when the transaction is final. Rejects when it is refused or fails, and with ChainStalled.
 *
 * A memo makes each transaction different: two equal ones with one blockhash would be one transaction on the chain, and two
 * equal payments one payment.
 */
export const sendTransaction = (
  rpcUrl: string,
  feePayer: TransactionSigner,
  instructions: readonly Instruction[],
): Promise<Signature> => untilFinal(rpcUrl, (abortSignal) => signAndSend(rpcUrl, feePayer, instructions, abortSignal))

/**
 * Sends, and resolves when what was sent is final. What has a blockhash that became too old on the way, on a busy machine, is made
 * again: the chain refused it before taking it in.
 */
export const untilFinal = (
  rpcUrl: string,
  send: (abortSignal: AbortSignal) => Promise<Signature>,
): Promise<Signature> =>
  withDeadline(async (abortSignal) => {
    for (;;) {
      try {
        const signature = await send(abortSignal)
        await waitUntilFinal(rpcUrl, signature, abortSignal)
        return signature
      } catch (error) {
        if (!isOutdated(error)) throw error
      }
    }
  })

async function signAndSend(
  rpcUrl: string,
  feePayer: TransactionSigner,
  instructions: readonly Instruction[],
  abortSignal: AbortSignal,
): Promise<Signature> {
  const rpc = createSolanaRpc(rpcUrl)
  const { value: lifetime } = await rpc.getLatestBlockhash({ commitment: 'finalized' }).send({ abortSignal })
  const memo = getAddMemoInstruction({ memo: random.uuid() }, { programAddress: MEMO_PROGRAM_ADDRESS })
  const message = pipe(
    createTransactionMessage({ version: 0 }),
    (empty) => setTransactionMessageFeePayerSigner(feePayer, empty),
    (paid) => setTransactionMessageLifetimeUsingBlockhash(lifetime, paid),
    (living) => appendTransactionMessageInstructions([...instructions, memo], living),
  )
  const transaction = await signTransactionMessageWithSigners(message)
  const wire = getBase64EncodedWireTransaction(transaction)
  const config = { encoding: 'base64', preflightCommitment: 'processed' } as const
  await rpc.sendTransaction(wire, config).send({ abortSignal })
  return getSignatureFromTransaction(transaction)
}

/** Returns whether the chain refused a transaction, without taking it in, because it does not know its blockhash. */
const isOutdated = (error: unknown): boolean =>
  isSolanaError(error, SOLANA_ERROR__JSON_RPC__SERVER_ERROR_SEND_TRANSACTION_PREFLIGHT_FAILURE) &&
  isSolanaError(error.cause, SOLANA_ERROR__TRANSACTION_ERROR__BLOCKHASH_NOT_FOUND)

/** Resolves when the transaction is final. Rejects when it failed, or the signal says that it is enough. */
export async function waitUntilFinal(rpcUrl: string, signature: Signature, abortSignal: AbortSignal): Promise<void> {
  const rpc = createSolanaRpc(rpcUrl)
  for (;;) {
    const [status] = (await rpc.getSignatureStatuses([signature]).send({ abortSignal })).value
    if (status?.err != null) throw new Error(`transaction ${signature} failed: ${stringify(status.err)}`)
    if (status?.confirmationStatus === 'finalized') return
    await sleep(POLL_MS, undefined, { signal: abortSignal })
  }
}

const stringify = (error: unknown): string =>
  JSON.stringify(error, (_key, value) => (typeof value === 'bigint' ? value.toString() : value))
