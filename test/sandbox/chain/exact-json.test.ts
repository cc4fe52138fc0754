import { expect, it } from 'vitest'
import { parseExactJson, stringifyExactJson } from '#sandbox/chain/exact-json.ts'

it('an integer of 64 bits goes through unchanged', () => {
  const text = '{"lamports":18446744073709551615,"small":5,"negative":-9007199254740993}'
  expect(parseExactJson(text)).toEqual({ lamports: 18446744073709551615n, small: 5, negative: -9007199254740993n })
  expect(stringifyExactJson(parseExactJson(text))).toBe(text)
})

it('digits in a text stay a text, and fractions stay numbers', () => {
  const text = '{"text":"12345678901234567890","ui":0.1234567890123456789,"exponent":1e20}'
  expect(parseExactJson(text)).toEqual({ text: '12345678901234567890', ui: 0.12345678901234568, exponent: 1e20 })
})
