// The actions of a buyer, and the end of the window.
import { describe, expect, test } from 'vitest'
import { SOL } from '#core/chain/types.ts'
import {
  decideCancel,
  decideExpiry,
  decideSelection,
  judgeQuote,
  judgeSelection,
} from '#core/payments/machine/checkout.ts'
import { INTENT_STATUSES, type IntentStatus, isExpired, WINDOW_ENDED } from '#core/payments/payment-intent.ts'
import { MINT, pendingIntent } from '../../../support/example-intent.ts'
import {
  changeOf,
  choice,
  context,
  deposit,
  eventsOf,
  factsWith,
  intentWith,
  later,
  NOW,
  OTHER_MINT,
  units,
} from '../../../support/payment.ts'

const WINDOW_END = pendingIntent.expiresAt
const untilEnd = (ms: number) => new Date(WINDOW_END.getTime() - ms)
const past = INTENT_STATUSES.filter((status) => status !== 'pending')
const paid = past.filter((status) => status !== 'cancelled')

describe('choosing a token', () => {
  test('locks asset, decimals and amount with one event, and may be repeated', () => {
    const first = changeOf(decideSelection(factsWith(intentWith()), choice(MINT, 25_000_000n), NOW))
    expect(first.after).toEqual({
      ...pendingIntent,
      selection: { asset: MINT, decimals: 6, expected: 25_000_000n },
      version: 2,
      updatedAt: NOW,
    })
    expect(eventsOf(first)).toEqual(['intent.token_selected'])
    const second = changeOf(decideSelection(factsWith(first.after), choice(SOL, 170_000_000n), NOW))
    expect(second.after).toMatchObject({ selection: choice(SOL, 170_000_000n), status: 'pending', version: 3 })
    expect(eventsOf(second)).toEqual(['intent.token_selected'])
  })

  test.each([
    ['an asset that the intent does not accept', intentWith(), OTHER_MINT, NOW, 'asset_not_accepted'],
    ['at the end of the window', intentWith(), SOL, WINDOW_END, 'intent_expired'],
    [
      'after the window has ended the intent',
      intentWith({ status: 'cancelled', statusReason: WINDOW_ENDED }),
      SOL,
      NOW,
      'intent_expired',
    ],
    ['after the business cancelled', intentWith({ status: 'cancelled' }), SOL, NOW, 'intent_cancelled'],
  ] as const)('%s is refused', (_, intent, asset, now, code) => {
    expect(judgeSelection(intent, asset, now)).toBe(code)
    expect(decideSelection(factsWith(intent), choice(asset, 1n), now)).toEqual({ kind: 'refused', code })
  })

  test('is possible until the last moment of the window', () => {
    expect(judgeSelection(intentWith(), SOL, untilEnd(1))).toBeNull()
    expect(isExpired(intentWith(), untilEnd(1))).toBe(false)
    expect(isExpired(intentWith(), WINDOW_END)).toBe(true)
  })

  test.each(paid)('is frozen when the intent is %s, even for an asset that it does not accept', (status) => {
    expect(judgeSelection(intentWith({ status }), OTHER_MINT, later(7_200))).toBe('selection_frozen')
  })

  test('is frozen by a deposit', () => {
    const facts = factsWith(intentWith({ selection: choice(SOL, 10n) }), { deposits: [deposit(1, 4n)] })
    expect(decideSelection(facts, choice(MINT, 9n), NOW)).toEqual({ kind: 'refused', code: 'selection_frozen' })
  })

  test('is not frozen by a wrong asset, but cannot turn that money into the payment', () => {
    const facts = factsWith(intentWith({ selection: choice(MINT, 9n) }), {
      deposits: [deposit(1, 2_000_000n, { use: 'wrong_asset' })],
    })
    expect(changeOf(decideSelection(facts, choice(MINT, 8n), NOW)).after.selection).toEqual(choice(MINT, 8n))
    expect(decideSelection(facts, choice(SOL, 10n), NOW)).toEqual({ kind: 'refused', code: 'selection_frozen' })
  })
})

describe('quoting', () => {
  test('is allowed for pending intents within their window', () => {
    expect(judgeQuote(intentWith(), untilEnd(1))).toBeNull()
    expect(judgeQuote(intentWith(), WINDOW_END)).toBe('not_quotable')
    for (const status of past) expect(judgeQuote(intentWith({ status }), NOW)).toBe('not_quotable')
  })
})

describe('the end of the window', () => {
  const readTo = (ms: number) => new Date(WINDOW_END.getTime() + ms)

  test('cancels a pending intent when the chain was read to a block past it', () => {
    const change = changeOf(decideExpiry(factsWith(intentWith()), readTo(1), context({ now: later(999) })))
    expect(change.after).toMatchObject({ status: 'cancelled', statusReason: WINDOW_ENDED, updatedAt: later(999) })
    expect(eventsOf(change)).toEqual(['intent.cancelled'])
  })

  test.each([-60_000, -1, 0])(
    'waits while the chain was read to %d ms of it, whatever the service’s clock says',
    (ms) => {
      expect(decideExpiry(factsWith(intentWith()), readTo(ms), context({ now: later(86_400) }))).toEqual({
        kind: 'unchanged',
      })
    },
  )

  test('returns the money of an underpaid intent', () => {
    const facts = factsWith(intentWith({ status: 'underpaid', selection: choice(MINT, 10n), received: units(4n) }), {
      deposits: [deposit(1, 4n, { asset: MINT })],
    })
    const change = changeOf(decideExpiry(facts, readTo(1), context()))
    expect(eventsOf(change)).toEqual(['intent.refunding'])
    expect(change.transfers).toMatchObject([{ kind: 'refund', legs: [{ role: 'refund', amount: 4n }] }])
    expect(decideExpiry(facts, readTo(0), context())).toEqual({ kind: 'unchanged' })
  })

  const over = past.filter((status) => status !== 'underpaid')
  test.each(over)('does not change an intent that is %s', (status) => {
    expect(decideExpiry(factsWith(intentWith({ status })), readTo(1), context())).toEqual({ kind: 'unchanged' })
  })
})

describe('a cancel', () => {
  const cancel = (status: IntentStatus) => decideCancel(factsWith(intentWith({ status })), context())

  test('ends a pending intent with one event; a second cancel changes nothing', () => {
    const change = changeOf(cancel('pending'))
    expect(change.after).toMatchObject({ status: 'cancelled', statusReason: null })
    expect(eventsOf(change)).toEqual(['intent.cancelled'])
    for (const status of ['cancelled', 'refunding', 'refunded', 'refund_failed'] as const) {
      expect(cancel(status)).toEqual({ kind: 'unchanged' })
    }
  })

  test.each(['paid', 'overpaid', 'settling', 'swept', 'settle_failed'] as const)(
    'is too late when the intent is %s',
    (status) => {
      expect(cancel(status)).toEqual({ kind: 'refused', code: 'payment_already_received' })
    },
  )
})
