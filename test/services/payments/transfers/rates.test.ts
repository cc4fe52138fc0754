// Since when an asset has no price: a refund of tokens waits an hour from then.
import { beforeEach, expect, test } from 'vitest'
import { createRatesReader, type ReadRates } from '#services/payments/transfers/rates.ts'
import { MINT } from '../../../support/example-intent.ts'
import { context, later } from '../../../support/payment.ts'

const PRICE = { mantissa: 1n, exponent: 0, source: 'toy', publishedAt: later(0) }
const { tokens } = context()

let now = later(0)
let isPriced = false
let read: ReadRates
beforeEach(() => {
  isPriced = false
  read = createRatesReader({
    clock: { now: () => now },
    prices: {
      pricesFor: async (assets) => new Map(assets.map(({ mint }) => [mint, isPriced ? PRICE : { refused: 'stale' }])),
    },
  })
})
const readAt = async (seconds: number) => {
  now = later(seconds)
  return (await read(tokens, new Set([MINT]))).get(MINT)
}

test('an asset without a price has none since the first reading that found none', async () => {
  for (const at of [60, 120, 3_000, 6_000]) expect(await readAt(at)).toEqual({ rates: null, unpricedSince: later(60) })
})

test('a price ends the time without one', async () => {
  await readAt(60)
  isPriced = true
  expect(await readAt(120)).toMatchObject({ rates: { asset: PRICE, sol: PRICE }, unpricedSince: null })
  isPriced = false
  expect(await readAt(180)).toMatchObject({ unpricedSince: later(180) })
})

test('time without a reading does not count: after an hour of it, the next reading is the first', async () => {
  await readAt(0)
  expect(await readAt(3_599)).toMatchObject({ unpricedSince: later(0) })
  expect(await readAt(7_199)).toMatchObject({ unpricedSince: later(7_199) })
})

test('after the clock was set back, the next reading is the first', async () => {
  await readAt(86_400)
  expect(await readAt(60)).toMatchObject({ unpricedSince: later(60) })
})
