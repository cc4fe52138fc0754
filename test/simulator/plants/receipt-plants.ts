// Mistakes in receipts.
import { type PaymentReceipt, readReceipt } from '#core/receipts/shape.ts'
import { replaced } from '../ports.ts'
import type { Plant } from './plant.ts'

export const RECEIPT_PLANTS: readonly Plant[] = [
  {
    name: 'receipt-without-leg',
    mistake: 'A receipt leaves out a leg of the settlement, as if its money were still at the address. Its sums hold.',
    below: (ports) => ({
      ...ports,
      receiptSigner: replaced(ports.receiptSigner, {
        sign(payload) {
          const receipt = readReceipt(payload)
          return ports.receiptSigner.sign(receipt.kind === 'payment' ? withoutLeg(receipt) : receipt)
        },
      }),
    }),
  },
]

function withoutLeg(receipt: PaymentReceipt): PaymentReceipt {
  const { legs } = receipt.settlement
  const leg = legs.find(({ role }) => role === 'merchant' || role === 'seller')
  if (leg === undefined) return receipt
  const left = BigInt(receipt.settlement.destination_amount) - BigInt(leg.amount)
  return {
    ...receipt,
    settlement: {
      ...receipt.settlement,
      destination_amount: String(left),
      legs: legs.filter((one) => one !== leg),
    },
    totals: receipt.totals.map((total) =>
      total.mint === leg.mint
        ? {
            ...total,
            settled: String(BigInt(total.settled) - BigInt(leg.amount)),
            remaining: String(BigInt(total.remaining) + BigInt(leg.amount)),
          }
        : total,
    ),
  }
}
