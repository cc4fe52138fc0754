// The text of Sign In With Solana: exactly the standard's, and read strictly.
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { chainIdOf, signInOf } from '#core/billing/proof/challenge.ts'
import { type ChargeConsent, canonicalTerms, quotedName, statementOf, termsOf } from '#core/billing/proof/consent.ts'
import { isSameSignIn, readSignIn, type SignInInput, signInText, textOfSigned } from '#core/billing/proof/sign-in.ts'
import { MAINNET_GENESIS_HASH } from '#core/chain/known-networks.ts'
import { bytesOfAddress } from '#core/chain/public-key.ts'
import { makeBaseUnits, makeUsdCents } from '#core/money/amounts.ts'
import { addressNo } from '../../support/payment.ts'

const CONSENT: ChargeConsent = {
  purpose: 'checkout',
  network: 'live',
  wallet: addressNo(1),
  subscriptionId: '0b8a4a1e-52c2-4c6b-9a53-3f1d5f5fd1a1',
  accountId: '1b8a4a1e-52c2-4c6b-9a53-3f1d5f5fd1a1',
  merchant: 'Joe’s Café',
  tierId: '2b8a4a1e-52c2-4c6b-9a53-3f1d5f5fd1a1',
  mint: addressNo(2),
  decimals: 6,
  priceUsdCents: makeUsdCents(999),
  unitAmount: makeBaseUnits(9_990_000n),
  interval: 'month',
  intervalCount: 1,
  periods: 12,
  discountedPeriods: 0,
  discountedPriceUsdCents: makeUsdCents(999),
  total: makeBaseUnits(119_880_000n),
  trialDays: 0,
}
const NOW = new Date('2026-11-20T12:05:00.000Z')
const GIVEN = {
  payUrl: 'https://pay.example.com:8443/pay',
  genesisHash: MAINNET_GENESIS_HASH,
  nonce: '00112233445566778899aabbccddeeff',
  requestId: '3b8a4a1e-52c2-4c6b-9a53-3f1d5f5fd1a1',
  termsHash: 'ab'.repeat(32),
  now: NOW,
}
const INPUT = signInOf(CONSENT, GIVEN)

test('a challenge is exactly the text of the standard', () => {
  expect(signInText(INPUT)).toBe(`pay.example.com:8443 wants you to sign in with your Solana account:
${addressNo(1)}

Authorize [Joe's Cafe] to charge 9.99 USD every month, 119.88 USD in total for 12 charges.

URI: https://pay.example.com:8443/pay/s
Version: 1
Chain ID: mainnet
Nonce: 00112233445566778899aabbccddeeff
Issued At: 2026-11-20T12:05:00.000Z
Expiration Time: 2026-11-20T12:15:00.000Z
Request ID: 3b8a4a1e-52c2-4c6b-9a53-3f1d5f5fd1a1
Resources:
- urn:uuid:0b8a4a1e-52c2-4c6b-9a53-3f1d5f5fd1a1
- urn:sha256:${'ab'.repeat(32)}`)
})

/** The text that wallets make from the structured form: https://github.com/phantom/sign-in-with-solana, "ABNF". */
function asWalletsDo(input: SignInInput): string {
  const named = [
    ['URI', input.uri],
    ['Version', input.version],
    ['Chain ID', input.chainId],
    ['Nonce', input.nonce],
    ['Issued At', input.issuedAt],
    ['Expiration Time', input.expirationTime],
    ['Request ID', input.requestId],
  ]
  const fields = [
    ...named.map(([name, value]) => `${name}: ${value}`),
    'Resources:',
    ...input.resources.map((one) => `- ${one}`),
  ]
  const head = `${input.domain} wants you to sign in with your Solana account:\n${input.address}`
  return `${head}\n\n${input.statement}\n\n${fields.join('\n')}`
}

const aWord = fc.stringMatching(/^[A-Za-z0-9]{8,40}$/)
const aTime = fc
  .date({ min: new Date(0), max: new Date('2200-01-01'), noInvalidDate: true })
  .map((at) => at.toISOString())
