// The texts of each language.
import { en } from '#dashboard/texts/en.ts'
import type { Texts } from '#dashboard/texts/texts.ts'
import type { Language } from '#pay/texts/texts.ts'

/** Only English comes with the script. */
export const TEXTS: Readonly<Record<Language, () => Promise<Texts>>> = {
  en: async () => en,
  de: async () => (await import('#dashboard/texts/de.ts')).de,
  es: async () => (await import('#dashboard/texts/es.ts')).es,
  ja: async () => (await import('#dashboard/texts/ja.ts')).ja,
  ar: async () => (await import('#dashboard/texts/ar.ts')).ar,
}
