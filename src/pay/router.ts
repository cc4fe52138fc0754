// The pages under {pay_url}, and the files that they load. A request that prefers JSON goes on to the JSON of its address.
import { Router } from 'express'
import type { Executor } from '#graphql/executor.ts'
import { wrongMethod } from '#http/replies.ts'
import { FILE_ROUTE, serveFile, serveWidget, WIDGET_PATH } from '#pay/files.ts'
import { answerPage, type Page } from '#pay/page.ts'
import { RECEIPT_PATH, serveReceipt } from '#pay/receipt.ts'
import type { PaySettings } from '#pay/site.ts'
import { checkoutPage, paymentPage, portalPage, recoveryPage } from './pages.ts'

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
  router
    .route(RECEIPT_PATH)
    .get(serveReceipt(executor))
    .all(wrongMethod(['GET']))
  for (const page of PAGES) {
    const route = router.route(page.path).all((_request, response, next) => {
      response.locals.route = page.path
      next()
    })
    route.get(answerPage(page, executor, settings))
    // Routes of REST at the same address refuse other methods.
    if (!page.hasJson) route.all(wrongMethod(['GET']))
  }
  return router
}