const anInput: fc.Arbitrary<SignInInput> = fc.record({
  domain: fc.oneof(fc.domain(), fc.constantFrom('localhost:4000', '127.0.0.1', '[::1]:4000', 'xn--bcher-kva.example')),
  address: fc.integer({ min: 1, max: 10_000 }).map(addressNo),
  statement: fc.string({ minLength: 1, maxLength: 50 }).map((name) => `Pay ${quotedName(name)}.`),
  uri: fc.webUrl().filter((url) => /^[!-~]+$/.test(url)),
  version: fc.constant('1' as const),
  chainId: fc.constantFrom('mainnet', 'devnet', 'testnet', `solana:${'5'.repeat(32)}`),
  nonce: aWord,
  issuedAt: aTime,
  expirationTime: aTime,
  requestId: fc.uuid(),
  resources: fc.array(
    fc.uuid().map((id) => `urn:uuid:${id}`),
    { maxLength: 3 },
  ),
})

test('what is written is read again, for any fields, and is what wallets write', () => {
  fc.assert(
    fc.property(anInput, (input) => {
      const text = signInText(input)
      expect(text).toBe(asWalletsDo(input))
      expect(readSignIn(text)).toEqual(input)
    }),
    { numRuns: 300 },
  )
})

test('a text that differs in any character is another challenge or none', () => {
  const text = signInText(INPUT)
  const aChange = fc.record({ at: fc.nat(text.length), insert: fc.string({ maxLength: 2 }), remove: fc.nat(2) })
  fc.assert(
    fc.property(aChange, ({ at, insert, remove }) => {
      const changed = text.slice(0, at) + insert + text.slice(at + remove)
      const read = readSignIn(changed)
      if (changed === text || read === null) return
      expect(signInText(read)).toBe(changed)
      // Only a time may be written in another form.
      if (isSameSignIn(INPUT, read))
        expect(changed.replace(/(Time|At): .*/g, '')).toBe(text.replace(/(Time|At): .*/g, ''))
    }),
    { numRuns: 3_000 },
  )
})

test('a time in another form is the same time, and another time is not', () => {
  const at = (issuedAt: string) => ({ ...INPUT, issuedAt })
  expect(isSameSignIn(INPUT, at('2026-11-20T12:05:00Z'))).toBe(true)
  expect(isSameSignIn(INPUT, at('2026-11-20T13:05:00+01:00'))).toBe(true)
  expect(isSameSignIn(INPUT, at('2026-11-20T12:05:01Z'))).toBe(false)
})

const lines = signInText(INPUT).split('\n')
const REFUSED: readonly (readonly [what: string, text: string])[] = [
  ['Ethereum', signInText(INPUT).replace('Solana', 'Ethereum')],
  ['a missing statement', lines.toSpliced(3, 1).join('\n')],
  ['a missing nonce', lines.filter((line) => !line.startsWith('Nonce')).join('\n')],
  ['a nonce of seven characters', signInText({ ...INPUT, nonce: 'abcdefg' })],
  ['a nonce with a dash', signInText({ ...INPUT, nonce: 'abcd-efgh' })],
  [
    'fields in another order',
    lines
      .with(5, lines[6] ?? '')
      .with(6, lines[5] ?? '')
      .join('\n'),
  ],
  ['a field twice', lines.toSpliced(9, 0, lines[9] ?? '').join('\n')],
  ['an unknown field', lines.toSpliced(9, 0, 'Not Before: 2026-11-20T12:05:00.000Z').join('\n')],
  ['text after the end', `${signInText(INPUT)}\nand more`],
  ['a line break after the end', `${signInText(INPUT)}\n`],
  ['line breaks of Windows', lines.join('\r\n')],
  ['an address of 31 bytes', signInText({ ...INPUT, address: '1'.repeat(31) as never })],
  ['a statement with a quotation mark', signInText({ ...INPUT, statement: 'Pay "X".' })],
  ['a statement with a percent sign', signInText({ ...INPUT, statement: 'Pay 5%.' })],
  ['a statement in another script', signInText({ ...INPUT, statement: 'Плати.' })],
  ['version 2', signInText(INPUT).replace('Version: 1', 'Version: 2')],
  ['another chain id', signInText({ ...INPUT, chainId: 'solana:mainnet' })],
  ['a time that is none', signInText({ ...INPUT, issuedAt: '2026-13-45T12:05:00Z' })],
  ['a domain with a path', signInText({ ...INPUT, domain: 'pay.example.com/x' })],
  ['nothing', ''],
]

