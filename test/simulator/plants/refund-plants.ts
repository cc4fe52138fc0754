// Mistakes in refunds by businesses.
import type { Address } from '#core/chain/types.ts'
import { add, makeBaseUnits, sumOf, ZERO } from '#core/money/amounts.ts'
import { replaced } from '../ports.ts'
import type { Plant } from './plant.ts'

export const REFUND_PLANTS: readonly Plant[] = [
  {
    name: 'refunds-beyond-limit',
    mistake: 'A refund by a business is decided as if it were the first, and the database has no limit.',
    sql: 'ALTER TABLE refund_limits DROP CONSTRAINT refund_limits_counted',
    above: (ports) => ({
      ...ports,
      refunds: replaced(ports.refunds, {
        create: (by, settled, reference, decide) =>
          ports.refunds.create(by, settled, reference, (counted) =>
            decide({ ...counted, total: ZERO, byRecipient: new Map() }),
          ),
      }),
    }),
  },
  {
    name: 'refund-amount-not-checked',
    mistake: 'A refund by a business has succeeded with any amount.',
    sql: 'ALTER TABLE refunds DROP CONSTRAINT refunds_paid',
    above: (ports) => ({
      ...ports,
      refundWork: replaced(ports.refundWork, {
        apply: (before, { after, event }, found) =>
          ports.refundWork.apply(
            before,
            after.status === 'processing'
              ? { after: { ...after, status: 'succeeded', endedAt: after.updatedAt }, event: 'refund.succeeded' }
              : { after, event },
            found,
          ),
      }),
    }),
  },
  {
    name: 'refund-recipient-not-checked',
    mistake: 'What any wallet gets by a transaction counts for the refund that it names.',
    above(ports) {
      const recipients = new Set<Address>()
      return {
        ...ports,
        refundWork: replaced(ports.refundWork, {
          async due(...asked) {
            const due = await ports.refundWork.due(...asked)
            for (const { recipient } of due) recipients.add(recipient)
            return due
          },
        }),
        chain: replaced(ports.chain, {
          async transaction(signature) {
            const one = await ports.chain.transaction(signature)
            if (one === null) return null
            const risen = one.changes.filter(({ owner, before, after }) => after > before && !recipients.has(owner))
            const meant = risen.flatMap((change) => [...recipients].map((owner) => ({ ...change, owner })))
            return { ...one, changes: [...one.changes, ...meant] }
          },
        }),
      }
    },
  },
  {
    name: 'refund-transaction-counted-twice',
    mistake: 'A transaction counts for a refund each time it is found.',
    above: (ports) => ({
      ...ports,
      refundWork: replaced(ports.refundWork, {
        apply(before, { after, event }, found) {
          const again = makeBaseUnits(sumOf(found.map(({ amount }) => amount)))
          const paidAmount = add(after.paidAmount, again)
          const isPaid = paidAmount >= after.amount && after.status === 'processing'
          const status = isPaid ? 'succeeded' : after.status
          const endedAt = isPaid ? after.updatedAt : after.endedAt
          return ports.refundWork.apply(before, { after: { ...after, paidAmount, status, endedAt }, event }, found)
        },
      }),
    }),
  },
]
