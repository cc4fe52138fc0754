// Every use case that an edge may call, each made of what it takes. The composition root gives that; the context of
// GraphQL carries the use cases.
import type { Network } from '#core/chain/types.ts'
import type { DepositAddressStore } from '#ports/payments.ts'
import { type AccountDeps, createAccountServices } from '#services/accounts/accounts.ts'
import { type CredentialDeps, createCredentialServices } from '#services/accounts/authenticate.ts'
import { createKeyServices, type KeyDeps } from '#services/accounts/keys.ts'
import { createLoginServices } from '#services/accounts/logins.ts'
import { createMemberServices, type MemberDeps } from '#services/accounts/members.ts'
import { createOnce, type OnceDeps } from '#services/accounts/once.ts'
import { createPasskeyServices, type PasskeyDeps } from '#services/accounts/passkey-logins.ts'
import { createFindPayoutProblems, type PayoutProblemDeps } from '#services/accounts/payout-problems.ts'
import { createPayoutServices, type PayoutDeps } from '#services/accounts/payouts.ts'
import { createSessionServices, type SessionDeps } from '#services/accounts/sessions.ts'
import { createStandingServices, type StandingDeps } from '#services/accounts/standing.ts'
import { createJudgeSweepDestination } from '#services/accounts/sweep-destination.ts'
import { type AuditDeps, createAuditServices } from '#services/audit/audit.ts'
import { type BillingAuditDeps, createBillingAudit } from '#services/audit/charges.ts'
import { type BillingDeps, createBillingServices } from '#services/billing/billing.ts'
import { createCheckoutServices } from '#services/billing/checkout/checkout.ts'
import { type CouponDeps, createCouponServices } from '#services/billing/coupons.ts'
import { createDomainServices, type DomainDeps } from '#services/billing/domains.ts'
import { createOperatorBillingServices, type OperatorBillingDeps } from '#services/billing/operator-billing.ts'
import type { PortalDeps } from '#services/billing/portal/deps.ts'
import { createPortalServices } from '#services/billing/portal/portal.ts'
import { createProductServices, type ProductDeps } from '#services/billing/products.ts'
import { type BillingStatusDeps, createBillingStatus } from '#services/billing/status.ts'
import {
  createSubscriptionIntentServices,
  type SubscriptionIntentDeps,
} from '#services/billing/subscription-intents.ts'
import { createSubscriptionServices, type SubscriptionDeps } from '#services/billing/subscriptions.ts'
import { createTierServices, type TierDeps } from '#services/billing/tiers.ts'
import { type CustodianDeps, createCustodianServices } from '#services/custodians/custodians.ts'
import { createWebhookEndpointServices, type WebhookEndpointDeps } from '#services/events/endpoints.ts'
import { createEventLogServices, type EventLogDeps } from '#services/events/event-log.ts'
import { createWebhookServices, type WebhookDeps } from '#services/events/webhooks.ts'
import { createImageServices, createSaveImage, type ImageDeps } from '#services/images/images.ts'
import { type ApplicationDeps, createApplicationServices } from '#services/marketplace/applications.ts'
import { createTermsServices, type MarketplaceDeps } from '#services/marketplace/marketplaces.ts'
import { type CorrectionDeps, createCorrectSeller } from '#services/marketplace/seller-corrections.ts'
import { createSellerServices, type SellerDeps } from '#services/marketplace/sellers.ts'
import { createFindByClientSecret } from '#services/payments/checkout.ts'
import { createHeldList, createHeldServices, type HeldDeps, type HeldListDeps } from '#services/payments/held.ts'
import { createIntentServices, createPageServices, type IntentDeps } from '#services/payments/payments.ts'
import { createWalletPayments, type WalletPaymentDeps } from '#services/payments/wallet-payments.ts'
import { createOperatorLogServices, type OperatorLogDeps } from '#services/platform/operator-log.ts'
import { createPlatformServices, type PlatformDeps } from '#services/platform/platform.ts'
import { createReceiptServices, type ReceiptDeps } from '#services/receipts/receipts.ts'
import { createRefundServices, type RefundDeps } from '#services/refunds/refunds.ts'
import { createStatsAudit, type StatsAuditDeps } from '#services/stats/audit-stats.ts'
import { createBusinessStats, createMarketplaceStats, type StatsDeps } from '#services/stats/stats.ts'
import { createTokenServices, type TokenDeps } from '#services/tokens/tokens.ts'
import type { SandboxServices } from './platform/sandbox.ts'

export type Services = ReturnType<typeof createServices>