test.each(REFUSED)('%s is not read', (_, text) => {
  expect(readSignIn(text)).toBeNull()
})

test('the domain is the host as browsers show it, and the token of the page is not in the text', () => {
  const domainOf = (payUrl: string) => signInOf(CONSENT, { ...GIVEN, payUrl }).domain
  expect(domainOf('https://pay.example.com:443/pay')).toBe('pay.example.com')
  expect(domainOf('http://127.0.0.1:4000/pay')).toBe('127.0.0.1:4000')
  expect(domainOf('https://BÜCHER.example/pay')).toBe('xn--bcher-kva.example')
})

test('the chain id is a name of a public cluster, or 32 characters of the genesis hash', () => {
  expect(chainIdOf(MAINNET_GENESIS_HASH)).toBe('mainnet')
  expect(chainIdOf('EtWTRABZaYq6iMfeYKouRu166VU2xqa1wcaWoxPkrZBG')).toBe('devnet')
  expect(chainIdOf('4uhcVJyU9pJkvQyS88uRDiswHXSCkY3zQawwpjk2NsNY')).toBe('testnet')
  expect(chainIdOf('8a3b7f60AbCdEfGhJkMnPqRsTuVwXyZ123456789ABCD')).toBe('solana:8a3b7f60AbCdEfGhJkMnPqRsTuVwXyZ1')
})

describe('the statement', () => {
  test.each<[Partial<Omit<ChargeConsent, 'priceUsdCents'>> & { readonly cents?: number }, string]>([
    [{}, "Authorize [Joe's Cafe] to charge 9.99 USD every month, 119.88 USD in total for 12 charges."],
    [
      { trialDays: 14 },
      "Authorize [Joe's Cafe] to charge 9.99 USD every month after a free trial of 14 days, 119.88 USD in total for 12 charges.",
    ],
    [
      { trialDays: 1 },
      "Authorize [Joe's Cafe] to charge 9.99 USD every month after a free trial of 1 day, 119.88 USD in total for 12 charges.",
    ],
    [
      { intervalCount: 3, interval: 'week', periods: 1, merchant: 'A' },
      'Authorize [A] to charge 9.99 USD every 3 weeks, 9.99 USD in total for 1 charge.',
    ],
    [
      { purpose: 'renew', cents: 5, periods: 2, interval: 'year' },
      "Renew the subscription and authorize [Joe's Cafe] to charge 0.05 USD every year, 0.10 USD in total for 2 charges.",
    ],
    [
      { purpose: 'change', interval: 'day' },
      "Change the subscription and authorize [Joe's Cafe] to charge 9.99 USD every day, 119.88 USD in total for 12 charges.",
    ],
  ])('of %j', ({ cents = 999, ...patch }, statement) => {
    const { periods } = { ...CONSENT, ...patch }
    const priced = { priceUsdCents: makeUsdCents(cents), total: makeBaseUnits(cents * periods * 10_000) }
    expect(statementOf({ ...CONSENT, ...patch, ...priced })).toBe(statement)
  })

  test('names the total of the slice, in which an unpaid charge has its own price', () => {
    const total = makeBaseUnits(109_990_000)
    expect(statementOf({ ...CONSENT, total })).toMatch(/ 9\.99 USD every month, 109\.99 USD in total for 12 charges\.$/)
  })

  test('names a total of nothing: a raise in the last paid period authorizes no charge yet', () => {
    const consent = { ...CONSENT, purpose: 'change', periods: 0, total: makeBaseUnits(0) } as const
    const text = signInText(signInOf(consent, GIVEN))
    expect(readSignIn(text)?.statement).toBe(
      "Change the subscription and authorize [Joe's Cafe] to charge 9.99 USD every month, 0.00 USD in total for 0 charges.",
    )
  })

  test('of a recovery names no amount', () => {
    const recovery = { purpose: 'recover', network: 'live', wallet: addressNo(1) } as const
    expect(statementOf(recovery)).toBe('Show the subscriptions of this wallet.')
    expect(signInOf(recovery, GIVEN)).toMatchObject({
      uri: 'https://pay.example.com:8443/pay/manage',
      resources: [`urn:sha256:${'ab'.repeat(32)}`],
    })
  })

  test('is one line of printable ASCII without quotation marks and percent signs, for any name', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 300 }), (merchant) => {
        const statement = statementOf({ ...CONSENT, merchant })
        expect(statement).toMatch(/^Authorize \[[ -~]{0,80}\] to charge [ -~]+\.$/)
        expect(statement).not.toMatch(/["%\n]/)
        expect(readSignIn(signInText({ ...INPUT, statement }))?.statement).toBe(statement)
      }),
      { numRuns: 500 },
    )
  })

  test.each([
    ['Łódź & Søn', '[Lodz & Son]'],
    ['50% off "now"', "[50 percent off 'now']"],
    ['X] to charge 0.01 USD. [Y', '[X) to charge 0.01 USD. (Y]'],
    ['％［fullwidth］', '[percent(fullwidth)]'],
    ['中文', '[U+4E2D U+6587]'],
    ['a\n\tb', '[a b]'],
    ['x'.repeat(200), `[${'x'.repeat(77)}...]`],
  ])('writes %j as %s', (name, quoted) => {
    expect(quotedName(name)).toBe(quoted)
  })
})

