// The lifetime of new transactions, sending, and the statuses of sent transactions.
import { type Base64EncodedWireTransaction, getBase58Decoder, type Signature } from '@solana/kit'
import { makeSignature } from '#core/chain/base58.ts'
import type { Lifetime } from '#core/chain/types.ts'
import { ServiceError } from '#core/errors.ts'
import { createCache } from '#lib/cache.ts'
import type { FinalityJudge, Submitter } from '#ports/chain.ts'
import type { Clock } from '#ports/clock.ts'
import type { ProviderFault } from './provider-fault.ts'
import type { RpcPool } from './rpc-pool.ts'
import { createStatusReader, readStatuses, type StatusReader } from './signature-statuses.ts'
import { createSlotFloor, type FinalSlots } from './slots.ts'

// Sends signed bytes to every provider.

/**
 * Without preflight: a node that lags would refuse good bytes in its simulation. A transaction that is really wrong
 * lands as a final error within seconds, which is evidence, and costs a fee. The nodes do not resend by themselves: the
 * caller decides when to send again.
 */
const SENDING = { encoding: 'base64', skipPreflight: true, maxRetries: 0n } as const

const createBroadcaster =
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

export function createSubmitter(
  pool: Pick<RpcPool, 'ask' | 'askEach'>,
  clock: Clock,
  finalSlots: FinalSlots,
  agreement: FinalityJudge,
  options: { readonly lifetimeCacheMs: number },
): Submitter {
  const floor = createSlotFloor(clock)
  const newest = (): Promise<Lifetime> =>
    pool.ask('getLatestBlockhash', async ({ rpc, abortSignal }) => {
      const minContextSlot = floor.current()
      const config = { commitment: 'finalized', ...(minContextSlot && { minContextSlot }) } as const
      const { context, value } = await rpc.getLatestBlockhash(config).send({ abortSignal })
      floor.accept(context.slot, minContextSlot)
      return { blockhash: value.blockhash, lastValidBlockHeight: value.lastValidBlockHeight }
    })
  const lifetimes = createCache(clock, newest, options.lifetimeCacheMs)
  const statuses = createStatusReader(pool, clock, finalSlots, agreement)
  return {
    lifetime: () => lifetimes.get('newest'),
    broadcast: createBroadcaster(pool, statuses),
    signatureStatuses: statuses.read,
  }
}
