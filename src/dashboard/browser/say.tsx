// The texts and formats of the chosen language.
import { createContext } from 'preact'
import { useContext } from 'preact/hooks'
import type { Fault } from '#dashboard/browser/fault.ts'
import { en } from '#dashboard/texts/en.ts'
import { SAME } from '#dashboard/texts/same.ts'
import type { TextKey } from '#dashboard/texts/texts.ts'
import { directionOf, fill, isLanguage, type Language } from '#pay/texts/texts.ts'
import { createFormats, type Formats, lazily } from '#pay/views/formats.ts'

const KEPT_AS = 'language'

/** Returns the language that was chosen here, or the one of the document. */
export function chosenLanguage(): Language {
  const kept = localStorage.getItem(KEPT_AS)
  if (isLanguage(kept)) return kept
  const { lang } = document.documentElement
  return isLanguage(lang) ? lang : 'en'
}

export function chooseLanguage(language: Language): void {
  localStorage.setItem(KEPT_AS, language)
  location.reload()
}

/** `Key` is what can be said: the operator's pages have more texts than those of businesses. */
export type Words<Key extends string = TextKey> = {
  readonly language: Language
  say(key: Key, values?: Readonly<Record<string, string>>): string
  /** A date with its time, where the reader is. */
  time(iso: string): string
  /** The same with seconds. */
  exactTime(iso: string): string
  /** The same in UTC, to compare it. */
  utc(iso: string): string
  /** The date of a time in a time zone. */
  day(iso: string, timeZone: string): string
  /** The same without the year. */
  briefDay(iso: string, timeZone: string): string
  /** A share from basis points, such as `2.5%`. */
  percent(bps: number): string
  /** An hour, or a day, as a place on the axis of a plot. */
  place(iso: string, isHour: boolean): { readonly name: string; readonly brief: string }
  /** A month, in the same way. */
  month(iso: string): { readonly name: string; readonly brief: string }
  /** US cents, briefly and for a scale only, such as `$1.2K`. */
  roughDollars(cents: number): string
  readonly formats: Formats
}

export function wordsOf<Key extends string>(language: Language, texts: Readonly<Record<Key, string>>): Words<Key> {
  const locale = `${language}-u-nu-latn`
  const dates = (options: Intl.DateTimeFormatOptions) => lazily(() => new Intl.DateTimeFormat(locale, options))
  const numbers = (options: Intl.NumberFormatOptions) => lazily(() => new Intl.NumberFormat(locale, options))
  const time = dates({ dateStyle: 'medium', timeStyle: 'short' })
  const percent = numbers({ style: 'percent', maximumFractionDigits: 2 })
  const exactTime = dates({ dateStyle: 'medium', timeStyle: 'medium' })
  const hours = [
    dates({ weekday: 'short', hour: 'numeric', minute: '2-digit' }),
    dates({ hour: 'numeric', minute: '2-digit' }),
  ] as const
  const days = [
    dates({ weekday: 'short', day: 'numeric', month: 'short', year: 'numeric' }),
    dates({ day: 'numeric', month: 'short' }),
  ] as const
  const roughDollars = numbers({
    ...{ style: 'currency', currency: 'USD', currencyDisplay: 'narrowSymbol' },
    ...{ notation: 'compact', maximumFractionDigits: 1 },
  })
  const months = [dates({ month: 'long', year: 'numeric' }), dates({ month: 'short' })] as const
  return {
    language,
    say: (key, values = {}) => fill(texts[key], directionOf(language) === 'rtl' ? isolated(values) : values),
    time: (iso) => time().format(new Date(iso)),
    exactTime: (iso) => exactTime().format(new Date(iso)),
    briefDay: (iso, timeZone) =>
      new Intl.DateTimeFormat(locale, { day: 'numeric', month: 'short', timeZone }).format(new Date(iso)),
    day: (iso, timeZone) => new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeZone }).format(new Date(iso)),
    percent: (bps) => percent().format(bps / 10_000),
    utc: (iso) => `${iso.slice(0, 19).replace('T', ' ')} UTC`,
    place: (iso, isHour) => {
      const [long, short] = isHour ? hours : days
      return { name: long().format(new Date(iso)), brief: short().format(new Date(iso)) }
    },
    roughDollars: (cents) => roughDollars().format(cents / 100),
    month: (iso) => {
      const [long, short] = months
      return { name: long().format(new Date(iso)), brief: short().format(new Date(iso)) }
    },
    formats: createFormats(language),
  }
}

/** A value that is written in another direction does not change the order of its sentence (UAX 9). */
const isolated = (values: Readonly<Record<string, string>>): Readonly<Record<string, string>> =>
  Object.fromEntries(Object.entries(values).map(([name, value]) => [name, `\u2068${value}\u2069`]))

/** Whether a word of the API, such as a code, has a text. */
export const isText = (word: string): word is TextKey => word in en

/** Returns why something did not work; a code of a newer service keeps the words of the service. */
export function reasonIn({ say }: Pick<Words, 'say'>, { code, message }: Fault): string {
  const key = SAME[code] ?? code
  return isText(key) ? say(key) : message || say('internal_error')
}

const WordsContext = createContext<Words | null>(null)
export const WordsProvider = WordsContext.Provider

export function useWords(): Words {
  const words = useContext(WordsContext)
  if (words === null) throw new Error('no words')
  return words
}
