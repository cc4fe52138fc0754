// Every endpoint, in the order of the spec's section "Endpoints". {pay_url} is a path of its own.
import type { Endpoint } from '#http/endpoint.ts'
import { activateSubscriptionCheckout } from '#rest/billing/checkout/activate.ts'
import { confirmSubscriptionCheckout } from '#rest/billing/checkout/confirm.ts'
import { prepareSubscriptionCheckout } from '#rest/billing/checkout/prepare.ts'
import { readSubscriptionCheckout } from '#rest/billing/checkout/read.ts'
import { retrySubscriptionCheckout } from '#rest/billing/checkout/retry.ts'
import { archiveDomain } from '#rest/billing/domains/archive.ts'
import { createDomain } from '#rest/billing/domains/create.ts'
import { findDomain } from '#rest/billing/domains/find.ts'
import { listDomains } from '#rest/billing/domains/list.ts'
import { cancelSubscriptionIntent } from '#rest/billing/intents/cancel.ts'
import { createSubscriptionIntent } from '#rest/billing/intents/create.ts'
import { findSubscriptionIntent } from '#rest/billing/intents/find.ts'
import { listSubscriptionIntents } from '#rest/billing/intents/list.ts'
import { activateInPortal } from '#rest/billing/portal/activate.ts'
import { cancelInPortal } from '#rest/billing/portal/cancel.ts'
import { changeTierInPortal } from '#rest/billing/portal/change-tier.ts'
import { pauseInPortal } from '#rest/billing/portal/pause.ts'
import { readPortal } from '#rest/billing/portal/read.ts'
import { renewInPortal } from '#rest/billing/portal/renew.ts'
import { resumeInPortal } from '#rest/billing/portal/resume.ts'
import { revokeInPortal } from '#rest/billing/portal/revoke.ts'
import { archiveProduct } from '#rest/billing/products/archive.ts'
import { createProduct } from '#rest/billing/products/create.ts'
import { findProduct } from '#rest/billing/products/find.ts'
import { listProducts } from '#rest/billing/products/list.ts'
import { updateProduct } from '#rest/billing/products/update.ts'
import { challengeWallet } from '#rest/billing/recovery/challenge.ts'
import { readRecovery } from '#rest/billing/recovery/read.ts'
import { recoverPortalLinks } from '#rest/billing/recovery/verify.ts'
import { cancelSubscription } from '#rest/billing/subscriptions/cancel.ts'
import { changeTier } from '#rest/billing/subscriptions/change-tier.ts'
import { chargeNow } from '#rest/billing/subscriptions/charge-now.ts'
import { listCharges } from '#rest/billing/subscriptions/charges.ts'
import { findDelegation } from '#rest/billing/subscriptions/delegation.ts'
import { findSubscription } from '#rest/billing/subscriptions/find.ts'
import { listSubscriptions } from '#rest/billing/subscriptions/list.ts'
import { pauseSubscription } from '#rest/billing/subscriptions/pause.ts'
import { createPortalLink } from '#rest/billing/subscriptions/portal-link.ts'
import { resumeSubscription } from '#rest/billing/subscriptions/resume.ts'
import { archiveTier } from '#rest/billing/tiers/archive.ts'
import { createTier } from '#rest/billing/tiers/create.ts'
import { findTier } from '#rest/billing/tiers/find.ts'
import { listTiers } from '#rest/billing/tiers/list.ts'
import { updateTier } from '#rest/billing/tiers/update.ts'

import { auditEndpoints } from '#rest/marketplace/audit.ts'
import { marketplaceEndpoints } from '#rest/marketplace/marketplace.ts'
import { marketplacePaymentEndpoints } from '#rest/marketplace/payments.ts'
import { sellerEndpoints } from '#rest/marketplace/sellers.ts'
import { statsEndpoints } from '#rest/marketplace/stats.ts'
import { checkoutEndpoints } from '#rest/payments/checkout.ts'
import { intentEndpoints } from '#rest/payments/intents.ts'
import { platformEndpoints } from '#rest/platform.ts'

export const ROUTES: readonly Endpoint[] = [
  ...platformEndpoints,
  ...intentEndpoints,
  ...checkoutEndpoints,
  ...marketplaceEndpoints,
  ...sellerEndpoints,
  ...marketplacePaymentEndpoints,
  ...statsEndpoints,
  ...auditEndpoints,
  // Subscriptions, by API key
  createProduct,
  listProducts,
  findProduct,
  updateProduct,
  archiveProduct,
  createTier,
  listTiers,
  findTier,
  updateTier,
  archiveTier,
  createDomain,
  listDomains,
  findDomain,
  archiveDomain,
  createSubscriptionIntent,
  listSubscriptionIntents,
  findSubscriptionIntent,
  cancelSubscriptionIntent,
  listSubscriptions,
  findSubscription,
  changeTier,
  cancelSubscription,
  pauseSubscription,
  resumeSubscription,
  chargeNow,
  createPortalLink,
  listCharges,
  findDelegation,
  // Hosted checkout, by the token in the path
  readSubscriptionCheckout,
  prepareSubscriptionCheckout,
  activateSubscriptionCheckout,
  confirmSubscriptionCheckout,
  retrySubscriptionCheckout,
  // Hosted portal, by the token in the path
  readPortal,
  cancelInPortal,
  pauseInPortal,
  resumeInPortal,
  changeTierInPortal,
  renewInPortal,
  revokeInPortal,
  activateInPortal,
  // Links to portals, by a proof of the wallet
  readRecovery,
  challengeWallet,
  recoverPortalLinks,
]
