// Which addresses are looked at, and how often: those about to be paid often, idle ones seldom, ended ones ever less.
import type { AccountState, Address, Asset } from '#core/chain/types.ts'
import { SOL } from '#core/chain/types.ts'
import { type BaseUnits, ZERO } from '#core/money/amounts.ts'
import type { DepositKeys } from '#ports/chain.ts'
import type { WatchedIntent } from '#ports/stores.ts'
import type { Directory } from '#services/accounts/directory.ts'

/** Every member of a tier is read in one sweep, so that calls are full: 100 accounts each. */
export const TIERS = ['busy', 'idle', 'closing', 'ended', 'old'] as const
export type Tier = (typeof TIERS)[number]

const SECOND = 1_000
const HOUR = 3_600 * SECOND
export const SWEEP_EVERY_MS: Readonly<Record<Tier, number>> = {
  busy: 2 * SECOND,
  idle: 6 * SECOND,
  closing: 10 * SECOND,
  ended: 60 * SECOND,
  old: HOUR,
}

export type WatchedAccount = { readonly account: Address; readonly asset: Asset }

export type Watch = {
  readonly intent: WatchedIntent
  readonly tier: Tier
  readonly accounts: readonly WatchedAccount[]
  /**
   * By position in `accounts`: the balance that has been explained. Of this version: with a change a transfer may have
   * been booked that took it away, and what lies there now came after it.
   */
  readonly explained: BaseUnits[]
}

/** The buyer has chosen, or has begun to pay: money is about to arrive. Afterwards, less and less is to be expected. */
export function tierOf(intent: WatchedIntent, now: Date): Tier {
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
      return tierAfterEnd(now.getTime() - intent.updatedAt.getTime())
  }
}

/** Most late payments are minutes late: a buyer who was about to pay. */
const CLOSING_MS = HOUR / 6

function tierAfterEnd(ageMs: number): Tier {
  if (ageMs < CLOSING_MS) return 'closing'
  return ageMs < 24 * HOUR ? 'ended' : 'old'
}

/** A tier for what is not expected: it goes back, and may wait a minute for that. */
export const seldomTierOf = (tier: Tier): Tier => (tier === 'ended' || tier === 'old' ? 'old' : 'ended')

type Payable = Pick<WatchedIntent, 'address' | 'acceptedAssets'>
type Keys = Pick<DepositKeys, 'tokenAccountOf'>
type Tokens = Awaited<ReturnType<Directory['tokens']>>

/** Where a payment is expected: the address itself for SOL, and its associated account for each accepted token. */
export const expectedAccountsOf = async (
  { address, acceptedAssets }: Payable,
  keys: Keys,
  tokens: Tokens,
): Promise<readonly WatchedAccount[]> => [
  { account: address, asset: SOL },
  ...(await tokenAccountsOf(address, acceptedAssets, keys, tokens)),
]

/** Where a wrong asset may arrive, which goes back: the associated accounts of all other tokens on the allowlist. */
export const otherAccountsOf = (
  { address, acceptedAssets }: Payable,
  keys: Keys,
  tokens: Tokens,
): Promise<readonly WatchedAccount[]> => {
  const others = [...tokens.values()].filter(({ asset, enabled }) => enabled && !acceptedAssets.includes(asset))
  return tokenAccountsOf(
    address,
    others.map(({ asset }) => asset),
    keys,
    tokens,
  )
}

/** Wherever anything may arrive of which the service disposes by itself. */
export const accountsOf = async (intent: Payable, keys: Keys, tokens: Tokens): Promise<readonly WatchedAccount[]> => [
  ...(await expectedAccountsOf(intent, keys, tokens)),
  ...(await otherAccountsOf(intent, keys, tokens)),
]

async function tokenAccountsOf(
  owner: Address,
  assets: readonly Asset[],
  keys: Keys,
  tokens: Tokens,
): Promise<readonly WatchedAccount[]> {
  const accounts: WatchedAccount[] = []
  for (const asset of assets) {
    const program = tokens.get(asset)?.tokenProgram
    if (asset === SOL || program === undefined || program === null) continue
    accounts.push({ account: await keys.tokenAccountOf(owner, asset, program), asset })
  }
  return accounts
}

/** What a watched account holds of its asset; nothing where there is no account, whatever its rent. */
export function balanceOf(state: AccountState | null, asset: Asset): BaseUnits {
  if (state === null) return ZERO
  if (asset === SOL) return state.lamports
  return state.token?.mint === asset ? state.token.amount : ZERO
}

export type WatchList = {
  readonly size: number
  /** Adds an intent or takes in that it changed. Reads may overtake each other: an older version changes nothing. */
  put(watch: Omit<Watch, 'explained'>): void
  remove(intentId: string): void
  get(intentId: string): Watch | null
  owner(account: Address): Watch | null
  members(tier: Tier): readonly Watch[]
  /** The accounts that are worth a push subscription: those of busy intents. */
  busyAccounts(): ReadonlySet<Address>
  clear(): void
}

export function createWatchList(zero: BaseUnits): WatchList {
  const byId = new Map<string, Watch>()
  const byAccount = new Map<Address, Watch>()
  const byTier: Record<Tier, Map<string, Watch>> = {
    busy: new Map(),
    idle: new Map(),
    closing: new Map(),
    ended: new Map(),
    old: new Map(),
  }
  return {
    get size() {
      return byId.size
    },
    put({ intent, tier, accounts }) {
      const before = byId.get(intent.id)
      if (before !== undefined && before.intent.version > intent.version) return
      if (before !== undefined) byTier[before.tier].delete(intent.id)
      const isSame = before?.intent.version === intent.version
      const watch: Watch = { intent, tier, accounts, explained: isSame ? before.explained : accounts.map(() => zero) }
      byId.set(intent.id, watch)
      byTier[tier].set(intent.id, watch)
      for (const { account } of accounts) byAccount.set(account, watch)
    },
    remove(intentId) {
      const watch = byId.get(intentId)
      if (watch === undefined) return
      byId.delete(intentId)
      byTier[watch.tier].delete(intentId)
      for (const { account } of watch.accounts) byAccount.delete(account)
    },
    get: (intentId) => byId.get(intentId) ?? null,
    owner: (account) => byAccount.get(account) ?? null,
    members: (tier) => [...byTier[tier].values()],
    busyAccounts: () =>
      new Set([...byTier.busy.values()].flatMap(({ accounts }) => accounts.map(({ account }) => account))),
    clear() {
      byId.clear()
      byAccount.clear()
      for (const tier of TIERS) byTier[tier].clear()
    },
  }
}
