// A watcher over a chain, a database and an allowlist that a test sets.
import { test as base } from 'vitest'
import { makeAddress } from '#core/chain/base58.ts'
import { type AccountState, type Address, type Asset, SOL } from '#core/chain/types.ts'
import { makeLamports } from '#core/money/amounts.ts'
import type { IntentStatus } from '#core/payments/payment-intent.ts'
import type { WatchedIntent } from '#ports/payments.ts'
import type { StepBudget } from '#services/detection/polling/history-walk.ts'
import type { ChangedAccount } from '#services/detection/polling/inbound-reading.ts'
import { Watcher } from '#services/detection/polling/watcher.ts'
import { addressNo, context, intentWith, NOW, TOKEN_PROGRAM, units } from './payment.ts'
import { toyKeys } from './toy-chain.ts'

const SYSTEM = makeAddress('11111111111111111111111111111111')
export const SECOND = 1_000
export const HOUR = 3_600 * SECOND
export const SLOT = 400

/** Returns an open intent that accepts SOL. */
export function watched(index: number, patch: Partial<WatchedIntent> & { status?: IntentStatus } = {}): WatchedIntent {
  const intent = intentWith({ id: `intent-${index}`, derivationIndex: index, address: addressNo(index) })
  return { ...intent, acceptedAssets: [SOL], asset: null, updatedAt: NOW, ...patch }
}

export const lamports = (amount: bigint): AccountState => ({
  lamports: makeLamports(amount),
  ownerProgram: SYSTEM,
  token: null,
})
export const tokens = (mint: Address, amount: bigint): AccountState => ({
  lamports: makeLamports(2_039_280n),
  ownerProgram: TOKEN_PROGRAM,
  token: {
    mint,
    owner: addressNo(1),
    amount: units(amount),
    frozen: false,
    withheld: units(0n),
    delegation: null,
    closeAuthority: null,
  },
})

const ENDED: readonly IntentStatus[] = ['swept', 'refunded', 'cancelled', 'settle_failed', 'refund_failed']

export class WatcherWorld {
  now = NOW.getTime()
  rows: WatchedIntent[] = []
  /** Allowed tokens, in addition to the tokens that the intents accept. */
  allowed = new Set<Asset>()
  readonly balances = new Map<Address, AccountState>()
  readonly leaving = new Set<Asset>()
  explains = (_intentId: string): boolean => true
  /** Whether the history of an intent is longer than a quick check may read. */
  overflows = (_intentId: string): boolean => false
  whileObserving = async (): Promise<void> => {}
  whileReading = async (): Promise<void> => {}
  whileReadingTokens = async (): Promise<void> => {}
  away: Error | null = null
  notify = (_account: Address): void => {}

  /** The accounts of each read. */
  reads: (readonly Address[])[] = []
  /** The changed accounts of each observation. */
  observed: { intentId: string; changed: readonly ChangedAccount[] }[] = []
  /** The intents of each read of rows by id. */
  asked: (readonly string[])[] = []
  /** The lists of intents of which a page was read. */
  listed: ('open' | 'ended')[] = []
  budgets: (StepBudget | undefined)[] = []
  readonly errors: [unknown, string][] = []
  pushed: ReadonlySet<Address> = new Set()
  /** Accounts with notices, each with the slot since which notices report every change. */
  readonly covered = new Map<Address, bigint>()
  /** The slot of the newest reading. */
  slot = 1n
  wakes = 0
  /** The most accounts with notices. */
  room = 1_000
  watcher = this.start()

  start(callsPerMinute = 600): Watcher {
    this.watcher = new Watcher({
      network: 'live',
      chain: {
        readAccounts: async (accounts) => {
          if (this.away !== null) throw this.away
          this.reads.push(accounts)
          await this.whileReading()
          return { slot: this.slot, states: accounts.map((account) => this.balances.get(account) ?? null) }
        },
      },
      store: {
        watchList: async (network, { afterIndex, limit, open }) => {
          this.listed.push(open ? 'open' : 'ended')
          return this.rows
            .filter((row) => row.network === network && row.derivationIndex > afterIndex)
            .filter(({ status }) => open !== ENDED.includes(status))
            .slice(0, limit)
        },
        watched: async (ids) => {
          this.asked.push(ids)
          return this.rows.filter(({ id }) => ids.includes(id))
        },
      },
      directory: {
        tokens: async () => {
          await this.whileReadingTokens()
          const isAllowed = (asset: Asset) =>
            this.allowed.has(asset) || this.rows.some(({ acceptedAssets }) => acceptedAssets.includes(asset))
          return new Map([...context().tokens].filter(([asset]) => isAllowed(asset)))
        },
      },
      keys: toyKeys,
      notices: {
        watch: (accounts) => {
          this.pushed = new Set(accounts)
        },
        onNotice: (listener) => {
          this.notify = listener
        },
        coveredSince: (account) => this.covered.get(account) ?? null,
        coverage: () => ({ via: 'websockets', isTicking: true, wanted: this.pushed.size, covered: this.covered.size }),
        room: this.room,
        close: async () => {},
      },
      observe: async (intentId, changed, budget) => {
        this.observed.push({ intentId, changed })
        this.budgets.push(budget)
        await this.whileObserving()
        const unfinished = this.overflows(intentId)
        return { explained: !unfinished && this.explains(intentId), unfinished, leaving: this.leaving }
      },
      clock: { now: () => new Date(this.now) },
      callsPerMinute,
      onNotice: () => {
        this.wakes += 1
      },
      onError: (error, intentId) => this.errors.push([error, intentId]),
    })
    return this.watcher
  }

  /** Watches these intents. */
  async load(...rows: readonly WatchedIntent[]): Promise<void> {
    this.rows = [...rows]
    await this.watcher.reload()
  }

  /** Runs once after a time. Returns the accounts that were read. */
  async run(afterMs = 0): Promise<readonly Address[]> {
    this.now += afterMs
    this.reads = []
    this.observed = []
    await this.watcher.runOnce()
    return this.reads.flat()
  }

  /** The calls of the last run. */
  get calls(): number {
    return this.reads.reduce((sum, accounts) => sum + Math.ceil(accounts.length / 100), 0)
  }
}

export const test = base.extend('world', () => new WatcherWorld())
