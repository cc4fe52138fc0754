// What every part of a page may ask for: its texts and formats in the language of the page, and the service.
import { createContext } from 'preact'
import { useContext } from 'preact/hooks'
import type { Site } from '#pay/page-input.ts'
import { directionOf, fill, type Language, type TextKey, type Texts } from '#pay/texts/texts.ts'
import { createFormats, type Formats } from '#pay/views/formats.ts'

export type Say = (key: TextKey, values?: Readonly<Record<string, string>>) => string

export type Page = { readonly say: Say; readonly formats: Formats; readonly site: Site; readonly language: Language }

const PageContext = createContext<Page | null>(null)
export const PageProvider = PageContext.Provider

export const pageOf = (texts: Texts, language: Language, site: Site): Page => ({
  say: (key, values = {}) => fill(texts[key], isolated(values, language)),
  formats: createFormats(language),
  site,
  language,
})

/** Letters that are written from right to left, and their marks. */
const RIGHT_TO_LEFT = /[\u0590-\u08ff\u200f\ufb1d-\ufdff\ufe70-\ufefc\u{10800}-\u{10fff}\u{1e800}-\u{1efff}]/u

/**
 * Returns what is put into a sentence. A value that may be written in another direction than the sentence is isolated (UAX 9),
 * and cannot change the order of the rest.
 */
function isolated(values: Readonly<Record<string, string>>, language: Language): Readonly<Record<string, string>> {
  const mayDiffer = (value: string) => directionOf(language) === 'rtl' || RIGHT_TO_LEFT.test(value)
  const entries = Object.entries(values).map(([name, value]) => [
    name,
    mayDiffer(value) ? `\u2068${value}\u2069` : value,
  ])
  return Object.fromEntries(entries)
}

/** Throws outside of a page. */
export function usePage(): Page {
  const page = useContext(PageContext)
  if (page === null) throw new Error('a part of a page is outside of a page')
  return page
}
