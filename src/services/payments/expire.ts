// Ends checkout windows by the clock of the chain: only when every account was read at a block after the window, and its
// balance is explained.
import { inCalls } from '#core/chain/full-calls.ts'
import type { AccountState, Network } from '#core/chain/types.ts'
import { type Decision, type IntentFacts, UNCHANGED } from '#core/payments/change.ts'
import { isExplainedAt, type ReadBalances } from '#core/payments/deposits/inbound.ts'
import { decideExpiry } from '#core/payments/machine/checkout.ts'
import type { PaymentIntent } from '#core/payments/payment-intent.ts'
import { STATUS_POLICY } from '#core/payments/status-policy.ts'
import { forEachParallel, mapParallel } from '#lib/parallel.ts'
import type { BalanceReader, ChainClock, DepositKeys } from '#ports/chain.ts'
import type { Clock } from '#ports/clock.ts'
import type { ExpiredIntent, IntentWorkStore } from '#ports/payments.ts'
import type { Directory } from '#services/accounts/directory.ts'
import { accountsOf, balanceOf, type WatchedAccount } from '#services/detection/polling/watch-list.ts'
import { decideAndApply, type ReadDecisionContext } from './decide.ts'

const BATCH = 500
/** The batch when no account has to be read. */
const SEARCHED_BATCH = 2_000
const CONCURRENT = 8

/** Every block up to `readTo` was searched for every address. The deposits of `unfinished` intents may not be taken in yet. */
export type Searched = { readonly readTo: Date; readonly unfinished: ReadonlySet<string> }

/**
 * A payment that was paid in the meantime does not end here: what was kept for it is removed after this time. Another
 * first reading is as good.
 */
const KEPT_MS = 3_600_000

/**
 * Ends intents whose window is over: they are cancelled, or a part of the price goes back. An intent with an unexplained
 * balance is left to detection, until the first balance after its window is explained: what arrives later does not count.
 * Each run takes the next page of intents, and begins again after the last page, so that intents that cannot end yet
 * delay no other intent.
 */
export type ExpireIntents = (network: Network) => Promise<{ expired: number }>

type ExpirerDeps = {
  readonly chainOf: (network: Network) => BalanceReader & ChainClock
  readonly store: Pick<IntentWorkStore, 'facts' | 'apply' | 'expired' | 'watched'>
  readonly directory: Pick<Directory, 'tokens'>
  readonly keys: Pick<DepositKeys, 'tokenAccountOf'>
  readonly decisionContext: ReadDecisionContext
  readonly clock: Clock
  /** Returns how far final blocks were searched; null while accounts are read instead. */
  readonly searched?: () => Searched | null
  readonly onError: (error: unknown, context: Readonly<Record<string, string>>) => void
}

export function createExpirer(deps: ExpirerDeps): ExpireIntents {
  const expirer = new Expirer(deps)
  return (network) => expirer.run(network)
}

/** By intent, its balances at a block of `time` or later: its window had ended before. */
type Readings = { readonly time: Date; readonly byIntent: ReadonlyMap<string, ReadBalances> }

/** An intent and its accounts. */
type Owner = { readonly id: string; readonly accounts: readonly WatchedAccount[] }

class Expirer {
  readonly #deps: ExpirerDeps
  /** The last intent of the last run; none at the start and after the last page. */
  readonly #reached = new Map<Network, ExpiredIntent>()
  /** By intent: its balances as they were first read after its window, while they are not explained. */
  readonly #firstReadings = new Map<string, ReadBalances>()

  constructor(deps: ExpirerDeps) {
    this.#deps = deps
  }

  async run(network: Network): Promise<{ expired: number }> {
    const searched = this.#deps.searched?.() ?? null
    const expired = searched === null ? await this.#endByBalances(network) : await this.#endSearched(network, searched)
    return { expired }
  }

