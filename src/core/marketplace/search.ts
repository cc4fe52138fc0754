// How a search finds sellers: a case-insensitive substring of the name or the external id. The database indexes the parts
// of both texts, so that a search does not read every seller, and no extension of PostgreSQL is needed. The case of
// a letter is that of Unicode, whatever the locale of the database.

const MAX_PART = 3
/** Separates the texts, so that no search matches the end of one and the beginning of the next. */
const SEPARATOR = '\n'

/** Upper case, because lower case depends on the neighbours of a letter: `Σ` ends a word as `ς`. */
const folded = (text: string): string => text.toUpperCase().normalize('NFC')

/** Returns the text that is searched. */
export const searchTextOf = (texts: readonly (string | null)[]): string =>
  texts
    .filter((text) => text !== null)
    .map(folded)
    .join(SEPARATOR)

/** Returns every part of one to three characters of a text that is searched, once. */
export function searchPartsOf(searchText: string): readonly string[] {
  const parts = new Set<string>()
  for (const text of searchText.split(SEPARATOR)) {
    const characters = [...text]
    for (let start = 0; start < characters.length; start += 1)
      for (let length = 1; length <= MAX_PART; length += 1)
        if (start + length <= characters.length) parts.add(characters.slice(start, start + length).join(''))
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
  const text = folded(search.trim())
  if (text === '') return null
  const characters = [...text]
  const length = Math.min(MAX_PART, characters.length)
  const starts = characters.slice(0, characters.length - length + 1).keys()
  return { text, parts: [...new Set(starts.map((start) => characters.slice(start, start + length).join('')))] }
}
