// Sends signed bytes to every provider.
import { type Base64EncodedWireTransaction, getBase58Decoder, type Signature } from '@solana/kit'
import { makeSignature } from '#core/chain/base58.ts'
import { ServiceError } from '#core/errors.ts'
import type { Submitter } from '#ports/chain.ts'
import type { ProviderFault } from './provider-fault.ts'
import type { RpcPool } from './rpc-pool.ts'
import { readStatuses, type StatusReader } from './signature-statuses.ts'

/**
 * Without preflight: a node that lags would refuse good bytes in its simulation. A transaction that is really wrong
 * lands as a final error within seconds, which is evidence, and costs a fee. The nodes do not resend by themselves: the
 * caller decides when to send again.
 */
const SENDING = { encoding: 'base64', skipPreflight: true, maxRetries: 0n } as const

export const createBroadcaster =
  (pool: Pick<RpcPool, 'ask' | 'askEach'>, { noteSent }: Pick<StatusReader, 'noteSent'>): Submitter['broadcast'] =>
  async (wire) => {
    const signature = signatureOf(wire)
    noteSent(signature)
    const bytes = base64Of(wire)
    const attempts = pool.askEach('sendTransaction', ({ rpc, abortSignal }) =>
      rpc.sendTransaction(bytes, SENDING).send({ abortSignal }),
    )
    const faults: ProviderFault[] = []
    const taken = attempts.map(async (attempt) => {
      const outcome = await attempt
      if ('answer' in outcome || outcome.fault.alreadyProcessed) return
      faults.push(outcome.fault)
      throw outcome.fault
    })
    try {
      await Promise.any(taken)
    } catch {
      const refusal = faults.find((fault) => fault.kind === 'refused')
      if (refusal === undefined) throw new ServiceError('chain_unavailable', { method: 'sendTransaction' })
      // Some nodes refuse a transaction that has landed already without a readable reason.
      const [known] = await readStatuses(pool, [signature], false)
      if (!known?.status) throw new ServiceError('transaction_refused', { reason: refusal.message })
    }
  }

/** A transaction begins with the number of its signatures, in one byte. The first of them, of 64 bytes, identifies it. */
const signatureOf = (wire: Uint8Array): Signature => makeSignature(getBase58Decoder().decode(wire.subarray(1, 65)))

const isBase64 = (text: string): text is Base64EncodedWireTransaction => text !== ''

/** Returns the bytes as they are sent. Kit would read the whole transaction for it, and name each account in base58. */
function base64Of(wire: Uint8Array): Base64EncodedWireTransaction {
  const text = Buffer.from(wire).toString('base64')
  if (!isBase64(text)) throw new RangeError('a transaction has bytes')
  return text
}
