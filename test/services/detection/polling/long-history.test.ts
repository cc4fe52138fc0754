// Histories that other people write: the cost of a check is bounded, every payment is found, and no other payment
// waits.
import fc from 'fast-check'
import { beforeEach, describe, expect, test } from 'vitest'
import { makeAddress } from '#core/chain/base58.ts'
import { type Address, type ObservedTransaction, type Signature, SOL } from '#core/chain/types.ts'
import { makeLamports } from '#core/money/amounts.ts'
import type { HistoryEntry, HistoryReader } from '#ports/chain.ts'
import { createDepositObserver, type ObserveDeposits, QUICK_CHECK } from '#services/detection/observe.ts'
import { Watcher } from '#services/detection/polling/watcher.ts'
import { pendingIntent } from '../../../support/example-intent.ts'
import { pageOf } from '../../../support/history-page.ts'
import { createMemoryStores, type MemoryStores } from '../../../support/memory-stores.ts'
import {
  addressNo,
  BUYER,
  choice,
  context,
  deposit,
  intentWith,
  landed,
  NOW,
  signatureNo,
  units,
} from '../../../support/payment.ts'
import { toyKeys } from '../../../support/toy-chain.ts'

const ADDRESS = pendingIntent.address
const OTHER = addressNo(2)
const PRICE = 1_000_000n
const SECOND = 1_000
const SYSTEM = makeAddress('11111111111111111111111111111111')

type Account = { balance: bigint; history: HistoryEntry[] }

let now: number
let stores: MemoryStores
let accounts: Map<Address, Account>
let transactions: Map<Signature, ObservedTransaction>
let calls: { listings: number; transactions: number }
/** Waits before each answer of the provider. */
let latency: () => Promise<void>
let observe: ObserveDeposits
let watcher: Watcher
let landedSoFar: number

const accountOf = (address: Address): Account => {
  const account = accounts.get(address) ?? { balance: 0n, history: [] }
  accounts.set(address, account)
  return account
}

const history: HistoryReader = {
  async signatures(account, range) {
    calls.listings += 1
    await latency()
    return pageOf(accountOf(account).history, range)
  },
  async transaction(signature) {
    calls.transactions += 1
    await latency()
    return transactions.get(signature) ?? null
  },
}

beforeEach(() => {
  now = NOW.getTime()
  stores = createMemoryStores()
  accounts = new Map()
  transactions = new Map()
  calls = { listings: 0, transactions: 0 }
  latency = async () => {}
  landedSoFar = 0
  const selection = choice(SOL, PRICE)
  stores.put(intentWith({ selection }))
  stores.put(intentWith({ id: 'intent-2', derivationIndex: 2, address: OTHER, selection }))
  const clock = { now: () => new Date(now) }
  observe = createDepositObserver({
    chainOf: () => history,
    store: stores.intents,
    decisionContext: async () => context(),
    keys: toyKeys,
    lockRate: async () => selection,
    clock,
  })
  watcher = new Watcher({
    network: 'live',
    chain: {
      async readAccounts(asked) {
        await latency()
        return {
          slot: 1n,
          states: asked.map((address) => {
            const { balance } = accountOf(address)
            return balance === 0n ? null : { lamports: makeLamports(balance), ownerProgram: SYSTEM, token: null }
          }),
        }
      },
    },
    store: stores.intents,
    directory: { tokens: async () => new Map() },
    keys: toyKeys,
    notices: null,
    observe: (...args) => observe(...args),
    clock,
    callsPerMinute: 600,
    onNotice: () => {},
    onError: (error) => {
      throw error
    },
  })
})

/** Lands a payment, or with no amount a transaction that only names the address. */
function lands(address: Address, amount: bigint, { hidden = false } = {}): Signature {
  landedSoFar += 1
  const signature = signatureNo(landedSoFar)
  const slot = BigInt(1_000 + landedSoFar)
  const moves = [
    { account: BUYER, delta: -amount - 5_000n },
    ...(amount === 0n ? [] : [{ account: address, delta: amount }]),
  ]
  if (!hidden) transactions.set(signature, landed({ signature, slot, moves }))
  const account = accountOf(address)
  account.balance += amount
  account.history = [{ signature, slot, failed: false }, ...account.history]
  return signature
}
const flood = (count: number) => {
  for (let one = 0; one < count; one += 1) lands(ADDRESS, 0n)
}
const received = async (id = pendingIntent.id): Promise<bigint> =>
  (await stores.intents.facts(id))?.deposits.reduce((sum, { amount }) => sum + amount, 0n) ?? 0n

