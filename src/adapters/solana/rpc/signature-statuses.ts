// Reads the statuses of signatures with as few history searches as is safe.
import type { Signature } from '@solana/kit'
import type { SignatureStatus } from '#core/chain/types.ts'
import { createLru } from '#lib/lru.ts'
import { mapParallel } from '#lib/parallel.ts'
import { msSince } from '#lib/time.ts'
import { inGroups } from '#lib/values.ts'
import type { FinalityJudge, Submitter } from '#ports/chain.ts'
import type { Clock } from '#ports/clock.ts'
import { errorText } from './observed-transaction.ts'
import type { Question } from './provider.ts'
import { ProviderFault } from './provider-fault.ts'
import type { RpcPool } from './rpc-pool.ts'
import type { FinalSlots } from './slots.ts'

// Asks one provider for the statuses of signatures.

export const STATUSES_PER_CALL = 256

/** `provider`: the number of the provider that answered. */
export type FoundStatus = {
  readonly signature: Signature
  readonly status: SignatureStatus | null
  readonly provider: number
}

export const statusQuestion =
  (signatures: readonly Signature[], searchTransactionHistory: boolean): Question<readonly FoundStatus[]> =>
  async ({ rpc, abortSignal, provider }) => {
    const { value } = await rpc.getSignatureStatuses(signatures, { searchTransactionHistory }).send({ abortSignal })
    if (value.length !== signatures.length) throw new ProviderFault('malformed')
    return signatures.map((signature, at) => ({
      signature,
      status: signatureStatus(value[at] ?? null),
      provider,
    }))
  }

type RawStatus = {
  readonly slot: bigint
  readonly confirmationStatus: 'processed' | 'confirmed' | 'finalized' | null
  readonly confirmations: bigint | null
  readonly err: unknown
}

/** Returns the status. Nodes that name no level return `confirmations: null` for a final transaction. */
function signatureStatus(raw: RawStatus | null): SignatureStatus | null {
  if (raw === null) return null
  const { slot, confirmationStatus, confirmations, err } = raw
  const final = confirmationStatus === null ? confirmations === null : confirmationStatus === 'finalized'
  return { slot, final, error: errorText(err), doubt: null }
}

const CALLS_AT_ONCE = 4
const HISTORY_AGAIN_MS = 60_000
const REMEMBERED_SIGNATURES = 10_000

export type StatusReader = {
  readonly read: Submitter['signatureStatuses']
  /** Takes note of a transaction that this process sends now. */
  readonly noteSent: (signature: Signature) => void
}

/**
 * Reads statuses. A search of a node's whole history is expensive, and needed only for a signature that may have left
 * its recent memory: when this process asks for it for the first time without having sent it, and then once a minute.
 * A transaction that one provider alone calls final is not final.
 */
export function createStatusReader(
  pool: Pick<RpcPool, 'ask'>,
  clock: Clock,
  finalSlots: FinalSlots,
  agreement: FinalityJudge,
): StatusReader {
  /** When the history was searched for a signature, or could not contain it yet. */
  const searchedAt = createLru<Signature, number>(REMEMBERED_SIGNATURES)
  const note = (signature: Signature): void => searchedAt.set(signature, clock.now().getTime())
  const searchedLately = (signature: Signature): boolean =>
    msSince(searchedAt.get(signature) ?? Number.NEGATIVE_INFINITY, clock.now().getTime()) < HISTORY_AGAIN_MS
  return {
    async read(signatures) {
      const { recent = [], old = [] } = Object.groupBy(signatures, (one) => (searchedLately(one) ? 'recent' : 'old'))
      const answers = await Promise.all([readStatuses(pool, recent, false), readStatuses(pool, old, true)])
      for (const signature of old) note(signature)
      const final = answers.flat().flatMap(({ signature, status, provider }) => {
        if (status?.final !== true) return []
        return [{ signature, provider, slot: status.slot, error: status.error }]
      })
      const doubts = await agreement.finalDoubts(final)
      for (const { signature, slot } of final) if (!doubts.has(signature)) finalSlots.record(slot)
      const found = new Map(answers.flat().map(({ signature, status }) => [signature, status]))
      return signatures.map((signature) => {
        const status = found.get(signature) ?? null
        const doubt = doubts.get(signature)
        return status === null || doubt === undefined ? status : { ...status, final: false, doubt }
      })
    },
    noteSent(signature) {
      // Only when it is sent for the first time: the same bytes may have landed long ago.
      if (searchedAt.get(signature) === undefined) note(signature)
    },
  }
}

export async function readStatuses(
  pool: Pick<RpcPool, 'ask'>,
  signatures: readonly Signature[],
  searchTransactionHistory: boolean,
): Promise<readonly FoundStatus[]> {
  const groups = await mapParallel(inGroups(signatures, STATUSES_PER_CALL), CALLS_AT_ONCE, (group) =>
    pool.ask('getSignatureStatuses', statusQuestion(group, searchTransactionHistory)),
  )
  return groups.flat()
}
