// Searches the history of a subscriber's token account for pulls that the ledger does not have. docs/billing.md, "Pulls that the
// ledger has lost".
import type { Delegation } from '#core/billing/delegation.ts'
import type { Address, Network, ObservedTransaction, Signature } from '#core/chain/types.ts'
import type { DelegationStore, KnownAs } from '#ports/billing.ts'
import type { HistoryEntry, HistoryPage, HistoryReader } from '#ports/chain.ts'
import type { Clock } from '#ports/clock.ts'
import { type Examination, HistoryWalk, type WalkSource } from '#services/detection/polling/history-walk.ts'

/** What one call may cost: a search of a longer history goes on with the next call. */
const STEP = { pages: 5, transactions: 32, ms: 5_000 } as const
/** Searches that are remembered. One that is forgotten begins again. */
const MOST_SEARCHES = 256

/**
 * `nothing`: nothing is missing. `owner_acted`: the same, and the wallet has signed something that names the account. `found`: pulls
 * that are not booked, the oldest first. `unfinished`: more is to be read, or a transaction of the service waits to be booked.
 */
export type Searched =
  | { readonly is: 'nothing' | 'owner_acted' | 'unfinished' }
  | { readonly is: 'found'; readonly pulls: readonly ObservedTransaction[] }

/** After the slot `since`, by providers that have reached the slot `upTo`. `whole`: and that have forgotten none from there on. */
export type SearchedSlots = { readonly since: bigint; readonly upTo: bigint; readonly whole: boolean }

/** Takes one bounded step of the search of the history. Rejects with ServiceError('chain_unavailable'). */
export type FindPulls = (delegation: Delegation, slots: SearchedSlots, delegate: Address) => Promise<Searched>

export type FindPullsDeps = {
  readonly delegations: Pick<DelegationStore, 'knownAs'>
  readonly chainOf: (network: Network) => HistoryReader
  readonly clock: Clock
}

export function createFindPulls(deps: FindPullsDeps): FindPulls {
  const searches = new Map<string, Search>()
  return async (delegation, { since, ...covers }, delegate) => {
    const name = `${delegation.id} ${since}`
    const search = searches.get(name) ?? new Search(deps, delegation, since, delegate)
    searches.delete(name)
    searches.set(name, search)
    for (const oldest of searches.keys()) {
      if (searches.size <= MOST_SEARCHES) break
      searches.delete(oldest)
    }
    const searched = await search.step(covers)
    if (search.isOver) searches.delete(name)
    return searched
  }
}

class Search implements WalkSource {
  readonly #deps: FindPullsDeps
  readonly #delegation: Delegation
  readonly #since: bigint
  readonly #delegate: Address
  readonly #walk = new HistoryWalk()
  readonly #known = new Map<Signature, KnownAs>()
  readonly #pulls = new Map<Signature, ObservedTransaction>()
  readonly #missed = new Set<Signature>()
  #hasOwnerActed = false
  #covers: Omit<SearchedSlots, 'since'> = { upTo: 0n, whole: false }
  isOver = false

  constructor(deps: FindPullsDeps, delegation: Delegation, since: bigint, delegate: Address) {
    this.#deps = deps
    this.#delegation = delegation
    this.#since = since
    this.#delegate = delegate
  }

  async step(covers: Omit<SearchedSlots, 'since'>): Promise<Searched> {
    this.#covers = covers
    const isRead = (await this.#walk.step(this, null, STEP)) === 'exhausted'
    if (!isRead) return { is: 'unfinished' }
    this.isOver = true
    const kinds = new Set(this.#known.values())
    if (this.#missed.size > 0 || kinds.has('under_way')) return { is: 'unfinished' }
    if (this.#pulls.size > 0)
      return { is: 'found', pulls: [...this.#pulls.values()].sort((a, b) => Number(a.slot - b.slot)) }
    return { is: this.#hasOwnerActed || kinds.has('approve') ? 'owner_acted' : 'nothing' }
  }

  async list({ before, until, firstProvider }: Parameters<WalkSource['list']>[0]): Promise<HistoryPage> {
    const { network, tokenAccount } = this.#delegation
    const { upTo, whole } = this.#covers
    const range = { before, until, firstProvider, covers: { from: whole ? this.#since : null, upTo } }
    const { entries, next } = await this.#deps.chainOf(network).signatures(tokenAccount, range)
    const since = entries.filter(({ slot }) => slot > this.#since)
    const asked = since.filter(({ failed }) => !failed).map(({ signature }) => signature)
    if (asked.length > 0)
      for (const [signature, known] of await this.#deps.delegations.knownAs(asked)) this.#known.set(signature, known)
    return { entries: since, next: since.length < entries.length ? null : next }
  }

  isCandidate = ({ signature, failed }: HistoryEntry): boolean => !failed && !this.#known.has(signature)

  async read(signature: Signature): Promise<Examination> {
    const { network, tokenAccount, wallet } = this.#delegation
    const read = await this.#deps.chainOf(network).transaction(signature)
    if (read === null) {
      this.#missed.add(signature)
      return 'unknown'
    }
    this.#missed.delete(signature)
    const isTaken = read.changes.some(({ account, before, after }) => account === tokenAccount && after < before)
    if (isTaken && read.error === null && read.signers.includes(this.#delegate)) this.#pulls.set(signature, read)
    if (read.signers.includes(wallet)) this.#hasOwnerActed = true
    return 'nothing'
  }

  isExplained = (): boolean => false

  now = (): number => this.#deps.clock.now().getTime()
}
