// What blocks brought to our addresses and is not in the database yet: kept until it is, or until its payment is set
// aside and read by its address.
import type { Address, Network, ObservedTransaction, Signature } from '#core/chain/types.ts'
import { forEachParallel } from '#lib/parallel.ts'
import type { BlockNotice } from '#ports/blocks.ts'
import type { HistoryReader } from '#ports/chain.ts'
import type { Clock } from '#ports/clock.ts'
import type { DepositSourceStore } from '#ports/deposit-sources.ts'
import { PATIENCE_MS, type SetAside } from '#services/detection/set-aside.ts'
import type { TakeFinal } from '#services/detection/take-final.ts'

const INTENTS_AT_ONCE = 8
/** Transactions of one payment that one round takes in: other payments wait no longer than that takes. */
const MOST_OF_ONE_PAYMENT = 1_000
/** However far its intake gets: a payment with more than can be taken in meanwhile is set aside as well. */
const LONGEST_INTAKE_MS = 5 * 60_000

export type BlockInboxDeps = {
  readonly network: Network
  readonly chain: Pick<HistoryReader, 'transaction'>
  readonly store: Pick<DepositSourceStore, 'intentsAt'>
  readonly take: TakeFinal
  readonly setAside: Pick<SetAside, 'put' | 'ids'>
  /** Real time. */
  readonly wallClock: Clock
  readonly onError: (error: unknown, context: Readonly<Record<string, string>>) => void
}

export type BlockInbox = {
  add(notices: readonly BlockNotice[]): void
  /**
   * Takes in what is left over, a bounded number of transactions for each payment. Throws when the intents cannot be
   * looked up. A payment that fails stays, and is set aside when it has failed for `PATIENCE_MS`.
   */
  takeIn(): Promise<void>
  /** Intents that something reached which is not taken in yet. */
  readonly unfinished: readonly string[]
}

export function createBlockInbox(deps: BlockInboxDeps): BlockInbox {
  /** Touches whose intents could not be looked up yet. */
  let unsorted: readonly BlockNotice[] = []
  /** By intent. */
  const unfinished = new Map<string, Brought>()
  const now = () => deps.wallClock.now().getTime()

  const sortAll = async (): Promise<void> => {
    if (unsorted.length === 0) return
    const owners = [...new Set(unsorted.flatMap((notice) => notice.owners))]
    sort(unsorted, await deps.store.intentsAt(deps.network, owners), unfinished, now())
    unsorted = []
  }

  const takeSome = async (intent: string, { notices }: Brought): Promise<void> => {
    const some = [...notices.values()].slice(0, MOST_OF_ONE_PAYMENT)
    await deps.take(intent, await exactly(deps.chain, some))
    for (const { signature } of some) notices.delete(signature)
  }

  /** Stores the payment before it is dropped here: the cursor passes its blocks from then on. */
  const handOver = async (intent: string, reason: string): Promise<void> => {
    await deps.setAside.put([intent], reason)
    unfinished.delete(intent)
  }

  return {
    add(notices) {
      unsorted = [...unsorted, ...notices]
    },
    async takeIn() {
      await sortAll()
      await forEachParallel([...unfinished], INTENTS_AT_ONCE, async ([intent, brought]) => {
        try {
          const failure = await takeSome(intent, brought).then(
            () => null,
            (error: unknown) => ({ error }),
          )
          if (failure === null) brought.progressAt = now()
          else deps.onError(failure.error, { intent })
          if (brought.notices.size === 0) unfinished.delete(intent)
          else if (deps.setAside.ids.has(intent) || isOverdue(brought, now()))
            await handOver(intent, failure === null ? TOO_MANY : describeFailure(failure.error))
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

/** What an intent was paid by and is not taken in yet, with real times in milliseconds. */
type Brought = {
  readonly notices: Map<Signature, BlockNotice>
  readonly since: number
  /** When something of it was last taken in. */
  progressAt: number
}

const TOO_MANY = 'It has more deposits than could be taken in meanwhile.'

const describeFailure = (error: unknown): string => `Its deposits cannot be taken in: ${error}`.slice(0, 300)

const isOverdue = ({ since, progressAt }: Brought, now: number): boolean =>
  now - progressAt >= PATIENCE_MS || now - since >= LONGEST_INTAKE_MS

/** Files touches under their intents. The other accounts are not our addresses (fingerprint collision). */
function sort(
  notices: readonly BlockNotice[],
  intents: ReadonlyMap<Address, string>,
  into: Map<string, Brought>,
  now: number,
): void {
  for (const notice of notices) {
    for (const owner of notice.owners) {
      const intent = intents.get(owner)
      if (intent === undefined) continue
      const brought = into.get(intent) ?? { notices: new Map(), since: now, progressAt: now }
      brought.notices.set(notice.signature, notice)
      into.set(intent, brought)
    }
  }
}

/** The transactions themselves; one that its block does not tell exactly is read by itself. */
async function exactly(
  chain: Pick<HistoryReader, 'transaction'>,
  notices: readonly BlockNotice[],
): Promise<readonly ObservedTransaction[]> {
  const transactions: ObservedTransaction[] = []
  for (const { signature, transaction } of notices) {
    const exact = transaction ?? (await chain.transaction(signature, 'finalized'))
    if (exact === null) throw new Error(`transaction ${signature} is in a final block, but not known by itself yet`)
    transactions.push(exact)
  }
  return transactions
}
