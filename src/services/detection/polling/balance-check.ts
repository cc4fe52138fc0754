// One check of watched balances: reads the balances of many accounts, and the history of each account whose balance the
// known deposits do not explain. Its time is bounded, because anyone can change the balances of many addresses at once.
import type { AccountState } from '#core/chain/types.ts'
import { forEachParallel } from '#lib/parallel.ts'
import { startTimeLimit } from '#lib/time.ts'
import type { BalanceReader } from '#ports/chain.ts'
import type { Clock } from '#ports/clock.ts'
import type { ObserveDeposits } from '#services/detection/observe.ts'
import type { StepBudget } from './history-walk.ts'
import type { ChangedAccount } from './inbound-reading.ts'
import { balanceOf, type Watch } from './watch-list.ts'

const CONCURRENT_OBSERVATIONS = 8
/** A round starts no further observation after this time. */
const MAX_CHECK_MS = 2_000

export type BalanceCheckDeps = {
  readonly chain: BalanceReader
  readonly observe: ObserveDeposits
  readonly clock: Clock
  readonly onError: (error: unknown, intentId: string) => void
}

export type Checked = {
  /** Accounts that were read. */
  readonly read: number
  /** Watches with a balance that was not explained before, and whose history was read. */
  readonly observed: number
  /** Intents whose balances nothing explains yet. */
  readonly again: readonly string[]
  /** Intents that have more history than the budget allowed to read. */
  readonly unfinished: readonly string[]
  /** Intents whose history was not read, because the time of the check had ended. */
  readonly deferred: readonly string[]
}

/**
 * Checks the balances of watches. The first `CONCURRENT_OBSERVATIONS` observations are always made, and further ones start while
 * `hasTime`; by default, the check has the time of a round. Where the balances were read at a slot before `notBefore`, none
 * counts as explained: a payment up to that slot may be missing in them.
 */
export type CheckBalances = (
  watches: readonly Watch[],
  budget: StepBudget,
  limits?: { readonly hasTime?: () => boolean; readonly notBefore?: bigint },
) => Promise<Checked>

/** Starts the time of a round, which its checks share. Returns whether there is time left. */
export const startRound = (clock: Clock): (() => boolean) => startTimeLimit(clock, MAX_CHECK_MS)

/** A changed balance and its position in the accounts of its watch. */
type ChangedBalance = ChangedAccount & { readonly position: number }

/** The balances of a watch that are not explained, read at a slot. */
type Unexplained = { readonly watch: Watch; readonly changed: readonly ChangedBalance[]; readonly slot: bigint }

type Outcome = 'explained' | 'unexplained' | 'unfinished' | 'deferred'

export function createBalanceCheck(deps: BalanceCheckDeps): CheckBalances {
  const explain = async ({ watch, changed, slot }: Unexplained, budget: StepBudget): Promise<Outcome> => {
    try {
      const { explained, unfinished, leaving } = await deps.observe(watch.intent.id, changed, budget)
      if (unfinished) return 'unfinished'
      if (!explained) return 'unexplained'
      // A transfer under way explains its balance only for now: the same balance later can be a new payment.
      const lasting = changed.filter(({ asset }) => !leaving.has(asset))
      for (const { position, balance } of lasting) watch.explained[position] = balance
      if (lasting.length === changed.length) watch.readAtSlot = slot
      return 'explained'
    } catch (error) {
      deps.onError(error, watch.intent.id)
      return 'unexplained'
    }
  }

  return async (watches, budget, { hasTime = startRound(deps.clock), notBefore = 0n } = {}) => {
    const accounts = watches.flatMap((watch) => watch.accounts.map(({ account }) => account))
    if (accounts.length === 0) return { read: 0, observed: 0, again: [], unfinished: [], deferred: [] }
    const { slot, states } = await deps.chain.readAccounts(accounts)
    for (const watch of watches) watch.readAtSlot = slot
    const unexplained = findUnexplained(watches, states, slot)
    // No notice tells that a balance that is there already is explained, or no longer.
    for (const { watch } of unexplained) watch.readAtSlot = -1n
    const found: Found = { explained: new Set(), unexplained: new Set(), unfinished: new Set(), deferred: new Set() }
    let started = 0
    await forEachParallel(unexplained, CONCURRENT_OBSERVATIONS, async (one) => {
      const isStarted = started < CONCURRENT_OBSERVATIONS || hasTime()
      if (isStarted) started += 1
      found[isStarted ? await explain(one, budget) : 'deferred'].add(one.watch.intent.id)
    })
    if (slot < notBefore) for (const { intent } of watches) found.unexplained.add(intent.id)
    return { read: accounts.length, observed: started, ...byWaiting(found) }
  }
}

type Found = Readonly<Record<Outcome, Set<string>>>

/** Returns each intent once, although it can have several watches: by the watch that waits longest. */
function byWaiting(found: Found): Pick<Checked, 'again' | 'unfinished' | 'deferred'> {
  const deferred = [...found.deferred].filter((id) => !found.unfinished.has(id))
  const again = [...found.unexplained].filter((id) => !found.unfinished.has(id) && !found.deferred.has(id))
  return { again, unfinished: [...found.unfinished], deferred }
}

/** Returns the balances that are not explained, by watch. `states` are in the order of the accounts of all watches. */
function findUnexplained(
  watches: readonly Watch[],
  states: readonly (AccountState | null)[],
  slot: bigint,
): readonly Unexplained[] {
  const unexplained: Unexplained[] = []
  let at = 0
  for (const watch of watches) {
    const changed: ChangedBalance[] = []
    for (const [position, { account, asset }] of watch.accounts.entries()) {
      const balance = balanceOf(states[at] ?? null, asset)
      at += 1
      if (balance === watch.explained[position]) continue
      // An empty account was emptied by the service itself.
      if (balance === 0n) watch.explained[position] = balance
      else changed.push({ account, asset, balance, position })
    }
    if (changed.length > 0) unexplained.push({ watch, changed, slot })
  }
  return unexplained
}
