// Names in the sentence that a wallet shows. The sentence is ASCII, and a name must not look like a part of it.

/** Letters that Unicode does not decompose. */
const LETTERS: Readonly<Record<string, string>> = {
  ß: 'ss',
  ẞ: 'SS',
  æ: 'ae',
  Æ: 'AE',
  œ: 'oe',
  Œ: 'OE',
  ø: 'o',
  Ø: 'O',
  đ: 'd',
  Đ: 'D',
  ð: 'd',
  Ð: 'D',
  þ: 'th',
  Þ: 'Th',
  ł: 'l',
  Ł: 'L',
  ı: 'i',
  '‘': "'",
  '’': "'",
  '“': "'",
  '”': "'",
  '–': '-',
  '—': '-',
  '"': "'",
  '%': ' percent',
  '[': '(',
  ']': ')',
}
const MAX_LENGTH = 80

/**
 * Returns a name as at most 80 printable ASCII characters between brackets, without quotation marks and percent signs.
 * Accents are dropped; a character without an ASCII form is written as its number, so that two names stay two.
 */
export function quotedName(name: string): string {
  const ascii = [...name.normalize('NFKD')].map(asciiOf).join('').replace(/ +/g, ' ').trim()
  const short = ascii.length > MAX_LENGTH ? `${ascii.slice(0, MAX_LENGTH - 3).trimEnd()}...` : ascii
  return `[${short}]`
}

function asciiOf(character: string): string {
  const known = LETTERS[character]
  if (known !== undefined) return known
  if (/^[!-~]$/.test(character)) return character
  if (/^[\p{White_Space}\p{Cc}]$/u.test(character)) return ' '
  if (/^\p{M}$/u.test(character)) return ''
  return ` U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')} `
}
