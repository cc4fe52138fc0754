import { beforeEach, describe, expect, test } from 'vitest'
import { makeAddress } from '#core/chain/base58.ts'
import { type AccountState, type Address, type Asset, SOL } from '#core/chain/types.ts'
import { makeLamports } from '#core/money/amounts.ts'
import { INTENT_STATUSES, type IntentStatus } from '#core/payments/payment-intent.ts'
import type { WatchedIntent } from '#ports/payments.ts'
import type { ChangedAccount } from '#services/detection/polling/inbound-reading.ts'
import type { StepBudget } from '#services/detection/polling/walk-step.ts'
import {
  accountsOf,
  expectedAccountsOf,
  LAP_EVERY_MS,
  otherAccountsOf,
  paceOf,
} from '#services/detection/polling/watch-list.ts'
import { Watcher } from '#services/detection/polling/watcher.ts'
import { MINT } from '../../../support/example-intent.ts'
import {
  addressNo,
  context,
  intentWith,
  later,
  NOW,
  OTHER_MINT,
  TOKEN_PROGRAM,
  units,
} from '../../../support/payment.ts'
import { tokenAccountOf, toyKeys } from '../../../support/toy-chain.ts'

const SYSTEM = makeAddress('11111111111111111111111111111111')
const SECOND = 1_000
const HOUR = 3_600 * SECOND
const SLOT = 400

/** Returns an open intent that accepts SOL. */
function watched(index: number, patch: Partial<WatchedIntent> & { status?: IntentStatus } = {}): WatchedIntent {
  const intent = intentWith({ id: `intent-${index}`, derivationIndex: index, address: addressNo(index) })
  return { ...intent, acceptedAssets: [SOL], asset: null, updatedAt: NOW, ...patch }
}

let now: number
let rows: WatchedIntent[]
let balances: Map<Address, AccountState>
/** The accounts of each read. */
let reads: (readonly Address[])[]
/** The changed accounts of each observation. */
let observed: { intentId: string; changed: readonly ChangedAccount[] }[]
/** The intents of each read of rows by id. */
let asked: (readonly string[])[]
/** The lists of intents of which a page was read. */
let listed: ('open' | 'ended')[]
let budgets: (StepBudget | undefined)[]
let explains: (intentId: string) => boolean
/** Whether the history of an intent is longer than a quick check may read. */
let overflows: (intentId: string) => boolean
let leaving: Set<Asset>
let whileObserving: () => Promise<void>
let whileReading: () => Promise<void>
let whileReadingTokens: () => Promise<void>
let away: Error | null
let errors: [unknown, string][]
let pushed: ReadonlySet<Address>
let notify: (account: Address) => void
let wakes: number
let watcher: Watcher
/** Allowed tokens, in addition to the tokens that the intents accept. */
let allowed: Set<Asset>
const accepts = (asset: Asset) => (row: WatchedIntent) => row.acceptedAssets.includes(asset)

