// Which accounts are watched, and how often each is read: often when a payment is about to arrive, seldom when an
// intent is idle, ever more seldom after it has ended.
import type { AccountState, Address, Asset } from '#core/chain/types.ts'
import { SOL } from '#core/chain/types.ts'
import { type BaseUnits, ZERO } from '#core/money/amounts.ts'
import type { DepositKeys } from '#ports/chain.ts'
import type { WatchedIntent } from '#ports/payments.ts'
import type { Directory } from '#services/accounts/directory.ts'

/** The members of a pace are read together, so that every RPC call is full. */
export const PACES = ['busy', 'idle', 'closing', 'ended', 'old'] as const
export type Pace = (typeof PACES)[number]

/** A buyer can still pay these. */
export const PAYABLE: readonly Pace[] = ['busy', 'idle']

const SECOND = 1_000
const HOUR = 3_600 * SECOND
export const LAP_EVERY_MS: Readonly<Record<Pace, number>> = {
  busy: 2 * SECOND,
  idle: 6 * SECOND,
  closing: 10 * SECOND,
  ended: 60 * SECOND,
  old: HOUR,
}

/** The most `getMultipleAccounts` calls a minute that regular laps cost on one network; more addresses are read less often. */
export const WATCH_CALLS_PER_MINUTE = 600

/** The paces whose addresses have account notices, the most urgent first, while there is room for them. */
export const NOTICED = ['busy', 'idle', 'closing', 'ended'] as const

/** While account notices report every change of an address, it is read so many times less often. */
export const NOTICED_FACTOR = 20

/** The most calls a minute that the laps of all these addresses cost. */
export const NOTICED_CALLS_PER_MINUTE = 15

export type WatchedAccount = { readonly account: Address; readonly asset: Asset }

export type Watch = {
  readonly intent: WatchedIntent
  readonly pace: Pace
  readonly accounts: readonly WatchedAccount[]
  /**
   * By position in `accounts`: the balance that is explained. Valid for this version of the intent: a change may book a
   * transfer that emptied the account, and an equal balance after it is a new payment.
   */
  readonly explained: BaseUnits[]
  /** The slot at which these accounts were read last, and every balance was explained; -1 while one is not, and before. */
  readAtSlot: bigint
}

/** Returns the pace of an intent. An intent is busy once the buyer has selected a token or has begun to pay. */
export function paceOf(intent: WatchedIntent, now: Date): Pace {
  switch (intent.status) {
    case 'underpaid':
      return 'busy'
    case 'pending':
      return intent.asset === null ? 'idle' : 'busy'
    case 'paid':
    case 'overpaid':
    case 'settling':
    case 'refunding':
      return 'closing'
    case 'swept':
    case 'refunded':
    case 'cancelled':
    case 'settle_failed':
    case 'refund_failed':
      return paceAfterEnd(now.getTime() - intent.updatedAt.getTime())
  }
}

/** Most late payments arrive within minutes: the buyer was about to pay. */
const CLOSING_MS = HOUR / 6

function paceAfterEnd(ageMs: number): Pace {
  if (ageMs < CLOSING_MS) return 'closing'
  return ageMs < 24 * HOUR ? 'ended' : 'old'
}

/**
 * Returns the pace for tokens that an intent does not accept. They are returned, and a minute's delay is acceptable.
 */
export const seldomPaceOf = (pace: Pace): Pace => (pace === 'ended' || pace === 'old' ? 'old' : 'ended')

type Payable = Pick<WatchedIntent, 'address' | 'acceptedAssets'>
type Keys = Pick<DepositKeys, 'tokenAccountOf'>
type Tokens = Awaited<ReturnType<Directory['tokens']>>

/**
 * Returns where payments are expected: the address itself for SOL, and its associated account of each accepted token.
 * `known` are the accounts from an earlier call: they are not derived again, and are returned when nothing has changed.
 */
export const expectedAccountsOf = async (
  { address, acceptedAssets }: Payable,
  keys: Keys,
  tokens: Tokens,
  known: readonly WatchedAccount[] = [],
): Promise<readonly WatchedAccount[]> =>
  unlessChanged(known, [
    { account: address, asset: SOL },
    ...(await tokenAccountsOf(address, acceptedAssets, keys, tokens, known)),
  ])

/**
 * Returns where other assets may arrive, which are returned: the associated accounts of all other allowed tokens. `known`
 * is as for `expectedAccountsOf`.
 */
export const otherAccountsOf = async (
  { address, acceptedAssets }: Payable,
  keys: Keys,
  tokens: Tokens,
  known: readonly WatchedAccount[] = [],
): Promise<readonly WatchedAccount[]> => {
  const others = [...tokens.values()].filter(({ asset, enabled }) => enabled && !acceptedAssets.includes(asset))
  const assets = others.map(({ asset }) => asset)
  return unlessChanged(known, await tokenAccountsOf(address, assets, keys, tokens, known))
}

