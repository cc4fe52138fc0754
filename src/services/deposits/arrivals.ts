// What blocks brought to our addresses and is not in the database yet: kept, whatever fails, until it is.
import type { Address, Network, ObservedTransaction, Signature } from '#core/chain/types.ts'
import type { BlockTouch } from '#ports/blocks.ts'
import type { HistoryReader } from '#ports/chain.ts'
import type { DepositSourceStore } from '#ports/deposit-sources.ts'
import { inParallel } from '#services/parallel.ts'
import type { TakeFinal } from './take-final.ts'

const INTENTS_AT_ONCE = 8

export type ArrivalsDeps = {
  readonly network: Network
  readonly chain: Pick<HistoryReader, 'transaction'>
  readonly store: Pick<DepositSourceStore, 'intentsAt'>
  readonly take: TakeFinal
  readonly onError: (error: unknown, context: Readonly<Record<string, string>>) => void
}

export type Arrivals = {
  add(touches: readonly BlockTouch[]): void
  /** Takes in all that is left over. Throws when it cannot be told whose it is; one that cannot be taken in stays. */
  takeIn(): Promise<void>
  /** Intents that something reached which is not taken in yet. */
  readonly unfinished: readonly string[]
}

export function createArrivals(deps: ArrivalsDeps): Arrivals {
  /** Touches whose intents could not be looked up yet. */
  let unsorted: readonly BlockTouch[] = []
  /** By intent: what it was paid by and could not be taken in yet. */
  const unfinished = new Map<string, Map<Signature, BlockTouch>>()

  const sortAll = async (): Promise<void> => {
    if (unsorted.length === 0) return
    const owners = [...new Set(unsorted.flatMap((touch) => touch.owners))]
    sort(unsorted, await deps.store.intentsAt(deps.network, owners), unfinished)
    unsorted = []
  }

  return {
    add(touches) {
      unsorted = [...unsorted, ...touches]
    },
    async takeIn() {
      await sortAll()
      await inParallel([...unfinished], INTENTS_AT_ONCE, async ([intent, brought]) => {
        try {
          await deps.take(intent, await exactly(deps.chain, [...brought.values()]))
          unfinished.delete(intent)
        } catch (error) {
          deps.onError(error, { intent })
        }
      })
    },
    get unfinished() {
      return [...unfinished.keys()]
    },
  }
}

/** Files touches under their intents; who is nobody's address was only taken for one. */
function sort(
  touches: readonly BlockTouch[],
  intents: ReadonlyMap<Address, string>,
  into: Map<string, Map<Signature, BlockTouch>>,
): void {
  for (const touch of touches) {
    for (const owner of touch.owners) {
      const intent = intents.get(owner)
      if (intent === undefined) continue
      const brought = into.get(intent) ?? new Map<Signature, BlockTouch>()
      brought.set(touch.signature, touch)
      into.set(intent, brought)
    }
  }
}

/** The transactions themselves; one that its block does not tell exactly is read by itself. */
async function exactly(
  chain: Pick<HistoryReader, 'transaction'>,
  touches: readonly BlockTouch[],
): Promise<readonly ObservedTransaction[]> {
  const transactions: ObservedTransaction[] = []
  for (const { signature, transaction } of touches) {
    const exact = transaction ?? (await chain.transaction(signature, 'finalized'))
    if (exact === null) throw new Error(`transaction ${signature} is in a final block, but not known by itself yet`)
    transactions.push(exact)
  }
  return transactions
}