type Needs = AccountDeps &
  ApplicationDeps &
  AuditDeps &
  BillingAuditDeps &
  BillingDeps &
  BillingStatusDeps &
  CorrectionDeps &
  CredentialDeps &
  CustodianDeps &
  DomainDeps &
  EventLogDeps &
  HeldDeps &
  HeldListDeps &
  ImageDeps &
  KeyDeps &
  PasskeyDeps &
  PayoutDeps &
  PayoutProblemDeps &
  MemberDeps &
  SessionDeps &
  IntentDeps &
  MarketplaceDeps &
  OnceDeps &
  OperatorBillingDeps &
  OperatorLogDeps &
  PlatformDeps &
  ProductDeps &
  ReceiptDeps &
  RefundDeps &
  SellerDeps &
  StandingDeps &
  StatsAuditDeps &
  StatsDeps &
  SubscriptionDeps &
  SubscriptionIntentDeps &
  TierDeps &
  CouponDeps &
  TokenDeps &
  WalletPaymentDeps &
  WebhookDeps &
  WebhookEndpointDeps

/** What one use case takes from another. */
type Made =
  | 'billingStatus'
  | 'findByClientSecret'
  | 'judgeBuyerAddress'
  | 'judgeDestination'
  | 'judgeFeeWallet'
  | 'judgePayout'
  | 'judgeRecipient'
  | 'judgeSweepDestination'
  | 'operatorOf'
  | 'priceProblem'
  | 'problems'
  | 'rotateSecret'
  | 'saveImage'
  | 'serves'

export type ServiceDeps = Omit<Needs, Made> & {
  readonly depositAddresses: DepositAddressStore
  /** For the hosted pages of subscriptions; null while recurring billing is disabled. */
  readonly hosted: PortalDeps | null
  readonly sandbox: SandboxServices
}

export function createServices(deps: ServiceDeps) {
  const saveImage = createSaveImage(deps)
  const judge = (field: string) => createJudgeSweepDestination(deps.networks, deps.depositAddresses, field)
  const judgePayout = judge('sweep_destination')
  const tokens = createTokenServices(deps)
  const keys = createKeyServices(deps)
  const billing = createBillingServices(deps)
  const webhookEndpoints = createWebhookEndpointServices(deps)
  const { priceProblem } = tokens
  return {
    intents: createIntentServices({
      ...deps,
      judgeBuyerAddress: createJudgeSweepDestination(deps.networks, deps.depositAddresses, 'address', 'wallet'),
    }),
    pages: createPageServices(deps),
    receipts: createReceiptServices(deps),
    walletPayments: createWalletPayments({ ...deps, findByClientSecret: createFindByClientSecret(deps) }),
    refunds: createRefundServices({
      ...deps,
      judgeRecipient: createJudgeSweepDestination(deps.networks, deps.depositAddresses, 'to', 'recipient'),
    }),
    held: { payments: createHeldList(deps), ...createHeldServices({ ...deps, judgeDestination: judge('to') }) },
    tokens,
    custodians: createCustodianServices(deps),
    accounts: createAccountServices({
      ...deps,
      saveImage,
      judgeSweepDestination: judge('sweepDestination'),
      serves: (network: Network) => deps.networks[network] !== null,
    }),
    keys,
    members: createMemberServices({ ...deps, operatorOf: keys.operatorOf }),
    logins: { ...createLoginServices(deps), ...createPasskeyServices(deps) },
    sessions: createSessionServices(deps),
    payouts: createPayoutServices({ ...deps, judgeSweepDestination: judge('sweepDestination') }),
    payoutProblems: createFindPayoutProblems(deps),
    idempotency: { once: createOnce(deps) },
    credentials: createCredentialServices(deps),
    standing: createStandingServices(deps),
    images: createImageServices(deps),
    webhooks: createWebhookServices({ ...deps, rotateSecret: webhookEndpoints.rotateSecret }),
    webhookEndpoints,
    eventLog: createEventLogServices(deps),
    billing,
    catalogue: {
      ...createProductServices(deps),
      ...createTierServices(deps),
      ...createCouponServices(deps),
      ...createDomainServices(deps),
      ...createSubscriptionIntentServices(deps),
    },
    subscriptionCheckout: createCheckoutServices(deps.hosted),
    subscriptionPortal: createPortalServices(deps.hosted),
    subscriptions: createSubscriptionServices(deps),
    operatorBilling: createOperatorBillingServices(deps),
    marketplaces: {
      ...createTermsServices({ ...deps, judgeFeeWallet: judge('fee_wallet') }),
      ...createSellerServices({ ...deps, judgePayout, saveImage }),
      correctSeller: createCorrectSeller({ ...deps, judgePayout }),
    },
    applications: createApplicationServices(deps),
    stats: createBusinessStats(deps),
    marketplaceStats: createMarketplaceStats(deps),
    statsAudit: createStatsAudit(deps),
    audit: createAuditServices(deps),
    operatorLog: createOperatorLogServices(deps),
    billingAudit: createBillingAudit(deps),
    platform: createPlatformServices({
      ...deps,
      priceProblem,
      billingStatus: createBillingStatus({ ...deps, problems: billing.problems }),
    }),
    sandbox: deps.sandbox,
  }
}
