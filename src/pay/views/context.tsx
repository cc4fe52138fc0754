// What every part of a page may ask for: its texts and formats in the language of the page, and the service.
import { createContext } from 'preact'
import { useContext } from 'preact/hooks'
import type { Site } from '#pay/page-input.ts'
import { fill, type Language, type TextKey, type Texts } from '#pay/texts/texts.ts'
import { createFormats, type Formats } from '#pay/views/formats.ts'

export type Say = (key: TextKey, values?: Readonly<Record<string, string>>) => string

export type Page = { readonly say: Say; readonly formats: Formats; readonly site: Site; readonly language: Language }

const PageContext = createContext<Page | null>(null)
export const PageProvider = PageContext.Provider

export const pageOf = (texts: Texts, language: Language, site: Site): Page => ({
  say: (key, values = {}) => fill(texts[key], values),
  formats: createFormats(language),
  site,
  language,
})

/** Throws outside of a page. */
export function usePage(): Page {
  const page = useContext(PageContext)
  if (page === null) throw new Error('a part of a page is outside of a page')
  return page
}
