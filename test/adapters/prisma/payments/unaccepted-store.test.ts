// The record of tokens that are not allowed: bounded, without overflow, and separate from the ledger.
import { beforeAll, beforeEach, expect, test } from 'vitest'
import type { Database } from '#adapters/prisma/engine/database.ts'
import { createUnacceptedStore } from '#adapters/prisma/payments/unaccepted-store.ts'
import { MAX_UNACCEPTED_MINTS } from '#core/payments/deposits/unaccepted.ts'
import type { PaymentIntent } from '#core/payments/payment-intent.ts'
import type { UnacceptedArrival, UnacceptedStore } from '#ports/held.ts'
import { describeOnBothEngines, emptyTables } from '../../../support/database.ts'
import { addressNo, later, NOW, signatureNo, UNKNOWN_MINT, units } from '../../../support/payment.ts'
import { addBusiness, addIntent, type Stores, storesOf } from '../../../support/stores.ts'

const MAX = 2n ** 64n - 1n

const arrival = (number: number, patch: Partial<UnacceptedArrival> = {}): UnacceptedArrival => ({
  asset: UNKNOWN_MINT,
  amount: units(10n),
  signature: signatureNo(number),
  slot: BigInt(number),
  ...patch,
})

describeOnBothEngines('the record of tokens that are not allowed', (open) => {
  let db: Database
  let stores: Stores
  let store: UnacceptedStore
  let intent: PaymentIntent
  beforeAll(async () => {
    db = await open()
    stores = storesOf(db)
    store = createUnacceptedStore(db)
  })
  beforeEach(async () => {
    await emptyTables(db, 'accounts', 'ledger_entries', 'tokens')
    intent = await addIntent(stores, await addBusiness(db))
  })
  const record = (arrivals: readonly UnacceptedArrival[], now = NOW) => store.record(intent.id, arrivals, now)
  const list = () => store.list({ network: null, intent: { id: intent.id }, limit: 100 })

  test('shows the count, the amount, and the first and latest transaction of each token', async () => {
    await record([arrival(2), arrival(1)])
    await record([arrival(3)], later(60))
    expect(await list()).toEqual([
      {
        intentId: intent.id,
        intentIndex: intent.derivationIndex,
        network: 'live',
        address: intent.address,
        mint: UNKNOWN_MINT,
        isAllowed: false,
        arrivals: 3n,
        amount: 30n,
        firstSignature: signatureNo(1),
        lastSignature: signatureNo(3),
        firstSeenAt: NOW,
        lastSeenAt: later(60),
      },
    ])
  })

  test('counts a block that is read twice once', async () => {
    await record([arrival(1), arrival(2)])
    await record([arrival(1), arrival(2)])
    expect(await list()).toMatchObject([{ arrivals: 2n, amount: 20n }])
  })

  test('adds up amounts beyond 64 bits', async () => {
    await record([arrival(1, { amount: units(MAX) }), arrival(2, { amount: units(MAX) })])
    expect(await list()).toMatchObject([{ amount: 2n * MAX }])
  })

  test('distinguishes a bounded number of mints of a payment, and only counts the others', async () => {
    const mints = Array.from({ length: MAX_UNACCEPTED_MINTS + 5 }, (_, at) => arrival(at, { asset: addressNo(at) }))
    for (const one of mints) await record([one])
    await record(mints.map((one) => ({ ...one, slot: one.slot + 100n })))
    const known = await list()
    expect(known.filter(({ mint }) => mint !== null)).toHaveLength(MAX_UNACCEPTED_MINTS)
    expect(known.filter(({ mint }) => mint === null)).toMatchObject([{ arrivals: 10n, amount: null }])
    expect(known.every(({ mint, arrivals }) => mint === null || arrivals === 2n)).toBe(true)
  })
})