test('the terms have one canonical text, whatever the order in which they are stored', () => {
  const terms = termsOf(CONSENT)
  const reversed = Object.fromEntries(Object.entries(terms).toReversed())
  expect(canonicalTerms(reversed)).toBe(canonicalTerms(terms))
  for (const patch of [{ total: makeBaseUnits(1n) }, { merchant: 'X' }, { purpose: 'renew' as const }, { periods: 11 }])
    expect(canonicalTerms(termsOf({ ...CONSENT, ...patch }))).not.toBe(canonicalTerms(terms))
})

describe('signed bytes', () => {
  const text = signInText(INPUT)
  const utf8 = new TextEncoder().encode(text)
  const mark = Uint8Array.of(0xff, ...new TextEncoder().encode('solana offchain'), 0)
  const length = Uint8Array.of(utf8.length & 0xff, utf8.length >> 8)
  const key = bytesOfAddress(addressNo(1))

  test('are the text, or the text in an envelope of a hardware wallet', () => {
    expect(textOfSigned(utf8, addressNo(1))).toBe(text)
    expect(textOfSigned(Uint8Array.of(...mark, 0, ...length, ...utf8), addressNo(1))).toBe(text)
    const header = Uint8Array.of(...mark, ...new Uint8Array(32).fill(9), 0, 1, ...key)
    expect(textOfSigned(Uint8Array.of(...header, ...length, ...utf8), addressNo(1))).toBe(text)
  })

  test('in the envelope of another wallet, of another length, or in another encoding, are no text', () => {
    const other = Uint8Array.of(
      ...mark,
      ...new Uint8Array(32),
      0,
      1,
      ...bytesOfAddress(addressNo(2)),
      ...length,
      ...utf8,
    )
    expect(textOfSigned(other, addressNo(1))).toBeNull()
    expect(textOfSigned(Uint8Array.of(...mark, 0, ...length, ...utf8, 1), addressNo(1))).toBeNull()
    expect(textOfSigned(Uint8Array.of(...mark, 2, ...length, ...utf8), addressNo(1))).toBeNull()
    expect(textOfSigned(Uint8Array.of(0xc3, 0x28), addressNo(1))).toBeNull()
  })
})
