// {pay_url}/i/:client_secret/receipt: the signed receipt of a payment, as a file for its buyer. docs/contract.md, "Receipts".
import type { RequestHandler } from 'express'
import type { Executor } from '#graphql/executor.ts'
import { PaymentReceiptDocument } from './documents.generated.ts'
import { callerOf, parsed } from './page.ts'
import { PAYMENT_PATH } from './pages.ts'

export const RECEIPT_PATH = `${PAYMENT_PATH}/receipt`

/** Refusals are answered as the errors of REST. */
export function serveReceipt(executor: Executor): RequestHandler {
  const read = executor.compile(parsed(PaymentReceiptDocument))
  return async ({ params }, response) => {
    response.locals.route = RECEIPT_PATH
    const clientSecret = String(params.client_secret)
    const { checkout } = await read({ clientSecret }, await callerOf(executor, response))
    response.setHeader('Content-Type', 'application/jose')
    response.setHeader('Content-Disposition', `attachment; filename="receipt-${checkout.id}.jws"`)
    response.end(checkout.receipt?.jws)
  }
}
