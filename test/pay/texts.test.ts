// Every language has every text. That a text is there at all is the compiler's work; these tests read what it says.
import { globSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { describe, expect, test } from 'vitest'
import { ERROR_MAP } from '#graphql/error-map.ts'
import { isRefusal } from '#pay/browser/wallets.ts'
import { TEXTS } from '#pay/page.ts'
import { LANGUAGE_NAMES, LANGUAGES } from '#pay/texts/texts.ts'

describe('texts', () => {
  const root = resolve(import.meta.dirname, '../../src/pay')
  const words = (text: string): string[] => [...text.matchAll(/\{(\w+)\}/g)].map(([, word = '']) => word).toSorted()

  describe.each(LANGUAGES.filter((language) => language !== 'en'))('%s', (language) => {
    const { en } = TEXTS
    const texts = TEXTS[language]

    test('has the texts of English, and none besides', () => {
      expect(Object.keys(texts)).toEqual(Object.keys(en))
      expect(Object.values(texts).filter((text) => text.trim() === '')).toEqual([])
    })

    test('fills in the same words', () => {
      const different = Object.entries(texts).filter(([key, text]) => {
        const english = Object.entries(en).find(([name]) => name === key)?.[1] ?? ''
        return words(text).join() !== words(english).join()
      })
      expect(different).toEqual([])
    })

    test('leaves nothing in English', () => {
      const same = Object.entries(en).filter(([key, text]) =>
        Object.entries(texts).some(([k, t]) => k === key && t === text),
      )
      expect(same.map(([key]) => key)).toEqual([])
    })
  })

  test('every language has a name in itself', () => {
    expect(new Set(Object.values(LANGUAGE_NAMES)).size).toBe(LANGUAGES.length)
  })

  const SOURCES = globSync('{views,browser}/**/*.{ts,tsx}', { cwd: root }).map((file) =>
    readFileSync(join(root, file), 'utf8'),
  )

  test('every text is shown somewhere', () => {
    const all = SOURCES.join('\n')
    expect(Object.keys(TEXTS.en).filter((key) => !new RegExp(`['".]${key}\\b`).test(all))).toEqual([])
  })

  test('every refusal that a page explains is a code of the service', () => {
    const [, list = ''] = /const TEXTS[^{]*\{([^}]*)\}/.exec(readFileSync(join(root, 'views/faults.ts'), 'utf8')) ?? []
    const codes = [...list.matchAll(/^\s+(\w+):/gm)].map(([, code = '']) => code)
    expect(codes.length).toBeGreaterThan(10)
    const ofThePage = [
      'no_answer',
      'check_first',
      'not_seen',
      'not_landed',
      'may_arrive',
      'replaces_delegate',
      'trial_used',
      'price_changed',
    ]
    expect(codes.filter((code) => !ofThePage.includes(code) && !Object.hasOwn(ERROR_MAP, code))).toEqual([])
  })
})

// Which failures of a wallet that sends by itself mean that nothing was sent: only then the page offers to pay again.
describe('refusals', () => {
  test.each([
    new Error('User rejected the request.'),
    new Error('Approval Denied'),
    new Error('The user declined'),
    { message: 'Unexpected error', code: 4001 },
  ])('the person has refused: %s', (error) => {
    expect(isRefusal(error)).toBe(true)
  })

  test.each([
    new TypeError('Failed to fetch'),
    new Error('connect ECONNREFUSED 127.0.0.1:8899'),
    new Error('Connection refused'),
    new Error('The operation was cancelled'),
    new Error('Confirmation failed: subscription was canceled'),
    new Error('RPC node rejected the status request'),
    'closed',
    null,
  ])('it may have been sent: %s', (error) => {
    expect(isRefusal(error)).toBe(false)
  })
})
