import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { SOL } from '#core/chain/types.ts'
import { makeBaseUnits } from '#core/money/amounts.ts'
import { INTENT_STATUSES } from '#core/payments/payment-intent.ts'
import { paymentUriOf } from '#core/payments/payment-uri.ts'
import { anyIntent } from '../../support/arbitrary-intent.ts'
import { MINT, pendingIntent } from '../../support/example-intent.ts'

const { address } = pendingIntent
const inSol = {
  ...pendingIntent,
  selection: { asset: SOL, decimals: 9, expected: makeBaseUnits(50_000_000n) },
} as const
const inToken = { ...pendingIntent, selection: { asset: MINT, decimals: 6, expected: makeBaseUnits(25_000_000n) } }

/** Reads a URI as a wallet does: the address, and parameters that may not occur twice. */
function read(uri: string) {
  const [, recipient, query = ''] = /^solana:([^?]+)\?(.*)$/.exec(uri) ?? []
  const parameters = query.split('&').map((pair) => pair.split('=', 2))
  return { recipient, keys: parameters.map(([key]) => key), of: Object.fromEntries(parameters) }
}

/** Returns base units from a plain decimal, exactly. */
function unitsFrom(decimal: string, decimals: number): bigint {
  const [whole = '', fraction = ''] = decimal.split('.')
  return BigInt(whole + fraction.padEnd(decimals, '0'))
}

describe('payment_uri', () => {
  it('names address, amount and label for SOL', () => {
    expect(paymentUriOf(inSol)).toBe(`solana:${address}?amount=0.05&label=Corner%20Shop`)
  })

  it('names the mint of a token', () => {
    expect(paymentUriOf(inToken)).toBe(`solana:${address}?amount=25&spl-token=${MINT}&label=Corner%20Shop`)
  })

  it('has the shortfall of an underpaid intent as its amount', () => {
    const underpaid = { ...inSol, status: 'underpaid', received: makeBaseUnits(49_999_999n) } as const
    expect(paymentUriOf(underpaid)).toBe(`solana:${address}?amount=0.000000001&label=Corner%20Shop`)
  })

  it('is absent before token selection', () => {
    expect(paymentUriOf(pendingIntent)).toBeNull()
  })

  it.each(INTENT_STATUSES.filter((status) => status !== 'pending' && status !== 'underpaid'))(
    'is absent when the intent is %s',
    (status) => {
      expect(paymentUriOf({ ...inSol, status })).toBeNull()
    },
  )

  it('encodes a label so that it cannot add a parameter', () => {
    const uri = paymentUriOf({ ...inSol, payeeLabel: 'Tea & Co?amount=0#+\ud800é' })
    expect(uri).toBe(`solana:${address}?amount=0.05&label=Tea%20%26%20Co%3Famount%3D0%23%2B%EF%BF%BD%C3%A9`)
  })

  it('contains exactly the amount due, as a plain decimal, for any intent', () => {
    const payable = anyIntent.map((intent) => ({ ...intent, status: 'pending' as const }))
    fc.assert(
      fc.property(payable, (intent) => {
        const uri = paymentUriOf(intent)
        if (intent.selection === null || uri === null) return uri === null && intent.selection === null
        const { recipient, keys, of } = read(uri)
        expect(recipient).toBe(intent.address)
        expect(keys).toEqual(intent.selection.asset === SOL ? ['amount', 'label'] : ['amount', 'spl-token', 'label'])
        expect(of.amount).toMatch(/^(0|[1-9]\d*)(\.\d*[1-9])?$/)
        expect(unitsFrom(of.amount, intent.selection.decimals)).toBe(intent.selection.expected)
        expect(decodeURIComponent(of.label)).toBe(intent.payeeLabel)
        expect(uri).toMatch(/^[\x21-\x7e]+$/)
        return true
      }),
    )
  })
})
