// What a wallet sends of a mint that withholds a fee.
import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { TransferFee } from '#core/chain/types.ts'
import { amountToSend } from '#core/tokens/transfer-fee.ts'

/** What arrives, as the token program calculates it. */
function arrivingOf(sent: bigint, { basisPoints, maximum }: TransferFee): bigint {
  const fee = (sent * BigInt(basisPoints) + 9_999n) / 10_000n
  return sent - (fee < maximum ? fee : maximum)
}
const fee = fc.record({ basisPoints: fc.integer({ min: 0, max: 10_000 }), maximum: fc.bigInt(0n, 2n ** 64n - 1n) })
const due = fc.bigInt(1n, 2n ** 64n - 1n)

test('exactly what is due arrives, whatever the fee', () => {
  fc.assert(fc.property(due, fee, (amount, one) => arrivingOf(amountToSend(amount, [one]), one) === amount))
})

test('what is due arrives before and after a mint changes its fee', () => {
  fc.assert(
    fc.property(due, fee, fee, (amount, older, newer) => {
      const sent = amountToSend(amount, [older, newer])
      return [older, newer].every((one) => arrivingOf(sent, one) >= amount)
    }),
  )
})

test('a mint without a fee is sent what is due', () => {
  expect(amountToSend(25n, [])).toBe(25n)
})
