// Reads the history of an account: the signatures that name it, and each transaction as it landed.
import { type Address, MAX_SUPPORTED_TRANSACTION_VERSION, type Signature } from '@solana/kit'
import type { ObservedTransaction } from '#core/chain/types.ts'
import { ServiceError } from '#core/errors.ts'
import type { FinalityJudge, HistoryPage, HistoryRange, HistoryReader } from '#ports/chain.ts'
import { memosOf } from './memos.ts'
import { observedTransaction, plausibleTime } from './observed-transaction.ts'
import type { Question } from './provider.ts'
import { METHOD_NOT_FOUND, ProviderFault } from './provider-fault.ts'
import type { RpcPool } from './rpc-pool.ts'
import type { FinalSlots } from './slots.ts'

type Asked = Parameters<Question<unknown>>[0]

/** Small pages: the wanted signatures are nearly always among the newest. */
const SIGNATURES_PER_PAGE = 100
const FORMAT = {
  commitment: 'finalized',
  encoding: 'json',
  maxSupportedTransactionVersion: MAX_SUPPORTED_TRANSACTION_VERSION,
} as const

export function createHistoryReader(
  pool: Pick<RpcPool, 'ask' | 'size'>,
  finalSlots: FinalSlots,
  agreement: FinalityJudge,
): HistoryReader {
  /**
   * Asks without `minContextSlot`: Surfpool uses it as a filter and leaves older signatures out. A provider that is
   * behind lists too little instead, so that an empty page counts only when every provider returned an empty page, or has the slots
   * of `covers`. Returns null when the provider lacks older ones.
   */
  const list =
    (account: Address, { before, until, covers }: HistoryRange): Question<HistoryPage | null> =>
    async (asked) => {
      if (covers !== undefined && !(await hasSlots(asked, covers))) return null
      const range = { ...(before && { before }), ...(until && { until }) }
      const config = { commitment: 'finalized', limit: SIGNATURES_PER_PAGE, ...range } as const
      const { rpc, abortSignal } = asked
      const found = await rpc.getSignaturesForAddress(account, config).send({ abortSignal })
      for (const { slot, confirmationStatus } of found) if (confirmationStatus === 'finalized') finalSlots.record(slot)
      return {
        // Some nodes also list transactions of a lower commitment than asked, and give no status for old ones.
        entries: found
          .filter(({ confirmationStatus }) => confirmationStatus === null || confirmationStatus === 'finalized')
          .map(({ signature, slot, err }) => ({ signature, slot, failed: err !== null })),
        next: found.length < SIGNATURES_PER_PAGE ? null : (found.at(-1)?.signature ?? null),
      }
    }

  type Read = { readonly observed: ObservedTransaction; readonly provider: number }
  const landed =
    (signature: Signature): Question<Read | null> =>
    async ({ rpc, abortSignal, provider }) => {
      const answer = await rpc.getTransaction(signature, FORMAT).send({ abortSignal })
      if (answer === null) return null
      const observed = observedTransaction(signature, answer, memosOf(answer.transaction.message))
      if (observed.blockTime !== null) return { observed, provider }
      const seconds = await rpc.getBlockTime(answer.slot).send({ abortSignal })
      return { observed: { ...observed, blockTime: plausibleTime(seconds) }, provider }
    }

  /** Returns whether a transaction that a provider reports as final is. Rejects when other providers contradict. */
  const isFinal = async ({ observed, provider }: Read): Promise<boolean> => {
    const { signature, slot, error } = observed
    const doubt = (await agreement.finalDoubts([{ signature, slot, error, provider }])).get(signature)
    if (typeof doubt === 'string')
      throw new ServiceError('chain_unavailable', { method: 'getTransaction', signature, reason: doubt })
    return doubt === undefined && (await finalSlots.include(slot))
  }

  return {
    async signatures(account, range) {
      const isEnough = (page: HistoryPage | null): boolean =>
        page !== null && (page.entries.length > 0 || page.next !== null || range.covers !== undefined)
      const page = await pool.ask('getSignaturesForAddress', list(account, range), isEnough, range.firstProvider)
      if (page === null)
        throw new ServiceError('chain_unavailable', {
          method: 'getSignaturesForAddress',
          reason: `no provider has the history from slot ${range.covers?.from}`,
        })
      return page
    },

    async transaction(signature) {
      // A provider that does not know the transaction may be behind or have dropped it, so the others are asked as
      // well.
      let answers = 0
      const known = (answer: Read | null): boolean => {
        answers += 1
        return answer !== null
      }
      const read = await pool.ask('getTransaction', landed(signature), known)
      if (read === null && answers < pool.size)
        throw new ServiceError('chain_unavailable', {
          method: 'getTransaction',
          signature,
          reason: 'a provider does not answer, and no other one knows it',
        })
      return read !== null && (await isFinal(read)) ? read.observed : null
    },
  }
}

/** Returns false when the provider has forgotten the first slot. Rejects with a fault when it has not reached the last. */
async function hasSlots(asked: Asked, { from, upTo }: NonNullable<HistoryRange['covers']>): Promise<boolean> {
  const { rpc, abortSignal } = asked
  const [slot, first] = await Promise.all([
    rpc.getSlot({ commitment: 'finalized' }).send({ abortSignal }),
    from === null ? null : firstSlotOf(asked),
  ])
  if (slot < upTo) throw new ProviderFault('behind')
  return from === null || first === null || first <= from
}

/** Returns null when the provider does not have the method, which says nothing about its history. */
async function firstSlotOf({ rpc, abortSignal }: Asked): Promise<bigint | null> {
  try {
    return await rpc.getFirstAvailableBlock().send({ abortSignal })
  } catch (error) {
    if (error instanceof ProviderFault && error.status === METHOD_NOT_FOUND) return null
    throw error
  }
}
