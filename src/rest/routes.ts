// Every endpoint, in the order of the spec's section "Endpoints". {pay_url} is a path of its own.
import type { Endpoint } from '#http/endpoint.ts'
import { apiKeyEndpoints } from '#rest/accounts/api-keys.ts'
import { subscriptionCheckoutEndpoints } from '#rest/billing/checkout.ts'
import { couponEndpoints } from '#rest/billing/coupons.ts'
import { domainEndpoints } from '#rest/billing/domains.ts'
import { subscriptionIntentEndpoints } from '#rest/billing/intents.ts'
import { portalEndpoints } from '#rest/billing/portal.ts'
import { productEndpoints } from '#rest/billing/products.ts'
import { recoveryEndpoints } from '#rest/billing/recovery.ts'
import { subscriptionEndpoints } from '#rest/billing/subscriptions.ts'
import { tierEndpoints } from '#rest/billing/tiers.ts'
import { webhookDeliveryEndpoints } from '#rest/events/deliveries.ts'
import { webhookEndpointEndpoints } from '#rest/events/endpoints.ts'
import { eventEndpoints } from '#rest/events/events.ts'
import { exportEndpoints } from '#rest/exports/exports.ts'
import { auditEndpoints } from '#rest/marketplace/audit.ts'
import { marketplaceEndpoints } from '#rest/marketplace/marketplace.ts'
import { marketplacePaymentEndpoints } from '#rest/marketplace/payments.ts'
import { sellerEndpoints } from '#rest/marketplace/sellers.ts'
import { marketplaceStatsEndpoints } from '#rest/marketplace/stats.ts'
import { checkoutEndpoints } from '#rest/payments/checkout.ts'
import { intentEndpoints } from '#rest/payments/intents.ts'
import { decisionEndpoints, proposalEndpoints } from '#rest/payments/refund-address.ts'
import { statsEndpoints } from '#rest/payments/stats.ts'
import { platformEndpoints } from '#rest/platform.ts'
import { refundEndpoints } from '#rest/refunds/refunds.ts'

export const ROUTES: readonly Endpoint[] = [
  ...platformEndpoints,
  ...intentEndpoints,
  ...decisionEndpoints,
  ...checkoutEndpoints,
  ...proposalEndpoints,
  ...refundEndpoints,
  ...statsEndpoints,
  ...eventEndpoints,
  ...webhookEndpointEndpoints,
  ...webhookDeliveryEndpoints,
  ...exportEndpoints,
  ...apiKeyEndpoints,
  ...marketplaceEndpoints,
  ...sellerEndpoints,
  ...marketplacePaymentEndpoints,
  ...marketplaceStatsEndpoints,
  ...auditEndpoints,
  ...productEndpoints,
  ...tierEndpoints,
  ...couponEndpoints,
  ...domainEndpoints,
  ...subscriptionIntentEndpoints,
  ...subscriptionEndpoints,
  ...subscriptionCheckoutEndpoints,
  ...portalEndpoints,
  ...recoveryEndpoints,
]
