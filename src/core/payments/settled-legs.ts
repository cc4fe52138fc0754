// The legs of a settlement in amounts that can be added up, and their worth in US dollars at the rate that the payment was locked
// at. Over any payments, the sums are the figures of the marketplace: docs/contract.md, "Stats".
import type { SettlementLeg } from '#core/payments/intent-values.ts'
import type { PaymentIntent } from '#core/payments/payment-intent.ts'

/** `microcents`: millionths of a US cent. 0 for a refund, which is no volume. */
export type SettledLeg = SettlementLeg & { readonly microcents: bigint }

const MICROCENTS_IN_CENT = 1_000_000n

/**
 * Returns the legs of a payment, in their order. Each is rounded so that those of a payment add up to the rounded worth of them all,
 * and those of the marketplace to that of its fee: nothing is lost between the rows.
 */
export function settledLegsOf({
  settlement,
  selection,
  priceUsdCents,
}: Pick<PaymentIntent, 'settlement' | 'selection' | 'priceUsdCents'>): readonly SettledLeg[] {
  const legs = settlement?.legs ?? []
  const worth = (amount: bigint): bigint =>
    selection === null || selection.expected === 0n
      ? 0n
      : (amount * priceUsdCents * MICROCENTS_IN_CENT) / selection.expected
  const worths = new Map<SettlementLeg, bigint>()
  let before = 0n
  for (const leg of [...legs.filter(isFee), ...legs.filter((leg) => !isFee(leg) && leg.role !== 'refund')]) {
    worths.set(leg, worth(before + leg.amount) - worth(before))
    before += leg.amount
  }
  return legs.map((leg) => ({ ...leg, microcents: worths.get(leg) ?? 0n }))
}

const isFee = ({ role }: SettlementLeg): boolean => role === 'marketplace'
