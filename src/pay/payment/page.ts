// {pay_url}/i/:client_secret: the page on which a buyer pays.
import { PAY_PATH } from '#http/endpoint.ts'
import { PaymentPageDocument, PaymentQuoteDocument } from '#pay/documents.generated.ts'
import type { Page } from '#pay/page.ts'
import { parsed, safeUrl } from '#pay/page.ts'
import { DETAILS, type PaymentState, quotesOf } from '#pay/payment/state.ts'

export const PAYMENT_PATH = `${PAY_PATH}/i/:client_secret`

export const paymentPage: Page = {
  path: PAYMENT_PATH,
  hasJson: false,
  isOfSubscription: false,
  prepare(executor) {
    const read = executor.compile(parsed(PaymentPageDocument), 'digits')
    const quote = executor.compile(parsed(PaymentQuoteDocument), 'digits')
    return async ({ params, query }, caller) => {
      const clientSecret = String(params.client_secret)
      const parent = typeof query.parent === 'string' ? query.parent : null
      const { checkout } = await read({ clientSecret, parent }, caller)
      const { acceptedTokens: tokens, mayBeEmbeddedIn, createdAt, expiresAt, brand, ...rest } = checkout
      const { reference, description, lineItems, successUrl, cancelUrl, ...payment } = rest
      const urls = { successUrl: safeUrl(successUrl), cancelUrl: safeUrl(cancelUrl) }
      const order = { reference, description, lineItems, ...urls }
      const quotes =
        payment.status === 'pending'
          ? await quote({ clientSecret }, caller).then(({ quote }) => quotesOf(quote), withoutQuote)
          : null
      const details = detailsOf(query.details)
      const windowSeconds = (Date.parse(expiresAt) - Date.parse(createdAt)) / 1_000
      const state = { clientSecret, payment, order, brand, tokens, quotes, windowSeconds, details }
      const place = { network: payment.network, embeddedIn: mayBeEmbeddedIn ? parent : null, accent: brand.accentColor }
      return { page: 'payment', state, place }
    }
  },
}

/** The page shows everything else while no price is known, and asks again. */
const withoutQuote = (): null => null

const detailsOf = (given: unknown): PaymentState['details'] => {
  const asked = String(given ?? '').split(',')
  return DETAILS.filter((detail) => asked.includes(detail))
}
