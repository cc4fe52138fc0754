// {base_url}/dashboard: one document for every page in it. What a person may see is decided by the API that it reads.
import { Router } from 'express'
import { wrongMethod } from '#http/replies.ts'
import { FILES_PATH } from '#pay/files.ts'
import { languageOf } from '#pay/page.ts'
import { setPageHeaders } from '#pay/policy.ts'
import type { PaySettings } from '#pay/site.ts'
import { shellOf } from './shell.ts'
import { DASHBOARD_PATH } from './site.ts'

const ROUTE = new RegExp(`^${DASHBOARD_PATH}(/.*)?$`)

export function createDashboardRouter(settings: PaySettings): Router {
  const router = Router({ caseSensitive: true })
  const root = new URL(settings.publicUrl).pathname.replace(/\/$/, '')
  const { isSandbox, chains } = settings
  router
    .route(ROUTE)
    .get((request, response) => {
      response.locals.route = DASHBOARD_PATH
      const language = languageOf(request)
      setPageHeaders(response, { embeddedIn: null }, settings)
      response.vary('Accept-Language')
      response.setHeader('Content-Language', language)
      response.end(shellOf({ root, isSandbox, chains, files: `${root}${FILES_PATH}` }, language))
    })
    .all(wrongMethod(['GET']))
  return router
}
