import fc from 'fast-check'
import { expect, test } from 'vitest'
import { contrastOf, isReadableOn, readColor, textOn } from '#core/accounts/brand.ts'

const anyColor = fc.integer({ min: 0, max: 0xffffff }).map((number) => `#${number.toString(16).padStart(6, '0')}`)

test('the text on any accent color has the contrast that WCAG asks for', () => {
  fc.assert(
    fc.property(anyColor, (color) => {
      expect(contrastOf(color, textOn(color))).toBeGreaterThanOrEqual(4.5)
      expect(isReadableOn(textOn(color), [color])).toBe(true)
    }),
  )
})

test('the contrast of two colors is that of WCAG', () => {
  expect(contrastOf('#000000', '#ffffff')).toBe(21)
  expect(contrastOf('#ffffff', '#767676')).toBeCloseTo(4.54, 2)
  expect(contrastOf('#777777', '#ffffff')).toBeCloseTo(4.48, 2)
})

test('a color has three or six digits, and is stored with six', () => {
  expect(['#0A7', '#00aa77', '#0A70', '0a7', '', '#00aa7g'].map(readColor)).toEqual([
    '#00aa77',
    '#00aa77',
    null,
    null,
    null,
    null,
  ])
})
