// The reconciler over a chain of a few accounts and a ledger that a test gives: when it halts an address, and when it
// does not.
import { beforeEach, describe, expect, test } from 'vitest'
import type { Fault } from '#core/audit/faults.ts'
import { type AccountState, type Address, type Asset, SOL } from '#core/chain/types.ts'
import { makeLamports } from '#core/money/amounts.ts'
import type { AuditStore, IssuedAddress, RecordedBooks } from '#ports/audit.ts'
import type { HaltOfPayment } from '#ports/halts.ts'
import type { SettingStore } from '#ports/platform.ts'
import { createReconciler, readPosition } from '#services/audit/reconcile.ts'
import type { ChangedAccount } from '#services/detection/polling/inbound-reading.ts'
import { MINT } from '../../support/example-intent.ts'
import { addressNo, FEE_PAYER, NOW, SOL_TOKEN, USDC } from '../../support/payment.ts'

const SYSTEM = addressNo(9_100)
const SLOT = 500n

type Row = { readonly issued: IssuedAddress; books: RecordedBooks }

let rows: Row[]
let held: Map<Address, bigint>
let halts: HaltOfPayment[]
let settings: Map<string, unknown>
let chainAway: boolean
let now: number
/** The number of accounts of each call to the chain. */
let calls: number[]
let observed: { intentId: string; changed: readonly ChangedAccount[] }[]
let observe: (intentId: string) => void
/** Whether histories are longer than a balance check may read. */
let unfinished: boolean
let halted: string[]
let errors: unknown[]
let reconcile: ReturnType<typeof createReconciler>

beforeEach(() => {
  rows = []
  held = new Map()
  halts = []
  settings = new Map()
  chainAway = false
  now = NOW.getTime()
  calls = []
  observed = []
  observe = () => {}
  unfinished = false
  halted = []
  errors = []
  reconcile = start()
})

const books = (patch: Partial<RecordedBooks> = {}): RecordedBooks => ({
  entries: [],
  received: [],
  settled: [],
  returned: [],
  leaving: [],
  feePayer: { spent: 0n, repaid: 0n, rent: 0n },
  ...patch,
})

/** An address whose money is received, booked, and still there. */
const holding = (account: string, amount: bigint, asset: Asset = SOL): RecordedBooks =>
  books({ entries: [{ account, asset, upToSlot: amount, total: amount }], received: [{ asset, amount }] })

function issue(index: number, amount: bigint, patch: Partial<IssuedAddress> = {}): Address {
  const address = addressNo(index)
  rows.push({
    issued: {
      intentId: `intent-${index}`,
      intentIndex: index,
      accountIndex: 1,
      address,
      acceptedAssets: [SOL],
      places: [],
      ...patch,
    },
    books: holding(address, amount),
  })
  held.set(address, amount)
  return address
}
const rebook = (index: number, patched: RecordedBooks) => {
  for (const row of rows) if (row.issued.intentIndex === index) row.books = patched
}

const settingStore: SettingStore = {
  read: async (key) => settings.get(key) ?? null,
  write: async (key, value) => void settings.set(key, value),
}

const store: AuditStore = {
  countIssued: async () => rows.length,
  issued: async (_network, { afterIndex, limit }) =>
    rows
      .map(({ issued }) => issued)
      .filter(({ intentIndex }) => intentIndex > afterIndex)
      .slice(0, limit),
  books: async () => new Map(rows.map(({ issued, books }) => [issued.intentId, books])),
}

function start(callsPerMinute = 1_000_000, minRoundMs = 0) {
  return createReconciler({
    network: 'live',
    feePayer: FEE_PAYER,
    chain: {
      async readAccounts(accounts) {
        if (chainAway) throw new Error('away')
        calls.push(accounts.length)
        return { slot: SLOT, states: accounts.map(stateOf) }
      },
    },
    audit: store,
    halts: {
      async halt(finding) {
        const known = halts.find(({ address, clearedAt }) => address === finding.address && clearedAt === null)
        if (known !== undefined) return false
        const open = { clearedAt: null, clearedBy: null, clearedReason: null }
        const index = rows.find(({ issued }) => issued.intentId === finding.intentId)?.issued.intentIndex ?? 0
        halts.push({ ...finding, ...open, id: `halt-${halts.length + 1}`, intentIndex: index })
        return true
      },
      open: async () => halts.filter(({ clearedAt }) => clearedAt === null),
      async clear(id, { by, reason, at }) {
        halts = halts.map((halt) =>
          halt.id === id ? { ...halt, clearedAt: at, clearedBy: by, clearedReason: reason } : halt,
        )
        return halts.find((halt) => halt.id === id) ?? null
      },
    },
    settings: settingStore,
    keys: {
      addressOf: (path) => addressNo('intent' in path ? path.intent : 0),
      tokenAccountOf: async (_owner, mint) => mint,
    },
    directory: { tokens: async () => new Map([SOL_TOKEN, USDC].map((token) => [token.asset, token])) },
    async observe(intentId, changed) {
      observed.push({ intentId, changed })
      observe(intentId)
      return { explained: !unfinished, unfinished, leaving: new Set() }
    },
    callsPerMinute,
    minRoundMs,
    clock: { now: () => new Date(now) },
    onHalt: ({ intentId }) => halted.push(intentId),
    onError: (error) => errors.push(error),
  })
}

