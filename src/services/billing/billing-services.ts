// Who may use recurring billing, and on which terms of the platform. Every operation of it begins here.
import type { Tenant } from '#core/accounts/account.ts'
import type { Permission } from '#core/accounts/permissions.ts'
import type { Address, Signature } from '#core/chain/types.ts'
import type { BasisPoints, UsdCents } from '#core/money/amounts.ts'

export type BillingScope = Extract<Permission, `subscriptions-${string}`>

/** The terms of the platform. `mint` is the settlement stablecoin. */
export type PlatformBillingTerms = {
  readonly mint: Address
  readonly minPriceUsdCents: UsdCents
  readonly maxPriceUsdCents: UsdCents
  readonly platformFeeBps: BasisPoints
  readonly platformWallet: Address | null
  readonly subscriptionsPerWallet: number
}

/** The terms as GET /config shows them. Program and decimals are null while the mint is not on the allowlist. */
export type PlatformBillingFacts = Pick<
  PlatformBillingTerms,
  'mint' | 'minPriceUsdCents' | 'maxPriceUsdCents' | 'platformFeeBps' | 'subscriptionsPerWallet'
> & {
  readonly tokenProgram: Address | null
  readonly decimals: number | null
}

/** A business that sells subscriptions: the one that calls, or the seller that a marketplace acts for. */
export type Merchant = {
  readonly tenant: Tenant
  /** The rate of the marketplace on payments for the seller; 0 for a business of its own. */
  readonly marketplaceFeeBps: BasisPoints
}

export type MerchantRequest = {
  readonly tenant: Tenant
  readonly permissions: ReadonlySet<Permission>
  /** What the operation needs. A scope to manage is for operations that change something. */
  readonly scope: BillingScope
  /** The seller that a marketplace acts for, as it was sent. */
  readonly onBehalfOf: string | null
}

export type BillingServices = {
  /** Returns null while recurring billing is disabled. */
  facts(): Promise<PlatformBillingFacts | null>
  /**
   * Returns whom a request acts for. Throws `subscription_service_unavailable` while recurring billing is disabled and in
   * test mode, then `permission_denied` without the scope, then `seller_not_found` for whatever is no active seller of the
   * caller, and `marketplace_disabled` for a change by a marketplace that is revoked. Spec: "Authentication".
   */
  merchant(request: MerchantRequest): Promise<Merchant>
  /** Returns the time of the service, by which a checkout expires. */
  now(): Date
  /** Returns the page of an explorer about the transaction of a charge; null before there is one, or without such a page. */
  explorerUrl(signature: Signature | null): string | null
  /** Returns what the operator must put right before tiers can be created: sentences for people. */
  problems(): Promise<readonly string[]>
}
