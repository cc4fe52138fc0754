// The texts of the operator's pages, next to those that they share with the pages of businesses.
import { createContext } from 'preact'
import { useContext } from 'preact/hooks'
import type { Words } from '#dashboard/browser/say.tsx'
import { en } from '#dashboard/operator/texts/en.ts'
import type { OwnTextKey, OwnTexts } from '#dashboard/operator/texts/texts.ts'
import type { TextKey } from '#dashboard/texts/texts.ts'
import type { Language } from '#pay/texts/texts.ts'

/** Only English comes with the script. */
export const OWN_TEXTS: Readonly<Record<Language, () => Promise<OwnTexts>>> = {
  en: async () => en,
  de: async () => (await import('#dashboard/operator/texts/de.ts')).de,
  es: async () => (await import('#dashboard/operator/texts/es.ts')).es,
  ja: async () => (await import('#dashboard/operator/texts/ja.ts')).ja,
  ar: async () => (await import('#dashboard/operator/texts/ar.ts')).ar,
}

export type OwnWords = Words<TextKey | OwnTextKey>

export const isOwnText = (word: string): word is OwnTextKey => word in en

const OwnWordsContext = createContext<OwnWords | null>(null)
export const OwnWordsProvider = OwnWordsContext.Provider

export function useOwnWords(): OwnWords {
  const words = useContext(OwnWordsContext)
  if (words === null) throw new Error('no words')
  return words
}
