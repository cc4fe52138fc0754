// Stored refunds by businesses: what the database itself refuses, and whose they are.
import { randomBytes, randomUUID } from 'node:crypto'
import { beforeAll, describe, expect, test } from 'vitest'
import type { Database } from '#adapters/prisma/engine/database.ts'
import { createRefundStore, createRefundWorkStore } from '#adapters/prisma/refunds/refund-store.ts'
import { createTenantReads } from '#adapters/prisma/tenant-reads.ts'
import type { Tenant } from '#core/accounts/account.ts'
import { SERVICE_ACTOR } from '#core/accounts/audit.ts'
import { addressOfBytes } from '#core/chain/public-key.ts'
import { SOL } from '#core/chain/types.ts'
import { ServiceError } from '#core/errors.ts'
import { ZERO } from '#core/money/amounts.ts'
import { cancelRefund, endUnpaid, withTransactions } from '#core/refunds/observe.ts'
import type { Counted, Settled } from '#core/refunds/plan.ts'
import type { Refund } from '#core/refunds/refund.ts'
import { describeOnBothEngines } from '../../../support/database.ts'
import { exampleRefund } from '../../../support/example-refund.ts'
import { later, NOW, signatureNo, units } from '../../../support/payment.ts'
import { addBusiness, addIntent, storesOf } from '../../../support/stores.ts'

const LIMIT = 1_000n

