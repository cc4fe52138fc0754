import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { SOL } from '#core/chain/types.ts'
import { EXAMPLE_MONTHS, examplePayments } from '#core/sandbox/example-payments.ts'
import { simulatePayment, simulateWrongAsset } from '#core/sandbox/simulated-deposit.ts'
import { MINT } from '../support/example-intent.ts'
import { choice, intentWith, SOL_TOKEN, USDC, units } from '../support/payment.ts'

describe('example payments', () => {
  const NOW = new Date('2026-11-30T09:00:00.000Z')
  const MONTH_MS = 28 * 86_400_000
  const half = () => 0.5

  it('a month has payments of its own four weeks only, and none whose window is open', () => {
    fc.assert(
      fc.property(
        fc.nat(EXAMPLE_MONTHS - 1),
        fc.infiniteStream(fc.double({ min: 0, max: 0.999, noNaN: true })),
        (month, drawn) => {
          const end = NOW.getTime() - month * MONTH_MS
          for (const { createdAt } of examplePayments(month, NOW, () => drawn.next().value ?? 0)) {
            expect(createdAt.getTime()).toBeLessThan(end - 600_000)
            expect(createdAt.getTime()).toBeGreaterThanOrEqual(end - MONTH_MS)
          }
        },
      ),
    )
  })

  it('a later month has more payments than an early one', () => {
    const count = (month: number) => examplePayments(month, NOW, half).length
    expect(count(0)).toBeGreaterThan(2 * count(EXAMPLE_MONTHS - 1))
  })

  it('only the last week has payments that need a person', () => {
    const draws = [0.99]
    const failed = [0, 1].map((month) =>
      examplePayments(month, NOW, () => draws[0] ?? 0).filter(({ outcome }) => outcome === 'settle_failed'),
    )
    expect(failed[0]?.length).toBeGreaterThan(0)
    expect(failed[1]).toEqual([])
  })
})

describe('a simulated deposit', () => {
  const selection = choice(SOL, 1_001n)

  describe('a simulated payment', () => {
    const intent = intentWith({ selection })
    it.each([
      ['exact', 1_001n],
      ['under', 501n],
      ['over', 1_502n],
    ] as const)('that is %s of 1,001 units sends %d', (kind, amount) => {
      expect(simulatePayment(intent, kind, selection)).toEqual({ asset: SOL, amount })
    })

    it('that is over never asks for more than an amount can be', () => {
      const largest = choice(SOL, 2n ** 64n - 1n)
      expect(simulatePayment(intentWith({ selection: largest }), 'over', largest).amount).toBe(2n ** 64n - 1n)
    })

    it('of an underpaid intent sends what is missing', () => {
      const underpaid = intentWith({ selection, status: 'underpaid', received: units(1_000n) })
      expect(simulatePayment(underpaid, 'exact', selection).amount).toBe(1n)
    })

    it('of a paid intent sends the whole price once more: a late payment', () => {
      const swept = intentWith({ selection, status: 'swept', received: units(1_001n) })
      expect(simulatePayment(swept, 'exact', selection).amount).toBe(1_001n)
    })
  })

  describe('a simulated wrong asset', () => {
    it('is allowed on the platform, and not what was selected', () => {
      expect(simulateWrongAsset(intentWith({ selection }), [SOL_TOKEN, USDC])).toEqual({
        asset: MINT,
        amount: 100_000n,
      })
    })

    it.each([
      [0, 1n],
      [1, 1n],
      [255, 2n ** 64n - 1n],
    ])('of a token with %d decimals is an amount above 0', (decimals, amount) => {
      expect(simulateWrongAsset(intentWith({ selection }), [{ ...USDC, decimals }])).toMatchObject({ amount })
    })

    it('is never one that the intent accepts, as long as nothing is selected', () => {
      expect(simulateWrongAsset(intentWith({ acceptedAssets: [SOL, MINT] }), [SOL_TOKEN, USDC])).toBeNull()
    })

    it('is never one that the platform no longer allows', () => {
      expect(simulateWrongAsset(intentWith({ selection }), [SOL_TOKEN, { ...USDC, enabled: false }])).toBeNull()
    })
  })
})
