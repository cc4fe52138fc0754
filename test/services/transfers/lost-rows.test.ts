// A database that loses the row of a signed transfer: a failover to a standby that was behind. The chain keeps what landed.
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createHaltStore } from '#adapters/prisma/audit/halt-store.ts'
import type { Database } from '#adapters/prisma/engine/database.ts'
import { SOL } from '#core/chain/types.ts'
import { startChange, step } from '#core/payments/change.ts'
import type { ObservedDeposit } from '#core/payments/deposits/inbound.ts'
import { decideDeposits } from '#core/payments/machine/deposits.ts'
import { decideAndApply } from '#services/payments/decide.ts'
import { openTestDatabase } from '../../support/database.ts'
import { MERCHANT } from '../../support/example-intent.ts'
import { keepRows } from '../../support/lost-second.ts'
import { choice, context, NOW, observedDeposit, signatureNo } from '../../support/payment.ts'
import { createWorld, PRICE, startInstance } from '../../support/settling-world.ts'
import { addBusiness, addIntent, storesOf } from '../../support/stores.ts'

let db: Database
beforeAll(async () => {
  db = await openTestDatabase()
})
afterAll(() => db.close())

/**
 * A payment whose sweep has landed, and whose database has forgotten that. The price has arrived a second time. `lostBefore`: the
 * service knows that transactions were lost before this slot.
 */
async function forgottenSweep({ isBooked, lostBefore }: { isBooked: boolean; lostBefore: bigint | null }) {
  const stores = storesOf(db)
  const world = createWorld({ intents: stores.work, transfers: stores.transfers })
  const tenant = await addBusiness(db)
  await db.query('UPDATE accounts SET sweep_destination = $1', [MERCHANT])
  const intent = await addIntent(stores, tenant)
  const { id: intentId, address: account } = intent
  await stores.work.apply(step(startChange(intent), { selection: choice(SOL, PRICE) }, NOW, null))
  const paid = (number: number): ObservedDeposit =>
    observedDeposit(number, PRICE, { intentId, account, slot: BigInt(number), signature: signatureNo(number) })
  const takeIn = (deposits: readonly ObservedDeposit[]) =>
    decideAndApply(stores.work, intentId, (facts) => decideDeposits(facts, deposits, null, context()))
  const workWith = async (one: ReturnType<typeof startInstance>): Promise<void> => {
    for (let round = 0; round < 12; round += 1) {
      await one.work()
      world.pass(40n)
    }
  }
  world.toy.fund(account, PRICE)
  await takeIn([paid(1)])
  const forget = await keepRows(db)
  await workWith(startInstance(world))
  expect((await stores.work.facts(intentId))?.intent.status).toBe('swept')
  await forget()
  world.toy.fund(account, PRICE)
  await takeIn(isBooked ? [paid(1), paid(2)] : [paid(1)])
  const sent = world.toy.broadcasts()
  const instance = startInstance(world, undefined, 2, undefined, lostBefore)
  const work = () => workWith(instance)
  return { stores, world, instance, intent, work, again: () => world.toy.broadcasts() - sent }
}

test('a sweep that landed and is forgotten is not sent again, although as much has arrived since', async () => {
  const { stores, intent, work, again, instance } = await forgottenSweep({ isBooked: true, lostBefore: null })
  await work()
  expect(again()).toBe(0)
  const facts = await stores.work.facts(intent.id)
  expect(facts?.transfers.find(({ kind }) => kind === 'sweep')?.reason).toContain('less at its address than the ledger')
  expect(instance.errors).toEqual([])
})

test('after a failover, money that is not booked yet does not hide that the sweep has landed', async () => {
  const { stores, intent, work, again, instance } = await forgottenSweep({ isBooked: false, lostBefore: 1_000n })
  await work()
  expect(again()).toBe(0)
  const facts = await stores.work.facts(intent.id)
  expect(facts?.transfers.find(({ kind }) => kind === 'sweep')?.reason).toContain('that is not in the ledger')
  expect(instance.errors).toEqual([])
})

test('when the operator has ended the halt of the address in spite of the difference, it goes on', async () => {
  const { intent, work, again, instance } = await forgottenSweep({ isBooked: true, lostBefore: null })
  const halts = createHaltStore(db)
  const { network, address, id: intentId } = intent
  await halts.halt({ network, address, intentId, reason: 'less', faults: [], haltedAt: NOW })
  const halt = await db.prisma.halt.findFirstOrThrow({ where: { address } })
  await halts.clear(halt.id, { by: 'operator', reason: 'returned', at: NOW })
  await work()
  expect(again()).toBeGreaterThan(0)
  expect(instance.errors).toEqual([])
})