function stateOf(account: Address): AccountState | null {
  const lamports = held.get(account) ?? 0n
  return lamports === 0n ? null : { lamports: makeLamports(lamports), ownerProgram: SYSTEM, token: null }
}

/** Runs every ten seconds, as the schedule has it. */
async function runFor(seconds: number): Promise<void> {
  for (let passed = 0; passed <= seconds; passed += 10) {
    await reconcile()
    now += 10_000
  }
}
const faults = (): readonly Fault[] => halts.flatMap((halt) => halt.faults)

describe('an address on which ledger and chain agree', () => {
  test('is not halted, and no payment is observed', async () => {
    for (let index = 1; index <= 3; index += 1) issue(index, 5_000n)
    await runFor(600)
    expect([halts, observed, errors]).toEqual([[], [], []])
  })

  test('includes a transfer that landed and is not booked yet', async () => {
    const sent = issue(1, 5_000n)
    held.set(sent, 0n)
    rebook(1, {
      ...holding(sent, 5_000n),
      leaving: [{ sourceAccount: null, asset: SOL, tokenProgram: null, amount: 5_000n }],
    })
    await runFor(600)
    expect([halts, observed]).toEqual([[], []])
  })
})

describe('an address whose chain has less than its ledger', () => {
  test('is not halted at the first reading, nor for a difference that disappears', async () => {
    const address = issue(1, 5_000n)
    held.set(address, 4_000n)
    await runFor(20)
    held.set(address, 5_000n)
    await runFor(10)
    held.set(address, 4_000n)
    await runFor(20)
    expect(halts).toEqual([])
  })

  test('is halted once when the difference persists, with the difference as the reason', async () => {
    issue(1, 7_000n)
    held.set(issue(2, 5_000n), 4_000n)
    await runFor(120)
    expect(halts).toMatchObject([
      { intentId: 'intent-2', address: addressNo(2), network: 'live', haltedAt: new Date(NOW.getTime() + 30_000) },
    ])
    expect(faults()).toEqual([{ kind: 'chain_has_less', account: addressNo(2), asset: SOL, amount: -1_000n }])
    expect(halts[0]?.reason).toContain('1000 base units of SOL less')
    expect(halted).toEqual(['intent-2'])
  })

  test('is released automatically when the two agree again', async () => {
    const address = issue(1, 5_000n)
    held.set(address, 4_000n)
    await runFor(60)
    held.set(address, 5_000n)
    await runFor(10)
    expect(halts).toMatchObject([{ clearedBy: 'reconciled', clearedReason: null }])
  })

  test('stays halted while they differ in another way', async () => {
    const address = issue(1, 5_000n)
    held.set(address, 4_000n)
    await runFor(60)
    held.set(address, 3_000n)
    await runFor(60)
    expect(halts).toMatchObject([{ clearedAt: null }])
  })
})

