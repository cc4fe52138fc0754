// What happened to an account: the signatures that touched it, and each transaction as it landed.
import { type Address, MAX_SUPPORTED_TRANSACTION_VERSION, type Signature } from '@solana/kit'
import type { Commitment, ObservedTransaction } from '#core/chain/types.ts'
import type { HistoryReader } from '#ports/chain.ts'
import type { Clock } from '#ports/clock.ts'
import type { Finality } from './finality.ts'
import { observedTransaction, plausibleTime } from './observed-transaction.ts'
import type { Question } from './provider.ts'
import type { RpcPool } from './rpc-pool.ts'
import { createSlotFloor } from './slot-floor.ts'

const SIGNATURES_A_PAGE = 1000
const FORMAT = { encoding: 'json', maxSupportedTransactionVersion: MAX_SUPPORTED_TRANSACTION_VERSION } as const

type Page = Readonly<{
  touches: readonly { readonly signature: Signature; readonly slot: bigint; readonly failed: boolean }[]
  /** The cursor of the next page, null after the last. */
  next: Signature | null
}>

export function createHistoryReader(pool: Pick<RpcPool, 'ask'>, clock: Clock, finality: Finality): HistoryReader {
  const floors = { confirmed: createSlotFloor(clock), finalized: createSlotFloor(clock) }

  const page = (account: Address, commitment: Commitment, range: { before?: Signature; until?: Signature }) =>
    pool.ask('getSignaturesForAddress', async ({ rpc, abortSignal }): Promise<Page> => {
      const minContextSlot = floors[commitment].current()
      const config = { commitment, limit: SIGNATURES_A_PAGE, ...range, ...(minContextSlot && { minContextSlot }) }
      const found = await rpc.getSignaturesForAddress(account, config).send({ abortSignal })
      for (const { slot, confirmationStatus } of found) if (confirmationStatus === 'finalized') finality.saw(slot)
      // The answer does not say how new it is, but the provider of the next page must know at least this one's newest.
      const newest = found[0]
      if (newest !== undefined) floors[commitment].accept(newest.slot, undefined)
      return {
        // Some nodes list what is not yet as sure as asked.
        touches: found
          .filter(({ confirmationStatus }) => isAtLeast(confirmationStatus, commitment))
          .map(({ signature, slot, err }) => ({ signature, slot, failed: err !== null })),
        next: found.length < SIGNATURES_A_PAGE ? null : (found.at(-1)?.signature ?? null),
      }
    })

  const landed = (signature: Signature, commitment: Commitment): Question<ObservedTransaction | null> =>
    async function ask({ rpc, abortSignal }) {
      const answer = await rpc.getTransaction(signature, { commitment, ...FORMAT }).send({ abortSignal })
      if (answer === null) return null
      const observed = observedTransaction(signature, answer)
      if (observed.blockTime !== null) return observed
      const seconds = await rpc.getBlockTime(answer.slot).send({ abortSignal })
      return { ...observed, blockTime: plausibleTime(seconds) }
    }

  return {
    async signaturesFor(account, { commitment, until }) {
      const pages: Page['touches'][] = []
      let before: Signature | null = null
      do {
        const { touches, next }: Page = await page(account, commitment, {
          ...(before && { before }),
          ...(until && { until }),
        })
        pages.push(touches)
        before = next
      } while (before !== null)
      return pages.flat()
    },

    async transaction(signature, commitment) {
      // A provider that does not know it may be behind or have forgotten it, so the others are asked as well.
      const known = (answer: ObservedTransaction | null): boolean => answer !== null
      const observed = await pool.ask('getTransaction', landed(signature, commitment), known)
      if (observed === null || commitment === 'confirmed') return observed
      return (await finality.reached(observed.slot)) ? observed : null
    },
  }
}

/** Null is what nodes say of old, and therefore final, transactions. */
const isAtLeast = (level: 'processed' | Commitment | null, commitment: Commitment): boolean =>
  level === null || level === 'finalized' || level === commitment
