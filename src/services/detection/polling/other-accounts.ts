// Looks for tokens in other accounts of deposit addresses than those that are watched. Anyone can make such an account, and
// nothing but a question about its owner shows it. The questions of a minute are bounded, so that they cost little with any
// number of addresses.
import type { Address, Network } from '#core/chain/types.ts'
import { STATUS_POLICY } from '#core/payments/status-policy.ts'
import { createLru } from '#lib/lru.ts'
import { forEachParallel } from '#lib/parallel.ts'
import type { DepositKeys, TokenAccountReader } from '#ports/chain.ts'
import type { IntentWorkStore, WatchedIntent } from '#ports/payments.ts'
import type { Directory } from '#services/accounts/directory.ts'
import type { ObserveDeposits } from '#services/detection/observe.ts'
import type { ChangedAccount } from './inbound-reading.ts'
import { accountsOf } from './watch-list.ts'

/**
 * Payments of each kind in one round, of two calls each: those that have ended lately without a settlement, and older ones in
 * turn. A buyer who paid to another account has not paid the price, so a settled payment waits for its turn.
 */
const ENDED_AT_ONCE = 20
const OLDER_AT_ONCE = 5
const AT_ONCE = 4
/**
 * Accounts of one payment that are read in a round, in turn: a stranger can make any number, also such that no transaction
 * explains, by making the address the owner of an account with a balance.
 */
const ACCOUNTS_OF_ONE = 20
const MAX_NOTED = 10_000
const REMEMBERED_ACCOUNTS = 10_000
const REMEMBERED_PAYMENTS = 1_000

export type OtherAccountsDeps = {
  readonly network: Network
  readonly chain: TokenAccountReader
  readonly store: Pick<IntentWorkStore, 'watched' | 'watchList'>
  readonly directory: Pick<Directory, 'tokens'>
  readonly keys: Pick<DepositKeys, 'tokenAccountOf'>
  readonly observe: ObserveDeposits
  readonly onError: (error: unknown, context: Readonly<Record<string, string>>) => void
}

export class OtherAccounts {
  readonly #deps: OtherAccountsDeps
  readonly #noted = new Set<string>()
  /** The index of the last payment that was looked at in turn. */
  #reached = 0
  /** By account, the balance that was explained. */
  readonly #explained = createLru<Address, bigint>(REMEMBERED_ACCOUNTS)
  /** By payment, the last account that was read in turn. */
  readonly #readLast = createLru<string, Address>(REMEMBERED_PAYMENTS)

  constructor(deps: OtherAccountsDeps) {
    this.#deps = deps
  }

  /** Takes note of payments that have changed: those that have ended without a settlement are looked at soon. */
  note(intentIds: readonly string[]): void {
    for (const id of intentIds) if (this.#noted.size < MAX_NOTED) this.#noted.add(id)
  }

  /** Looks at the next payments, in one bounded round. */
  async check(): Promise<void> {
    const ended = await this.#nextEnded()
    const older = (await this.#nextOlder()).filter(({ id }) => !ended.some((one) => one.id === id))
    await forEachParallel([...ended, ...older], AT_ONCE, async (intent) => {
      try {
        await this.#look(intent)
      } catch (error) {
        this.#deps.onError(error, { intent: intent.id })
      }
    })
  }

  /** Returns noted payments that have ended without a settlement. The others are noted again when they end. */
  async #nextEnded(): Promise<readonly WatchedIntent[]> {
    const { network, store } = this.#deps
    const asked = [...this.#noted]
    const noted = asked.length === 0 ? [] : await store.watched(asked)
    const ended = noted.filter((one) => {
      const { isOpen, endedUnsettled } = STATUS_POLICY[one.status]
      return one.network === network && endedUnsettled && !isOpen
    })
    for (const id of asked) this.#noted.delete(id)
    this.note(ended.slice(ENDED_AT_ONCE).map(({ id }) => id))
    return ended.slice(0, ENDED_AT_ONCE)
  }

  async #nextOlder(): Promise<readonly WatchedIntent[]> {
    const { network, store } = this.#deps
    const page = await store.watchList(network, { afterIndex: this.#reached, limit: OLDER_AT_ONCE, open: false })
    this.#reached = page.length < OLDER_AT_ONCE ? 0 : (page.at(-1)?.derivationIndex ?? 0)
    return page
  }

  async #look(intent: WatchedIntent): Promise<void> {
    const { chain, directory, keys, network, observe } = this.#deps
    const found = await chain.tokenAccounts(intent.address)
    if (found.length === 0) return
    const watched = await accountsOf(intent, keys, await directory.tokens(network))
    const usual = new Set(watched.map(({ account }) => account))
    const changed = found
      .filter(({ account, amount }) => !usual.has(account) && this.#explained.get(account) !== amount)
      .map(({ account, mint, amount }): ChangedAccount => ({ account, asset: mint, balance: amount, outOfReach: true }))
    const inTurn = this.#nextOf(intent, changed)
    if (inTurn.length === 0) return
    const { explained } = await observe(intent.id, inTurn)
    if (explained) for (const { account, balance } of inTurn) this.#explained.set(account, balance)
  }

  /** Returns the accounts after those of the last round, in the order of their names. */
  #nextOf({ id }: WatchedIntent, changed: readonly ChangedAccount[]): readonly ChangedAccount[] {
    const last = this.#readLast.get(id) ?? ''
    const inOrder = changed.toSorted((a, b) => (a.account < b.account ? -1 : 1))
    const { before = [], after = [] } = Object.groupBy(inOrder, ({ account }) => (account > last ? 'after' : 'before'))
    const next = [...after, ...before].slice(0, ACCOUNTS_OF_ONE)
    const reached = next.at(-1)
    if (reached !== undefined) this.#readLast.set(id, reached.account)
    return next
  }
}