/** Checks once. Returns the result and the calls it cost. */
async function check(budget = QUICK_CHECK) {
  calls = { listings: 0, transactions: 0 }
  const changed = [{ account: ADDRESS, asset: SOL, balance: units(accountOf(ADDRESS).balance) }] as const
  const observed = await observe(pendingIntent.id, changed, budget)
  return { ...observed, ...calls }
}

describe('5,000 transactions that only name an address', () => {
  test('cost nothing when the newest transaction explains the balance', async () => {
    flood(5_000)
    lands(ADDRESS, PRICE)
    expect(await check()).toMatchObject({ explained: true, listings: 1, transactions: 8 })
  })

  test('cost a bounded number of calls at each check, and one read each in all', async () => {
    lands(ADDRESS, PRICE)
    flood(5_000)
    const total = { listings: 0, transactions: 0, checks: 0 }
    for (let explained = false; !explained; now += SECOND) {
      const checked = await check()
      expect(checked.transactions).toBeLessThanOrEqual(8)
      expect(checked.listings).toBeLessThanOrEqual(2)
      explained = checked.explained
      total.listings += checked.listings
      total.transactions += checked.transactions
      total.checks += 1
    }
    expect(await received()).toBe(PRICE)
    expect(total.transactions).toBeLessThanOrEqual(5_001)
    expect(total.listings).toBeLessThanOrEqual(total.checks + 51)
  })

  test('are not read again when nothing in the history explains the balance', async () => {
    lands(ADDRESS, PRICE, { hidden: true })
    flood(5_000)
    const total = { listings: 0, transactions: 0 }
    const day = now + 24 * 3_600 * SECOND
    for (; now < day; now += 10 * SECOND) {
      const { explained, listings, transactions: read } = await check()
      expect(explained).toBe(false)
      total.listings += listings
      total.transactions += read
    }
    expect(total.transactions).toBeLessThan(5_000 + 300)
    // One listing for each check, and two a minute for the passes over the whole history.
    expect(total.listings).toBeLessThan(24 * 360 + 2 * 24 * 60)
  })

  test('do not hide a payment that arrives while they are read', async () => {
    lands(ADDRESS, 1n)
    flood(5_000)
    await check()
    lands(ADDRESS, PRICE)
    await check()
    expect(await received()).toBe(PRICE)
  })

  test('do not hide a payment that is listed before the provider knows it', async () => {
    lands(ADDRESS, 1n)
    flood(5_000)
    await check()
    const late = lands(ADDRESS, PRICE, { hidden: true })
    await check()
    const moves = [
      { account: BUYER, delta: -PRICE - 5_000n },
      { account: ADDRESS, delta: PRICE },
    ]
    transactions.set(late, landed({ signature: late, slot: 9_000n, moves }))
    await check()
    expect(await received()).toBe(PRICE)
  })

  test('after the newest known deposit do not have older signatures listed', async () => {
    stores.put(intentWith({ status: 'underpaid', selection: choice(SOL, PRICE) }), [deposit(1, 10n)])
    lands(ADDRESS, 10n)
    flood(250)
    accountOf(ADDRESS).balance += 5n
    let read = 0
    for (let checks = 0; checks < 200; checks += 1, now += SECOND) read += (await check()).transactions
    expect(read).toBe(250)
  })
})

test('every payment is found in bounded checks, whatever is listed between and however late a provider knows it', async () => {
  const step = fc.record({
    noOps: fc.integer({ min: 0, max: 130 }),
    amount: fc.bigInt({ min: 1n, max: 50n }),
    hidden: fc.boolean(),
    checks: fc.integer({ min: 0, max: 4 }),
  })
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 6 }), async (steps) => {
      stores.put(intentWith({ selection: choice(SOL, PRICE) }))
      const intentId = pendingIntent.id
      accounts = new Map()
      const before = await received(intentId)
      accountOf(ADDRESS).balance = before
      const late: [Signature, ObservedTransaction][] = []
      for (const { noOps, amount, hidden, checks } of steps) {
        flood(noOps)
        const signature = lands(ADDRESS, amount)
        const transaction = transactions.get(signature)
        if (hidden && transaction !== undefined) {
          transactions.delete(signature)
          late.push([signature, transaction])
        }
        for (let one = 0; one < checks; one += 1, now += SECOND) {
          const checked = await check()
          expect(checked.transactions).toBeLessThanOrEqual(8)
          expect(checked.listings).toBeLessThanOrEqual(2)
        }
      }
      for (const [signature, transaction] of late) transactions.set(signature, transaction)
      let explained = false
      for (let one = 0; one < 1_000 && !explained; one += 1, now += SECOND) explained = (await check()).explained
      expect(await received(intentId)).toBe(accountOf(ADDRESS).balance)
    }),
    { numRuns: 40 },
  )
})