describe('an address whose chain has more', () => {
  test('is observed at once as a payment, and not halted when the payment explains it', async () => {
    const address = issue(1, 5_000n)
    held.set(address, 5_600n)
    observe = () => rebook(1, holding(address, 5_600n))
    await runFor(600)
    expect(observed).toEqual([{ intentId: 'intent-1', changed: [{ account: address, asset: SOL, balance: 5_600n }] }])
    expect(halts).toEqual([])
  })

  test('is observed as a payment when the ledger knows a token without a known deposit', async () => {
    const address = issue(1, 5_000n)
    const early = { account: MINT, asset: MINT, upToSlot: 70n, total: 70n }
    const known = holding(address, 5_000n)
    rebook(1, { ...known, entries: [...known.entries, early] })
    rows.splice(
      0,
      rows.length,
      ...rows.map((row) => ({ ...row, issued: { ...row.issued, places: [{ account: MINT, asset: MINT }] } })),
    )
    await runFor(10)
    expect(observed[0]?.changed).toMatchObject([{ account: MINT, asset: MINT }])
  })

  test('is halted when no transaction explains it within minutes', async () => {
    held.set(issue(1, 5_000n), 5_600n)
    await runFor(290)
    expect(halts).toEqual([])
    await runFor(20)
    expect(faults()).toMatchObject([{ kind: 'chain_has_more', amount: 600n }])
  })

  test('is not halted while observation fails, nor at once when observation works again', async () => {
    held.set(issue(1, 5_000n), 5_600n)
    observe = () => {
      throw new Error('no price')
    }
    await runFor(900)
    expect([halts, errors.length > 80]).toEqual([[], true])
    observe = () => {}
    await runFor(100)
    expect(halts).toEqual([])
    await runFor(300)
    expect(halts).toHaveLength(1)
  })

  test('is not halted while its history is not read to the end', async () => {
    held.set(issue(1, 5_000n), 5_600n)
    unfinished = true
    await runFor(900)
    expect(halts).toEqual([])
    unfinished = false
    await runFor(400)
    expect(halts).toHaveLength(1)
  })

  test('in an account that nothing is sent from is ignored', async () => {
    const odd = addressNo(77)
    issue(1, 5_000n, { places: [{ account: odd, asset: SOL }] })
    held.set(odd, 900n)
    await runFor(600)
    expect([halts, observed]).toEqual([[], []])
  })
})

test('an address that does not derive from the seed is halted', async () => {
  issue(1, 0n, { address: addressNo(50) })
  await runFor(60)
  expect(faults()).toEqual([{ kind: 'other_address', account: null, asset: null, amount: 0n }])
})

test('an address whose deposits and ledger disagree is halted', async () => {
  const address = issue(1, 5_000n)
  rebook(1, { ...holding(address, 5_000n), settled: [{ asset: SOL, amount: 9n }] })
  await runFor(60)
  expect(faults()).toEqual([{ kind: 'books_disagree', account: null, asset: SOL, amount: -9n }])
})

describe('the round', () => {
  test('reads all addresses and begins again', async () => {
    for (let index = 1; index <= 250; index += 1) issue(index, 10n)
    const checked: number[] = []
    for (let run = 0; run < 4; run += 1) {
      checked.push((await reconcile()).checked)
      now += 10_000
    }
    expect(checked).toEqual([100, 100, 50, 100])
  })

  test('continues where another instance stopped, but not past an address that was still in doubt', async () => {
    for (let index = 1; index <= 450; index += 1) issue(index, 10n)
    await reconcile()
    expect((await start()()).checked).toBe(100)
    expect(settings.get('reconciler:live')).toMatchObject({ afterIndex: 200 })

    settings.clear()
    held.set(addressNo(10), 9n)
    await start()()
    expect(settings.get('reconciler:live')).toMatchObject({ afterIndex: 9 })
  })

  test.each([
    ['a halted address', 9n, () => {}],
    [
      'a surplus that stays undecided',
      11n,
      () => {
        throw new Error('no price')
      },
    ],
  ])('continues where another instance stopped, although it left %s behind', async (_, amount, observes) => {
    for (let index = 1; index <= 1_000; index += 1) issue(index, 10n)
    held.set(addressNo(10), amount)
    observe = observes
    await runFor(60)
    expect(settings.get('reconciler:live')).toMatchObject({ afterIndex: 700 })
    reconcile = start()
    await reconcile()
    expect(settings.get('reconciler:live')).toMatchObject({ afterIndex: 800 })
  })

  test('does not continue past an address whose halt was cleared while its difference lasts', async () => {
    for (let index = 1; index <= 1_000; index += 1) issue(index, 10n)
    held.set(addressNo(10), 9n)
    await runFor(40)
    expect(halts).toHaveLength(1)
    halts = halts.map((halt) => ({ ...halt, clearedAt: new Date(now), clearedBy: 'operator' }))
    await runFor(0)
    expect(settings.get('reconciler:live')).toMatchObject({ afterIndex: 9 })
  })

  test('keeps to its budget of chain calls', async () => {
    for (let index = 1; index <= 1_000; index += 1) issue(index, 10n)
    reconcile = start(6)
    await runFor(590)
    // One call a page, six calls a minute, for ten minutes.
    const spent = calls.reduce((sum, accounts) => sum + Math.ceil(accounts / 100), 0)
    expect(spent).toBeLessThanOrEqual(60)
    expect(spent).toBeGreaterThan(50)
  })

  test('begins a round over few addresses once a minute, and checks addresses in doubt with every run', async () => {
    for (let index = 1; index <= 150; index += 1) issue(index, 10n)
    reconcile = start(1_000_000, 60_000)
    const checked: number[] = []
    for (let run = 0; run < 16; run += 1) {
      if (run === 12) held.set(addressNo(1), 9n)
      checked.push((await reconcile()).checked)
      now += 10_000
    }
    expect(checked).toEqual([100, 50, 0, 0, 0, 0, 100, 50, 0, 0, 0, 0, 100, 51, 1, 1])
    expect(halts).toHaveLength(1)
  })

  test('checks halted addresses again in every run, however long a round takes', async () => {
    for (let index = 1; index <= 1_000; index += 1) issue(index, 10n)
    held.set(addressNo(1), 9n)
    await runFor(40)
    expect(halts).toHaveLength(1)
    held.set(addressNo(1), 10n)
    await runFor(0)
    expect(halts).toMatchObject([{ clearedBy: 'reconciled' }])
  })

  test('forgets its state when another instance led in between', async () => {
    for (let index = 1; index <= 450; index += 1) issue(index, 10n)
    await reconcile()
    settings.set('reconciler:live', { afterIndex: 440, ranAt: new Date(now + 5_000).toISOString() })
    now += 10_000
    expect((await reconcile()).checked).toBe(10)
  })

  test('checks an address again and again while observation fails, however long a round takes', async () => {
    for (let index = 1; index <= 1_000; index += 1) issue(index, 10n)
    held.set(addressNo(1), 11n)
    observe = () => {
      throw new Error('no price')
    }
    await runFor(30)
    expect(observed).toHaveLength(4)
  })

  test('a clock that was set back does not stop it', async () => {
    held.set(issue(1, 10n), 9n)
    reconcile = start(1)
    await reconcile()
    now -= 86_400_000
    expect((await reconcile()).checked).toBe(1)
    await runFor(120)
    expect(halts).toHaveLength(1)
  })

  test('a failed run is not recorded as done, and is repeated', async () => {
    issue(1, 10n)
    chainAway = true
    await expect(reconcile()).rejects.toThrow('away')
    expect(settings.size).toBe(0)
    chainAway = false
    now += 10_000
    expect((await reconcile()).checked).toBe(1)
    expect(await readPosition(settingStore, 'live')).toEqual({ afterIndex: 0, ranAt: new Date(now) })
  })
})

