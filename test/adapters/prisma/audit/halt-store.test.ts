// Halted addresses: one open halt each, kept after its end, and seen by every worker that would send from them.
import { randomUUID } from 'node:crypto'
import { beforeAll, beforeEach, expect, test } from 'vitest'
import { createHaltStore } from '#adapters/prisma/audit/halt-store.ts'
import type { Database } from '#adapters/prisma/engine/database.ts'
import { createOperatorStore } from '#adapters/prisma/platform/operator-store.ts'
import type { Fault } from '#core/audit/faults.ts'
import { makeBlockhash } from '#core/chain/base58.ts'
import { SOL } from '#core/chain/types.ts'
import type { PaymentIntent } from '#core/payments/payment-intent.ts'
import type { HaltStore } from '#ports/halts.ts'
import { describeOnBothEngines, emptyTables } from '../../../support/database.ts'
import { addressNo, later, NOW, signatureNo } from '../../../support/payment.ts'
import { addBusiness, addIntent, claimAll, planSweepOf, type Stores, storesOf } from '../../../support/stores.ts'

const missing = (amount: bigint): Fault => ({ kind: 'chain_has_less', account: addressNo(1), asset: SOL, amount })

describeOnBothEngines('the halt store', (open) => {
  let db: Database
  let stores: Stores
  let halts: HaltStore
  let intent: PaymentIntent
  beforeAll(async () => {
    db = await open()
    stores = storesOf(db)
    halts = createHaltStore(db)
  })
  beforeEach(async () => {
    await emptyTables(db, 'accounts', 'ledger_entries')
    intent = await addIntent(stores, await addBusiness(db))
  })

  const halt = (faults: readonly Fault[] = [missing(-5n)], haltedAt = NOW, reason = 'Five are missing.') => {
    const { network, address, id: intentId } = intent
    return halts.halt({ network, address, intentId, reason, faults, haltedAt })
  }
  const only = async () => {
    const [first, ...others] = await halts.open('live')
    if (first === undefined || others.length > 0) throw new Error('there is one halt')
    return first
  }
  const byOperator = { by: 'operator', reason: 'The issuer took them.', at: later(9) } as const

  test('a halt is shown with all fields and its payment', async () => {
    const faults = [missing(-(2n ** 64n)), { kind: 'other_address', account: null, asset: null, amount: 0n } as const]
    expect(await halt(faults)).toBe(true)
    expect(await halts.open('live')).toEqual([
      {
        id: expect.any(String),
        network: 'live',
        address: intent.address,
        intentId: intent.id,
        intentIndex: intent.derivationIndex,
        reason: 'Five are missing.',
        faults,
        haltedAt: NOW,
        clearedAt: null,
        clearedBy: null,
        clearedReason: null,
      },
    ])
    expect(await halts.open('test')).toEqual([])
  })

  test('an address that is already halted stays halted, and shows the newer difference', async () => {
    expect(await halt()).toBe(true)
    expect(await halt([missing(-7n)], later(60), 'Seven are missing.')).toBe(false)
    expect(await only()).toMatchObject({ reason: 'Seven are missing.', faults: [missing(-7n)], haltedAt: NOW })
  })

  test('ends once, and is kept', async () => {
    await halt()
    const { id } = await only()
    expect(await halts.clear(id, { by: 'reconciled', reason: null, at: later(9) })).toMatchObject({
      clearedAt: later(9),
      clearedBy: 'reconciled',
    })
    expect(await halts.clear(id, byOperator)).toBeNull()
    expect(await halts.clear(randomUUID(), byOperator)).toBeNull()
    expect(await halts.open('live')).toEqual([])
    expect(await halts.list({ network: null, open: true, limit: 10 })).toEqual([])
    expect(await halts.list({ network: 'test', open: false, limit: 10 })).toEqual([])
    expect(await halts.list({ network: 'live', open: false, limit: 10 })).toMatchObject([{ clearedReason: null }])
  })

  test('after it reconciled, the same difference halts again', async () => {
    await halt()
    await halts.clear((await only()).id, { by: 'reconciled', reason: null, at: later(9) })
    expect(await halt(undefined, later(60))).toBe(true)
  })

  test('the operator’s decision applies to the known difference, and to no other', async () => {
    await halt()
    expect(await halts.clear((await only()).id, byOperator)).toMatchObject({ clearedReason: 'The issuer took them.' })
    expect(await halt(undefined, later(60))).toBe(false)
    expect(await halts.open('live')).toEqual([])
    expect(await halt([missing(-6n)], later(70))).toBe(true)
    expect((await halts.list({ network: null, open: false, limit: 10 })).map(({ faults }) => faults)).toEqual([
      [missing(-6n)],
      [missing(-5n)],
    ])
  })

  test('is counted for the operator while it is open', async () => {
    const counts = () => createOperatorStore(db).counts({ waitingSince: NOW })
    await halt()
    expect(await counts()).toMatchObject({ haltedAddresses: 1 })
    await halts.clear((await only()).id, byOperator)
    expect(await counts()).toMatchObject({ haltedAddresses: 0 })
  })

  test('when a halt and an attempt are stored at the same moment, no attempt is stored after the halt is committed', async () => {
    for (let round = 0; round < 5; round += 1) {
      intent = await planSweepOf(stores, await addIntent(stores, await addBusiness(db)))
      const [leased] = await claimAll(stores.transfers)
      if (leased === undefined) throw new Error('one was planned')
      const { transfer, lease } = leased
      const attempt = {
        id: randomUUID(),
        transferId: transfer.id,
        number: 1,
        source: transfer.source,
        message: Uint8Array.of(1),
        harvestWithheld: false,
        lifetime: { blockhash: makeBlockhash(addressNo(1)), lastValidBlockHeight: 150n },
        knownSignature: signatureNo(1),
        createdAt: NOW,
      }
      const halted = halt()
      const after = halted.then(() => stores.transfers.prepareAttempt(lease, attempt))
      const concurrent = stores.transfers.prepareAttempt(lease, { ...attempt, id: randomUUID() })
      await halted
      const count = () => db.query('SELECT id FROM transfer_attempts WHERE transfer_id = $1', [transfer.id])
      const known = (await count()).length
      expect(await after).toBeNull()
      await concurrent
      expect((await count()).length).toBe(known)
    }
  })
})
