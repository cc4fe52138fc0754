// What a receipt is made from: the same state gives the same text, and a refund is read with its transactions.
import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Database } from '#adapters/prisma/engine/database.ts'
import { createReceiptSigner } from '#adapters/solana/keys/receipt-signer.ts'
import { ServiceError } from '#core/errors.ts'
import { makeBaseUnits } from '#core/money/amounts.ts'
import { createReceiptServices } from '#services/receipts/receipts.ts'
import { CHARGED, PULLED } from '../../support/charge.ts'
import { openTestDatabase } from '../../support/database.ts'
import { signatureNo } from '../../support/payment.ts'
import { anyReceipted, GENESIS } from '../../support/receipts.ts'
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

const [sample = null] = fc.sample(anyReceipted, { numRuns: 1, seed: 7 })
if (sample === null) throw new Error('a sample has a value')
const { facts } = sample
const sold = { ...facts, intent: { ...facts.intent, callerAccountId: 'm' } }

/** The services at a time when every account has this name. */
const receiptsWith = (label: string, sellerOf: string | null = null) =>
  createReceiptServices({
    work: { facts: async () => sold },
    billing: { chargeTransfer: async () => PULLED },
    refundWork: world.refundWork,
    directory: {
      async account(id) {
        const account = { id, name: label, label, marketplaceAccountId: id === sellerOf ? 'm' : null }
        return account
      },
    },
    receiptSigner: createReceiptSigner(new Uint8Array(64).fill(5), 1),
    publicUrl: 'https://pay.example.com',
    genesisHashOf: () => GENESIS,
  })

const read = (jws: string) => JSON.parse(Buffer.from(jws.split('.')[1] ?? '', 'base64url').toString())

async function refunded() {
  const payment = await world.settled({ amount: 1_000n })
  const { body: created } = await world.create({ payment: payment.id })
  world.land([created.reference_key], [{ from: world.payout, to: created.recipient, amount: 1_000n }])
  world.pass(700_000)
  await world.lookDue()
  const refund = await world.refunds.find(world.tenant, created.id)
  if (refund === null) throw new ServiceError('refund_not_found')
  return refund
}

test('a receipt is the same text after its business, its seller or its marketplace has another name', async () => {
  const charge = { ...CHARGED, status: 'succeeded' as const, signature: signatureNo(7) }
  const refund = await refunded()
  const all = async (label: string) => [
    read((await receiptsWith(label).ofPayment(sold.intent)).jws),
    read((await receiptsWith(label).ofCharge(charge)).jws),
    read((await receiptsWith(label, charge.accountId).ofCharge(charge)).jws),
    read((await receiptsWith(label).ofRefund(refund)).jws),
  ]
  const before = await all('Before')
  expect(await all('After')).toEqual(before)
  const { intent } = sold
  expect(before.map(({ business, seller }) => [business, seller])).toEqual([
    [
      { id: 'm', name: null },
      { id: intent.accountId, name: intent.payeeLabel },
    ],
    [{ id: charge.accountId, name: null }, null],
    [
      { id: 'm', name: null },
      { id: charge.accountId, name: null },
    ],
    [{ id: refund.accountId, name: refund.label }, null],
  ])
})

test('a refund is read with its transactions: one that was found since it was shown breaks no sum', async () => {
  const refund = await refunded()
  const shown = { ...refund, paidAmount: refund.amount }
  const signature = world.land([refund.referenceKey], [])
  const more = { refundId: refund.id, signature, slot: 1_000_001n, amount: refund.amount, paidBy: null }
  const paidAmount = makeBaseUnits(refund.amount * 2n)
  await world.refundWork.apply(refund, { after: { ...refund, paidAmount }, event: null }, [more])
  const receipt = read((await receiptsWith('Shop').ofRefund(shown)).jws)
  expect(receipt).toMatchObject({ paid_amount: '2000', transactions: [{ amount: '1000' }, { amount: '1000' }] })
})
