// The pages under {pay_url}, and the files that they load. A request that wants no page goes on to the JSON of its address.
import { type RequestHandler, Router } from 'express'
import type { Executor } from '#graphql/executor.ts'
import { wrongMethod } from '#http/replies.ts'
import { FILE_ROUTE, serveFile, serveWidget, WIDGET_PATH } from '#pay/files.ts'
import { answerPage, type Page } from '#pay/page.ts'
import { paymentPage } from '#pay/payment/page.ts'
import type { PaySettings } from '#pay/site.ts'
import { checkoutPage, portalPage, recoveryPage } from '#pay/subscription/pages.ts'

const refuse = wrongMethod(['GET'])

/** Refuses every method that reads no page. A GET that wants no page goes on. */
const otherMethods: RequestHandler = (request, response, next) => {
  if (request.method === 'GET' || request.method === 'HEAD') return next()
  response.locals.route = paymentPage.path
  return refuse(request, response, next)
}

const PAGES: readonly Page[] = [paymentPage, checkoutPage, portalPage, recoveryPage]

export function createPayRouter(executor: Executor, settings: PaySettings): Router {
  const router = Router({ caseSensitive: true })
  router
    .route(FILE_ROUTE)
    .get(serveFile)
    .all(wrongMethod(['GET']))
  router
    .route(WIDGET_PATH)
    .get(serveWidget)
    .all(wrongMethod(['GET']))
  for (const page of PAGES) router.get(page.path, answerPage(page, executor, settings))
  // The other pages share their address with routes of REST, which refuse other methods.
  router.route(paymentPage.path).all(otherMethods)
  return router
}
