// What a refund by a business would be now: what can go back, to which wallet, and which wallet pays.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Database } from '#adapters/prisma/engine/database.ts'
import { openTestDatabase } from '../support/database.ts'
import { units } from '../support/payment.ts'
import { createRefundWorld, type RefundWorld, wallet } from '../support/refund-world.ts'
import { API_KEY, withKey } from '../support/services.ts'

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

const TERMS = `query($paymentId: String, $chargeId: String) {
  terms: refundTerms(paymentId: $paymentId, chargeId: $chargeId) { refundable recipient most payer }
}`

/** Returns the terms, or the code of the refusal. */
async function terms(of: object) {
  const { body } = await world.service.graphql(TERMS, of, withKey(API_KEY))
  return body.data.terms ?? body.errors[0].extensions.code
}

describe('the terms of a refund', () => {
  it('name the wallet that paid, and what refunds before have left', async () => {
    const { id, buyer, amount } = await world.settled()
    expect(await terms({ paymentId: id })).toEqual({
      refundable: String(amount),
      recipient: buyer,
      most: String(amount),
      payer: world.payout,
    })
    await world.create({ payment: id, amount: 400 })
    expect(await terms({ paymentId: id })).toMatchObject({
      refundable: String(amount - 400n),
      most: String(amount - 400n),
    })
  })

  it('give each of several wallets at most what it paid, and name the next one', async () => {
    const [small, large] = [await wallet(), await wallet()]
    const senders = [
      { address: small, amount: units(300n) },
      { address: large, amount: units(700n) },
    ]
    const { id } = await world.settled({ senders, amount: 1_000n })
    expect(await terms({ paymentId: id })).toMatchObject({ refundable: '1000', recipient: large, most: '700' })
    await world.create({ payment: id })
    expect(await terms({ paymentId: id })).toMatchObject({ refundable: '300', recipient: small, most: '300' })
  })

  it('are what a refund without an amount and an address is', async () => {
    const { id } = await world.settled({ amount: 7_777n })
    const { recipient, most, payer } = await terms({ paymentId: id })
    const { body } = await world.create({ payment: id })
    expect(body).toMatchObject({ recipient, amount: Number(most), payer })
  })

  it('name no wallet where none is known: an exchange, no sender, or the wallet that would pay', async () => {
    const custodian = await wallet()
    world.custodians.set(custodian, 'Exchange')
    for (const senders of [[custodian], [], [world.payout]].map((all) =>
      all.map((address) => ({ address, amount: units(500n) })),
    )) {
      const { id } = await world.settled({ senders, amount: 500n })
      expect(await terms({ paymentId: id })).toMatchObject({ refundable: '500', recipient: null, most: '500' })
      expect((await world.create({ payment: id })).headers.get('error-code')).toBe('refund_recipient_unknown')
    }
  })

  it('are refused for what has not settled, for what the business does not have, and for two things at once', async () => {
    const { id } = await world.settled({ legs: [] })
    const NO_ID = '6f1c1f6e-7f3b-4a58-9a0e-2f6c0f3f9a99'
    expect(await terms({ paymentId: id })).toBe('nothing_settled')
    expect(await terms({ paymentId: NO_ID })).toBe('intent_not_found')
    expect(await terms({ chargeId: NO_ID })).toBe('charge_not_found')
    expect(await terms({})).toBe('invalid_request')
    expect(await terms({ paymentId: id, chargeId: NO_ID })).toBe('invalid_request')
  })
})
