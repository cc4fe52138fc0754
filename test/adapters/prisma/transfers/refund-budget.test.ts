// The cost of refunds for the fee payer, from the ledger and from live attempts, and the limit that applies to
// concurrent workers.
import { randomUUID } from 'node:crypto'
import { beforeAll, beforeEach, expect, onTestFinished, test } from 'vitest'
import type { Database } from '#adapters/prisma/engine/database.ts'
import { createTransferStore } from '#adapters/prisma/transfers/transfer-store.ts'
import { makeBlockhash } from '#core/chain/base58.ts'
import { makeLamports } from '#core/money/amounts.ts'
import { startChange, step } from '#core/payments/change.ts'
import type { PaymentTransferKind } from '#core/payments/transfers.ts'
import type { SpendBudget } from '#core/transfers/budget.ts'
import type { LeasedTransfer, NewLedgerEntry } from '#core/transfers/transfer.ts'
import type { TransferStore } from '#ports/transfers.ts'
import { describeOnBothEngines, emptyTables, openTestDatabase, TEST_POOL_SIZE } from '../../../support/database.ts'
import { addressNo, FEE_PAYER, later, NOW, signatureNo } from '../../../support/payment.ts'
import { addBusiness, addIntent, claimAll, nextNumber, planSweepOf, storesOf } from '../../../support/stores.ts'
import { until } from '../../../support/until.ts'

const LIMITS: SpendBudget = {
  perSubject: makeLamports(50n),
  perHour: makeLamports(35n),
  perDay: makeLamports(100n),
}
const spender = (subjectId: string | null = null, now = NOW) => ({
  network: 'live' as const,
  kind: 'refund',
  feePayer: FEE_PAYER,
  subjectId,
  before: null,
  now,
})
const attemptOf = ({ transfer }: LeasedTransfer, cost: bigint, budget = LIMITS, before: Date | null = null) => ({
  id: randomUUID(),
  transferId: transfer.id,
  number: 1,
  source: transfer.source,
  message: Uint8Array.of(1),
  harvestWithheld: false,
  lifetime: { blockhash: makeBlockhash(addressNo(1)), lastValidBlockHeight: 150n },
  knownSignature: signatureNo(1),
  createdAt: NOW,
  spending: { ...spender(transfer.subject.id), before, cost: makeLamports(cost), budget },
})

async function planOn(db: Database, kind: PaymentTransferKind = 'refund') {
  const stores = storesOf(db)
  const intent = await addIntent(stores, await addBusiness(db))
  return await planSweepOf(stores, intent, { kind, key: `${kind}:intent:${nextNumber()}` })
}