/** Returns every account from which the service sends transfers by itself. */
export const accountsOf = async (intent: Payable, keys: Keys, tokens: Tokens): Promise<readonly WatchedAccount[]> => [
  ...(await expectedAccountsOf(intent, keys, tokens)),
  ...(await otherAccountsOf(intent, keys, tokens)),
]

async function tokenAccountsOf(
  owner: Address,
  assets: readonly Asset[],
  keys: Keys,
  tokens: Tokens,
  known: readonly WatchedAccount[],
): Promise<readonly WatchedAccount[]> {
  const accounts: WatchedAccount[] = []
  for (const asset of assets) {
    const program = tokens.get(asset)?.tokenProgram
    if (asset === SOL || program === undefined || program === null) continue
    const before = known.find((one) => one.asset === asset)
    accounts.push(before ?? { account: await keys.tokenAccountOf(owner, asset, program), asset })
  }
  return accounts
}

const unlessChanged = (
  known: readonly WatchedAccount[],
  accounts: readonly WatchedAccount[],
): readonly WatchedAccount[] =>
  accounts.length === known.length && accounts.every(({ account }, at) => account === known[at]?.account)
    ? known
    : accounts

/** The watches of each pace. */
export type Paced = Readonly<Record<Pace, readonly Watch[]>>

/** Returns the number of accounts of these watches. */
export const accountsIn = (watches: readonly Watch[]): number =>
  watches.reduce((sum, { accounts }) => sum + accounts.length, 0)

/** Returns what a watched account holds of its asset; zero when the account does not exist. */
export function balanceOf(state: AccountState | null, asset: Asset): BaseUnits {
  if (state === null) return ZERO
  if (asset === SOL) return state.lamports
  return state.token?.mint === asset ? state.token.amount : ZERO
}

export class WatchList {
  readonly #byId = new Map<string, Watch>()
  readonly #byAccount = new Map<Address, Watch>()
  readonly #byPace: Record<Pace, Map<string, Watch>> = {
    busy: new Map(),
    idle: new Map(),
    closing: new Map(),
    ended: new Map(),
    old: new Map(),
  }

  get size(): number {
    return this.#byId.size
  }

  /** Adds or replaces the watch of an intent. Reads may overtake each other: an older version changes nothing. */
  put({ intent, pace, accounts }: Pick<Watch, 'intent' | 'pace' | 'accounts'>): void {
    const before = this.#byId.get(intent.id)
    if (before !== undefined && before.intent.version > intent.version) return
    // It keeps its place where its pace stays.
    if (before !== undefined && before.pace !== pace) this.#byPace[before.pace].delete(intent.id)
    for (const { account } of before?.accounts ?? []) this.#byAccount.delete(account)
    const explained = explainedBefore(before, intent, accounts)
    const readAtSlot = before !== undefined && isStillRead(before, intent, accounts) ? before.readAtSlot : -1n
    const watch: Watch = { intent, pace, accounts, explained, readAtSlot }
    this.#byId.set(intent.id, watch)
    this.#byPace[pace].set(intent.id, watch)
    for (const { account } of accounts) this.#byAccount.set(account, watch)
  }

  remove(intentId: string): void {
    const watch = this.#byId.get(intentId)
    if (watch === undefined) return
    this.#byId.delete(intentId)
    this.#byPace[watch.pace].delete(intentId)
    for (const { account } of watch.accounts) this.#byAccount.delete(account)
  }

  get(intentId: string): Watch | null {
    return this.#byId.get(intentId) ?? null
  }

  /** Returns the watch that has this account. */
  owner(account: Address): Watch | null {
    return this.#byAccount.get(account) ?? null
  }

  members(pace: Pace): readonly Watch[] {
    return [...this.#byPace[pace].values()]
  }

  clear(): void {
    this.#byId.clear()
    this.#byAccount.clear()
    for (const pace of PACES) this.#byPace[pace].clear()
  }
}

/** A balance that was explained for another version must be read again: as much may be there by another payment. */
const isStillRead = (before: Watch, { version }: WatchedIntent, accounts: readonly WatchedAccount[]): boolean =>
  before.accounts === accounts && (before.intent.version === version || before.explained.every((one) => one === ZERO))

/** Returns the balances that stay explained when a watch is replaced. */
function explainedBefore(
  before: Watch | undefined,
  { version }: WatchedIntent,
  accounts: readonly WatchedAccount[],
): BaseUnits[] {
  if (before?.intent.version !== version) return accounts.map(() => ZERO)
  // A check that is under way writes into this array.
  if (before.accounts === accounts) return before.explained
  const explained = new Map(before.accounts.map(({ account }, at) => [account, before.explained[at]]))
  return accounts.map(({ account }) => explained.get(account) ?? ZERO)
}
