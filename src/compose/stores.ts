// Every store over one database.
import { createAccountStore, createPayoutStore } from '#adapters/prisma/accounts/account-store.ts'
import { createCredentialStore } from '#adapters/prisma/accounts/credential-store.ts'
import { createIdempotencyStore } from '#adapters/prisma/accounts/idempotency-store.ts'
import { createKeyStore } from '#adapters/prisma/accounts/key-store.ts'
import { createLoginStore } from '#adapters/prisma/accounts/login-store.ts'
import { createMemberStore } from '#adapters/prisma/accounts/member-store.ts'
import { createSessionStore } from '#adapters/prisma/accounts/session-store.ts'
import { createAuditStore } from '#adapters/prisma/audit/audit-store.ts'
import { createChargeAuditStore } from '#adapters/prisma/audit/charge-audit-store.ts'
import { createHaltStore } from '#adapters/prisma/audit/halt-store.ts'
import { createApprovalStore } from '#adapters/prisma/billing/approval-store.ts'
import { createBillingStore } from '#adapters/prisma/billing/billing-store.ts'
import {
  createRedirectDomainStore,
  createSubscriptionIntentStore,
  createSubscriptionProductStore,
  createSubscriptionTierStore,
} from '#adapters/prisma/billing/catalogue-store.ts'
import { createChallengeStore } from '#adapters/prisma/billing/challenge-store.ts'
import { createSubscriptionCheckoutStore } from '#adapters/prisma/billing/checkout-store.ts'
import { createSubscriptionCouponStore } from '#adapters/prisma/billing/coupon-store.ts'
import { createDelegationLookup, createDelegationStore } from '#adapters/prisma/billing/delegation-store.ts'
import { createOperatorBillingStore } from '#adapters/prisma/billing/operator-billing-store.ts'
import { createPortalPages, createPortalSessionStore } from '#adapters/prisma/billing/portal-store.ts'
import { createDepositSourceStore } from '#adapters/prisma/detection/deposit-source-store.ts'
import type { Database } from '#adapters/prisma/engine/database.ts'
import { createDeliveryLog } from '#adapters/prisma/events/delivery-log.ts'
import { createDeliveryStore } from '#adapters/prisma/events/delivery-store.ts'
import { createEndpointStore } from '#adapters/prisma/events/endpoint-store.ts'
import { createEventLog } from '#adapters/prisma/events/event-log.ts'
import { createApplicationStore, createMarketplaceStore } from '#adapters/prisma/marketplace/marketplace-store.ts'
import { createSellerStore } from '#adapters/prisma/marketplace/seller-store.ts'
import { createIntentWorkStore } from '#adapters/prisma/payments/change-store.ts'
import { createHeldStore } from '#adapters/prisma/payments/held-store.ts'
import { createDepositAddressStore } from '#adapters/prisma/payments/lookup.ts'
import { createCheckoutStore, createIntentStore } from '#adapters/prisma/payments/payment-store.ts'
import { createSearchIndexStore } from '#adapters/prisma/payments/search-index.ts'
import { createUnacceptedStore } from '#adapters/prisma/payments/unaccepted-store.ts'
import { createCustodianStore, createTokenStore } from '#adapters/prisma/platform/directory-store.ts'
import {
  createOperatorLogStore,
  createOperatorStore,
  createWorkerStore,
} from '#adapters/prisma/platform/operator-store.ts'
import {
  createAnnouncer,
  createDatabaseLineage,
  createLeaseStore,
  createNetworkStore,
  createSettingStore,
} from '#adapters/prisma/platform/platform-store.ts'
import { createRequestLogStore } from '#adapters/prisma/platform/request-log-store.ts'
import { createRefundStore, createRefundWorkStore } from '#adapters/prisma/refunds/refund-store.ts'
import { createStatsRollupStore } from '#adapters/prisma/stats/rollup-store.ts'
import { createStatsAuditStore } from '#adapters/prisma/stats/stats-audit-store.ts'
import { createStatsStore } from '#adapters/prisma/stats/stats-store.ts'
import { createTransferStore } from '#adapters/prisma/transfers/transfer-store.ts'

export type Stores = ReturnType<typeof createStores>

export const createStores = (db: Database) => ({
  accounts: createAccountStore(db.prisma),
  announcer: createAnnouncer(db),
  applications: createApplicationStore(db),
  approvals: createApprovalStore(db),
  audit: createAuditStore(db),
  billing: createBillingStore(db),
  challenges: createChallengeStore(db),
  chargeAudit: createChargeAuditStore(db),
  checkout: createCheckoutStore(db),
  checkouts: createSubscriptionCheckoutStore(db),
  credentials: createCredentialStore(db),
  custodians: createCustodianStore(db.prisma),
  delegationLookup: createDelegationLookup(db),
  delegations: createDelegationStore(db),
  deliveries: createDeliveryStore(db),
  deliveryLog: createDeliveryLog(db),
  depositAddresses: createDepositAddressStore(db),
  eventLog: createEventLog(db),
  halts: createHaltStore(db),
  held: createHeldStore(db),
  idempotency: createIdempotencyStore(db),
  intents: createIntentStore(db),
  apiKeys: createKeyStore(db.prisma),
  members: createMemberStore(db.prisma),
  logins: createLoginStore(db.prisma),
  payouts: createPayoutStore(db.prisma),
  sessions: createSessionStore(db),
  leases: createLeaseStore(db),
  lineage: createDatabaseLineage(db),
  stats: createStatsStore(db),
  marketplaces: createMarketplaceStore(db),
  networks: createNetworkStore(db.prisma),
  operator: createOperatorStore(db),
  operatorBilling: createOperatorBillingStore(db),
  operatorLog: createOperatorLogStore(db.prisma),
  refunds: createRefundStore(db),
  refundWork: createRefundWorkStore(db),
  requestLog: createRequestLogStore(db),
  sellers: createSellerStore(db),
  sources: createDepositSourceStore(db),
  statsAudit: createStatsAuditStore(db),
  statsRollups: createStatsRollupStore(db),
  searchIndex: createSearchIndexStore(db),
  settings: createSettingStore(db.prisma),
  portalPages: createPortalPages(db),
  portalSessions: createPortalSessionStore(db),
  redirectDomains: createRedirectDomainStore(db),
  subscriptionCoupons: createSubscriptionCouponStore(db),
  subscriptionIntents: createSubscriptionIntentStore(db),
  subscriptionProducts: createSubscriptionProductStore(db),
  subscriptionTiers: createSubscriptionTierStore(db),
  tokens: createTokenStore(db.prisma),
  transfers: createTransferStore(db),
  unaccepted: createUnacceptedStore(db),
  webhookEndpoints: createEndpointStore(db),
  work: createIntentWorkStore(db),
  workers: createWorkerStore(db),
})
