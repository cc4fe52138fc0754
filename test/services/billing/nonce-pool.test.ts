// The pool of durable nonces: it grows with the queue, gives each transfer its own account, and books what it costs.
import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import type { Database } from '#adapters/prisma/engine/database.ts'
import { seededAddress } from '#adapters/solana/keys/seeded-address.ts'
import { decodeNonce } from '#adapters/solana/rpc/nonce-data.ts'
import { growthOf, nonceAddress, POOL_SIZE, waitsForNonce } from '#core/billing/nonce-pool.ts'
import type { Address } from '#core/chain/types.ts'
import { makeBaseUnits } from '#core/money/amounts.ts'
import type { NoncePoolStore } from '#ports/nonce-pool.ts'
import { type NoncePoolDeps, readNonceLifetimes, retryCreation } from '#services/billing/nonce-pool.ts'
import { planOf } from '#services/transfers/plan.ts'
import type { Fate } from '../../simulator/chain/chain.ts'
import { FEE_PAYER, serviceKey, signer } from '../../support/approves.ts'
import { emptyTables, openTestDatabase } from '../../support/database.ts'
import { later, NOW } from '../../support/payment.ts'
import { openPulls, type Pulls } from '../../support/pulling.ts'
import { mustSign } from '../../support/signing.ts'

let db: Database
beforeAll(async () => {
  db = await openTestDatabase()
})
afterAll(() => db.close())
beforeEach(() => emptyTables(db, 'transfers', 'ledger_entries', 'nonce_accounts'))

const AUTHORITY = {
  address: serviceKey('nonce_authority'),
  key: { network: 'live', branch: 'nonce_authority' },
} as const
const addressAt = (index: number) => nonceAddress(seededAddress, AUTHORITY, index)
const accounts = () => db.prisma.nonceAccount.findMany({ orderBy: { index: 'asc' } })

/** Runs rounds, some slots apart, until the condition holds. */
async function untilSo(pulls: Pulls, { grow, advance }: ReturnType<Pulls['instance']>, isSo: () => Promise<boolean>) {
  for (let round = 0; round < 60; round += 1) {
    if (await isSo()) return
    await grow()
    await advance()
    pulls.pass(8n)
  }
  throw new Error('not so after 60 rounds')
}
const allReady = (count: number) => async () => {
  const all = await accounts()
  return all.length === count && all.every(({ state }) => state === 'ready')
}

test('the pool has at least 16 accounts, as many as transfers wait, and at most 256', () => {
  const size = (demand: number, existing = 0) =>
    growthOf({ accounts: existing, demand, failed: [] }, POOL_SIZE, 1_000, NOW).length + existing
  expect([0, 3, 16, 17, 200, 256, 257, 9_999].map((demand) => size(demand))).toEqual([
    16, 16, 16, 17, 200, 256, 256, 256,
  ])
  expect(size(20, 100)).toBe(100)
})

test('a round of growth is bounded, and begins with creations that failed', () => {
  const failed = [{ index: 3, rounds: 1, paid: 1, failedAt: later(-600) }]
  expect(growthOf({ accounts: 14, demand: 200, failed }, POOL_SIZE, 3, NOW)).toEqual([
    { index: 3, round: 2 },
    { index: 14, round: 1 },
    { index: 15, round: 1 },
  ])
})

test('a creation is tried again 10 minutes after it failed, and after 8 rounds that cost a fee an hour after', () => {
  const isTried = (paid: number, seconds: number) =>
    growthOf(
      { accounts: 16, demand: 0, failed: [{ index: 5, rounds: 30, paid, failedAt: later(-seconds) }] },
      POOL_SIZE,
      16,
      NOW,
    ).length > 0
  // Rounds that never landed cost nothing.
  expect([599, 600].map((seconds) => isTried(0, seconds))).toEqual([false, true])
  expect([599, 600].map((seconds) => isTried(7, seconds))).toEqual([false, true])
  expect([600, 3_599, 3_600].map((seconds) => isTried(8, seconds))).toEqual([false, false, true])
})

test('the waits for a free account differ, and the longest grows with the queue to a minute', () => {
  const waits = (demand: number) => waitsForNonce(demand, POOL_SIZE).map(({ afterMs }) => afterMs / 1_000)
  expect([0, 1, 256].map(waits)).toEqual([[5], [5], [5]])
  expect([257, 1_024].map(waits)).toEqual([
    [5, 10],
    [5, 10, 15, 20],
  ])
  expect(waits(10_000)).toEqual([5, 10, 15, 20, 25, 30, 35, 40, 45, 50, 55, 60])
})

