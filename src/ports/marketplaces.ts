// Marketplaces and their sellers. Every write stores its audit entries in the same transaction.
import type { Marketplace, Tenant } from '#core/accounts/account.ts'
import type { Authorship, NewAuditEntry } from '#core/accounts/audit.ts'
import type { Application, ApplicationText } from '#core/marketplace/application.ts'
import type { Seller, SellerInput } from '#core/marketplace/seller.ts'
import type { BasisPoints } from '#core/money/amounts.ts'

export type SellerCounts = {
  /** Without archived sellers. */
  readonly sellersCount: number
  readonly sellersTotal: number
}

export type Decided<State> = { readonly next: State; readonly entries: readonly NewAuditEntry[] }

export type MarketplaceStore = {
  find(accountId: string): Promise<Marketplace | null>
  /** Counts the sellers of a marketplace. */
  counts(accountId: string): Promise<SellerCounts>
  /**
   * Stores what `decide` makes of the marketplace while its row is locked; null when the account has no capability. An
   * error that `decide` throws leaves everything as it was.
   */
  change(
    accountId: string,
    by: Authorship,
    decide: (current: Marketplace | null) => Decided<Marketplace>,
  ): Promise<Marketplace>
}

export type ApplicationStore = {
  find(accountId: string): Promise<Application | null>
  /** Returns applications, the oldest first. `isPending`: only those that the operator has not decided. */
  list(filter: { readonly isPending: boolean; readonly limit: number }): Promise<readonly Application[]>
  /** Stores an application in the place of the last one of the business. Returns null for a marketplace, be it revoked. */
  apply(
    application: ApplicationText & { readonly accountId: string },
    by: Authorship,
    entry: NewAuditEntry,
  ): Promise<Application | null>
  /** Returns null when none waits. */
  refuse(accountId: string, reason: string, by: Authorship, entry: NewAuditEntry): Promise<Application | null>
}

export type NewSeller = Omit<SellerInput, 'marketplaceFeeBps'> & {
  readonly id: string
  readonly marketplaceFeeBps: BasisPoints | null
}

export type CreatedSeller =
  | { readonly outcome: 'created' | 'existing'; readonly seller: Seller }
  | { readonly outcome: 'disabled' }
  | { readonly outcome: 'limit_reached' }

export type SellerStore = {
  find(tenant: Tenant, id: string): Promise<Seller | null>
  findByExternalId(tenant: Tenant, externalId: string): Promise<Seller | null>
  /**
   * Inserts a seller of the tenant's marketplace. The row of the marketplace is locked, so that concurrent creates with one
   * external id make one seller, and the limit is never exceeded. `existing` when the external id has a seller.
   */
  create(
    tenant: Tenant,
    seller: NewSeller,
    by: Authorship,
    entryOf: (seller: Seller) => NewAuditEntry,
  ): Promise<CreatedSeller>
  /**
   * Stores what `decide` makes of the seller while its row and the capability are locked. Null when the tenant has no such
   * seller. An error that `decide` throws leaves everything as it was.
   */
  change(
    tenant: Tenant,
    id: string,
    by: Authorship,
    decide: (state: SellerState) => Decided<Seller> | Promise<Decided<Seller>>,
  ): Promise<Seller | null>
}

export type SellerState = {
  readonly seller: Seller
  readonly isActive: boolean
  inFlight(): Promise<InFlight>
}

/** The ids of what keeps a seller from being archived: of each kind at most 100, the newest first. */
export type InFlight = {
  /** Payments that are open, or whose money moves. */
  readonly intentIds: readonly string[]
  /** Subscriptions that have not ended, or with a charge under way. */
  readonly subscriptionIds: readonly string[]
  /** Checkouts of subscriptions that can still be completed. */
  readonly subscriptionIntentIds: readonly string[]
}
