// Reads the statuses of signatures with as few history searches as is safe.
import type { Signature } from '@solana/kit'
import type { SignatureStatus } from '#core/chain/types.ts'
import { inGroups } from '#lib/groups.ts'
import { createLru } from '#lib/lru.ts'
import { msSince } from '#lib/ms-since.ts'
import { mapParallel } from '#lib/parallel.ts'
import type { Submitter } from '#ports/chain.ts'
import type { Clock } from '#ports/clock.ts'
import type { FinalSlots } from './final-slots.ts'
import { errorText } from './observed-transaction.ts'
import { ProviderFault } from './provider-fault.ts'
import type { RpcPool } from './rpc-pool.ts'

const STATUSES_PER_CALL = 256
const CALLS_AT_ONCE = 4
const HISTORY_AGAIN_MS = 60_000
const REMEMBERED_SIGNATURES = 10_000

type Found = { readonly signature: Signature; readonly status: SignatureStatus | null }

export type StatusReader = {
  readonly read: Submitter['signatureStatuses']
  /** Takes note of a transaction that this process sends now. */
  readonly noteSent: (signature: Signature) => void
}

/**
 * Reads statuses. A search of a node's whole history is expensive, and needed only for a signature that may have left
 * its recent memory: when this process asks for it for the first time without having sent it, and then once a minute.
 */
export function createStatusReader(pool: Pick<RpcPool, 'ask'>, clock: Clock, finalSlots: FinalSlots): StatusReader {
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
      const found = new Map(answers.flat().map(({ signature, status }) => [signature, status]))
      for (const status of found.values()) if (status?.level === 'finalized') finalSlots.record(status.slot)
      return signatures.map((signature) => found.get(signature) ?? null)
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
): Promise<readonly Found[]> {
  const groups = await mapParallel(inGroups(signatures, STATUSES_PER_CALL), CALLS_AT_ONCE, (group) =>
    pool.ask('getSignatureStatuses', async ({ rpc, abortSignal }) => {
      const { context, value } = await rpc
        .getSignatureStatuses(group, { searchTransactionHistory })
        .send({ abortSignal })
      if (value.length !== group.length) throw new ProviderFault('malformed')
      return group.map((signature, at) => ({ signature, status: signatureStatus(value[at] ?? null, context.slot) }))
    }),
  )
  return groups.flat()
}

type RawStatus = {
  readonly slot: bigint
  readonly confirmationStatus: 'processed' | 'confirmed' | 'finalized' | null
  readonly confirmations: bigint | null
  readonly err: unknown
}

/** Returns the status. Nodes that name no level return `confirmations: null` for a rooted transaction. */
function signatureStatus(raw: RawStatus | null, newestSlot: bigint): SignatureStatus | null {
  if (raw === null) return null
  const level = raw.confirmationStatus ?? (raw.confirmations === null ? 'finalized' : 'processed')
  return { slot: raw.slot, level, error: errorText(raw.err), newestSlot }
}
