// A halted address: attempts under way are completed, and nothing new is sent.
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createAuditStore } from '#adapters/prisma/audit/audit-store.ts'
import type { Database } from '#adapters/prisma/engine/database.ts'
import { SOL } from '#core/chain/types.ts'
import { makeLamports } from '#core/money/amounts.ts'
import { startChange, step } from '#core/payments/change.ts'
import { decideCancel } from '#core/payments/machine/checkout.ts'
import { decideDeposits } from '#core/payments/machine/deposits.ts'
import { decideAndApply } from '#services/payments/decide.ts'
import { knownSignatureOf, newestSignature } from '#services/transfers/prepare.ts'
import { openTestDatabase } from '../../support/database.ts'
import { pendingIntent } from '../../support/example-intent.ts'
import { createLife } from '../../support/mortal.ts'
import {
  addressNo,
  BUYER,
  choice,
  context,
  deposit,
  FEE_PAYER,
  later,
  NOW,
  signatureNo,
  units,
} from '../../support/payment.ts'
import { createMemoryWorld, createWorld, PLENTY, PRICE, startInstance } from '../../support/settling-world.ts'
import { addBusiness, addIntent, storesOf } from '../../support/stores.ts'

describe('halted', () => {
  const WHY = 'The chain holds 5 base units of SOL less than the ledger says.'
  const { address } = pendingIntent

  test('nothing is sent from a halted address, the transfer has the reason, and continues after the halt', async () => {
    const world = createMemoryWorld()
    const instance = startInstance(world)
    world.stores.halt(address, WHY)
    for (let round = 0; round < 3; round += 1) {
      await instance.work()
      world.pass(50n)
    }
    expect(world.stores.attempts).toEqual([])
    expect(world.stores.transfer('transfer-1').transfer).toMatchObject({
      status: 'in_progress',
      attemptCount: 0,
      reason: `Nothing is sent from its address for now. ${WHY}`,
    })

    world.stores.halt(address, null)
    for (let round = 0; round < 8; round += 1) {
      await instance.work()
      world.pass(50n)
    }
    expect(world.stores.transfer('transfer-1').transfer.status).toBe('done')
    expect(instance.errors).toEqual([])
  })

  test('an attempt that was stored before the halt is completed', async () => {
    const world = createMemoryWorld()
    const instance = startInstance(world)
    await instance.work()
    expect(world.stores.attempts).toHaveLength(1)
    world.stores.halt(address, WHY)
    for (let round = 0; round < 8; round += 1) {
      world.pass(50n)
      await instance.work()
    }
    expect(world.stores.transfer('transfer-1').transfer.status).toBe('done')
    expect(world.stores.attempts).toMatchObject([{ state: 'final_ok' }])
  })
})

// Another worker takes over the transfers that a killed worker had claimed. Money waits only a short time.
describe('takeover', () => {
  /** Fifty seconds in slots. */
  const WELL_WITHIN_PER_MINUTE = 250n
  const SECOND = 5n

  test('another worker takes over the claims of a killed worker within a minute', async () => {
    const undisturbed = createLife(null)
    await startInstance(createMemoryWorld(), undisturbed).work()
    for (let at = 1; at <= undisturbed.calls(); at += 1) {
      const world = createMemoryWorld()
      const killed = createLife({ at, when: 'after' })
      await startInstance(world, killed).work()
      expect(killed.isOver()).toBe(true)
      world.pass(WELL_WITHIN_PER_MINUTE)
      const successor = startInstance(world, createLife(null), 2)
      // A transaction that was signed and not sent has expired by then: the first round proves it, the second makes another.
      for (let rounds = 0; rounds < 2; rounds += 1) {
        await successor.work()
        world.pass(SECOND)
      }
      expect(world.toy.broadcasts(), `killed ${killed.fellAt()}`).toBeGreaterThan(0)
    }
  })
})

// The transaction by which a provider proves that it kept its history.
describe('known signature', () => {
  const listing = (...numbers: readonly number[]) => ({
    signatures: async () => ({
      entries: numbers.map((number) => ({ signature: signatureNo(number), slot: 1n, failed: false })),
      next: null,
    }),
  })

  test('it is the newest final transaction of the fee payer', async () => {
    expect(await newestSignature(listing(2, 1), addressNo(1))).toBe(signatureNo(2))
  })

  test('a fee payer whose first transaction is not final asks the caller to try again', async () => {
    await expect(newestSignature(listing(), addressNo(1))).rejects.toMatchObject({ code: 'chain_unavailable' })
  })

  describe('the required transaction of an attempt', () => {
    const DAY = 24 * 60 * 60
    const booked = { signature: signatureNo(900), slot: 1_000n, at: NOW }
    const known = (slots: readonly bigint[], now: Date) => {
      let asked = 0
      const signatures = async () => {
        asked += 1
        const entries = slots.map((at) => ({ signature: signatureNo(Number(at)), slot: at, failed: false }))
        return { entries, next: null }
      }
      return knownSignatureOf({ signatures }, addressNo(1), booked, now).then((signature) => ({ signature, asked }))
    }

    test('is the newest of the ledger for a day, and no provider is asked for another', async () => {
      expect(await known([5_000n], later(DAY))).toEqual({ signature: booked.signature, asked: 0 })
    })

    test('is the newest of the fee payer after a day, so that a provider that pruned the ledger’s still proves its history', async () => {
      expect(await known([5_000n, 500n], later(DAY + 1))).toEqual({ signature: signatureNo(5_000), asked: 1 })
    })

    test.each([[[500n]], [[]]])(
      'stays the newest of the ledger when the fee payer has no newer one: %o',
      async (slots) => {
        expect(await known(slots, later(DAY + 1))).toMatchObject({ signature: booked.signature })
      },
    )
  })
})

// A transaction that is in a block and did not run, because the fee payer could not pay: no budget and no books count it.
describe('did not run', () => {
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
    const spender = {
      network,
      kind: 'refund',
      feePayer: FEE_PAYER,
      subjectId: intentId,
      before: null,
      now: world.now(),
    }
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
})