describe('an address with 300 transactions that only name it', () => {
  /** Holds every call until it is answered. */
  function slowProvider() {
    let waiting: (() => void)[] = []
    latency = () => new Promise<void>((answer) => void waiting.push(answer))
    return {
      async answer(): Promise<void> {
        for (let turns = 0; turns < 20; turns += 1) await Promise.resolve()
        await new Promise(setImmediate)
        const answers = waiting
        waiting = []
        for (const one of answers) one()
        await new Promise(setImmediate)
      },
    }
  }
  const statusOf = async (id: string) => (await stores.intents.facts(id))?.intent.status

  test('does not delay the detection of another payment by a single call', async () => {
    await watcher.reload()
    lands(ADDRESS, 1n)
    flood(300)
    const provider = slowProvider()
    /** Round trips until a payment of the other intent is known. */
    const detect = async (amount: bigint): Promise<number> => {
      const before = await received('intent-2')
      lands(OTHER, amount)
      now += 2 * SECOND
      let over = false
      const run = watcher.runOnce().then(() => {
        over = true
      })
      let trips = 0
      for (; (await received('intent-2')) === before; trips += 1) await provider.answer()
      for (let more = 0; !over; more += 1) {
        expect(more).toBeLessThan(3)
        await provider.answer()
      }
      await run
      return trips
    }
    // Balances, list, transaction.
    expect(await detect(1n)).toBe(3)
    // From here on the long history is read in the backlog.
    let reading = true
    const backlog = async () => {
      while (reading) {
        await watcher.readBacklog()
        await new Promise(setImmediate)
      }
    }
    const running = backlog()
    for (let times = 0; times < 3; times += 1) expect(await detect(1n)).toBe(3)
    for (let trips = 0; (await received()) !== 1n; trips += 1) {
      expect(trips).toBeLessThan(200)
      await provider.answer()
    }
    reading = false
    for (let trips = 0; trips < 20; trips += 1) await provider.answer()
    await running
    expect(await statusOf(pendingIntent.id)).toBe('underpaid')
  })
})

describe('hundreds of addresses with one deposit under nine transactions that only name it', () => {
  const FLOODED = 200
  const addressOf = (index: number) => addressNo(10_000 + index)

  beforeEach(async () => {
    for (let index = 0; index < FLOODED; index += 1) {
      const id = `flooded-${index}`
      stores.put(
        intentWith({ id, derivationIndex: 10_000 + index, address: addressOf(index), selection: choice(SOL, PRICE) }),
      )
      lands(addressOf(index), 1n)
      for (let noOps = 0; noOps < 9; noOps += 1) lands(addressOf(index), 0n)
    }
    await watcher.reload()
    // Each call takes 200 ms, and calls at the same time take them together.
    let isRunning = false
    latency = async () => {
      if (!isRunning) {
        isRunning = true
        setImmediate(() => {
          isRunning = false
          now += 200
        })
      }
      await new Promise(setImmediate)
    }
  })
  /** Runs one round. Returns how long it took. */
  const timed = async (round: () => Promise<unknown>): Promise<number> => {
    const before = now
    await round()
    return now - before
  }

  test('delay no round by more than a few seconds, and a payment that comes later by one round', async () => {
    expect(await timed(() => watcher.runOnce())).toBeLessThan(4 * SECOND)
    expect(watcher.unexplained?.size).toBe(FLOODED)
    lands(OTHER, PRICE)
    now += 2 * SECOND
    expect(await timed(() => watcher.runOnce())).toBeLessThan(SECOND)
    expect(await received('intent-2')).toBe(PRICE)
  })

  test('are all read in the backlog, in rounds of a few seconds', async () => {
    await watcher.runOnce()
    let rounds = 0
    for (let found = 0n; found < FLOODED; rounds += 1) {
      expect(rounds).toBeLessThan(FLOODED)
      expect(await timed(() => watcher.readBacklog())).toBeLessThan(4 * SECOND)
      found = 0n
      for (let index = 0; index < FLOODED; index += 1) found += await received(`flooded-${index}`)
    }
  })

  test('delay a check of late addresses by no more than a few seconds, and report the addresses that are left', async () => {
    const ids = Array.from({ length: FLOODED }, (_, index) => `flooded-${index}`)
    let left: readonly string[] = []
    expect(
      await timed(async () => {
        left = await watcher.checkOnce(ids)
      }),
    ).toBeLessThan(4 * SECOND)
    expect(left).toHaveLength(FLOODED)
  })
})
