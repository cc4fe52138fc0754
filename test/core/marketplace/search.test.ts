import fc from 'fast-check'
import { expect, it } from 'vitest'
import { readSearch, searchPartsOf, searchTextOf } from '#core/marketplace/search.ts'

/** What the database answers: every part is there, and the text contains the search. */
function isFound(texts: readonly (string | null)[], search: string): boolean {
  const searchText = searchTextOf(texts)
  const parts = new Set(searchPartsOf(searchText))
  const asked = readSearch(search)
  return asked === null || (asked.parts.every((part) => parts.has(part)) && searchText.includes(asked.text))
}

it('every substring finds its text, in either case', () => {
  const text = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 30 }).filter((name) => !/\s/.test(name))
  fc.assert(
    fc.property(fc.tuple(text, text), ([name, within]) => {
      const whole = `${name}${within}x`
      expect(isFound([whole, null], within)).toBe(true)
      expect(isFound([null, whole], within.toUpperCase())).toBe(true)
      expect(isFound([whole, null], within.toLowerCase())).toBe(true)
    }),
    // Capital letters that are not those of their small letters.
    { examples: [[['!', 'ϴ!']], [['Weiß', 'STRAẞE']], [['ß', 'ẞ']]] },
  )
})

it('a text that does not contain the search is not found', () => {
  fc.assert(
    fc.property(fc.stringMatching(/^[a-c]{1,12}$/), fc.stringMatching(/^[a-c]{1,6}$/), (name, search) => {
      expect(isFound([name, null], search)).toBe(name.includes(search))
    }),
  )
})

it('no search matches the end of the name and the beginning of the external id', () => {
  expect(isFound(['Blue', 'Red'], 'uer')).toBe(false)
  expect(isFound(['Blue', 'Red'], 'lue')).toBe(true)
  expect(isFound(['Blue', 'Red'], 'RED')).toBe(true)
})

it('a blank search is none', () => {
  expect(readSearch(' \t')).toBeNull()
})
