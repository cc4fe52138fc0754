import fc from 'fast-check'
import { type GraphQLScalarType, parseValue } from 'graphql'
import { describe, expect, it } from 'vitest'
import { MAX_U64 } from '#core/money/amounts.ts'
import {
  AssetScalar,
  BaseUnitsScalar,
  FormTextScalar,
  LineScalar,
  SolanaAddressScalar,
  TextScalar,
  UsdCentsScalar,
} from '#graphql/scalars.ts'

/** Both ways of input: as a variable, and as a literal in the document. */
const fromVariable = (scalar: GraphQLScalarType, value: unknown) => scalar.parseValue(value)
const fromLiteral = (scalar: GraphQLScalarType, literal: string) => scalar.parseLiteral(parseValue(literal), {})

describe('BaseUnits', () => {
  it('is a decimal string outside and a bigint inside, up to 2^64 − 1', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: 0n, max: MAX_U64 }), (amount) => {
        expect(BaseUnitsScalar.serialize(amount)).toBe(String(amount))
        expect(fromVariable(BaseUnitsScalar, String(amount))).toBe(amount)
        expect(fromLiteral(BaseUnitsScalar, `"${amount}"`)).toBe(amount)
        expect(fromLiteral(BaseUnitsScalar, String(amount))).toBe(amount)
      }),
    )
  })

  it.each([5, 5n, '-1', '1.5', '', ' 1', '0x1', String(MAX_U64 + 1n), '9'.repeat(1000), null, true, {}])(
    'takes no %o',
    (value) => {
      expect(() => fromVariable(BaseUnitsScalar, value)).toThrow(/BaseUnits is an unsigned 64-bit integer/)
    },
  )

  it('refuses an invalid amount as output', () => {
    for (const value of [-1n, MAX_U64 + 1n, 5, '5']) expect(() => BaseUnitsScalar.serialize(value)).toThrow()
  })
})

describe('UsdCents', () => {
  it('is a JSON integer, from 1 to 2^53 − 1', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: Number.MAX_SAFE_INTEGER }), (cents) => {
        expect(fromVariable(UsdCentsScalar, cents)).toBe(BigInt(cents))
        expect(fromLiteral(UsdCentsScalar, String(cents))).toBe(BigInt(cents))
        expect(UsdCentsScalar.serialize(BigInt(cents))).toBe(cents)
      }),
    )
  })

  it.each([0, -1, 1.5, 2 ** 53, '100', null, true, Number.NaN])('takes no %o', (value) => {
    expect(() => fromVariable(UsdCentsScalar, value)).toThrow(/UsdCents is an integer/)
  })

  it.each(['9007199254740992', '9007199254740993', '1.0', '"100"', '0'])('takes no literal %s', (literal) => {
    expect(() => fromLiteral(UsdCentsScalar, literal)).toThrow(/UsdCents is an integer/)
  })
})

describe('SolanaAddress and Asset', () => {
  const address = 'So11111111111111111111111111111111111111112'

  it('take an address of 32 bytes, an asset also SOL', () => {
    expect(fromVariable(SolanaAddressScalar, address)).toBe(address)
    expect(fromLiteral(AssetScalar, `"${address}"`)).toBe(address)
    expect(fromVariable(AssetScalar, 'SOL')).toBe('SOL')
  })

  it.each(['SOL', 'z'.repeat(44), '', 'l'.repeat(40), 7, null])('an address is not %o', (value) => {
    expect(() => fromVariable(SolanaAddressScalar, value)).toThrow()
  })

  it.each(['sol', 'USDC', 'z'.repeat(44), null])('an asset is not %o', (value) => {
    expect(() => fromVariable(AssetScalar, value)).toThrow()
  })
})

describe('Text, Line and FormText', () => {
  it.each(['Ada', ' a ', '💸'.repeat(500), 'é'.repeat(500)])('take %s', (value) => {
    for (const scalar of [TextScalar, LineScalar, FormTextScalar]) expect(fromVariable(scalar, value)).toBe(value)
  })

  it.each([
    'a\0',
    '\ud800',
    'a'.repeat(501),
    '💸'.repeat(501),
    'gnp\u202e',
    'a\u200bb',
    '\ufeffa',
    'a\u001b[1m',
    7,
    null,
  ])('a key is refused that cannot be stored or would mislead: %o', (value) => {
    expect(() => fromVariable(TextScalar, value)).toThrow(/Text is well-formed/)
  })

  it.each(['a'.repeat(501), '💸'.repeat(501), 7, null])('none takes %o', (value) => {
    for (const scalar of [TextScalar, LineScalar, FormTextScalar]) expect(() => fromVariable(scalar, value)).toThrow()
  })

  it.each([
    ['a\0', 'a'],
    ['a\ud800', 'a'],
    ['gnp\u202e', 'gnp'],
    ['a\u200bb', 'a\u200bb'],
    ['\ufeffa', '\ufeffa'],
    ['a\u001b[1m', 'a[1m'],
  ])('text for people is never refused for its characters: %j', (value, taken) => {
    for (const scalar of [LineScalar, FormTextScalar]) {
      expect(fromVariable(scalar, value)).toBe(taken)
      expect(fromLiteral(scalar, '"gnp\\u202e"')).toBe('gnp')
    }
  })

  it.each(['', ' ', '\t\r\n', '\u00a0', '\u2003', '\u3000'])('only the text of a form may be blank: %o', (value) => {
    expect(fromVariable(FormTextScalar, value)).toBe(value)
    expect(() => fromVariable(TextScalar, value)).toThrow(/must not be blank/)
    expect(() => fromLiteral(TextScalar, JSON.stringify(value))).toThrow(/must not be blank/)
    expect(() => fromVariable(LineScalar, value)).toThrow(/must not be blank/)
  })

  it('only the text of a form may have several lines', () => {
    expect(fromVariable(FormTextScalar, 'Flat 1\n2 Mill Lane')).toBe('Flat 1\n2 Mill Lane')
    expect(() => fromVariable(TextScalar, 'My shop\nPaid')).toThrow(/in one line/)
    expect(() => fromVariable(LineScalar, 'My shop\u2028Paid')).toThrow(/in one line/)
  })
})
