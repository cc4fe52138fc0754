// Ends checkout windows by the clock of the chain: only when every account was read at a block after the window, and its
// balance is explained.
import type { AccountState, Network } from '#core/chain/types.ts'
import { isExplained, isExplainedAt, type ReadBalances } from '#core/payments/deposits/inbound.ts'
import { type IntentFacts, UNCHANGED } from '#core/payments/machine/change.ts'
import { decideExpiry } from '#core/payments/machine/checkout.ts'
import { forEachParallel } from '#lib/parallel.ts'
import type { BalanceReader, ChainClock, DepositKeys } from '#ports/chain.ts'
import type { Clock } from '#ports/clock.ts'
import type { ExpiredIntent, IntentWorkStore } from '#ports/payments.ts'
import type { Directory } from '#services/accounts/directory.ts'
import { accountsOf, balanceOf, type WatchedAccount } from '#services/detection/polling/watch-list.ts'
import { decideAndApply } from '#services/payments/decide.ts'
import type { ReadDecisionContext } from './decision-context.ts'

const BATCH = 500
/** The batch when no account has to be read. */
const SEARCHED_BATCH = 2_000
const CONCURRENT = 8

/** Every block up to `readTo` was searched for every address. The deposits of `unfinished` intents may not be taken in yet. */
export type Searched = { readonly readTo: Date; readonly unfinished: ReadonlySet<string> }

/** A payment that was paid in the meantime does not end here: what was kept for it is removed after this time. */
const KEPT_MS = 3_600_000

/**
 * Ends intents whose window is over: they are cancelled, or a part of the price goes back. An intent with an unexplained
 * balance is left to detection, until the first balance after its window is explained: what arrives later does not count.
 * Each run takes the next page of intents, and begins again after the last page, so that intents that cannot end yet
 * delay no other intent.
 */
export type ExpireIntents = (network: Network) => Promise<{ expired: number }>

export function createExpirer(deps: {
  chainOf: (network: Network) => BalanceReader & ChainClock
  store: Pick<IntentWorkStore, 'facts' | 'apply' | 'expired' | 'watched'>
  directory: Pick<Directory, 'tokens'>
  keys: Pick<DepositKeys, 'tokenAccountOf'>
  decisionContext: ReadDecisionContext
  clock: Clock
  /** Returns how far final blocks were searched; null while accounts are read instead. */
  searched?: () => Searched | null
  onError: (error: unknown, context: Readonly<Record<string, string>>) => void
}): ExpireIntents {
  /** The last intent of the last run; none at the start and after the last page. */
  const reached = new Map<Network, ExpiredIntent>()
  /** By intent: its balances as they were first read after its window, while they are not explained. */
  const firstReadings = new Map<string, ReadBalances>()
  const nextPage = async (network: Network, before: Date, limit: number): Promise<readonly string[]> => {
    const page = await deps.store.expired(network, before, { after: reached.get(network) ?? null, limit })
    const last = page.at(-1)
    if (last === undefined || page.length < limit) reached.delete(network)
    else reached.set(network, last)
    return page.map(({ id }) => id)
  }

  /** Ends intents without reading accounts: the searched blocks contain every deposit. */
  const endSearched = async (network: Network, { readTo, unfinished }: Searched): Promise<{ expired: number }> => {
    // Unfinished intents do not take the places of others in the page.
    const ids = await nextPage(network, readTo, SEARCHED_BATCH + unfinished.size)
    const over = ids.filter((id) => !unfinished.has(id))
    const context = await deps.decisionContext(network)
    let expired = 0
    await forEachParallel(over, CONCURRENT, async (id) => {
      try {
        const after = await decideAndApply(deps.store, id, (facts) => decideExpiry(facts, readTo, context))
        if (after?.status !== 'pending' && after?.status !== 'underpaid') expired += 1
      } catch (error) {
        deps.onError(error, { intent: id })
      }
    })
    return { expired }
  }

  /** Returns whether every payment in time is known: the balances are explained, or those of the first reading. */
  const hasEveryPayment = (facts: IntentFacts, reading: ReadBalances): boolean => {
    if (reading.balances.every((account) => isExplained(facts, [], account))) return true
    const first = firstReadings.get(facts.intent.id)
    const explained = first && isExplainedAt(facts, first)
    if (explained == null) firstReadings.set(facts.intent.id, reading)
    return explained === true
  }

  return async (network) => {
    const searched = deps.searched?.() ?? null
    if (searched !== null) return await endSearched(network, searched)
    const ids = await nextPage(network, deps.clock.now(), BATCH)
    if (ids.length === 0) return { expired: 0 }
    const chain = deps.chainOf(network)
    const block = await chain.blockTime('confirmed')
    const over = (await deps.store.watched(ids)).filter(({ expiresAt }) => expiresAt < block.time)
    const tokens = await deps.directory.tokens(network)
    const owned = await Promise.all(over.map(async (intent) => await accountsOf(intent, deps.keys, tokens)))
    const accounts = owned.flatMap((list) => list.map(({ account }) => account))
    if (accounts.length === 0) return { expired: 0 }
    const { slot, states } = await chain.readAccounts(accounts, 'confirmed')
    // A provider that is behind that block has not seen the end of the window.
    if (slot < block.slot) return { expired: 0 }
    const seen = inLists(owned, states)
    const at = deps.clock.now()
    for (const [id, reading] of firstReadings)
      if (at.getTime() - reading.at.getTime() > KEPT_MS) firstReadings.delete(id)
    const context = await deps.decisionContext(network)
    let expired = 0
    await forEachParallel([...over.entries()], CONCURRENT, async ([position, { id }]) => {
      try {
        const reading = { slot, at, balances: seen[position] ?? [] }
        const after = await decideAndApply(deps.store, id, (facts) =>
          hasEveryPayment(facts, reading) ? decideExpiry(facts, block.time, context) : UNCHANGED,
        )
        if (after?.status === 'pending' || after?.status === 'underpaid') return
        firstReadings.delete(id)
        expired += 1
      } catch (error) {
        deps.onError(error, { intent: id })
      }
    })
    return { expired }
  }
}

/** Returns the balances of all accounts, as one list for each intent. */
function inLists(owned: readonly (readonly WatchedAccount[])[], states: readonly (AccountState | null)[]) {
  const rest = states.values()
  return owned.map((accounts) =>
    accounts.map(({ account, asset }) => ({ account, asset, balance: balanceOf(rest.next().value ?? null, asset) })),
  )
}