test('accounts are created at the addresses of their places, and what they cost is in the ledger', async () => {
  const pulls = await openPulls(db)
  const instance = pulls.instance()
  const before = pulls.lamportsOf(FEE_PAYER)
  await untilSo(pulls, instance, allReady(2))
  expect(instance.errors).toEqual([])
  expect((await accounts()).map(({ address }) => address)).toEqual([addressAt(0), addressAt(1)])
  const rent = pulls.ledger.rentOf(80n)
  for (const at of [0, 1]) {
    const raw = pulls.ledger.accountAt(addressAt(at), pulls.ledger.finalized)
    expect(raw?.lamports).toBe(rent)
    expect(raw === null ? null : decodeNonce(raw.owner, raw.data)).not.toBeNull()
  }
  const spent = before - pulls.lamportsOf(FEE_PAYER)
  const booked = await db.prisma.ledgerEntry.aggregate({ _sum: { delta: true }, where: { address: FEE_PAYER } })
  expect(spent).toBeGreaterThan(2n * rent)
  expect(booked._sum.delta?.toString()).toBe(`-${spent}`)
  expect(await instance.grow()).toBe(0)
})

test('two workers that grow the pool at the same time plan each account once', async () => {
  const pulls = await openPulls(db)
  const [one, other] = [pulls.instance(), pulls.instance()]
  const planned = await Promise.all([one.grow(), other.grow()])
  expect(planned[0] + planned[1]).toBe(2)
  expect(await db.prisma.transfer.count()).toBe(2)
})

test('lamports of a stranger at the address of an account do not prevent its creation', async () => {
  const pulls = await openPulls(db)
  pulls.fund(addressAt(0), 1_000_000n)
  await untilSo(pulls, pulls.instance(), allReady(2))
  expect(pulls.lamportsOf(addressAt(0))).toBe(pulls.ledger.rentOf(80n) + 1_000_000n)
})

test('an account that a restored database does not know is taken into the pool without another transaction', async () => {
  const pulls = await openPulls(db)
  await untilSo(pulls, pulls.instance(), allReady(2))
  await emptyTables(db, 'transfers', 'nonce_accounts')
  const spent = pulls.lamportsOf(FEE_PAYER)
  await untilSo(pulls, pulls.instance(), allReady(2))
  expect(pulls.lamportsOf(FEE_PAYER)).toBe(spent)
})

test('a creation that fails on the chain is planned again after a pause, with the rent of that moment', async () => {
  const pulls = await openPulls(db)
  const instance = pulls.instance()
  await instance.grow()
  pulls.ledger.changeRent(4_000n)
  await untilSo(pulls, instance, async () => (await db.prisma.transfer.count({ where: { status: 'failed' } })) === 2)
  expect(await instance.grow()).toBe(0)
  expect((await pulls.ports.pool.state('live', [], NOW)).failed).toMatchObject(
    [0, 1].map((index) => ({ index, rounds: 1, paid: 1 })),
  )
  pulls.pass(1_600n)
  await untilSo(pulls, instance, allReady(2))
  const rounds = await db.prisma.transfer.findMany({ orderBy: { key: 'asc' }, select: { key: true, status: true } })
  expect(rounds).toEqual([
    { key: 'nonce:live:0:1', status: 'failed' },
    { key: 'nonce:live:0:2', status: 'done' },
    { key: 'nonce:live:1:1', status: 'failed' },
    { key: 'nonce:live:1:2', status: 'done' },
  ])
  const funds = pulls.lamportsOf(FEE_PAYER)
  const booked = await db.prisma.ledgerEntry.aggregate({ _sum: { delta: true }, where: { address: FEE_PAYER } })
  expect(BigInt(booked._sum.delta?.toFixed(0) ?? 0)).toBe(funds - 10_000_000_000n - 1_000_000n)
})

/** Ends every planned creation, as the engine does after eight attempts of which none landed. */
const congest = (pulls: Pulls) =>
  db.prisma.transfer.updateMany({
    where: { kind: 'nonce', status: 'planned' },
    data: { status: 'failed', reason: 'No transaction landed.', doneAt: pulls.clock.now() },
  })

test('after hours in which no creation landed the pool grows as soon as the chain works again', async () => {
  const pulls = await openPulls(db)
  const instance = pulls.instance()
  for (let round = 0; round < 20; round += 1) {
    expect(await instance.grow()).toBe(2)
    await congest(pulls)
    expect((await pulls.ports.pool.state('live', [], NOW)).failed).toMatchObject(
      [0, 1].map((index) => ({ index, paid: 0 })),
    )
    expect(await instance.grow()).toBe(0)
    pulls.pass(1_600n)
  }
  await untilSo(pulls, instance, allReady(2))
  expect(await db.prisma.transferAttempt.count()).toBe(2)
})

