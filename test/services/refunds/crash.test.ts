// An instance dies at any call while it creates a refund, finds its transactions and completes it. Another one goes on, and everything
// has happened once.

import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Database } from '#adapters/prisma/engine/database.ts'
import { SERVICE_ACTOR } from '#core/accounts/audit.ts'
import { openTestDatabase } from '../../support/database.ts'
import { Crash, type CrashPoint, createLife } from '../../support/mortal.ts'
import { units } from '../../support/payment.ts'
import { createRefundWorld, type RefundWorld } from '../../support/refund-world.ts'

let db: Database
let world: RefundWorld
beforeAll(async () => {
  db = await openTestDatabase()
  world = await createRefundWorld(db)
})
afterAll(async () => {
  await world.close()
  await db.close()
})

const LOOKS_MS = 700_000
/** The first may be the one that dies. */
const ROUNDS = 2

/** Runs the course of a refund with an instance that dies at this point, and others after it. Returns the calls of the first. */
async function run(end: CrashPoint | null, reference: string) {
  const payment = await world.settled({ amount: 1_000n })
  const first = createLife(end)
  let instance = world.instance(first)
  const alive = async <T>(work: () => Promise<T>): Promise<T> => {
    try {
      return await work()
    } catch (error) {
      if (!(error instanceof Crash)) throw error
      instance = world.instance(createLife(null))
      return await alive(work)
    }
  }
  const of = { paymentId: payment.id, chargeId: null }
  const input = { amount: null, amountUsdCents: null, to: null, reason: null, reference, reverseFee: false }
  const { refund } = await alive(() =>
    instance.refunds.create({ tenant: world.tenant, actor: SERVICE_ACTOR }, of, input),
  )
  for (const amount of [400n, 600n]) {
    world.land([refund.referenceKey], [{ from: world.payout, to: refund.recipient, amount }])
    for (let round = 0; round < ROUNDS; round += 1) {
      world.pass(LOOKS_MS)
      await alive(() => instance.look('live'))
      if (first.isOver()) instance = world.instance(createLife(null))
    }
  }
  const found = await alive(() => instance.refunds.find(world.tenant, refund.id))
  expect(found).toMatchObject({ status: 'succeeded', paidAmount: units(1_000n) })
  const events = await db.query<{ type: string }>(
    'SELECT type FROM events WHERE subject_id = $1::uuid ORDER BY sequence',
    [refund.id],
  )
  expect(events.map(({ type }) => type)).toEqual(['refund.created', 'refund.succeeded'])
  const stored = await db.query('SELECT id FROM refunds WHERE intent_id = $1::uuid', [payment.id])
  expect(stored).toHaveLength(1)
  expect(await world.refundWork.transactions(refund.id)).toHaveLength(2)
  await db.query('UPDATE refunds SET next_look_at = NULL')
  return first
}

test('a refund is created, found and completed once, whatever call an instance dies at', async () => {
  const calls = (await run(null, 'without a crash')).calls()
  expect(calls).toBeGreaterThan(15)
  const points = Array.from({ length: calls }, (_, at) => at + 1).flatMap((at) =>
    (['before', 'after'] as const).map((when): CrashPoint => ({ at, when })),
  )
  for (const point of points) {
    const life = await run(point, `${point.when} ${point.at}`)
    expect(life.isOver()).toBe(true)
  }
}, 120_000)