const lamports = (amount: bigint): AccountState => ({
  lamports: makeLamports(amount),
  ownerProgram: SYSTEM,
  token: null,
})
const tokens = (mint: Address, amount: bigint): AccountState => ({
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

function begin(callsPerMinute = 600): void {
  watcher = new Watcher({
    network: 'live',
    chain: {
      async readAccounts(accounts) {
        if (away !== null) throw away
        reads.push(accounts)
        await whileReading()
        return { slot: 1n, states: accounts.map((account) => balances.get(account) ?? null) }
      },
    },
    store: {
      async watchList(network, { afterIndex, limit, open }) {
        listed.push(open ? 'open' : 'ended')
        const ended = ['swept', 'refunded', 'cancelled', 'settle_failed', 'refund_failed']
        return rows
          .filter((row) => row.network === network && row.derivationIndex > afterIndex)
          .filter(({ status }) => open !== ended.includes(status))
          .slice(0, limit)
      },
      async watched(ids) {
        asked.push(ids)
        return rows.filter(({ id }) => ids.includes(id))
      },
    },
    directory: {
      async tokens() {
        await whileReadingTokens()
        return new Map([...context().tokens].filter(([asset]) => allowed.has(asset) || rows.some(accepts(asset))))
      },
    },
    keys: toyKeys,
    notices: {
      watch: (accounts) => {
        pushed = new Set(accounts)
      },
      onNotice: (listener) => {
        notify = listener
      },
      close: async () => {},
    },
    async observe(intentId, changed, budget) {
      observed.push({ intentId, changed })
      budgets.push(budget)
      await whileObserving()
      const unfinished = overflows(intentId)
      return { explained: !unfinished && explains(intentId), unfinished, leaving }
    },
    clock: { now: () => new Date(now) },
    callsPerMinute,
    onNotice: () => {
      wakes += 1
    },
    onError: (error, intentId) => errors.push([error, intentId]),
  })
}
beforeEach(() => {
  now = NOW.getTime()
  rows = []
  balances = new Map()
  reads = []
  observed = []
  asked = []
  listed = []
  budgets = []
  explains = () => true
  overflows = () => false
  leaving = new Set()
  allowed = new Set()
  whileObserving = async () => {}
  whileReading = async () => {}
  whileReadingTokens = async () => {}
  away = null
  errors = []
  pushed = new Set()
  wakes = 0
  begin()
})

/** Runs once after a time. Returns the accounts that were read. */
async function run(afterMs = 0): Promise<readonly Address[]> {
  now += afterMs
  reads = []
  observed = []
  await watcher.runOnce()
  return reads.flat()
}
const callsOf = () => reads.reduce((sum, accounts) => sum + Math.ceil(accounts.length / 100), 0)

describe('the accounts to watch', () => {
  const { tokens } = context()
  const sol = { account: addressNo(1), asset: SOL }
  const tokenOf = (asset: Address) => ({ account: tokenAccountOf(addressNo(1), asset), asset })

  test('are the address itself and its account of every accepted token', async () => {
    const all = watched(1, { acceptedAssets: [SOL, MINT, OTHER_MINT] })
    expect(await expectedAccountsOf(all, toyKeys, tokens)).toEqual([sol, tokenOf(MINT), tokenOf(OTHER_MINT)])
    expect(await otherAccountsOf(all, toyKeys, tokens)).toEqual([])
    // SOL can arrive by mistake on every intent.
    const one = watched(1, { acceptedAssets: [MINT] })
    expect(await expectedAccountsOf(one, toyKeys, tokens)).toEqual([sol, tokenOf(MINT)])
  })

  test('include every other token on the allowlist, which is returned when it arrives', async () => {
    const one = watched(1, { acceptedAssets: [MINT] })
    expect(await otherAccountsOf(one, toyKeys, tokens)).toEqual([tokenOf(OTHER_MINT)])
    expect(await accountsOf(one, toyKeys, tokens)).toEqual([sol, tokenOf(MINT), tokenOf(OTHER_MINT)])
    const off = new Map([...tokens].map(([asset, token]) => [asset, { ...token, enabled: false }] as const))
    expect(await otherAccountsOf(one, toyKeys, off)).toEqual([])
  })
})

describe('an allowed token that an intent does not accept', () => {
  const WRONG = tokenAccountOf(addressNo(1), MINT)
  const paidWrongly = async (patch: Partial<WatchedIntent> = {}) => {
    allowed = new Set([MINT])
    rows = [watched(1, patch)]
    await watcher.reload()
    await run()
    balances.set(WRONG, tokens(MINT, 7n))
  }
  const found = () => observed.map(({ intentId, changed }) => [intentId, changed])
  const THERE = [['intent-1', [{ account: WRONG, asset: MINT, balance: 7n, position: 0 }]]]

  test('is seen within a minute, for one call a minute for each hundred of them', async () => {
    await paidWrongly()
    let reading = 0
    for (let seconds = 2; seconds <= 60; seconds += 2) {
      await run(2 * SECOND)
      if (reads.flat().includes(WRONG)) reading += 1
      if (observed.length > 0) break
    }
    expect(found()).toEqual(THERE)
    expect(reading).toBe(1)
  })

  test('is seen within an hour when the intent has ended', async () => {
    await paidWrongly({ status: 'swept', updatedAt: later(-3_600) })
    await run(HOUR - SECOND)
    expect(observed).toEqual([])
    await run(SECOND)
    expect(found()).toEqual(THERE)
  })

  test('moves to slower paces together with its intent', async () => {
    await paidWrongly({ status: 'swept' })
    balances.clear()
    await run(600 * SECOND)
    expect(await run(61 * SECOND)).toEqual([addressNo(1)])
  })

  test('is checked at once when the intent is checked by itself', async () => {
    await paidWrongly()
    await watcher.checkOnce(['intent-1'])
    expect(observed).toMatchObject([{ intentId: 'intent-1', changed: [{ account: WRONG, asset: MINT, balance: 7n }] }])
  })

  describe.each([
    ['open', {}, 60 * SECOND],
    ['ended', { status: 'swept', updatedAt: later(-86_400) }, HOUR],
  ] satisfies [string, Partial<WatchedIntent>, number][])('of an %s intent that is loaded', (_, patch, lapMs) => {
    const LATER = tokenAccountOf(addressNo(1), OTHER_MINT)
    /** The reload job catches up once a minute. */
    const allow = async (assets: readonly Asset[]) => {
      allowed = new Set(assets)
      await watcher.catchUp()
    }

    test('is read after it is allowed', async () => {
      await paidWrongly(patch)
      balances.set(LATER, tokens(OTHER_MINT, 9n))
      await allow([MINT, OTHER_MINT])
      expect(await run(lapMs)).toEqual(expect.arrayContaining([WRONG, LATER]))
      expect(observed.flatMap(({ changed }) => changed)).toMatchObject([
        { account: WRONG, balance: 7n },
        { account: LATER, balance: 9n },
      ])
    })

    test('keeps its explained balance when another one is allowed', async () => {
      await paidWrongly(patch)
      await run(lapMs)
      await allow([OTHER_MINT, MINT])
      expect(await run(lapMs)).toContain(LATER)
      expect(observed).toEqual([])
    })

    test('is no longer read when it is removed from the allowlist', async () => {
      await paidWrongly(patch)
      await allow([])
      expect(await run(lapMs)).toEqual([addressNo(1)])
      await allow([MINT])
      expect(await run(lapMs)).toContain(WRONG)
    })
  })

  test('costs a load of ended intents when the allowlist changes, and at no other time', async () => {
    await paidWrongly()
    listed = []
    await watcher.catchUp()
    expect(listed).toEqual(['open'])
    allowed = new Set([MINT, OTHER_MINT])
    await watcher.catchUp()
    await watcher.catchUp()
    expect(listed).toEqual(['open', 'open', 'ended', 'open'])
  })
})

describe('the paces', () => {
  const paces: Readonly<Record<IntentStatus, string>> = {
    pending: 'idle',
    underpaid: 'busy',
    paid: 'closing',
    overpaid: 'closing',
    settling: 'closing',
    refunding: 'closing',
    swept: 'closing',
    refunded: 'closing',
    cancelled: 'closing',
    settle_failed: 'closing',
    refund_failed: 'closing',
  }
  test.each(INTENT_STATUSES)('have a place for an intent that is %s', (status) => {
    expect(paceOf(watched(1, { status }), NOW)).toBe(paces[status])
    const aged = (seconds: number) => paceOf(watched(1, { status }), later(seconds))
    const hasEnded = ['swept', 'refunded', 'cancelled', 'settle_failed', 'refund_failed'].includes(status)
    expect(aged(600)).toBe(hasEnded ? 'ended' : paces[status])
    expect(aged(24 * 3_600)).toBe(hasEnded ? 'old' : paces[status])
  })

  test('call an intent busy when its buyer has selected a token', () => {
    expect(paceOf(watched(1, { asset: SOL }), NOW)).toBe('busy')
  })

  test('are each read when they are due, and not before', async () => {
    rows = [
      watched(1, { asset: SOL }),
      watched(2),
      watched(3, { status: 'swept', updatedAt: later(-600) }),
      watched(4, { status: 'swept', updatedAt: later(-86_400) }),
    ]
    await watcher.reload()
    expect(await run()).toHaveLength(4)
    const seen: Record<number, number> = { 1: 0, 2: 0, 3: 0, 4: 0 }
    for (let second = 1; second <= 3_600; second += 1) {
      for (const account of await run(SECOND))
        for (const index of [1, 2, 3, 4]) if (account === addressNo(index)) seen[index] = (seen[index] ?? 0) + 1
    }
    expect(seen).toEqual({
      1: HOUR / LAP_EVERY_MS.busy,
      2: HOUR / LAP_EVERY_MS.idle,
      3: HOUR / LAP_EVERY_MS.ended,
      4: 1,
    })
  })

  test('are all read at once when the clock was set back by a day, and then at their pace', async () => {
    rows = [watched(1, { asset: SOL }), watched(2, { status: 'swept', updatedAt: later(-3 * 86_400) })]
    await watcher.reload()
    expect(await run()).toHaveLength(2)
    expect(await run(-86_400 * SECOND)).toEqual([1, 2].map(addressNo))
    expect(await run(SECOND)).toEqual([])
    expect(await run(SECOND)).toEqual([addressNo(1)])
  })

  test.each([
    [1, []],
    [100, []],
    [100, [MINT]],
    [333, [MINT, OTHER_MINT]],
    [1_000, [MINT]],
    [10_000, [MINT, OTHER_MINT]],
  ] satisfies [number, Asset[]][])('read %d intents with tokens %j in full calls', async (count, accepted) => {
    rows = Array.from({ length: count }, (_, at) =>
      watched(at + 1, { acceptedAssets: [SOL, ...accepted], asset: at % 3 === 0 ? SOL : null }),
    )
    begin(100_000)
    await watcher.reload()
    await run()
    const floor = Math.ceil((count * (1 + accepted.length)) / 100)
    expect(callsOf()).toBeLessThanOrEqual(1.1 * floor)
    expect(new Set(reads.flat()).size).toBe(count * (1 + accepted.length))
    await run()
    expect(callsOf()).toBe(0)
  })

  test('are read less often when they have more accounts than the budget allows', async () => {
    rows = Array.from({ length: 1_000 }, (_, at) => watched(at + 1, { asset: SOL }))
    begin(60)
    await watcher.reload()
    await run()
    expect(callsOf()).toBe(10)
    expect(await run(9_999)).toEqual([])
    await run(1)
    expect(callsOf()).toBe(10)
  })

  test('keep to the budget together', async () => {
    rows = Array.from({ length: 2_000 }, (_, at) => watched(at + 1, { asset: at % 2 === 0 ? SOL : null }))
    begin(60)
    await watcher.reload()
    await run()
    let calls = 0
    for (let second = 0; second < 600; second += 1) {
      await run(SECOND)
      calls += callsOf()
    }
    expect(calls).toBeGreaterThan(0.85 * 600)
    expect(calls).toBeLessThanOrEqual(600)
  })

  test('of ended intents do not slow down a busy intent, however many a stranger pays a lamport to', async () => {
    rows = [
      watched(1, { asset: SOL }),
      ...Array.from({ length: 10_000 }, (_, at) => watched(at + 2, { status: 'swept' })),
    ]
    begin(60)
    await watcher.reload()
    await run()
    const seen = { busy: 0, ended: 0, calls: 0 }
    for (let second = 0; second < 60; second += 1) {
      const read = await run(SECOND)
      seen.calls += callsOf()
      seen.busy += Number(read.includes(addressNo(1)))
      seen.ended += read.length
    }
    expect(seen.busy).toBe(30)
    // The others get what is left of the budget.
    expect(seen.ended).toBeGreaterThan(2_000)
    expect(seen.calls).toBeLessThanOrEqual(120)
  })

  test('that are empty count as read, however many accounts the others have', async () => {
    rows = Array.from({ length: 2_000 }, (_, at) => watched(at + 1, { asset: SOL }))
    begin(60)
    await watcher.reload()
    for (let second = 0; second < 120; second += 1) await run(SECOND)
    expect(watcher.unexplained).not.toBeNull()
  })

  test('of intents that can be paid leave a fifth of the budget to the others', async () => {
    const busy = Array.from({ length: 1_000 }, (_, at) => watched(at + 1, { asset: SOL }))
    const ended = Array.from({ length: 1_000 }, (_, at) => watched(at + 1_001, { status: 'swept' }))
    rows = [...busy, ...ended]
    begin(60)
    await watcher.reload()
    await run()
    const calls = { busy: 0, ended: 0 }
    for (let second = 0; second < 600; second += 1) {
      const read = new Set(await run(SECOND))
      calls.busy += busy.filter(({ address }) => read.has(address)).length / 100
      calls.ended += ended.filter(({ address }) => read.has(address)).length / 100
    }
    expect(calls.busy).toBeGreaterThan(440)
    expect(calls.busy).toBeLessThanOrEqual(480)
    expect(calls.ended).toBeGreaterThan(100)
    expect(calls.ended).toBeLessThanOrEqual(120)
  })

  test('change with the time since an intent ended', async () => {
    rows = [watched(1, { status: 'swept' })]
    await watcher.reload()
    await run()
    expect(await run(LAP_EVERY_MS.closing)).toEqual([addressNo(1)])
    await run(600 * SECOND)
    expect(await run(LAP_EVERY_MS.closing)).toEqual([])
    expect(await run(23 * HOUR)).toEqual([addressNo(1)])
    await run(HOUR)
    expect(await run(61 * SECOND)).toEqual([])
    expect(await run(HOUR)).toEqual([addressNo(1)])
  })
})

describe('a balance', () => {
  beforeEach(async () => {
    rows = [watched(1, { acceptedAssets: [SOL, MINT], asset: SOL }), watched(2, { asset: SOL })]
    await watcher.reload()
    await run()
  })
  const TOKENS = tokenAccountOf(addressNo(1), MINT)

  test('that rose is observed, together with every other balance of the intent that rose', async () => {
    balances.set(addressNo(1), lamports(5n)).set(TOKENS, tokens(MINT, 7n))
    await run(2 * SECOND)
    expect(observed).toMatchObject([
      {
        intentId: 'intent-1',
        changed: [
          { account: addressNo(1), asset: SOL, balance: 5n },
          { account: TOKENS, asset: MINT, balance: 7n },
        ],
      },
    ])
  })

  test('that was explained is not observed again until it changes', async () => {
    balances.set(addressNo(1), lamports(5n))
    await run(2 * SECOND)
    await run(2 * SECOND)
    expect(observed).toEqual([])
    balances.set(addressNo(1), lamports(6n))
    await run(2 * SECOND)
    expect(observed).toHaveLength(1)
    // A smaller balance too: a lap landed, and another payment came after it.
    balances.set(addressNo(1), lamports(2n))
    await run(2 * SECOND)
    expect(observed).toHaveLength(1)
  })

  test('that a lap emptied needs no explanation, and the next payment is new', async () => {
    balances.set(addressNo(1), lamports(5n))
    await run(2 * SECOND)
    balances.delete(addressNo(1))
    await run(2 * SECOND)
    expect(observed).toEqual([])
    balances.set(addressNo(1), lamports(5n))
    await run(2 * SECOND)
    expect(observed).toHaveLength(1)
  })

  test('that is not explained is checked again each slot, without other intents, until it is', async () => {
    balances.set(addressNo(2), lamports(5n))
    explains = () => false
    await run(2 * SECOND)
    const whole = [addressNo(2), tokenAccountOf(addressNo(2), MINT)]
    for (let times = 0; times < 3; times += 1) {
      notify(addressNo(2))
      expect(await run(SLOT - 1)).toEqual([])
      expect(await run(1)).toEqual(whole)
      expect(observed).toHaveLength(1)
    }
    explains = () => true
    expect(await run(SLOT)).toEqual(whole)
    expect(await run()).toEqual([])
  })

  test('of another mint, or of an account that holds only rent, does not count', async () => {
    balances.set(TOKENS, tokens(OTHER_MINT, 7n))
    await run(2 * SECOND)
    balances.set(TOKENS, lamports(2_039_280n))
    await run(2 * SECOND)
    expect(observed).toEqual([])
  })

  test('whose observation fails does not delay the others, and is tried again', async () => {
    balances.set(addressNo(1), lamports(5n)).set(addressNo(2), lamports(6n))
    const failure = new Error('no price')
    explains = (intentId) => {
      if (intentId === 'intent-1') throw failure
      return true
    }
    await run(2 * SECOND)
    expect(observed.map(({ intentId }) => intentId).sort()).toEqual(['intent-1', 'intent-2'])
    expect(errors).toEqual([[failure, 'intent-1']])
    explains = () => true
    expect(await run(SLOT)).toEqual([addressNo(1), TOKENS])
    expect(observed).toHaveLength(1)
    expect(await run()).toEqual([])
  })

  test('equal to one that a transfer took away is a new payment once the transfer is booked', async () => {
    balances.set(addressNo(1), lamports(5n))
    await run(2 * SECOND)
    rows = [watched(1, { acceptedAssets: [SOL, MINT], status: 'swept', version: 2 })]
    await watcher.refresh(['intent-1'])
    await run(LAP_EVERY_MS.closing)
    expect(observed).toMatchObject([{ intentId: 'intent-1', changed: [{ asset: SOL, balance: 5n }] }])
    await run(LAP_EVERY_MS.closing)
    expect(observed).toEqual([])
  })

  test('that was emptied is not observed when the intent changes', async () => {
    balances.set(addressNo(1), lamports(5n))
    await run(2 * SECOND)
    balances.delete(addressNo(1))
    rows = [watched(1, { acceptedAssets: [SOL, MINT], status: 'swept', version: 2 })]
    await watcher.refresh(['intent-1'])
    await run(LAP_EVERY_MS.closing)
    expect(observed).toEqual([])
  })

  test('explained by a transfer under way is observed again at the next lap', async () => {
    leaving.add(SOL)
    balances.set(addressNo(1), lamports(5n)).set(TOKENS, tokens(MINT, 7n))
    await run(2 * SECOND)
    expect(observed).toHaveLength(1)
    expect(await run()).toEqual([])
    await run(2 * SECOND)
    expect(observed.map(({ changed }) => changed.map(({ asset }) => asset))).toEqual([[SOL]])
    leaving.clear()
    await run(2 * SECOND)
    await run(2 * SECOND)
    expect(observed).toEqual([])
  })

  test('that was explained before the intent changed is observed again after the change', async () => {
    balances.set(addressNo(1), lamports(5n))
    whileObserving = async () => {
      rows = [watched(1, { acceptedAssets: [SOL, MINT], status: 'paid', version: 2 })]
      await watcher.refresh(['intent-1'])
    }
    await run(2 * SECOND)
    whileObserving = async () => {}
    await run(LAP_EVERY_MS.closing)
    expect(observed).toHaveLength(1)
  })
})

test('a balance that no check has explained for some time is reported, until a check explains it', async () => {
  rows = [watched(1, { asset: SOL }), watched(2, { asset: SOL })]
  await watcher.reload()
  balances.set(addressNo(1), lamports(5n))
  explains = () => false
  for (let second = 0; second < 60; second += 1) await run(SECOND)
  expect(watcher.unexplainedFor(50 * SECOND)).toEqual(['intent-1'])
  expect(watcher.unexplainedFor(70 * SECOND)).toEqual([])
  explains = () => true
  for (let second = 0; second < 20; second += 1) await run(SECOND)
  expect(watcher.unexplainedFor(0)).toEqual([])
})

describe('an intent whose history is longer than a quick check may read', () => {
  const long = 'intent-1'
  beforeEach(async () => {
    rows = [1, 2, 3, 4].map((index) => watched(index, { asset: SOL }))
    await watcher.reload()
    balances.set(addressNo(1), lamports(5n))
    overflows = (intentId) => intentId === long
    watcher.readAll()
    await run()
  })
  const backlog = async () => {
    reads = []
    observed = []
    budgets = []
    await watcher.readBacklog()
    return reads.flat()
  }

  test('is left out of every run and checked in the backlog only, with a larger budget', async () => {
    const [quick] = budgets
    expect(await run(LAP_EVERY_MS.busy)).toEqual([2, 3, 4].map(addressNo))
    notify(addressNo(1))
    expect(await run(SLOT)).toEqual([])
    expect(await backlog()).toEqual([addressNo(1)])
    expect(budgets[0]?.transactions).toBeGreaterThan(quick?.transactions ?? 0)
    expect(watcher.unexplained).toEqual(new Set(['intent-1']))
  })

  test('returns to its pace when its balance is explained', async () => {
    overflows = () => false
    await backlog()
    expect(await backlog()).toEqual([])
    expect(watcher.unexplained).toEqual(new Set())
    expect(await run(LAP_EVERY_MS.busy)).toContain(addressNo(1))
    expect(observed).toEqual([])
  })

  test('leaves the backlog when all of its history is read and explains nothing', async () => {
    overflows = () => false
    explains = () => false
    await backlog()
    expect(await backlog()).toEqual([])
    expect(await run(SLOT)).toEqual([addressNo(1)])
    expect(observed).toHaveLength(1)
  })

  test('takes turns with the others, and one round checks a bounded number', async () => {
    for (const index of [2, 3, 4]) balances.set(addressNo(index), lamports(5n))
    overflows = () => true
    await run(LAP_EVERY_MS.busy)
    const rounds = [await backlog(), await backlog(), await backlog()]
    expect(rounds).toEqual(
      [
        [1, 2],
        [3, 4],
        [1, 2],
      ].map((indexes) => indexes.map(addressNo)),
    )
  })

  test('moves behind the others when the chain cannot be read', async () => {
    for (const index of [2, 3, 4]) balances.set(addressNo(index), lamports(5n))
    overflows = () => true
    await run(LAP_EVERY_MS.busy)
    away = new Error('every provider is away')
    await expect(watcher.readBacklog()).rejects.toThrow('away')
    away = null
    expect(await backlog()).toEqual([3, 4].map(addressNo))
  })
})

test('a balance that nothing explains is checked less and less often, but at least every ten seconds', async () => {
  rows = [watched(1, { status: 'swept', updatedAt: later(-86_400) })]
  await watcher.reload()
  balances.set(addressNo(1), lamports(5n))
  explains = () => false
  let checks = 0
  const checksIn = async (ms: number) => {
    checks = 0
    for (let passed = 0; passed < ms; passed += SLOT) checks += (await run(SLOT)).length
    return checks
  }
  expect(await checksIn(8 * SLOT)).toBe(8)
  await checksIn(60 * SECOND)
  expect(await checksIn(100 * SECOND)).toBe(10)
})

test('a balance that nothing explains rests no longer when the clock was set back', async () => {
  rows = [watched(1, { status: 'swept', updatedAt: later(-86_400) })]
  await watcher.reload()
  balances.set(addressNo(1), lamports(5n))
  explains = () => false
  expect(await run()).toEqual([addressNo(1)])
  expect(await run(SLOT / 2)).toEqual([])
  expect(await run(-86_400 * SECOND)).toEqual([addressNo(1)])
})

describe('an account notice', () => {
  beforeEach(async () => {
    rows = [watched(1, { asset: SOL, acceptedAssets: [SOL, MINT] }), watched(2), watched(3, { status: 'swept' })]
    await watcher.reload()
    await run()
  })

  test('is subscribed to for the accounts of busy intents only', async () => {
    expect(pushed).toEqual(new Set([addressNo(1), tokenAccountOf(addressNo(1), MINT)]))
    rows = rows.map((row) => (row.derivationIndex === 1 ? { ...row, status: 'paid' } : { ...row, asset: SOL }))
    await watcher.refresh(['intent-1', 'intent-2'])
    expect(pushed).toEqual(new Set([addressNo(2)]))
  })

  test('wakes the job, which checks the intent before its pace is due', async () => {
    notify(tokenAccountOf(addressNo(1), MINT))
    expect(wakes).toBe(1)
    expect(await run()).toEqual([addressNo(1), tokenAccountOf(addressNo(1), MINT)])
    expect(await run()).toEqual([])
  })

  test('for an account that is not watched changes nothing', async () => {
    notify(addressNo(99))
    expect(wakes).toBe(0)
    expect(await run()).toEqual([])
  })

  test('that is lost costs time and no money: the next lap reads the balance', async () => {
    balances.set(addressNo(1), lamports(5n))
    await run(LAP_EVERY_MS.busy)
    expect(observed).toHaveLength(1)
  })
})

describe('a chain that cannot be read', () => {
  beforeEach(async () => {
    rows = [watched(1, { asset: SOL }), watched(2, { status: 'swept', updatedAt: later(-86_400) })]
    await watcher.reload()
  })
  const fail = async (afterMs = 0) => {
    now += afterMs
    away = new Error('every provider is away')
    await expect(watcher.runOnce()).rejects.toThrow('every provider is away')
    away = null
  }

  test('makes every pace due again as soon as a busy one', async () => {
    await fail()
    expect(await run(LAP_EVERY_MS.busy)).toEqual([addressNo(1), addressNo(2)])
  })

  test('keeps the account notices for the next run', async () => {
    await run()
    notify(addressNo(1))
    await fail()
    expect(await run()).toEqual([addressNo(1)])
  })

  test('keeps the balances that are not explained', async () => {
    explains = () => false
    balances.set(addressNo(2), lamports(5n))
    await run()
    now += SLOT
    await fail()
    expect(await run()).toEqual([addressNo(2)])
    expect(observed).toHaveLength(1)
  })
})

describe('thousands of addresses of ended intents', () => {
  const COUNT = 10_000
  const CALLS_OF_A_SLICE = 20
  const all = Array.from({ length: COUNT }, (_, at) => addressNo(at + 2))
  const ended = { status: 'swept', updatedAt: later(-3 * 86_400) } as const
  const seconds = async (count: number) => {
    const read: Address[] = []
    for (let second = 0; second < count; second += 1) read.push(...(await run(SECOND)))
    return read
  }
  const oldOnes = (accounts: readonly Address[]) => accounts.filter((account) => account !== addressNo(1)).toSorted()
  beforeEach(async () => {
    rows = [watched(1, { asset: SOL }), ...all.map((_, at) => watched(at + 2, ended))]
    await watcher.reload()
    await seconds(2)
  })

  test('are read in batches, each address once an hour', async () => {
    const read = [...(await run(HOUR))]
    expect(callsOf()).toBe(CALLS_OF_A_SLICE + 1)
    read.push(...(await seconds(4)))
    expect(oldOnes(read)).toEqual(all.toSorted())
    await run(HOUR - 5 * SECOND)
    expect(reads.flat()).toEqual([addressNo(1)])
    await run(SECOND)
    await run(4 * SECOND)
    expect(callsOf()).toBe(CALLS_OF_A_SLICE + 1)
  })

  test('do not delay a busy intent: each round reads its balance first', async () => {
    balances.set(addressNo(1), lamports(5n))
    const readsBefore: number[] = []
    whileObserving = async () => void readsBefore.push(reads.length)
    await run(HOUR)
    expect(readsBefore).toEqual([1])
    expect(reads[0]).toHaveLength(100)
    notify(addressNo(1))
    await run(SECOND)
    expect(reads[0]).toContain(addressNo(1))
    expect(reads[0]).toHaveLength(100)
  })

  test('that cannot be read do not fail a busy intent, and only their batch is read again', async () => {
    const broken = addressNo(1_500)
    whileReading = async () => {
      if (reads.at(-1)?.includes(broken)) throw new Error('one call of twenty failed')
    }
    balances.set(addressNo(1), lamports(5n))
    await expect(run(HOUR)).rejects.toThrow('one call of twenty failed')
    expect(observed).toMatchObject([{ intentId: 'intent-1' }])
    balances.set(addressNo(1), lamports(6n))
    // The failed batch waits for two seconds, and the busy intent does not.
    notify(addressNo(1))
    expect(await run(SECOND)).toEqual([addressNo(1)])
    expect(observed).toHaveLength(1)
    whileReading = async () => {}
    await run(SECOND)
    expect(reads.flat()).toContain(broken)
    expect(callsOf()).toBe(CALLS_OF_A_SLICE + 1)
  })

  test('are all read before a lap is complete, in larger batches', async () => {
    watcher.readAll()
    const read = [...(await run())]
    expect(callsOf()).toBe(4 * CALLS_OF_A_SLICE + 1)
    expect(watcher.unexplained).toBeNull()
    read.push(...(await run(SECOND)))
    expect(watcher.unexplained).toEqual(new Set())
    expect(oldOnes(read)).toEqual(all.toSorted())
  })

  test('are read in a complete lap also when an intent moves to a pace that was read', async () => {
    watcher.readAll()
    await run()
    rows = [watched(COUNT + 1, { status: 'refunding', version: 2 })]
    await watcher.refresh([`intent-${COUNT + 1}`])
    expect(await run(SECOND)).toContain(addressNo(COUNT + 1))
    expect(watcher.unexplained).toEqual(new Set())
  })

  test('are checked as they are when their batch is read', async () => {
    balances.set(addressNo(COUNT), lamports(5n))
    await run(HOUR)
    await seconds(4)
    watcher.readAll()
    await run()
    rows = [watched(COUNT, { ...ended, version: 2 })]
    await watcher.refresh([`intent-${COUNT}`])
    await run(SECOND)
    expect(observed).toMatchObject([{ intentId: `intent-${COUNT}` }])
  })
})

describe('the list', () => {
  test('is loaded in pages, with open and ended intents', async () => {
    rows = Array.from({ length: 2_500 }, (_, at) => watched(at + 1, { status: at % 2 === 0 ? 'pending' : 'cancelled' }))
    await watcher.reload()
    expect(watcher.size).toBe(2_500)
    expect(watcher.loaded).toBe(true)
  })

  test('does not count as loaded when loading failed', async () => {
    rows = [watched(1)]
    const load = watcher.reload()
    expect(watcher.loaded).toBe(true)
    await load
    watcher.forget()
    expect([watcher.loaded, watcher.size]).toEqual([false, 0])
    rows = [
      {
        ...watched(2),
        network: 'live',
        get derivationIndex(): number {
          throw new Error('the database is away')
        },
      },
    ]
    await expect(watcher.reload()).rejects.toThrow('the database is away')
    expect(watcher.loaded).toBe(false)
  })

  test('is read as a whole after it is loaded, also when a round ran meanwhile', async () => {
    rows = [watched(1), watched(2, { status: 'swept', updatedAt: later(-86_400) })]
    whileReadingTokens = async () => {
      whileReadingTokens = async () => {}
      await watcher.runOnce()
    }
    await watcher.reload()
    expect(await run(SECOND)).toEqual([1, 2].map(addressNo))
  })

  test('takes in new and changed intents of its own network', async () => {
    await watcher.reload()
    rows = [watched(1), watched(2, { network: 'test' })]
    await watcher.refresh(['intent-1', 'intent-2'])
    expect(watcher.size).toBe(1)
    await run()
    rows = [watched(1, { asset: SOL })]
    await watcher.refresh(['intent-1'])
    expect(await run(LAP_EVERY_MS.busy)).toEqual([addressNo(1)])
  })

  test('learns of an ended intent when it catches up, although the notice was lost', async () => {
    rows = [watched(1, { asset: SOL }), watched(2), watched(3, { status: 'paid' }), watched(4)]
    await watcher.reload()
    const ended = { updatedAt: later(-600), version: 2 }
    rows = [
      watched(1, { status: 'swept', ...ended }),
      watched(2, { status: 'cancelled', ...ended }),
      watched(3, { status: 'swept', ...ended }),
      watched(4),
    ]
    await run()
    await watcher.catchUp()
    expect(await run(LAP_EVERY_MS.closing)).toEqual([addressNo(4)])
    expect(await run(LAP_EVERY_MS.ended)).toHaveLength(4)
  })

  test('reads, in pages, only the intents that are no longer open when it catches up', async () => {
    rows = Array.from({ length: 2_500 }, (_, at) => watched(at + 1))
    await watcher.reload()
    rows = rows.map((row, at) => (at === 0 ? row : { ...row, status: 'cancelled', updatedAt: later(-600), version: 2 }))
    asked = []
    await watcher.catchUp()
    expect(asked.map((ids) => ids.length)).toEqual([1_000, 1_000, 499])
    asked = []
    await watcher.catchUp()
    expect(asked).toEqual([])
  })

  test('keeps the newest version of an intent, whichever was read last', async () => {
    rows = [watched(1, { asset: SOL })]
    await watcher.reload()
    rows = [watched(1, { status: 'swept', updatedAt: later(-600), version: 3 })]
    await watcher.refresh(['intent-1'])
    rows = [watched(1, { status: 'underpaid', version: 2 })]
    await watcher.refresh(['intent-1'])
    await run()
    expect(await run(LAP_EVERY_MS.busy)).toEqual([])
  })

  test('keeps explained balances when an unchanged intent is read again', async () => {
    rows = [watched(1, { asset: SOL })]
    await watcher.reload()
    balances.set(addressNo(1), lamports(5n))
    await run()
    await watcher.refresh(['intent-1'])
    await watcher.catchUp()
    await run(LAP_EVERY_MS.busy)
    expect(observed).toEqual([])
  })
})

describe('while blocks are read instead', () => {
  test('no balance is read, whatever is created or changes', async () => {
    rows = [watched(1, { asset: SOL }), watched(2), watched(3, { status: 'swept' })]
    await watcher.reload('none')
    await watcher.catchUp()
    expect([watcher.size, pushed.size]).toEqual([0, 0])
    expect(await run(HOUR)).toEqual([])
  })

  test('an intent can be checked, watched or not, until its balance is explained', async () => {
    rows = [watched(1)]
    await watcher.reload('none')
    balances.set(addressNo(1), lamports(5n))
    explains = () => false
    expect(await watcher.checkOnce(['intent-1', 'unknown'])).toEqual(['intent-1'])
    explains = () => true
    expect(await watcher.checkOnce(['intent-1'])).toEqual([])
    expect(observed).toHaveLength(2)
    expect(await run()).toEqual([])
  })

  test('a payment that is set aside is checked with the budget of the backlog, and reports whether more is to be read', async () => {
    rows = [watched(1), watched(2)]
    for (const index of [1, 2]) balances.set(addressNo(index), lamports(5n))
    explains = (id) => id !== 'intent-1'
    overflows = (id) => id === 'intent-2'
    budgets = []
    expect(await watcher.checkDeeply(['intent-1', 'intent-2'])).toMatchObject({
      again: ['intent-1'],
      unfinished: ['intent-2'],
    })
    expect(budgets.map((budget) => budget?.transactions)).toEqual([16, 16])
  })

  test('open intents are read as before', async () => {
    rows = [watched(1), watched(2, { status: 'swept' })]
    await watcher.reload('open')
    expect(await run()).toEqual([addressNo(1)])
  })
})

describe('reading everything', () => {
  beforeEach(async () => {
    rows = [watched(1), watched(2, { status: 'swept', updatedAt: later(-86_400) })]
    await watcher.reload()
    await run()
    watcher.readAll()
  })

  test('is complete when every address was read and every balance is explained', async () => {
    balances.set(addressNo(2), lamports(5n))
    explains = () => false
    expect(watcher.unexplained).toBeNull()
    expect(await run(1)).toEqual([addressNo(1), addressNo(2)])
    expect(watcher.unexplained).toEqual(new Set(['intent-2']))
    explains = () => true
    await run(SLOT)
    expect(watcher.unexplained).toEqual(new Set())
  })

  test('completes while notices keep arriving', async () => {
    rows = [watched(1, { asset: SOL }), ...rows.slice(1)]
    await watcher.refresh(['intent-1'])
    await run(1)
    notify(addressNo(1))
    expect(watcher.unexplained).toEqual(new Set())
  })

  test('counts an intent that rests as unexplained until a check explains it', async () => {
    balances.set(addressNo(2), lamports(5n))
    explains = () => false
    await run(HOUR)
    watcher.readAll()
    expect(await run(SLOT / 2)).toEqual([addressNo(1)])
    expect(watcher.unexplained).toEqual(new Set(['intent-2']))
    explains = () => true
    await run(SLOT / 2)
    expect(watcher.unexplained).toEqual(new Set())
  })

  test('counts an intent in the backlog as unexplained until a check explains it', async () => {
    balances.set(addressNo(2), lamports(5n))
    overflows = () => true
    await run(HOUR)
    watcher.readAll()
    expect(await run()).toEqual([addressNo(1)])
    expect(watcher.unexplained).toEqual(new Set(['intent-2']))
    overflows = () => false
    await watcher.readBacklog()
    expect(watcher.unexplained).toEqual(new Set())
  })

  test('reads every intent after a reload, although it rested or was in the backlog', async () => {
    for (const index of [1, 2]) balances.set(addressNo(index), lamports(5n))
    explains = () => false
    overflows = (intentId) => intentId === 'intent-2'
    await run(HOUR)
    watcher.forget()
    await watcher.reload()
    watcher.readAll()
    expect(new Set(await run())).toEqual(new Set([1, 2].map(addressNo)))
  })

  test('is not completed by a lap that began before', async () => {
    balances.set(addressNo(2), lamports(5n))
    whileObserving = async () => watcher.readAll()
    await run(HOUR)
    expect(watcher.unexplained).toBeNull()
    whileObserving = async () => {}
    expect(await run()).toEqual([addressNo(1), addressNo(2)])
    expect(watcher.unexplained).toEqual(new Set())
  })

  test('is not put off by a lap that began before and fails', async () => {
    whileReading = async () => {
      watcher.readAll()
      throw new Error('every provider is away')
    }
    await expect(watcher.runOnce()).rejects.toThrow('away')
    whileReading = async () => {}
    expect(await run()).toEqual([addressNo(1), addressNo(2)])
    expect(watcher.unexplained).toEqual(new Set())
  })

  test('reads every pace, also when it is asked for while intents move to the pace of their age', async () => {
    rows = [watched(3, { status: 'swept' })]
    await watcher.refresh(['intent-3'])
    await run()
    whileReadingTokens = async () => watcher.readAll()
    now += 60 * SECOND
    await watcher.runOnce()
    whileReadingTokens = async () => {}
    await run(1)
    expect(watcher.unexplained).toEqual(new Set())
  })

  test('does not count the check of an intent that it left out when that check began before', async () => {
    balances.set(addressNo(2), lamports(5n))
    overflows = () => true
    await run(HOUR)
    overflows = () => false
    whileObserving = async () => {
      watcher.readAll()
      expect(await run()).toEqual([addressNo(1)])
    }
    await watcher.readBacklog()
    expect(watcher.unexplained).toEqual(new Set(['intent-2']))
    expect(await run()).toEqual([addressNo(2)])
    expect(watcher.unexplained).toEqual(new Set())
  })

  test('is not completed by a lap that failed', async () => {
    away = new Error('every provider is away')
    await expect(watcher.runOnce()).rejects.toThrow('away')
    away = null
    expect(watcher.unexplained).toBeNull()
  })
})
