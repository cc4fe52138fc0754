// A transaction that is in a block and did not run, because the fee payer could not pay: no budget and no books count it.
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createAuditStore } from '#adapters/prisma/audit/audit-store.ts'
import type { Database } from '#adapters/prisma/engine/database.ts'
import { SOL } from '#core/chain/types.ts'
import { makeLamports } from '#core/money/amounts.ts'
import { startChange, step } from '#core/payments/change.ts'
import { decideCancel } from '#core/payments/machine/checkout.ts'
import { decideDeposits } from '#core/payments/machine/deposits.ts'
import { decideAndApply } from '#services/payments/decide.ts'
import { openTestDatabase } from '../../support/database.ts'
import { BUYER, choice, context, deposit, FEE_PAYER, NOW, units } from '../../support/payment.ts'
import { createWorld, PLENTY, PRICE, startInstance } from '../../support/settling-world.ts'
import { addBusiness, addIntent, storesOf } from '../../support/stores.ts'

const HALF = PRICE / 2n
/** The fee of one transaction of the toy chain, and the part that a refund in SOL repays. */
const FEE = 10_000n
const REPAID = 5_000n

let db: Database
beforeAll(async () => {
  db = await openTestDatabase()
})
afterAll(() => db.close())

test('a refund that did not run costs nothing of its budget, and is no movement for the audit', async () => {
  const stores = storesOf(db)
  const world = {
    ...createWorld({ intents: stores.work, transfers: stores.transfers }),
    refundBudget: { ...PLENTY, perSubject: makeLamports(FEE) },
  }
  const intent = await addIntent(stores, await addBusiness(db))
  const { id: intentId, address: account, network } = intent
  await stores.work.apply(step(startChange(intent), { selection: choice(SOL, PRICE) }, NOW, null))
  world.toy.fund(account, HALF)
  const senders = [{ address: BUYER, amount: units(HALF) }]
  const paid = deposit(1, HALF, { intentId, account, slot: 1n, senders })
  await decideAndApply(stores.work, intentId, (facts) => decideDeposits(facts, [paid], null, context()))
  await decideAndApply(stores.work, intentId, (facts) => decideCancel(facts, context()))

  const { advance, errors } = startInstance(world)
  const nextRound = async () => {
    world.pass(30n)
    await advance()
  }
  const spender = { network, kind: 'refund', feePayer: FEE_PAYER, subjectId: intentId, before: null, now: world.now() }
  const booksOf = async () => {
    const { slot } = await world.toy.chain.readAccounts([])
    return (await createAuditStore(db).books([{ intentId, slot }], FEE_PAYER)).get(intentId)
  }
  const attempts = async () => {
    const rows = await db.prisma.transferAttempt.findMany({ orderBy: { number: 'asc' } })
    return rows.map(({ number, state }) => `${number} ${state}`)
  }

  world.toy.fates.push('does not run')
  await nextRound()
  expect(await attempts()).toEqual(['1 sent'])
  expect(await stores.transfers.spendOf(spender)).toMatchObject({ lastHour: FEE })
  await nextRound()
  expect(await attempts()).toEqual(['1 dead'])
  expect(await stores.transfers.spendOf(spender)).toEqual({ ofSubject: 0n, lastHour: 0n, lastDay: 0n })
  expect(await booksOf()).toMatchObject({
    entries: [{ total: HALF }],
    leaving: [],
    returned: [],
    feePayer: { spent: 0n, repaid: 0n },
  })

  for (let round = 0; round < 4; round += 1) await nextRound()
  expect(await attempts()).toEqual(['1 dead', '2 final_ok'])
  expect((await stores.work.facts(intentId))?.intent.status).toBe('refunded')
  expect(await booksOf()).toMatchObject({
    leaving: [],
    returned: [{ amount: HALF - REPAID }],
    feePayer: { spent: FEE, repaid: REPAID },
  })
  expect(world.toy.balance(account)).toBe(0n)
  expect(errors).toEqual([])
})
