// Sending transactions and asking what became of them.
import {
  getBase64EncodedWireTransaction,
  getSignatureFromTransaction,
  getTransactionDecoder,
  type Signature,
} from '@solana/kit'
import type { Lifetime, SignatureStatus } from '#core/chain/types.ts'
import { ServiceError } from '#core/errors.ts'
import type { Submitter } from '#ports/chain.ts'
import type { Clock } from '#ports/clock.ts'
import { cached } from './cached.ts'
import type { Finality } from './finality.ts'
import { createLru } from './lru.ts'
import { errorText } from './observed-transaction.ts'
import { inGroups, inParallel } from './parallel.ts'
import { ProviderFault } from './provider-fault.ts'
import type { RpcPool } from './rpc-pool.ts'
import { createSlotFloor } from './slot-floor.ts'

const STATUSES_A_CALL = 256
const CALLS_AT_ONCE = 4
const SENDING = { encoding: 'base64', skipPreflight: true, maxRetries: 0n } as const
const HISTORY_AGAIN_MS = 60_000
const REMEMBERED_SIGNATURES = 10_000

export function createSubmitter(
  pool: Pick<RpcPool, 'ask' | 'askEach'>,
  clock: Clock,
  finality: Finality,
  options: { readonly lifetimeCacheMs: number },
): Submitter {
  const floor = createSlotFloor(clock)
  const historySearchedAt = createLru<Signature, number>(REMEMBERED_SIGNATURES)

  const lifetime = (): Promise<Lifetime> =>
    pool.ask('getLatestBlockhash', async ({ rpc, abortSignal }) => {
      // Finalized would cost a fifth of the hash's life for nothing: a hash that a fork takes away only lets the
      // transaction die, which is proved like any other death.
      const minContextSlot = floor.current()
      const config = { commitment: 'confirmed', ...(minContextSlot && { minContextSlot }) } as const
      const { context, value } = await rpc.getLatestBlockhash(config).send({ abortSignal })
      floor.accept(context.slot, minContextSlot)
      return { blockhash: value.blockhash, lastValidBlockHeight: value.lastValidBlockHeight }
    })

  const statuses = async (signatures: readonly Signature[], searchTransactionHistory: boolean) => {
    const groups = await inParallel(inGroups(signatures, STATUSES_A_CALL), CALLS_AT_ONCE, (group) =>
      pool.ask('getSignatureStatuses', async ({ rpc, abortSignal }) => {
        const { value } = await rpc.getSignatureStatuses(group, { searchTransactionHistory }).send({ abortSignal })
        if (value.length !== group.length) throw new ProviderFault('malformed')
        return group.map((signature, index) => ({ signature, status: signatureStatus(value[index] ?? null) }))
      }),
    )
    return groups.flat()
  }

  /**
   * To every provider, and done as soon as one took it. Without preflight: a simulation is one node's opinion of a bank
   * that may lag, and would keep good bytes back; what is really wrong with them lands as a final error within seconds,
   * which is evidence, and costs a fee. The nodes do not resend by themselves: sending again is the caller's choice.
   */
  const broadcast = async (wire: Uint8Array): Promise<void> => {
    const transaction = getTransactionDecoder().decode(wire)
    const bytes = getBase64EncodedWireTransaction(transaction)
    const attempts = pool.askEach('sendTransaction', ({ rpc, abortSignal }) =>
      rpc.sendTransaction(bytes, SENDING).send({ abortSignal }),
    )
    const reasons: ProviderFault[] = []
    const taken = attempts.map(async (attempt) => {
      const outcome = await attempt
      if ('answer' in outcome || outcome.fault.alreadyProcessed) return
      reasons.push(outcome.fault)
      throw outcome.fault
    })
    try {
      await Promise.any(taken)
    } catch {
      const refusal = reasons.find((fault) => fault.kind === 'refused')
      if (refusal === undefined) throw new ServiceError('chain_unavailable', { method: 'sendTransaction' })
      // Not every node says in a readable way that it refuses because the chain has the transaction already.
      const [known] = await statuses([getSignatureFromTransaction(transaction)], false)
      if (!known?.status) throw new ServiceError('transaction_refused', { reason: refusal.message })
    }
  }

  const searchedLately = (signature: Signature): boolean => {
    const age = clock.now().getTime() - (historySearchedAt.get(signature) ?? Number.NEGATIVE_INFINITY)
    return age >= 0 && age < HISTORY_AGAIN_MS
  }

  return {
    lifetime: cached(clock, options.lifetimeCacheMs, lifetime),
    broadcast,

    // Searching a node's whole history is dear, and needed only for what may have left its recent memory: a signature
    // that this process asks for the first time, and then once a minute for as long as it asks.
    async signatureStatuses(signatures) {
      const recent = signatures.filter(searchedLately)
      const old = signatures.filter((signature) => !searchedLately(signature))
      const answers = await Promise.all([statuses(recent, false), statuses(old, true)])
      for (const signature of old) historySearchedAt.set(signature, clock.now().getTime())
      const found = new Map(answers.flat().map(({ signature, status }) => [signature, status]))
      for (const status of found.values()) if (status?.level === 'finalized') finality.saw(status.slot)
      return signatures.map((signature) => found.get(signature) ?? null)
    },
  }
}

type RawStatus = {
  readonly slot: bigint
  readonly confirmationStatus: 'processed' | 'confirmed' | 'finalized' | null
  readonly confirmations: bigint | null
  readonly err: unknown
}

/** Nodes that do not name a level say `confirmations: null` for what is rooted. */
function signatureStatus(raw: RawStatus | null): SignatureStatus | null {
  if (raw === null) return null
  const level = raw.confirmationStatus ?? (raw.confirmations === null ? 'finalized' : 'processed')
  return { slot: raw.slot, level, error: errorText(raw.err) }
}
