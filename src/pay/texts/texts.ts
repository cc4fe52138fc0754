// The texts of the pages. English decides which texts there are: a language that lacks one does not compile.
import type { en } from './en.ts'

export const LANGUAGES = ['en', 'de', 'es', 'ja', 'ar'] as const
export type Language = (typeof LANGUAGES)[number]

export type TextKey = keyof typeof en
/** A word in braces, such as `{amount}`, is replaced. */
export type Texts = Readonly<Record<TextKey, string>>

/** The name of each language in itself. */
export const LANGUAGE_NAMES: Readonly<Record<Language, string>> = {
  en: 'English',
  de: 'Deutsch',
  es: 'Español',
  ja: '日本語',
  ar: 'العربية',
}

export const isLanguage = (value: unknown): value is Language => LANGUAGES.some((language) => language === value)

export const directionOf = (language: Language): 'ltr' | 'rtl' => (language === 'ar' ? 'rtl' : 'ltr')

/** Returns a text with its words in braces replaced. */
export const fill = (text: string, values: Readonly<Record<string, string>>): string =>
  text.replace(/\{(\w+)\}/g, (whole, name: string) => values[name] ?? whole)