describe('payments that cannot be observed, because a price is missing for example,', () => {
  /** More than one run checks again. */
  const MANY = 60
  const HOUR_MS = 3_600_000

  /** Gives addresses a surplus that stays undecided. */
  function leaveUndecided(from: number, to: number): void {
    for (let index = from; index <= to; index += 1) held.set(issue(index, 10n), 11n)
    observe = () => {
      throw new Error('no price')
    }
  }

  test('do not delay the end of any halt', async () => {
    const addresses = Array.from({ length: 100 }, (_, at) => issue(1 + at, 10n))
    for (const address of addresses) held.set(address, 9n)
    leaveUndecided(101, 100 + MANY)
    reconcile = start(1_000_000, HOUR_MS)
    await runFor(200)
    expect(halted).toHaveLength(100)
    for (const address of addresses) held.set(address, 10n)
    await runFor(100)
    expect(halts.filter(({ clearedAt }) => clearedAt === null)).toEqual([])
  })

  test('do not keep other suspects from being judged', async () => {
    leaveUndecided(1, MANY)
    held.set(issue(MANY + 1, 10n), 9n)
    reconcile = start(1_000_000, HOUR_MS)
    await runFor(60)
    expect(halted).toEqual([`intent-${MANY + 1}`])
  })

  test('do not stop the round, however many they are', async () => {
    leaveUndecided(1, 600)
    held.set(issue(601, 10n), 9n)
    await runFor(200)
    expect(halted).toEqual(['intent-601'])
  })
})

test('a run that reads no page, because too many addresses differ, is not recorded', async () => {
  for (let index = 1; index <= 700; index += 1) held.set(issue(index, 10n), 9n)
  const run = async () => {
    await reconcile()
    now += 1_000
    return (await readPosition(settingStore, 'live')).ranAt
  }
  for (let page = 1; page <= 5; page += 1) expect(await run()).toEqual(new Date(now - 1_000))
  const last = new Date(now - 1_000)
  expect([await run(), await run()]).toEqual([last, last])
  await runFor(300)
  expect(halted).toHaveLength(700)
  expect((await readPosition(settingStore, 'live')).ranAt).toEqual(new Date(now - 10_000))
})
