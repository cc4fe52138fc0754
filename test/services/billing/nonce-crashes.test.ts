// A worker that dies between any two steps, from the planning of the pool to the booking of a pull, leaves neither a lost
// nonce nor a double creation, and no pull happens twice. NONCE_CRASHES=all tries every call; else every twelfth is tried. docs/money.md, "The protocol".
import { randomInt, randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Database } from '#adapters/prisma/engine/database.ts'
import { FEE_PAYER } from '../../support/approves.ts'
import { emptyTables, openTestDatabase } from '../../support/database.ts'
import { Crash, type CrashPoint, createLife } from '../../support/mortal.ts'
import { FUNDS, openPulls } from '../../support/pulling.ts'

let db: Database
beforeAll(async () => {
  db = await openTestDatabase()
})
afterAll(() => db.close())

const AMOUNTS = [3n, 5n]
const GIFT = 1_000_000n

/** Runs the whole course with an instance that dies at a call, and one that begins after it. Returns the calls of the first. */
async function runCourse(end: CrashPoint | null) {
  await emptyTables(db, 'transfers', 'ledger_entries', 'nonce_accounts')
  const pulls = await openPulls(db)
  const life = createLife(end)
  const mortal = pulls.instance({
    pool: life.wrap(pulls.ports.pool),
    transfers: life.wrap(pulls.ports.transfers),
    chain: { ...pulls.ports.chain, ...life.wrap(asynchronous(pulls.ports.chain)) },
    signer: life.wrap(pulls.ports.signer),
  })
  const heir = pulls.instance()
  const planned: Awaited<ReturnType<typeof pulls.plan>>[] = []
  const isDone = async () => {
    const [open, creating] = await Promise.all([
      db.prisma.transfer.count({ where: { status: { not: 'done' } } }),
      db.prisma.nonceAccount.count({ where: { state: { not: 'ready' } } }),
    ])
    return planned.length > 0 && open === 0 && creating === 0
  }
  for (let round = 0; round < 120 && !(await isDone()); round += 1) {
    const now = life.isOver() ? heir : mortal
    try {
      await now.grow()
      await now.advance()
    } catch (error) {
      if (!(error instanceof Crash)) throw error
    }
    if (planned.length === 0 && (await db.prisma.nonceAccount.count({ where: { state: 'ready' } })) === 2)
      for (const amount of AMOUNTS) planned.push(await pulls.plan(amount))
    pulls.pass(8n)
  }
  const where = `${life.fellAt() ?? 'never'} (call ${end?.at ?? 0})`
  expect(await isDone(), where).toBe(true)
  expect(heir.errors, where).toEqual([])

  const stored = await db.prisma.nonceAccount.findMany()
  const created = stored.map(
    ({ address }) => pulls.ledger.accountAt(address as never, pulls.ledger.finalized)?.lamports,
  )
  expect(created, where).toEqual([pulls.ledger.rentOf(80n), pulls.ledger.rentOf(80n)])
  const later = new Date(pulls.clock.now().getTime() + 60_000)
  const leased = await pulls.ports.pool.lease('live', [randomUUID(), randomUUID()], later)
  expect(new Set(leased.values()), where).toEqual(new Set(stored.map(({ address }) => address)))
  for (const [at, { merchant }] of planned.entries()) expect(pulls.tokensOf(merchant), where).toBe(AMOUNTS[at])

  const booked = await db.prisma.ledgerEntry.aggregate({ _sum: { delta: true }, where: { address: FEE_PAYER } })
  expect(FUNDS + GIFT + BigInt(booked._sum.delta?.toFixed(0) ?? 0), where).toBe(pulls.lamportsOf(FEE_PAYER))
  return life.calls()
}

/** The methods of the chain that are asynchronous: a life wraps no others. */
const asynchronous = ({ compileSponsored, ...rest }: Awaited<ReturnType<typeof openPulls>>['ports']['chain']) => rest

const EVERY = process.env.NONCE_CRASHES === 'all' ? 1 : 12

test('a worker dies before or after any call, and the next one completes everything once', {
  timeout: 900_000,
}, async () => {
  const calls = await runCourse(null)
  expect(calls).toBeGreaterThan(30)
  const first = randomInt(EVERY)
  let deaths = 0
  for (let at = 1 + first; at <= calls; at += EVERY)
    for (const when of ['before', 'after'] as const) {
      await runCourse({ at, when })
      deaths += 1
    }
  process.stdout.write(`${calls} calls, ${deaths} deaths, from call ${1 + first}\n`)
})
