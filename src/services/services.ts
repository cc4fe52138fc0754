// Every use case that an edge may call, as one type. The composition root builds it; the context of GraphQL carries it.
import type { AccountServices } from '#services/accounts/account-services.ts'
import type { AuditServices } from '#services/audit/audit-services.ts'
import type { BillingAuditServices } from '#services/audit/charges.ts'
import type { BillingServices } from '#services/billing/billing-services.ts'
import type { CatalogueServices } from '#services/billing/catalogue-services.ts'
import type { CheckoutServices } from '#services/billing/checkout/checkout-services.ts'
import type { OperatorBillingServices } from '#services/billing/operator-billing-services.ts'
import type { PortalServices } from '#services/billing/portal/portal-services.ts'
import type { SubscriptionServices } from '#services/billing/subscription-services.ts'
import type { CustodianServices } from '#services/custodians/custodians.ts'
import type { EventLogServices } from '#services/events/event-log.ts'
import type { WebhookServices } from '#services/events/webhook-services.ts'
import type { ImageServices } from '#services/images/images.ts'
import type { StatsAuditServices } from '#services/marketplace/audit-stats.ts'
import type { MarketplaceServices } from '#services/marketplace/marketplace-services.ts'
import type { MarketplaceStatsServices } from '#services/marketplace/stats-services.ts'
import type { HeldServices } from '#services/payments/held-services.ts'
import type { IntentServices } from '#services/payments/intent-services.ts'
import type { WalletPaymentServices } from '#services/payments/wallet-payment-services.ts'
import type { PlatformServices } from '#services/platform/platform-services.ts'
import type { SandboxServices } from '#services/platform/sandbox-services.ts'
import type { TokenServices } from '#services/tokens/token-services.ts'
import type { CredentialServices } from './accounts/authenticate.ts'
import type { PageServices } from './payments/payments.ts'

export type Services = {
  readonly images: ImageServices
  readonly intents: IntentServices
  readonly walletPayments: WalletPaymentServices
  readonly pages: PageServices
  readonly accounts: AccountServices
  readonly credentials: CredentialServices
  readonly billing: BillingServices
  readonly catalogue: CatalogueServices
  readonly subscriptionCheckout: CheckoutServices
  readonly subscriptionPortal: PortalServices
  readonly subscriptions: SubscriptionServices
  readonly operatorBilling: OperatorBillingServices
  readonly marketplaceStats: MarketplaceStatsServices
  readonly marketplaces: MarketplaceServices
  readonly statsAudit: StatsAuditServices
  readonly tokens: TokenServices
  readonly custodians: CustodianServices
  readonly platform: PlatformServices
  readonly audit: AuditServices
  readonly billingAudit: BillingAuditServices
  readonly held: HeldServices
  readonly webhooks: WebhookServices
  readonly eventLog: EventLogServices
  readonly sandbox: SandboxServices
}
