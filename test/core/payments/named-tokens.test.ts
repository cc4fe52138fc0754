// The tokens of which a buyer sees amounts.
import { expect, it } from 'vitest'
import { makeAddress } from '#core/chain/base58.ts'
import { WRAPPED_SOL_MINT } from '#core/chain/types.ts'
import { namedTokens } from '#core/payments/named-tokens.ts'
import type { PaymentIntent } from '#core/payments/payment-intent.ts'
import { MINT, SIGNATURE } from '../../support/example-intent.ts'
import { choice, intentWith, OTHER_MINT, SOL_TOKEN, token, UNKNOWN_MINT, USDC, units } from '../../support/payment.ts'

const DISALLOWED = token({ asset: OTHER_MINT, mint: OTHER_MINT, ticker: 'OTH', enabled: false })
const amount = units(5n)
const late = { amount, status: 'pending', signature: SIGNATURE, count: 1, refund: null } as const

it.each<[string, Partial<PaymentIntent>, readonly string[]]>([
  ['with nothing', {}, []],
  ['with a selection', { selection: choice(MINT, 5n) }, ['USDC']],
  ['with a selection that is no longer allowed', { selection: choice(OTHER_MINT, 5n) }, ['OTH']],
  ['with a refund in SOL', { refunds: [{ mint: null, amount, signatures: [] }] }, ['SOL']],
  ['with SOL as a wrong asset', { tokenRefunds: [wrong(makeAddress(WRAPPED_SOL_MINT))] }, ['SOL']],
  ['with wrong assets', { tokenRefunds: [wrong(OTHER_MINT), wrong(MINT)] }, ['USDC', 'OTH']],
  ['with late payments', { latePayments: [{ ...late, mint: MINT }] }, ['USDC']],
  ['with held money', { held: [{ mint: OTHER_MINT, amount, reason: '' }] }, ['OTH']],
  ['with a token that was never allowed', { held: [{ mint: UNKNOWN_MINT, amount, reason: '' }] }, []],
])('a payment %s names these tokens', (_, patch, tickers) => {
  const named = namedTokens(intentWith(patch), [SOL_TOKEN, USDC, DISALLOWED])
  expect(named.map(({ ticker }) => ticker)).toEqual(tickers)
})

function wrong(mint: string) {
  return { mint, status: 'pending', amount, refund: null } as const
}
