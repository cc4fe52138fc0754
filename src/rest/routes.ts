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
import { archiveSeller } from '#rest/marketplace/archive-seller.ts'
import { listAuditEntries } from '#rest/marketplace/audit.ts'
import { createSeller } from '#rest/marketplace/create-seller.ts'
import { findMarketplace } from '#rest/marketplace/find.ts'
import { findSeller } from '#rest/marketplace/find-seller.ts'
import { listSellers } from '#rest/marketplace/list-sellers.ts'
import { marketplacePayment } from '#rest/marketplace/payment.ts'
import { marketplacePayments } from '#rest/marketplace/payments.ts'
import { removeSellerLogo } from '#rest/marketplace/remove-seller-logo.ts'
import { setSellerLogo } from '#rest/marketplace/set-seller-logo.ts'
import { marketplaceSummary } from '#rest/marketplace/stats-summary.ts'
import { marketplaceTimeseries } from '#rest/marketplace/stats-timeseries.ts'
import { updateMarketplace } from '#rest/marketplace/update.ts'
import { updateSeller } from '#rest/marketplace/update-seller.ts'
import { cancelCheckout } from '#rest/payments/cancel.ts'
import { cancelByIndex } from '#rest/payments/cancel-by-index.ts'
import { createIntent } from '#rest/payments/create.ts'
import { updateDetails } from '#rest/payments/details.ts'
import { findIntent } from '#rest/payments/find.ts'
import { quote } from '#rest/payments/quote.ts'
import { selectToken } from '#rest/payments/select-token.ts'
import { checkoutStatus } from '#rest/payments/status.ts'
import { statusByIndex } from '#rest/payments/status-by-index.ts'
import { sweep } from '#rest/payments/sweep.ts'
import { allowedTokens } from '#rest/platform/allowed-tokens.ts'
import { config } from '#rest/platform/config.ts'
import { health } from '#rest/platform/health.ts'

export const ROUTES: readonly Endpoint[] = [
  // Public
  config,
  health,
  allowedTokens,
  // Payments, by API key
  createIntent,
  findIntent,
  statusByIndex,
  sweep,
  cancelByIndex,
  // Checkout, by client secret
  quote,
  selectToken,
  checkoutStatus,
  updateDetails,
  cancelCheckout,
  // Marketplace, by API key
  findMarketplace,
  updateMarketplace,
  listSellers,
  createSeller,
  findSeller,
  updateSeller,
  archiveSeller,
  setSellerLogo,
  removeSellerLogo,
  marketplacePayments,
  marketplacePayment,
  marketplaceSummary,
  marketplaceTimeseries,
  listAuditEntries,
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
