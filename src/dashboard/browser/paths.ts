// The addresses of the pages.
import { site } from '#dashboard/browser/site.ts'
import { DASHBOARD_PATH } from '#dashboard/site.ts'

export const HOME = `${site.root}${DASHBOARD_PATH}`
export const JOIN = `${HOME}/join`
export const PAYMENTS = `${HOME}/payments`
/** Below no payment: an id is a UUID. */
export const NEW_PAYMENT = `${PAYMENTS}/new`
/** Below no payment: an id is a UUID. */
export const REFUNDS = `${PAYMENTS}/refunds`
export const refundPath = (id: string): string => `${REFUNDS}/${id}`
export const SUBSCRIPTIONS = `${HOME}/subscriptions`
/** Below no subscription: an id is a UUID. */
export const PRODUCTS = `${SUBSCRIPTIONS}/products`
export const COUPONS = `${SUBSCRIPTIONS}/coupons`
export const SUBSCRIPTION_FIGURES = `${SUBSCRIPTIONS}/figures`
export const DEVELOPERS = `${HOME}/developers`
export const REQUESTS = `${DEVELOPERS}/requests`
export const EVENTS = `${DEVELOPERS}/events`
export const SETTINGS = `${HOME}/settings`
export const AUDIT_LOG = `${SETTINGS}/audit`
export const paymentPath = (id: string): string => `${PAYMENTS}/${id}`
export const subscriptionPath = (id: string): string => `${SUBSCRIPTIONS}/${id}`
export const productPath = (id: string): string => `${PRODUCTS}/${id}`
export const MARKETPLACE = `${HOME}/marketplace`
export const MARKETPLACE_FIGURES = `${MARKETPLACE}/figures`
export const MARKETPLACE_TERMS = `${MARKETPLACE}/terms`
export const MARKETPLACE_AUDIT = `${MARKETPLACE}/audit`
export const sellerPath = (id: string): string => `${MARKETPLACE}/sellers/${id}`
