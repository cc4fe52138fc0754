// The record of tokens that are not allowed: bounded, without overflow, and separate from the ledger.
import { readdirSync, readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { Database } from '#adapters/prisma/engine/database.ts'
import { createUnacceptedStore } from '#adapters/prisma/payments/unaccepted-store.ts'
import { MAX_UNACCEPTED_MINTS } from '#core/payments/deposits/unaccepted.ts'
import type { PaymentIntent } from '#core/payments/payment-intent.ts'
import type { UnacceptedArrival, UnacceptedStore } from '#ports/unaccepted.ts'
import { describeOnBothEngines, emptyTables } from '../../../support/database.ts'
import { addressNo, later, NOW, signatureNo, UNKNOWN_MINT, units } from '../../../support/payment.ts'
import { addBusiness, addIntent, type Stores, storesOf } from '../../../support/stores.ts'

const MAX = 2n ** 64n - 1n
const MIGRATIONS = resolve(import.meta.dirname, '../../../../prisma/migrations')

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

  describe('when the tables are migrated', () => {
    const moveStored = async () => {
      const name = readdirSync(MIGRATIONS).find((one) => one.endsWith('unaccepted_tokens')) ?? ''
      // The enum value was renamed since.
      const sql = readFileSync(resolve(MIGRATIONS, name, 'migration.sql'), 'utf8').replaceAll(
        `"use" = 'held'`,
        `"use" = 'unaccepted'`,
      )
      await db.session((session) => session.script(sql.slice(sql.indexOf('-- Moves what was stored'))))
    }
    const addStored = (number: number, asset: string, use = 'unaccepted', state = 'final') =>
      db.query(
        `INSERT INTO deposits (network, intent_id, account, asset, amount, signature, slot, senders, state, use, seen_at)
         VALUES ('live', $1, $2, $3, $4, $5, $6, '[]', $7::deposit_state, $8::deposit_use, $9)`,
        [intent.id, addressNo(90), asset, MAX, signatureNo(number), number, state, use, NOW],
      )
    const setHeld = (...mints: string[]) =>
      db.query('UPDATE payment_intents SET held = $2::jsonb WHERE id = $1', [
        intent.id,
        JSON.stringify(mints.map((mint) => ({ mint, amount: '1', reason: 'This token is not accepted here.' }))),
      ])
    const stored = async () =>
      (await db.query<{ asset: string }>('SELECT asset FROM deposits ORDER BY slot')).map(({ asset }) => asset)

    test('deposits of tokens that are not allowed become a record, and the ledger stays', async () => {
      await addStored(1, UNKNOWN_MINT)
      await addStored(2, UNKNOWN_MINT)
      await addStored(3, 'SOL', 'late')
      await db.query(
        `INSERT INTO ledger_entries (network, address, account, asset, delta, signature, slot, kind)
         VALUES ('live', $1, $2, $3, 1, $4, 1, 'deposit')`,
        [intent.address, addressNo(90), UNKNOWN_MINT, signatureNo(1)],
      )
      await setHeld(UNKNOWN_MINT)
      await moveStored()
      expect(await stored()).toEqual(['SOL'])
      expect(await list()).toMatchObject([
        { mint: UNKNOWN_MINT, arrivals: 2n, amount: 2n * MAX, firstSignature: signatureNo(1), firstSeenAt: NOW },
      ])
      expect(await db.query('SELECT held FROM payment_intents')).toEqual([{ held: [] }])
      expect(await db.query('SELECT count(*)::int AS entries FROM ledger_entries')).toEqual([{ entries: 1 }])
    })

    test('a deposit that is allowed, accepted or used by a transfer stays a deposit', async () => {
      const [allowed, drawn] = [addressNo(91), addressNo(92)]
      await db.query(
        `INSERT INTO tokens (network, asset, mint, is_native, name, ticker, decimals, extensions, feed_key, updated_at)
         VALUES ('live', $1, $1, false, 'A', 'A', 6, '{}', 'A', now())`,
        [allowed],
      )
      await db.query(
        `INSERT INTO transfers (key, network, subject_kind, subject_id, kind, account_id, intent_id, source, authority,
           authority_key, asset, decimals, updated_at)
         VALUES ('release:1', 'live', 'payment', $2, 'release', $1, $2, $3, $3, 'deposit/1/1', $4, 6, now())`,
        [intent.accountId, intent.id, intent.address, drawn],
      )
      await addStored(1, allowed)
      await addStored(2, drawn)
      await setHeld(allowed, drawn)
      await moveStored()
      expect(await stored()).toEqual([allowed, drawn])
      expect(await list()).toEqual([])
      expect(await db.query('SELECT jsonb_array_length(held) AS parts FROM payment_intents')).toEqual([{ parts: 2 }])
    })
  })
})
