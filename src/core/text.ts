// Text from outside. A key is judged, and kept exactly. Text that people write for people is cleaned, and never refused for
// its characters: no program computes with it. See docs/contract.md, "Text".

/**
 * Controls but tabs and line breaks, halves of surrogate pairs, and the characters that give the text after them another
 * direction. PostgreSQL stores neither NUL nor half of a surrogate pair.
 */
const REMOVED = /[[\p{Cc}\p{Cs}\u202a-\u202e\u2066-\u2069]--[\t\n\r]]/gv

/**
 * Returns a text without the characters that cannot be stored or that break its display. Every other character stays:
 * Hebrew, Arabic, Persian and Khmer are written with invisible ones.
 */
export const cleanedText = (text: string): string => text.replace(REMOVED, '')

/** The longest text, in code points, as PostgreSQL counts them: an emoji is one character. */
export const MAX_TEXT = 500

/** Completes "must be …" and "is …". */
export const CLEAN_TEXT = 'well-formed text without control characters or hidden characters'

/**
 * Returns whether a text is short enough. A text of more than twice as many UTF-16 units is too long, and is not counted.
 */
export const isShortText = (text: string): boolean => hasAtMost(MAX_TEXT, text)

/** Counts characters as PostgreSQL does: an emoji is one. */
export const hasAtMost = (longest: number, text: string): boolean =>
  text.length <= longest || (text.length <= 2 * longest && [...text].length <= longest)

/**
 * Characters that are invisible or change how others look: controls, bidirectional marks, fillers, zero-width joiners,
 * variation selectors.
 */
const HIDDEN = /[[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}\p{Default_Ignorable_Code_Point}\ufff9-\ufffb]--[\t\n\r]]/v

/** Emoji, which may contain zero-width joiners, variation selectors and tags. */
const EMOJI =
  /\p{RGI_Emoji}|\p{Extended_Pictographic}[\ufe0e\ufe0f]?\p{Emoji_Modifier}?(?:\u200d\p{Extended_Pictographic}[\ufe0e\ufe0f]?\p{Emoji_Modifier}?)*/gv

/** A zero-width joiner after a letter of a script that needs it, as in Persian, Hindi and Sinhala. */
const JOINED =
  /(?<=[[\p{L}\p{M}]&&[\p{scx=Arab}\p{scx=Syrc}\p{scx=Nkoo}\p{scx=Mong}\p{scx=Deva}\p{scx=Beng}\p{scx=Guru}\p{scx=Gujr}\p{scx=Orya}\p{scx=Taml}\p{scx=Telu}\p{scx=Knda}\p{scx=Mlym}\p{scx=Sinh}\p{scx=Khmr}\p{scx=Mymr}\p{scx=Tibt}]])[\u200c\u200d]/gv

/** The variant of a Chinese, Japanese or Mongolian character, as names use it. */
const VARIANT = /(?<=\p{scx=Han})[\ufe00-\ufe0d\u{e0100}-\u{e01ef}]|(?<=\p{scx=Mong})[\u180b-\u180d\u180f]/gv

/**
 * Returns whether a text can be stored and shows what it contains, as a key must. Characters that change the order of a
 * text, or make two texts look the same, mislead a reader. Zero-width joiners and variation selectors are allowed where a
 * script or an emoji needs them: right after a letter of such a script, and within an emoji. Tabs and line breaks are
 * allowed.
 */
export const isCleanText = (text: string): boolean =>
  text.isWellFormed() &&
  (!HIDDEN.test(text) || !HIDDEN.test(text.replace(EMOJI, '').replace(JOINED, '').replace(VARIANT, '')))

/** Returns whether a text has no tab and no line break. A name of several lines could look like several names. */
export const isOneLine = (text: string): boolean => !/[\t\n\r\u2028\u2029]/.test(text)

const VISIBLE = /[^\p{White_Space}\p{Cc}\p{Default_Ignorable_Code_Point}]/u

/** Returns whether a text is empty or invisible. Such a text is never a key. */
export const isBlank = (text: string): boolean => !VISIBLE.test(text)

/** Returns whether a text can identify something: one line, taken exactly as it is. */
export const isKey = (text: string, longest: number): boolean =>
  hasAtMost(longest, text) && isCleanText(text) && isOneLine(text) && !isBlank(text)

/** Returns whether a cleaned text can name something. */
export const isName = (text: string, longest: number): boolean =>
  isProse(text, longest) && isOneLine(text) && !isBlank(text)

/** Returns whether a cleaned text can describe something. It may be empty. */
export const isProse = (text: string, longest: number): boolean =>
  hasAtMost(longest, text) && cleanedText(text) === text

/** Converts `camelCase` to `camel_case`: the names of columns, of REST and of webhooks. */
export const snakeCase = (name: string): string => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)

// Times as text. V8 writes one with the C library, which takes longer than all else that is done with it, and the times of
// a moment are written several times each: in a snapshot, in a reply, and in those of others.

const MAX_KEPT = 256

const kept = new Map<number, string>()

/** Returns a time as ISO 8601 in UTC, with milliseconds. Throws RangeError for an invalid one. */
export function isoText(time: Date): string {
  const ms = time.getTime()
  const known = kept.get(ms)
  if (known !== undefined) return known
  const text = time.toISOString()
  if (kept.size >= MAX_KEPT) kept.clear()
  kept.set(ms, text)
  return text
}
