// {pay_url}/s/:token, /m/:token and /manage: the pages of a subscriber. Spec: "Hosted checkout", "Hosted portal".
import { CheckoutPageDocument, PortalPageDocument, RecoveryPageDocument } from '#pay/documents.generated.ts'
import type { Page } from '#pay/page.ts'
import { parsed, safeUrl } from '#pay/page.ts'
import { CHECKOUT_PATH } from '#rest/billing/checkout.ts'
import { PORTAL_PATH } from '#rest/billing/portal.ts'
import { RECOVERY_PATH } from '#rest/billing/recovery.ts'

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