test('the operator can retry a creation that failed, at once', async () => {
  const pulls = await openPulls(db)
  const instance = pulls.instance()
  await instance.grow()
  await congest(pulls)
  expect(await instance.grow()).toBe(0)
  const { id } = await db.prisma.transfer.findFirstOrThrow({ where: { key: 'nonce:live:1:1' } })
  await retryCreation(instance.nonces, { id })
  await expect(retryCreation(instance.nonces, { id })).rejects.toMatchObject({ code: 'transfer_not_retryable' })
  for (let round = 0; round < 10; round += 1) {
    await instance.advance()
    pulls.pass(8n)
  }
  expect((await accounts()).map(({ state }) => state)).toEqual(['creating', 'ready'])
  expect(await db.prisma.transfer.findUniqueOrThrow({ where: { id } })).toMatchObject({ status: 'done' })
})

test('the pool grows with the queue, and a transfer without a free account waits for one', async () => {
  const pulls = await openPulls(db)
  const instance = pulls.instance()
  await untilSo(pulls, instance, allReady(2))
  const planned = await Promise.all([1n, 2n, 3n].map((amount) => pulls.plan(amount)))
  await instance.advance()
  const reasons = (await Promise.all(planned.map(({ id }) => pulls.stored(id)))).map(({ reason }) => reason)
  expect(reasons.filter((reason) => reason === 'Waiting for a free durable nonce.')).toHaveLength(1)
  await untilSo(pulls, instance, async () => (await db.prisma.transfer.count({ where: { status: 'done' } })) === 6)
  expect(await accounts()).toHaveLength(3)
  for (const [at, { merchant }] of planned.entries()) expect(pulls.tokensOf(merchant)).toBe(BigInt(at + 1))
  expect(instance.errors).toEqual([])
})

test('a transfer keeps its account while its attempt may land, and the account is free once it is final', async () => {
  let fate: Fate = { afterSlots: 1n }
  const pulls = await openPulls(db, () => fate)
  const instance = pulls.instance(pulls.ports, { min: 1, max: 1 })
  await untilSo(pulls, instance, allReady(1))
  const { pool } = pulls.ports
  fate = 'lost'
  const { id, merchant } = await pulls.plan(7n)
  await instance.advance()
  const first = await pulls.stored(id)
  for (let round = 0; round < 40; round += 1) {
    pulls.pass(200n)
    expect(await leaseOne(pool, randomUUID(), pulls.clock.now())).toBeUndefined()
    await instance.advance()
  }
  // However long it is lost: the same bytes, and no other attempt.
  expect((await pulls.stored(id)).attempts.map(({ wire }) => wire)).toEqual([
    (await pulls.stored(id)).attempts[0]?.wire,
  ])
  expect((await pulls.stored(id)).attempts).toHaveLength(1)
  fate = { afterSlots: 1n }
  await untilSo(pulls, instance, async () => (await pulls.stored(id)).status === 'done')
  expect(pulls.tokensOf(merchant)).toBe(7n)
  expect(await leaseOne(pool, randomUUID(), pulls.clock.now())).toBe(addressAt(0))
  expect(first.attempts[0]?.nonceAccount).toBe(addressAt(0))
})

test('transfers without a free account are given back before anything is read for them, and the oldest wait the shortest time', async () => {
  const pulls = await openPulls(db)
  await untilSo(pulls, pulls.instance(pulls.ports, { min: 1, max: 1 }), allReady(1))
  for (let planned = 0; planned < 10; planned += 1) {
    await pulls.plan(1n)
    pulls.pass(1n)
  }
  const reads: (readonly Address[])[] = []
  const { chain } = pulls.ports
  const readAccounts: typeof chain.readAccounts = (accounts, ...rest) => {
    reads.push(accounts)
    return chain.readAccounts(accounts, ...rest)
  }
  const instance = pulls.instance({ ...pulls.ports, chain: { ...chain, readAccounts } }, { min: 1, max: 1 })
  const waiting = () =>
    db.prisma.transfer.findMany({
      where: { reason: 'Waiting for a free durable nonce.', leaseUntil: null },
      orderBy: { createdAt: 'asc' },
    })
  const began = pulls.clock.now().getTime()
  await instance.advance()
  expect(await db.prisma.transferAttempt.count({ where: { nonceAccount: addressAt(0) } })).toBe(1)
  expect(await waiting()).toHaveLength(9)
  // The fee payer, the source, the receiver and its token account.
  expect(reads.map(({ length }) => length)).toEqual([4])
  const waits = (await waiting()).map(({ nextAttemptAt }) => (nextAttemptAt.getTime() - began) / 1_000)
  expect(waits).toEqual([5, 10, 15, 20, 25, 30, 35, 40, 45])
  pulls.pass(20n)
  // The attempt, and the oldest transfer without one.
  expect(await instance.advance()).toMatchObject({ claimed: 2 })
  expect(await waiting()).toHaveLength(9)
  expect(reads).toHaveLength(1)
})