  /** Ends intents without reading accounts: the searched blocks contain every deposit. */
  async #endSearched(network: Network, { readTo, unfinished }: Searched): Promise<number> {
    // Unfinished intents do not take the places of others in the page.
    const ids = await this.#nextPage(network, readTo, SEARCHED_BATCH + unfinished.size)
    const over = ids.filter((id) => !unfinished.has(id))
    const context = await this.#deps.decisionContext(network)
    return await this.#endEach(over, (facts) => decideExpiry(facts, readTo, context))
  }

  async #endByBalances(network: Network): Promise<number> {
    const ids = await this.#nextPage(network, this.#deps.clock.now(), BATCH)
    if (ids.length === 0) return 0
    const { time, byIntent } = await this.#readOver(network, ids)
    this.#forgetFirstReadings(this.#deps.clock.now())
    const context = await this.#deps.decisionContext(network)
    return await this.#endEach([...byIntent.keys()], (facts) => {
      const reading = byIntent.get(facts.intent.id)
      const isReady = reading !== undefined && this.#hasEveryPayment(facts, reading)
      return isReady ? decideExpiry(facts, time, context) : UNCHANGED
    })
  }

  async #nextPage(network: Network, before: Date, limit: number): Promise<readonly string[]> {
    const page = await this.#deps.store.expired(network, before, { after: this.#reached.get(network) ?? null, limit })
    const last = page.at(-1)
    if (last === undefined || page.length < limit) this.#reached.delete(network)
    else this.#reached.set(network, last)
    return page.map(({ id }) => id)
  }

  /** Reads the accounts of the intents whose window is over on the chain. */
  async #readOver(network: Network, ids: readonly string[]): Promise<Readings> {
    const { chainOf, store, directory, keys, clock } = this.#deps
    const chain = chainOf(network)
    const block = await chain.blockTime()
    const over = (await store.watched(ids)).filter(({ expiresAt }) => expiresAt < block.time)
    const tokens = await directory.tokens(network)
    const owners = await Promise.all(
      over.map(async (intent) => ({ id: intent.id, accounts: await accountsOf(intent, keys, tokens) })),
    )
    const calls = inCalls(owners, ({ accounts }) => accounts.length)
    const groups = await mapParallel(calls, CONCURRENT, async (group) => {
      const accounts = group.flatMap((owner) => owner.accounts.map(({ account }) => account))
      const { slot, states } = await chain.readAccounts(accounts)
      // A provider that is behind that block has not seen the end of the window.
      return slot < block.slot ? [] : readingsOf(group, states, { slot, at: clock.now() })
    })
    return { time: block.time, byIntent: new Map(groups.flat()) }
  }

  /** Returns how many intents have ended. */
  async #endEach(ids: readonly string[], decide: (facts: IntentFacts) => Decision): Promise<number> {
    let ended = 0
    await forEachParallel(ids, CONCURRENT, async (id) => {
      try {
        if (!hasEnded(await decideAndApply(this.#deps.store, id, decide))) return
        this.#firstReadings.delete(id)
        ended += 1
      } catch (error) {
        this.#deps.onError(error, { intent: id })
      }
    })
    return ended
  }

  /** Returns whether every payment in time is known: the balances are explained, or those of the first reading. */
  #hasEveryPayment(facts: IntentFacts, reading: ReadBalances): boolean {
    if (isExplainedAt(facts, reading) === true) return true
    const first = this.#firstReadings.get(facts.intent.id)
    const explained = first && isExplainedAt(facts, first)
    if (explained == null) this.#firstReadings.set(facts.intent.id, reading)
    return explained === true
  }

  #forgetFirstReadings(now: Date): void {
    for (const [id, { at }] of this.#firstReadings)
      if (now.getTime() - at.getTime() > KEPT_MS) this.#firstReadings.delete(id)
  }
}

/** Returns whether the window can no longer end the intent. An intent that no longer exists has ended. */
const hasEnded = (intent: PaymentIntent | null): boolean => intent === null || !STATUS_POLICY[intent.status].canExpire

/** Returns the balances of the intents of one call. `states` are in the order of their accounts. */
function readingsOf(
  owners: readonly Owner[],
  states: readonly (AccountState | null)[],
  read: Pick<ReadBalances, 'slot' | 'at'>,
): readonly (readonly [string, ReadBalances])[] {
  const rest = states.values()
  return owners.map(({ id, accounts }) => {
    const balances = accounts.map(({ account, asset }) => {
      return { account, asset, balance: balanceOf(rest.next().value ?? null, asset) }
    })
    return [id, { ...read, balances }]
  })
}
