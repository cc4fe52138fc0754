import fc from 'fast-check'
import encodeQR from 'qr'
import { describe, expect, it, test } from 'vitest'
import { type AccountState, type Asset, SOL } from '#core/chain/types.ts'
import { makeBaseUnits, makeLamports } from '#core/money/amounts.ts'
import { INTENT_STATUSES } from '#core/payments/payment-intent.ts'
import { paymentUriOf } from '#core/payments/payment-uri.ts'
import { canPay } from '#core/payments/wallet-funds.ts'
import { anyIntent } from '../../support/arbitrary-intent.ts'
import { MINT, pendingIntent } from '../../support/example-intent.ts'
import { BUYER, FEE_PAYER, NETWORK_FEE, RENT, TOKEN_PROGRAM, units } from '../../support/payment.ts'

describe('payment_uri', () => {
  const { address } = pendingIntent
  const inSol = {
    ...pendingIntent,
    selection: { asset: SOL, decimals: 9, expected: makeBaseUnits(50_000_000n), rate: null },
  } as const
  const inToken = {
    ...pendingIntent,
    selection: { asset: MINT, decimals: 6, expected: makeBaseUnits(25_000_000n), rate: null },
  }

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

  it.each([
    ['emoji', '👩‍👩‍👧'.repeat(60), '👩‍👩‍👧'],
    ['Japanese', '株式会社東京青果市場'.repeat(20), null],
    ['Arabic', 'متجر الزاوية '.repeat(15), null],
    ['Hindi', 'क्षत्रिय'.repeat(20), null],
    ['one letter with all the marks of a label', `a${'\u0301'.repeat(199)}`, null],
  ])('cuts a long label of %s after a whole grapheme', (_script, payeeLabel, grapheme) => {
    const label = /&label=(.*)$/.exec(paymentUriOf({ ...inToken, payeeLabel }) ?? '')?.[1] ?? ''
    expect(label.length).toBeLessThanOrEqual(145)
    expect(label.length).toBeGreaterThan(100)
    const shown = decodeURIComponent(label)
    expect(shown.endsWith('…')).toBe(true)
    expect(payeeLabel.startsWith(shown.slice(0, -1))).toBe(true)
    if (grapheme !== null) expect(shown).toBe(`${grapheme.repeat(2)}…`)
  })

  it('keeps a label that fits', () => {
    for (const payeeLabel of ['a'.repeat(145), '株式会社東京青果市場大田支店', '🛒'.repeat(12)])
      expect(decodeURIComponent(paymentUriOf({ ...inToken, payeeLabel })?.split('&label=')[1] ?? '')).toBe(payeeLabel)
  })

  it('has a QR code that a phone can scan, whatever the label is', () => {
    const longest = { ...inToken, selection: { ...inToken.selection, expected: makeBaseUnits(2n ** 64n - 1n) } }
    const label = fc.oneof(
      fc.string({ unit: 'binary', maxLength: 500 }),
      fc.string({ unit: 'grapheme', maxLength: 500 }),
      fc.string({ unit: fc.constantFrom('👩‍👩‍👧', '\u0301', '\ud800', '株', ' '), maxLength: 500 }),
    )
    fc.assert(
      fc.property(label, (payeeLabel) => {
        const rows = encodeQR(paymentUriOf({ ...longest, payeeLabel }) ?? '', 'raw', { ecc: 'medium', border: 4 })
        expect(rows.length).toBeLessThanOrEqual(65 + 2 * 4)
      }),
    )
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
        const label = decodeURIComponent(of.label)
        if (encodeURIComponent(intent.payeeLabel).length <= 145) expect(label).toBe(intent.payeeLabel)
        else expect(intent.payeeLabel.startsWith(label.slice(0, -1)) && label.endsWith('…')).toBe(true)
        expect(uri).toMatch(/^[\x21-\x7e]+$/)
        return true
      }),
    )
  })
})

// Whether a wallet can pay what is due, with the network fee and the rent that the chain asks for.
describe('the funds of a wallet', () => {
  const DUE = 25_000_000n
  const ACCOUNT_RENT = 2_000_000n

  const holding = (lamports: bigint, token: AccountState['token'] = null): AccountState => ({
    lamports: makeLamports(lamports),
    ownerProgram: TOKEN_PROGRAM,
    token,
  })
  const tokens = (amount: bigint, patch: Partial<NonNullable<AccountState['token']>> = {}): AccountState => {
    const plain = {
      mint: MINT,
      owner: BUYER,
      amount: units(amount),
      frozen: false,
      withheld: units(0n),
      delegation: null,
      closeAuthority: null,
    }
    return holding(ACCOUNT_RENT, { ...plain, ...patch })
  }

  type Held = { asset?: Asset; lamports: bigint; source?: AccountState | null; receiver?: AccountState | null }
  const pays = ({ asset = SOL, lamports, source = null, receiver = null }: Held): boolean =>
    canPay(
      BUYER,
      { asset, amount: units(DUE) },
      { wallet: lamports === 0n ? null : holding(lamports), source, receiver },
      { wallet: RENT, tokenAccount: ACCOUNT_RENT },
    )

  test.each([
    ['all of it, and nothing is left', DUE + NETWORK_FEE, true],
    ['enough to stay above the rent minimum', DUE + NETWORK_FEE + RENT, true],
    ['the amount without the network fee', DUE, false],
    ['so much that less than the rent minimum would be left', DUE + NETWORK_FEE + RENT - 1n, false],
    ['nothing', 0n, false],
  ] as const)('a wallet pays SOL when it holds %s: %s lamports, %s', (_held, lamports, expected) => {
    expect(pays({ lamports })).toBe(expected)
  })

  test.each([
    ['the network fee', NETWORK_FEE + RENT, tokens(0n), true],
    ['too little SOL for the network fee', NETWORK_FEE + RENT - 1n, tokens(0n), false],
    ['the network fee, but not the rent of the receiving account', NETWORK_FEE + RENT, null, false],
    ['the network fee and the rent of the receiving account', NETWORK_FEE + RENT + ACCOUNT_RENT, null, true],
  ] as const)('a wallet that holds the token pays when it holds %s', (_held, lamports, receiver, expected) => {
    expect(pays({ asset: MINT, lamports, source: tokens(DUE), receiver })).toBe(expected)
  })

  test.each([
    ['no account', null],
    ['too little', tokens(DUE - 1n)],
    ['a frozen account', tokens(DUE, { frozen: true })],
    ['an account that belongs to another wallet', tokens(DUE, { owner: FEE_PAYER })],
  ] as const)('a wallet with %s of the token cannot pay with it', (_has, source) => {
    expect(pays({ asset: MINT, lamports: 10n * RENT, source, receiver: tokens(0n) })).toBe(false)
  })
})