test('an account that a dead worker has leased is free after the worker’s lease on the transfer', async () => {
  const pulls = await openPulls(db)
  const instance = pulls.instance(pulls.ports, { min: 1, max: 1 })
  await untilSo(pulls, instance, allReady(1))
  const { pool, transfers } = pulls.ports
  await pulls.plan(1n)
  const [claimed] = await transfers.claim('live', {
    now: pulls.clock.now(),
    leaseMs: 45_000,
    queues: [{ kind: 'charge', most: 1 }],
  })
  const transferId = claimed?.transfer.id ?? ''
  expect(await leaseOne(pool, transferId, pulls.clock.now())).toBe(addressAt(0))
  expect(await leaseOne(pool, randomUUID(), pulls.clock.now())).toBeUndefined()
  expect(await leaseOne(pool, transferId, pulls.clock.now())).toBe(addressAt(0))
  const later = new Date(pulls.clock.now().getTime() + 45_001)
  expect(await leaseOne(pool, randomUUID(), later)).toBe(addressAt(0))
})

test('of two signed attempts of one transfer with the same nonce, the chain lets one land', async () => {
  const pulls = await openPulls(db)
  const instance = pulls.instance()
  await untilSo(pulls, instance, allReady(2))
  const { merchant, subscriber, id } = await pulls.plan(10n, 100n, 100n)
  await instance.advance()
  const [leased] = await pulls.ports.transfers.claim('live', {
    now: new Date(pulls.clock.now().getTime() + 60_000),
    leaseMs: 1,
    queues: [{ kind: 'charge', most: 1 }],
  })
  if (leased?.live?.wire == null) throw new Error('the attempt is signed')
  const { transfer, live } = leased
  const first = leased.live.wire
  // The second version moves one unit less, with the same nonce. An index keeps the service from making it.
  const legs = transfer.legs.map((leg) => ({ ...leg, amount: makeBaseUnits(9n) }))
  const plan = planOf({ ...transfer, legs }, live, { action: 'legs' })
  const { wire: second } = await mustSign(signer, plan, (await pulls.chain.compile(plan)).message)
  for (const wire of [second, first, second, first]) await pulls.chain.broadcast(wire)
  pulls.pass(500n)
  for (const wire of [second, first]) await pulls.chain.broadcast(wire)
  pulls.pass(500n)
  expect((await pulls.stored(id)).attempts).toHaveLength(1)
  expect(pulls.tokensOf(merchant) + pulls.tokensOf(subscriber)).toBe(100n)
  expect([9n, 10n]).toContain(pulls.tokensOf(merchant))
})

test('a value that a final transaction has consumed is not given to another transfer, even when a provider still shows it', async () => {
  const pulls = await openPulls(db)
  const instance = pulls.instance(pulls.ports, { min: 1, max: 1 })
  await untilSo(pulls, instance, allReady(1))
  const lagging = await pulls.chain.nonces([addressAt(0)], 'finalized')
  const { id } = await pulls.plan(4n)
  await untilSo(pulls, instance, async () => (await pulls.stored(id)).status === 'done')
  const chain = { ...pulls.ports.chain, nonces: async () => lagging }
  const next = { id: randomUUID() }
  expect(await lifetimeOf({ ...instance.nonces, chainOf: () => chain }, next)).toEqual(waitsForNonce(1, POOL_SIZE)[0])
  expect(await lifetimeOf(instance.nonces, next)).toMatchObject({ kind: 'nonce', account: addressAt(0) })
  // The embedded chain leaves the value as it was when the transaction has failed: a newer view shows that.
  const unused = { ...chain, nonces: async () => ({ ...lagging, slot: pulls.ledger.finalized }) }
  expect(await lifetimeOf({ ...instance.nonces, chainOf: () => unused }, next)).toMatchObject({ kind: 'nonce' })
})

const leaseOne = async (pool: NoncePoolStore, transferId: string, now: Date): Promise<Address | undefined> =>
  (await pool.lease('live', [transferId], now)).get(transferId)

const lifetimeOf = async (deps: NoncePoolDeps, transfer: { readonly id: string }) =>
  (await readNonceLifetimes(deps, 'live', [transfer]))(transfer)
