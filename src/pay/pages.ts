// The routes of the pages, and what each page reads.
import { PAY_PATH } from '#http/endpoint.ts'
import { CHECKOUT_PATH } from '#rest/billing/checkout.ts'
import { PORTAL_PATH } from '#rest/billing/portal.ts'
import { RECOVERY_PATH } from '#rest/billing/recovery.ts'
import {
  CheckoutPageDocument,
  PaymentPageDocument,
  PaymentQuoteDocument,
  PortalPageDocument,
  RecoveryPageDocument,
} from './documents.generated.ts'
import { type Page, parsed, safeUrl } from './page.ts'
import { DETAILS, type PaymentState, quotesOf } from './states.ts'

// {pay_url}/i/:client_secret: the page on which a buyer pays.

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

// {pay_url}/s/:token, /m/:token and /manage: the pages of a subscriber. Spec: "Hosted checkout", "Hosted portal".

/** Subscriptions are on the live network, and no other site shows their pages: they ask for signatures. */
const PLACE = { network: 'live', embeddedIn: null, accent: null } as const

export const checkoutPage: Page = {
  path: CHECKOUT_PATH,
  hasJson: true,
  isOfSubscription: true,
  prepare(executor) {
    const read = executor.compile(parsed(CheckoutPageDocument), 'digits')
    return async ({ params }, caller) => {
      const token = String(params.token)
      const { checkout: found } = await read({ token }, caller)
      const { successUrl, cancelUrl, brand } = found
      const checkout = { ...found, successUrl: safeUrl(successUrl), cancelUrl: safeUrl(cancelUrl) }
      const state = { token, checkout, ticker: found.tier.ticker ?? '' }
      return { page: 'checkout', state, place: { ...PLACE, accent: brand.accentColor } }
    }
  },
}

export const portalPage: Page = {
  path: PORTAL_PATH,
  hasJson: true,
  isOfSubscription: true,
  prepare(executor) {
    const read = executor.compile(parsed(PortalPageDocument), 'digits')
    return async ({ params }, caller) => {
      const token = String(params.token)
      const { portal } = await read({ token }, caller)
      const state = { token, portal, ticker: portal.tier.ticker ?? '' }
      return { page: 'portal', state, place: { ...PLACE, accent: portal.brand.accentColor } }
    }
  },
}

export const recoveryPage: Page = {
  path: RECOVERY_PATH,
  hasJson: true,
  isOfSubscription: false,
  prepare(executor) {
    const read = executor.compile(parsed(RecoveryPageDocument))
    return async (_request, caller) => {
      await read({}, caller)
      return { page: 'recovery', state: {}, place: PLACE }
    }
  },
}
