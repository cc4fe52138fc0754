// The figures of a payment that was settled many times.
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { add } from '#core/money/amounts.ts'
import type { Settlement } from '#core/payments/intent-values.ts'
import { settlementOf } from '#core/payments/machine/booking.ts'
import { NEWEST } from '#core/payments/returns/newest.ts'
import { mergeSettlements } from '#core/payments/settlement/merge-settlements.ts'
import { MERCHANT } from '../../../support/example-intent.ts'
import { addressNo, FEE_PAYER, leg, PLATFORM, signatureNo, sweepOf } from '../../../support/payment.ts'

const NEW_WALLET = addressNo(9_050)

type Amounts = { readonly seller: bigint; readonly platform: bigint; readonly isNewWallet: boolean }

/** The settlement by the transaction of that number. */
const settled = ({ seller, platform, isNewWallet }: Amounts, number: number): Settlement => {
  const legs = [
    leg('seller', isNewWallet ? NEW_WALLET : MERCHANT, seller),
    leg('platform', PLATFORM, platform, 100),
    leg('network_fee', FEE_PAYER, 5_000n),
  ]
  const moved = legs.map(({ amount }) => amount)
  return settlementOf(sweepOf({ legs }), moved, signatureNo(number), { ticker: 'SOL' })
}

const total = (legs: Settlement['legs']): bigint => add(...legs.map(({ amount }) => amount))

const amounts = fc.record({
  seller: fc.bigInt({ min: 1n, max: 10n ** 12n }),
  platform: fc.bigInt({ min: 1n, max: 10n ** 9n }),
  isNewWallet: fc.boolean(),
})

test('legs add up to what was received, and the newest transactions keep theirs, however many there are', () => {
  fc.assert(
    fc.property(fc.array(amounts, { minLength: 1, maxLength: 60 }), (given) => {
      const parts = given.map(settled)
      const merged = parts.reduce(mergeSettlements)
      const newest = parts.slice(-NEWEST)
      expect(merged.signatures).toEqual(newest.flatMap(({ signatures }) => signatures))
      expect(merged.legs.slice(-newest.length * 3)).toEqual(newest.flatMap(({ legs }) => legs))
      expect(total(merged.legs)).toBe(total(parts.flatMap(({ legs }) => legs)))
      expect(merged.destinationAmount).toBe(add(...parts.map((one) => one.destinationAmount)))
      expect(merged.platformFeeAmount).toBe(add(...parts.map((one) => one.platformFeeAmount)))
    }),
    { numRuns: 200 },
  )
})

test('earlier transactions have one leg for each recipient and purpose, with the newest of them', () => {
  const moved = [1n, 2n, 4n].map((seller, at) => ({ seller, platform: 1n, isNewWallet: at === 2 }))
  const parts = [...moved, ...Array.from({ length: NEWEST }, () => ({ seller: 8n, platform: 1n, isNewWallet: false }))]
  const { legs } = parts.map(settled).reduce(mergeSettlements)
  expect(
    legs
      .slice(0, -NEWEST * 3)
      .map(({ role, destination, amount, signature }) => [role, destination, amount, signature]),
  ).toEqual([
    ['seller', MERCHANT, 3n, signatureNo(1)],
    ['platform', PLATFORM, 3n, signatureNo(2)],
    ['network_fee', FEE_PAYER, 15_000n, signatureNo(2)],
    ['seller', NEW_WALLET, 4n, signatureNo(2)],
  ])
})
