// How a search finds sellers: a case-insensitive substring of the name or the external id. The database indexes the parts
// of both texts, so that a search does not read every seller, and no extension of PostgreSQL is needed. The case of
// a letter is that of Unicode, whatever the locale of the database.

/**
 * In characters. Long parts are rare, so the work of a search for a rare text does not grow with the texts that share
 * short parts with it.
 */
export const PART_LENGTHS = [1, 2, 3, 4, 6, 12] as const
/** Separates the texts, so that no search matches the end of one and the beginning of the next. */
export const SEPARATOR = '\n'

/**
 * Upper case, because lower case depends on the neighbours of a letter: `Σ` ends a word as `ς`. Lower case comes first, because
 * some capital letters are not those of their small letters: `ẞ` is `ß`, and that is `SS`. Invisible characters are left
 * out, because a person who types a name leaves them out.
 */
const folded = (text: string): string =>
  text
    .toLowerCase()
    .toUpperCase()
    .normalize('NFC')
    .replace(/\p{Default_Ignorable_Code_Point}/gu, '')

/** Returns the text that is searched. */
export const searchTextOf = (texts: readonly (string | null)[]): string =>
  texts
    .filter((text) => text !== null)
    .map(folded)
    .join(SEPARATOR)

/** Returns every part of a text that is searched, once. */
export function searchPartsOf(searchText: string): readonly string[] {
  const parts = new Set<string>()
  for (const text of searchText.split(SEPARATOR)) {
    const characters = [...text]
    for (const length of PART_LENGTHS)
      for (let end = length; end <= characters.length; end += 1) parts.add(characters.slice(end - length, end).join(''))
  }
  return [...parts]
}

export type Search = {
  /** Contained in the text of each match. */
  readonly text: string
  /** Contained in the parts of each match. */
  readonly parts: readonly string[]
}

/** Returns what a search looks for; null for a blank search, which matches everything. */
export function readSearch(search: string): Search | null {
  const text = folded(search).trim()
  if (text === '') return null
  return { text, parts: [...new Set(cover([...text]))] }
}

/** Returns the longest parts that cover a search. The last may overlap the one before it. */
function cover(characters: readonly string[]): readonly string[] {
  const length = PART_LENGTHS.findLast((candidate) => candidate <= characters.length) ?? 1
  const parts: string[] = []
  for (let start = 0; start < characters.length; start += length) {
    const end = Math.min(start + length, characters.length)
    parts.push(characters.slice(end - length, end).join(''))
  }
  return parts
}
