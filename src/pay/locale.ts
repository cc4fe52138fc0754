// The language of a page: the one that its address names, else the one that the browser prefers.
import type { Request } from 'express'
import { ar } from '#pay/texts/ar.ts'
import { de } from '#pay/texts/de.ts'
import { en } from '#pay/texts/en.ts'
import { es } from '#pay/texts/es.ts'
import { ja } from '#pay/texts/ja.ts'
import { isLanguage, LANGUAGES, type Language, type Texts } from '#pay/texts/texts.ts'

export const TEXTS: Readonly<Record<Language, Texts>> = { en, de, es, ja, ar }

/** Returns English when neither is known. */
export function languageOf(request: Pick<Request, 'query' | 'acceptsLanguages'>): Language {
  const { lang } = request.query
  if (isLanguage(lang)) return lang
  const preferred = request.acceptsLanguages([...LANGUAGES])
  return isLanguage(preferred) ? preferred : 'en'
}
