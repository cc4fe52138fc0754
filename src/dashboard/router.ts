// {base_url}/dashboard, and the operator's below /operator: one document for every page in it. What a person may see is decided by
// the API that it reads.
import { type Request, type Response, Router } from 'express'
import { wrongMethod } from '#http/replies.ts'
import { FILE_ROUTE, FILES_PATH, serveFile } from '#pay/files.ts'
import { languageOf } from '#pay/page.ts'
import { setPageHeaders } from '#pay/policy.ts'
import type { PaySettings } from '#pay/site.ts'
import type { Language } from '#pay/texts/texts.ts'
import { operatorShellOf, shellOf } from './shell.ts'
import { DASHBOARD_PATH, OPERATOR_ROOT } from './site.ts'

const ROUTE = new RegExp(`^${DASHBOARD_PATH}(/.*)?$`)
const OPERATOR_ROUTE = new RegExp(`^${OPERATOR_ROOT}${DASHBOARD_PATH}(/.*)?$`)

export function createDashboardRouter(settings: PaySettings): Router {
  const router = Router({ caseSensitive: true })
  const root = new URL(settings.publicUrl).pathname.replace(/\/$/, '')
  const { isSandbox, chains } = settings
  router
    .route(ROUTE)
    .get((request, response) => {
      response.locals.route = DASHBOARD_PATH
      const site = { root, isSandbox, chains, files: `${root}${FILES_PATH}`, hasSession: hasCookie(request, 'session') }
      send(request, response, settings, (language) => shellOf(site, language))
    })
    .all(wrongMethod(['GET']))
  return router
}

/** The operator reaches the service without the public address, and so its page knows no other. */
export function createOperatorRouter(
  { isSandbox, chains }: PaySettings,
  { hasPort }: { readonly hasPort: boolean },
): Router {
  const router = Router({ caseSensitive: true })
  router
    .route(OPERATOR_ROUTE)
    .get((request, response) => {
      response.locals.route = `${OPERATOR_ROOT}${DASHBOARD_PATH}`
      const hasSession = hasCookie(request, 'operator')
      const site = { root: OPERATOR_ROOT, isSandbox, chains, files: FILES_PATH, hasSession }
      send(request, response, { publicUrl: null }, (language) => operatorShellOf(site, language))
    })
    .all(wrongMethod(['GET']))
  if (!hasPort) return router
  router
    .route(DASHBOARD_PATH)
    .get((_request, response) => {
      response.locals.route = DASHBOARD_PATH
      response.redirect(`${OPERATOR_ROOT}${DASHBOARD_PATH}`)
    })
    .all(wrongMethod(['GET']))
  router
    .route(FILE_ROUTE)
    .get(serveFile)
    .all(wrongMethod(['GET']))
  return router
}

/** Whether a browser sends a cookie of this name: a hint for the page, which proves nothing. */
const hasCookie = ({ headers }: Request, name: 'session' | 'operator'): boolean =>
  new RegExp(`(^|;) *(__Host-)?${name}=`).test(headers.cookie ?? '')

function send(
  request: Request,
  response: Response,
  at: Parameters<typeof setPageHeaders>[2],
  documentIn: (language: Language) => string,
): void {
  const language = languageOf(request)
  setPageHeaders(response, { embeddedIn: null }, at)
  response.vary('Accept-Language, Cookie')
  response.setHeader('Content-Language', language)
  response.end(documentIn(language))
}
