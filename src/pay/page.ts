// One page: what it reads, and how a request for it is answered.

import type { DocumentTypeDecoration, TypedDocumentNode } from '@graphql-typed-document-node/core'
import type { Request, RequestHandler, Response } from 'express'
import { parse } from 'graphql'
import { readLocalPage, readRedirect } from '#core/billing/host.ts'
import type { Executor } from '#graphql/executor.ts'
import { Refused } from '#graphql/refused.ts'
import { showTallies } from '#http/replies.ts'
import { chooseEncoding, encode, filesOf } from './files.ts'
import { render } from './generated/render.js'
import type { PageInput, PageName, PageStates } from './page-input.ts'
import { setPageHeaders } from './policy.ts'
import { type PaySettings, type Place, siteOf } from './site.ts'
import { ar } from './texts/ar.ts'
import { de } from './texts/de.ts'
import { en } from './texts/en.ts'
import { es } from './texts/es.ts'
import { ja } from './texts/ja.ts'
import { isLanguage, LANGUAGES, type Language, type Texts } from './texts/texts.ts'

// The language of a page: the one that its address names, else the one that the browser prefers.

export const TEXTS: Readonly<Record<Language, Texts>> = { en, de, es, ja, ar }

/** Returns English when neither is known. */
export function languageOf(request: Pick<Request, 'query' | 'acceptsLanguages'>): Language {
  const { lang } = request.query
  if (isLanguage(lang)) return lang
  const preferred = request.acceptsLanguages([...LANGUAGES])
  return isLanguage(preferred) ? preferred : 'en'
}

/** A URL was judged when it was stored. It is judged again where a person follows it. */
export const safeUrl = (url: string | null): string | null =>
  url === null ? null : ((readRedirect(url) ?? readLocalPage(url))?.href ?? null)

/** Returns a document of the pages as the executor takes it. Browsers send the same documents as text. */
export const parsed = <Result, Variables>(
  document: DocumentTypeDecoration<Result, Variables>,
): TypedDocumentNode<Result, Variables> => parse(String(document))

export type { Executor } from '#graphql/executor.ts'
export type Caller = Awaited<ReturnType<Executor['identify']>>

export type PageRequest = {
  /** Path parameters by name. */
  readonly params: Readonly<Record<string, unknown>>
  readonly query: Readonly<Record<string, unknown>>
}

export type Page = {
  readonly path: string
  /** REST answers the same address with JSON: a client that prefers no page gets that. */
  readonly hasJson: boolean
  /** It is reached by the link of one subscription. */
  readonly isOfSubscription: boolean
  /** Takes the executor, once, at start-up. */
  prepare(executor: Pick<Executor, 'compile'>): (request: PageRequest, caller: Caller) => Promise<Shown>
}

/** What a page shows, and where. */
export type Shown = {
  readonly [Name in PageName]: { readonly page: Name; readonly state: PageStates[Name]; readonly place: Place }
}[PageName]

/** Answers with the page, and leaves a request that prefers JSON to the next handler, where the address has JSON. */
export function answerPage(page: Page, executor: Executor, settings: PaySettings): RequestHandler {
  const read = page.prepare(executor)
  return async (request, response, next) => {
    if (page.hasJson) {
      response.vary('Accept')
      if (!prefersPage(request)) return next()
    }
    const { status, shown, retryAfter } = await read(request, await callerOf(executor, response)).then(
      (shown) => ({ status: 200, shown, retryAfter: null }),
      (error: unknown) => problemOf(error, page),
    )
    if (retryAfter !== null) response.setHeader('Retry-After', String(retryAfter))
    await sendPage({ request, response, status, shown, path: page.path, settings })
  }
}

/** A client that accepts both alike, such as curl, has asked the REST interface and gets JSON. */
const prefersPage = (request: Pick<Request, 'accepts'>): boolean => request.accepts(['json', 'html']) === 'html'

/** A page is shown to everyone who has its address: no key is read. */
export async function callerOf(executor: Executor, response: Response): Promise<Caller> {
  const { address, requestId } = response.locals
  const onCounted = showTallies(response)
  return await executor.identify({ sent: null, address, requestId, onCounted }, false)
}

type Problem = { readonly status: number; readonly shown: Shown; readonly retryAfter: number | null }

/** Returns the page that explains a refusal. Throws every other error. */
function problemOf(error: unknown, { isOfSubscription }: Page): Problem {
  if (!(error instanceof Refused)) throw error
  const { code, status, retryAfter } = error.shown
  const place = { network: null, embeddedIn: null, accent: null }
  return { status, shown: { page: 'problem', state: { code, status, isOfSubscription }, place }, retryAfter }
}

type Sent = {
  readonly request: Request
  readonly response: Response
  readonly status: number
  readonly shown: Shown
  /** The route. */
  readonly path: string
  readonly settings: PaySettings
}

async function sendPage({ request, response, status, shown, path, settings }: Sent): Promise<void> {
  const language = languageOf(request)
  const { place, ...rest } = shown
  const site = siteOf(place, `${pagesPath(path)}manage?lang=${language}`, settings)
  const input: PageInput = { ...rest, language, texts: TEXTS[language], site, theme: themeOf(request.query.theme) }
  const links = {
    ...filesOf(shown.page, `${pagesPath(path)}files`, { ...site, ...place }),
    languages: languageLinks(request.query),
  }
  setPageHeaders(response, site, settings)
  response.vary('Accept-Language')
  response.setHeader('Content-Language', language)
  response.statusCode = status
  const page = Buffer.from(render(input, links))
  response.end(await encode(page, chooseEncoding(request, response), { thorough: false }))
}

const themeOf = (given: unknown): PageInput['theme'] => (given === 'light' || given === 'dark' ? given : null)

/** Returns the path of {pay_url}, relative to a page: it may be another path for browsers than for this service. */
const pagesPath = (path: string): string => '../'.repeat(path.split('/').length - 3)

function languageLinks(query: Readonly<Record<string, unknown>>): Readonly<Record<Language, string>> {
  const kept = Object.entries(query).flatMap(([name, value]) => (typeof value === 'string' ? [[name, value]] : []))
  const link = (lang: Language) => `?${new URLSearchParams({ ...Object.fromEntries(kept), lang })}`
  return { en: link('en'), de: link('de'), es: link('es'), ja: link('ja'), ar: link('ar') }
}