describeOnBothEngines('stored refunds', (open) => {
  let db: Database
  let mine: Tenant
  let other: Tenant
  let refunds: ReturnType<typeof createRefundStore>
  let work: ReturnType<typeof createRefundWorkStore>
  beforeAll(async () => {
    db = await open()
    mine = await addBusiness(db)
    other = await addBusiness(db)
    refunds = createRefundStore(db)
    work = createRefundWorkStore(db)
  })

  async function payment(): Promise<Settled> {
    const { id } = await addIntent(storesOf(db), mine)
    return {
      intentId: id,
      chargeId: null,
      subscriptionId: null,
      network: 'live',
      callerAccountId: mine.accountId,
      asset: SOL,
      decimals: 9,
      tokenProgram: null,
      label: 'Corner Shop',
      amount: units(LIMIT),
      cut: ZERO,
      rate: { units: units(LIMIT), cents: 100n },
      payee: { accountId: mine.accountId, wallet: exampleRefund.payer },
      marketplace: null,
      senders: [],
    }
  }
  const refundOf = ({ intentId }: Settled, patch: Partial<Refund> = {}): Refund => ({
    ...exampleRefund,
    id: randomUUID(),
    accountId: mine.accountId,
    callerAccountId: mine.accountId,
    intentId,
    referenceKey: addressOfBytes(randomBytes(32)),
    reference: null,
    amount: units(30n),
    nextLookAt: NOW,
    ...patch,
  })
  const by = () => ({ tenant: mine, actor: SERVICE_ACTOR })
  const within =
    (settled: Settled, patch: Partial<Refund> = {}) =>
    ({ total }: Counted) => {
      const refund = refundOf(settled, patch)
      if (total + refund.amount > settled.amount) throw new ServiceError('refund_too_large')
      return [refund]
    }
  const create = async (settled: Settled, patch: Partial<Refund> = {}) =>
    (await refunds.create(by(), settled, patch.reference ?? null, within(settled, patch))).refund

  test('take at most what settled, of 100 that are created at the same moment', async () => {
    const settled = await payment()
    const answers = await Promise.allSettled(Array.from({ length: 100 }, () => create(settled)))
    expect(answers.filter(({ status }) => status === 'fulfilled')).toHaveLength(33)
    expect((await refunds.refundsOf([settled.intentId ?? ''])).get(settled.intentId ?? '')?.total).toBe(990n)
  })

  test('with one reference are one, of 100 that are created at the same moment for several payments', async () => {
    const payments = await Promise.all([payment(), payment(), payment()])
    const answers = await Promise.all(
      Array.from({ length: 100 }, (_, at) => {
        const settled = payments[at % 3] ?? refuse()
        return refunds.create(by(), settled, 'once', within(settled, { reference: 'once' }))
      }),
    )
    expect(answers.filter(({ created }) => created)).toHaveLength(1)
    expect(new Set(answers.map(({ refund }) => refund.id)).size).toBe(1)
  })

  test('are refused by the database when a decision exceeds what settled', async () => {
    const settled = await payment()
    const exceeding = () => [refundOf(settled, { amount: units(LIMIT + 1n) })]
    await expect(refunds.create(by(), settled, null, exceeding)).rejects.toThrow('refund_limits_counted')
    const { refund } = await refunds.create(by(), settled, null, () => [refundOf(settled, { amount: units(LIMIT) })])
    expect(refund.amount).toBe(LIMIT)
    await expect(
      db.query('DELETE FROM refund_limits WHERE subject_id = $1::uuid', [settled.intentId]),
    ).resolves.toEqual([])
    await expect(work.apply(refund, endUnpaid(refund, NOW), [])).rejects.toThrow('a refund has no limit')
  })

  test('take nothing once they have ended canceled, and only what was paid when they failed', async () => {
    const settled = await payment()
    const [canceled, failed] = [await create(settled), await create(settled)]
    const taken = async () => (await refunds.refundsOf([settled.intentId ?? ''])).get(settled.intentId ?? '')?.total
    const stored = await work.apply(canceled, cancelRefund(canceled, SERVICE_ACTOR, NOW), [])
    expect(await taken()).toBe(canceled.amount + failed.amount)
    if (stored === null) throw new Error('not stored')
    await work.apply(stored, endUnpaid(stored, NOW), [])
    const paid = { refundId: failed.id, signature: signatureNo(1), slot: 1n, amount: units(7n), paidBy: null }
    const { after } = withTransactions(failed, [paid], null, NOW)
    await work.apply(failed, endUnpaid(after, NOW), [paid])
    expect(await taken()).toBe(7n)
  })

  test('count a transaction once, and change only where no other change came between', async () => {
    const settled = await payment()
    const refund = await create(settled)
    const paid = { refundId: refund.id, signature: signatureNo(2), slot: 1n, amount: units(7n), paidBy: null }
    const change = withTransactions(refund, [paid], null, NOW)
    const stored = await work.apply(refund, change, [paid])
    expect(stored).toMatchObject({ status: 'processing', version: 2, paidAmount: 7n })
    expect(await work.apply(refund, change, [paid])).toBeNull()
    if (stored === null) throw new Error('not stored')
    await expect(work.apply(stored, withTransactions(stored, [paid, paid], null, NOW), [paid])).rejects.toThrow()
    expect(await work.transactions(refund.id)).toEqual([paid])
  })

  test('keep their version while nothing that is shown changes', async () => {
    const refund = await create(await payment())
    const after = { ...refund, lookedAt: NOW, nextLookAt: later(5) }
    expect(await work.apply(refund, { after, event: null }, [])).toMatchObject({ version: 1, nextLookAt: later(5) })
  })

  test('are due in the order of their times, and found by their keys', async () => {
    const settled = await payment()
    const [late, soon] = [
      await create(settled, { nextLookAt: later(-50) }),
      await create(settled, { nextLookAt: later(-99) }),
    ]
    const due = await work.due('live', later(-40), 10)
    expect(due.map(({ id }) => id)).toEqual([soon.id, late.id])
    const named = await work.named('live', [late.referenceKey, exampleRefund.payer])
    expect(named.map(({ id }) => id)).toEqual([late.id])
    expect(await work.named('test', [late.referenceKey])).toEqual([])
  })

  test('are due by turns, so one business with many does not keep another waiting', async () => {
    const settled = await payment()
    for (let at = 0; at < 3; at += 1) await create(settled, { nextLookAt: later(-300 + at) })
    const { accountId: callerAccountId } = await addBusiness(db)
    const last = await create(settled, { callerAccountId, nextLookAt: later(-250) })
    expect((await work.due('live', later(-240), 2)).map(({ id }) => id)).toContain(last.id)
  })

  describe('are those of the business', () => {
    test('by their ids, their references and in lists, and of no other', async () => {
      const refund = await create(await payment(), { reference: 'mine' })
      expect((await refunds.find(mine, refund.id))?.id).toBe(refund.id)
      expect(await refunds.find(other, refund.id)).toBeNull()
      expect(await refunds.findByReference(other, 'mine')).toBeNull()
      const reads = (tenant: Tenant) => createTenantReads(db.prisma)(tenant).refund
      expect(await reads(mine).findUnique({ where: { id: refund.id } })).toEqual(refund)
      expect(await reads(other).findUnique({ where: { id: refund.id } })).toBeNull()
      for (const where of [{}, { id: refund.id }, { OR: [{ accountId: mine.accountId }] }])
        expect(await reads(other).findMany({ where })).toEqual([])
    })
  })
})

const refuse = (): never => {
  throw new Error('there is a payment')
}
