// Sending signed bytes to everyone who may take them.
import { getBase64EncodedWireTransaction, getSignatureFromTransaction, getTransactionDecoder } from '@solana/kit'
import { ServiceError } from '#core/errors.ts'
import type { Submitter } from '#ports/chain.ts'
import type { ProviderFault } from './provider-fault.ts'
import type { RpcPool } from './rpc-pool.ts'
import { readStatuses } from './signature-statuses.ts'

/**
 * Without preflight: a simulation is one node's opinion of a bank that may lag, and would keep good bytes back; what is
 * really wrong with them lands as a final error within seconds, which is evidence, and costs a fee. The nodes do not
 * resend by themselves: sending again is the caller's choice.
 */
const SENDING = { encoding: 'base64', skipPreflight: true, maxRetries: 0n } as const

export const createBroadcaster =
  (pool: Pick<RpcPool, 'ask' | 'askEach'>): Submitter['broadcast'] =>
  async (wire) => {
    const transaction = getTransactionDecoder().decode(wire)
    const bytes = getBase64EncodedWireTransaction(transaction)
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
      // Not every node says in a readable way that it refuses because the chain has the transaction already.
      const [known] = await readStatuses(pool, [getSignatureFromTransaction(transaction)], false)
      if (!known?.status) throw new ServiceError('transaction_refused', { reason: refusal.message })
    }
  }
