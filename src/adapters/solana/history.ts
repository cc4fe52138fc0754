// What happened to an account: the signatures that touched it, and each transaction as it landed.
import { type Address, MAX_SUPPORTED_TRANSACTION_VERSION, type Signature } from '@solana/kit'
import type { Commitment, ObservedTransaction } from '#core/chain/types.ts'
import type { HistoryReader } from '#ports/chain.ts'
import type { Clock } from '#ports/clock.ts'
import { observedTransaction, plausibleTime } from './observed-transaction.ts'
import type { RpcPool } from './rpc-pool.ts'
import { createSlotFloor } from './slot-floor.ts'

const SIGNATURES_A_PAGE = 1000
const FORMAT = { encoding: 'json', maxSupportedTransactionVersion: MAX_SUPPORTED_TRANSACTION_VERSION } as const

type Touch = { readonly signature: Signature; readonly slot: bigint; readonly failed: boolean }

export function createHistoryReader(pool: Pick<RpcPool, 'ask'>, clock: Clock): HistoryReader {
  const floors = { confirmed: createSlotFloor(clock), finalized: createSlotFloor(clock) }

  const page = (account: Address, commitment: Commitment, range: { before?: Signature; until?: Signature }) =>
    pool.ask('getSignaturesForAddress', async ({ rpc, abortSignal }): Promise<readonly Touch[]> => {
      const minContextSlot = floors[commitment].current()
      const config = { commitment, limit: SIGNATURES_A_PAGE, ...range, ...(minContextSlot && { minContextSlot }) }
      const touches = await rpc.getSignaturesForAddress(account, config).send({ abortSignal })
      // The answer does not say how new it is, but the provider of the next page must know at least this one's newest.
      const newest = touches[0]
      if (newest !== undefined) floors[commitment].accept(newest.slot, undefined)
      return touches.map(({ signature, slot, err }) => ({ signature, slot, failed: err !== null }))
    })

  return {
    async signaturesFor(account, { commitment, until }) {
      const touches: Touch[] = []
      for (;;) {
        const before = touches.at(-1)?.signature
        const found = await page(account, commitment, { ...(before && { before }), ...(until && { until }) })
        touches.push(...found)
        if (found.length < SIGNATURES_A_PAGE) return touches
      }
    },

    // A provider that does not know a transaction may be behind or have forgotten it, so the others are asked as well.
    transaction: (signature, commitment) =>
      pool.ask(
        'getTransaction',
        async ({ rpc, abortSignal }): Promise<ObservedTransaction | null> => {
          const landed = await rpc.getTransaction(signature, { commitment, ...FORMAT }).send({ abortSignal })
          if (landed === null) return null
          const observed = observedTransaction(signature, landed)
          if (observed.blockTime !== null) return observed
          const seconds = await rpc.getBlockTime(landed.slot).send({ abortSignal })
          return { ...observed, blockTime: plausibleTime(seconds) }
        },
        (answer) => answer !== null,
      ),
  }
}