describeOnBothEngines('the budget of refunds', (open) => {
  let db: Database
  let stores: ReturnType<typeof storesOf>
  let store: TransferStore
  beforeAll(async () => {
    db = await open()
    stores = storesOf(db)
    store = createTransferStore(db)
  })
  beforeEach(() => emptyTables(db, 'accounts', 'ledger_entries'))

  const plan = (kind?: PaymentTransferKind) => planOn(db, kind)
  /** Books the effect of a final transaction on the fee payer. */
  const book = async (
    intent: Awaited<ReturnType<typeof plan>>,
    { kind = 'refund', delta, at = NOW }: { kind?: NewLedgerEntry['kind']; delta: bigint; at?: Date },
  ) => {
    const facts = await stores.work.facts(intent.id)
    if (facts === null) throw new Error('the intent does not exist')
    const entry: NewLedgerEntry = {
      network: 'live',
      address: FEE_PAYER,
      account: FEE_PAYER,
      asset: 'SOL',
      delta,
      signature: signatureNo(80_000 + nextNumber()),
      slot: 7n,
      kind,
      subjectId: intent.id,
      transferId: facts.transfers[0]?.id ?? null,
    }
    await stores.work.apply({ ...step(startChange(facts.intent), {}, at, null), ledger: [entry] })
  }

  test('counts the cost of final refunds, also failed refunds, in an hour, in a day, and in total for their payment', async () => {
    const refund = await plan()
    await book(refund, { delta: -5n })
    await book(refund, { delta: -7n, kind: 'fee' })
    await book(refund, { delta: -11n, at: later(-3_600) })
    await book(refund, { delta: -100n, at: later(-86_400) })
    // It returned more than it took, which does not pay for another refund.
    await book(refund, { delta: 40n })
    const sweep = await plan('sweep')
    await book(sweep, { delta: -1_000n, kind: 'sweep' })
    await book(sweep, { delta: -1_000n, kind: 'fee' })
    expect(await store.spendOf(spender(refund.id))).toEqual({ ofSubject: 123n, lastHour: 12n, lastDay: 23n })
    expect(await store.spendOf(spender())).toEqual({ ofSubject: 0n, lastHour: 12n, lastDay: 23n })
    expect(await store.spendOf(spender(sweep.id))).toMatchObject({ ofSubject: 0n })
    expect(await store.spendOf({ ...spender(), feePayer: addressNo(3) })).toMatchObject({ lastDay: 0n })
  })

  test('finds the payments whose refunds have cost much in all, of those with a refund in the last day', async () => {
    const [most, second, cheap, old, swept] = [
      await plan(),
      await plan(),
      await plan(),
      await plan(),
      await plan('sweep'),
    ]
    await book(most, { delta: -30n })
    await book(most, { delta: -20n, kind: 'fee', at: later(-7 * 86_400) })
    await book(second, { delta: -40n })
    await book(cheap, { delta: -39n })
    await book(cheap, { delta: 20n })
    await book(old, { delta: -90n, at: later(-86_400) })
    await book(swept, { delta: -90n, kind: 'sweep' })
    const { subjectId: _, before: __, ...refunds } = spender()
    expect(await store.costlySubjects(refunds, makeLamports(40n))).toEqual({
      count: 2,
      first: { id: most.id, cost: 50n },
    })
    expect(await store.costlySubjects(refunds, makeLamports(51n))).toBeNull()
    expect(await store.costlySubjects({ ...refunds, feePayer: addressNo(3) }, makeLamports(1n))).toBeNull()
  })

  test('counts the highest cost of a live attempt until it is booked or abandoned', async () => {
    await plan()
    const [leased] = await claimAll(store)
    if (leased === undefined) throw new Error('it was planned')
    const attempt = attemptOf(leased, 30n)
    expect(await store.prepareAttempt(leased.lease, attempt)).not.toBeNull()
    expect(await store.spendOf(spender())).toMatchObject({ lastHour: 30n, lastDay: 30n })
    expect(await store.spendOf({ ...spender(), network: 'test' })).toMatchObject({ lastHour: 0n })
    await store.recordAttempt(leased.lease, attempt.id, 'dead', { now: NOW })
    expect(await store.spendOf(spender())).toMatchObject({ lastHour: 0n, lastDay: 0n })
  })

  test.each(['perSubject', 'perHour', 'perDay'] as const)('no attempt is stored beyond the limit %s', async (limit) => {
    const intent = await plan()
    await book(intent, { delta: -20n })
    const [leased] = await claimAll(store)
    if (leased === undefined) throw new Error('it was planned')
    const plenty = makeLamports(1_000n)
    const budget = { perSubject: plenty, perHour: plenty, perDay: plenty, [limit]: makeLamports(30n) }
    expect(await store.prepareAttempt(leased.lease, attemptOf(leased, 11n, budget))).toBeNull()
    expect(await store.prepareAttempt(leased.lease, attemptOf(leased, 10n, budget))).toMatchObject({ number: 1 })
  })

  test('a later refund leaves the budget that becomes free to an earlier one that waits for it', async () => {
    await plan()
    const [first] = await claimAll(store)
    if (first === undefined) throw new Error('it was planned')
    const started = first.transfer.createdAt
    const [before, after] = [new Date(started.getTime() - 1), new Date(started.getTime() + 1)]
    await store.postpone([first.lease], 'It waits for the budget.', NOW, makeLamports(30n))
    expect(await store.spendOf({ ...spender(), before: after })).toEqual({ ofSubject: 0n, lastHour: 30n, lastDay: 30n })
    // An earlier refund, the first one itself, and the figures of the operator do not count it.
    for (const at of [before, started, null])
      expect(await store.spendOf({ ...spender(), before: at })).toMatchObject({ lastHour: 0n })
    await plan()
    const claimed = await claimAll(store)
    const [again, second] = claimed.toSorted((one) => (one.transfer.id === first.transfer.id ? -1 : 1))
    if (again === undefined || second === undefined) throw new Error('both are due')
    expect(await store.prepareAttempt(second.lease, attemptOf(second, 6n, LIMITS, after))).toBeNull()
    expect(await store.prepareAttempt(second.lease, attemptOf(second, 5n, LIMITS, after))).not.toBeNull()
    expect(await store.prepareAttempt(again.lease, attemptOf(again, 30n, LIMITS, started))).not.toBeNull()
    // Each of them is counted once.
    expect(await store.spendOf({ ...spender(), before: after })).toMatchObject({ lastHour: 35n })
  })

  test('a refund that waits for something else, or is held, reserves no budget', async () => {
    await plan()
    const waits = async () => {
      const [leased] = await claimAll(store)
      if (leased === undefined) throw new Error('it is due')
      await store.postpone([leased.lease], 'It waits for the budget.', NOW, makeLamports(30n))
    }
    const reserved = async () => (await store.spendOf({ ...spender(), before: later(1e9) })).lastHour
    await waits()
    expect(await reserved()).toBe(30n)
    const [priced] = await claimAll(store)
    if (priced === undefined) throw new Error('it is due')
    await store.postpone([priced.lease], 'It waits for a price.', NOW)
    expect(await reserved()).toBe(0n)
    await waits()
    const [held] = await claimAll(store)
    if (held === undefined) throw new Error('it is due')
    await store.hold(held.lease, 'A person decides.')
    expect(await reserved()).toBe(0n)
  })

  test('concurrent workers stay within the limit together', async () => {
    for (let count = 0; count < 6; count += 1) await plan()
    const leased = await claimAll(store)
    expect(leased).toHaveLength(6)
    const stored = await Promise.all(
      leased.map((one) => createTransferStore(db).prepareAttempt(one.lease, attemptOf(one, 10n))),
    )
    expect(stored.filter((one) => one !== null)).toHaveLength(3)
    expect(await store.spendOf(spender())).toMatchObject({ lastHour: 30n })
  })
})

test('attempts that wait for the budget occupy one connection together', async () => {
  const db = await openTestDatabase('postgresql')
  onTestFinished(() => db.close())
  const store = createTransferStore(db)
  for (let count = 0; count < 2 * TEST_POOL_SIZE; count += 1) await planOn(db)
  const leased = await claimAll(store)
  const waiting = `SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`
  await db.session(async (session) => {
    // The first attempt locks the budget, and cannot be stored before this transaction ends.
    await session.script('BEGIN; LOCK TABLE transfer_attempts IN SHARE MODE')
    const stored = Promise.all(leased.map((one) => store.prepareAttempt(one.lease, attemptOf(one, 1n))))
    await until(async () => (await session.query(waiting)).length > 0)
    const connections = await db.query(waiting).catch((error: unknown) => error)
    await session.script('COMMIT')
    expect(connections).toHaveLength(1)
    expect(await stored).not.toContain(null)
  })
})
