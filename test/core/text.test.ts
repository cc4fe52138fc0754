// A key is kept exactly or refused. Text for people is cleaned.
import fc from 'fast-check'
import { describe, expect, it, test } from 'vitest'
import { cleanedText, isCleanText, isOneLine, isoText } from '#core/text.ts'

const FAMILY = '\u{1f469}\u200d\u{1f469}\u200d\u{1f467}'

describe('a key that is kept', () => {
  it.each([
    'Ada Lovelace',
    'Ünïcode Ω 漢字 ภาษาไทย',
    'שלום',
    'line one\nline two\t3\r\n',
    FAMILY,
    '\u2764\ufe0f',
    '1\ufe0f\u20e3',
    '\u{1f44d}\u{1f3fd}',
    '\u{1f3f3}\ufe0f\u200d\u{1f308}',
    '\u{1f3f4}\u{e0067}\u{e0062}\u{e0065}\u{e006e}\u{e0067}\u{e007f}',
    'می\u200cخواهم',
    'क्\u200dष',
    'ශ්\u200dරී',
    '葛\u{e0100}城',
  ])('is what it shows: %s', (text) => {
    expect(isCleanText(text)).toBe(true)
  })
})

describe('a key that is refused', () => {
  it.each([
    ...['\u202a', '\u202b', '\u202c', '\u202d', '\u202e', '\u2066', '\u2067', '\u2068', '\u2069', '\u061c'],
    ...['\u200b', '\u200c', '\u200d', '\u200e', '\u200f', '\u2028', '\u2029', '\u2060', '\u2064', '\ufeff'],
    ...['\u00ad', '\u034f', '\u115f', '\u3164', '\uffa0', '\u180e', '\ufe0f', '\ufff9', '\u{e0041}', '\u{e0100}'],
    ...['\0', '\u0007', '\u001b', '\u007f', '\u0085', '\u009b', '\ud800', '\udc00'],
  ])('has a control, a hidden character or half a pair: %j', (character) => {
    for (const text of [character, `Pay${character}Pal`, `${character}a`, `a${character}`]) {
      expect([text, isCleanText(text)]).toEqual([text, false])
    }
  })

  it.each([`${FAMILY}\u200d`, 'می\u200c\u200cخواهم', '\u{1f3f4}\u{e0067}', 'a\u{e0100}', `${FAMILY}\u202e`])(
    'has a zero-width joiner or a selector in a place that needs none: %j',
    (text) => {
      expect(isCleanText(text)).toBe(false)
    },
  )

  it('is refused wherever the character is, and in a moment', () => {
    const text = fc.string({ unit: 'grapheme', maxLength: 200 })
    fc.assert(
      fc.property(
        text,
        text,
        fc.constantFrom('\u202e', '\u2067', '\u200b', '\u2029', '\u001b'),
        (before, after, bad) => {
          expect(isCleanText(before + bad + after)).toBe(false)
        },
      ),
    )
    const before = process.cpuUsage()
    for (const part of ['\u{1f469}\u200d', 'ی\u200c', '\u{1f3f4}\u{e0067}']) isCleanText(part.repeat(250))
    expect(process.cpuUsage(before).user / 1_000).toBeLessThan(500)
  })

  it('as a name is also text of several lines', () => {
    expect(['a b', 'a\nb', 'a\tb', 'a\r', 'a\u2028b'].map(isOneLine)).toEqual([true, false, false, false, false])
  })
})

describe('text for people', () => {
  /** Hebrew, Arabic, Persian, Khmer and German as keyboards and word processors write them, and what surrounds a paste. */
  it.each([
    '\u05db\u05d4\u05df\u200f (VIP)',
    '\u0645\u062d\u0645\u062f\u200f, Ltd.\u200e',
    '\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645',
    '\u1797\u17b6\u179f\u17b6\u200b\u1781\u17d2\u1798\u17c2\u179a',
    'Donau\u00addampf',
    '\ufeffAda',
    'Ada\u2060Lovelace',
    'a\u0301\u0302\u0303',
    FAMILY,
    '\u{1f3f4}\u{e0067}\u{e0062}\u{e007f}',
    '\u2028',
  ])('keeps its characters: %j', (text) => {
    expect(cleanedText(text)).toBe(text)
  })

  it.each([
    ...'\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069\0\u0007\u001b\u007f\u0085\u009b',
    '\ud800',
    '\udc00',
  ])('loses a character that cannot be stored or breaks its display: %j', (character) => {
    expect(cleanedText(`Pay${character}Pal\n`)).toBe('PayPal\n')
  })

  it('loses both halves of a pair that something else had parted', () => {
    expect(cleanedText('a\ud83d\0\ude00b')).toBe('ab')
  })

  it('is well-formed once it is cleaned, and nothing more is cleaned then', () => {
    const text = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.string({ unit: fc.integer({ min: 0, max: 0xffff }).map((unit) => String.fromCharCode(unit)) }),
    )
    fc.assert(
      fc.property(text, (given) => {
        const cleaned = cleanedText(given)
        expect(cleaned.isWellFormed()).toBe(true)
        expect(cleanedText(cleaned)).toBe(cleaned)
      }),
    )
  })
})

describe('times as text', () => {
  test('a time has the text that the platform gives it, whatever was written before it', () => {
    // Few times that come again, and more of them than are kept.
    const time = fc.oneof(
      fc.date({ noInvalidDate: true }),
      fc.nat(999).map((ms) => new Date(1_800_000_000_000 + ms)),
    )
    fc.assert(
      fc.property(fc.array(time, { maxLength: 600, size: 'max' }), (times) => {
        expect(times.map(isoText)).toEqual(times.map((one) => one.toISOString()))
      }),
      { numRuns: 20 },
    )
  })

  test('an invalid time is an error each time', () => {
    for (let times = 0; times < 2; times += 1) expect(() => isoText(new Date(Number.NaN))).toThrow(RangeError)
  })
})
