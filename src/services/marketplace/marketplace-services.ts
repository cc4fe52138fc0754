// The use cases of a marketplace and its sellers. Spec: "Marketplace (API key of a marketplace business)".
import type { Account, Marketplace, Tenant } from '#core/accounts/account.ts'
import type { Actor } from '#core/accounts/audit.ts'
import type { Address } from '#core/chain/types.ts'
import type { Seller, SellerInput, SellerPatch } from '#core/marketplace/seller.ts'
import type { SellerCounts } from '#ports/marketplaces.ts'

/** A business that calls, and what the audit trail says of the request. */
export type MarketplaceCaller = { readonly tenant: Tenant; readonly actor: Actor }

export type MarketplaceWithCounts = Marketplace & SellerCounts

/** A field that is undefined is untouched. A `feeWallet` of null is the sweep destination of the business. */
export type TermsPatch = {
  readonly defaultFeeBps?: number | undefined
  readonly feeWallet?: Address | null | undefined
}

/** What the operator approves. A field that is undefined is untouched, or has its default at the first approval. */
export type Approval = TermsPatch & { readonly sellerLimit?: number | null | undefined }

/** What the operator corrects. A field that is undefined is untouched; null clears. */
export type SellerCorrection = Pick<SellerPatch, 'name' | 'label' | 'sweepDestination'>

/**
 * Each throws `marketplace_not_found` for a business without the capability, and each write `marketplace_disabled` while it
 * is revoked.
 */
export type MarketplaceServices = {
  find(tenant: Tenant): Promise<MarketplaceWithCounts>
  /** Throws `invalid_request` without a field or with a rate out of range, and `invalid_address`. */
  update(caller: MarketplaceCaller, patch: TermsPatch): Promise<MarketplaceWithCounts>
  /**
   * Creates a seller. A repeat of an external id answers with the seller that has it, before `admit` is called, whatever
   * the other fields are. `admit` throws when too many are created. Throws `invalid_request`, `invalid_address` and
   * `seller_limit_reached`.
   */
  createSeller(
    caller: MarketplaceCaller,
    input: SellerInput,
    admit: () => Promise<void>,
    id?: string,
  ): Promise<{ readonly seller: Seller; readonly created: boolean }>
  /** Throws `seller_not_found`, for a malformed id and a seller of another marketplace too, as the next three do. */
  findSeller(tenant: Tenant, id: string): Promise<Seller>
  /** Throws `invalid_request` without a field or with a field that breaks a rule, and `invalid_address`. */
  updateSeller(caller: MarketplaceCaller, id: string, patch: SellerPatch): Promise<Seller>
  /**
   * Sets the logo of a seller; null removes it. Throws `image_storage_missing`, `image_too_large`, `invalid_image` and
   * `image_storage_unavailable`.
   */
  setSellerLogo(caller: MarketplaceCaller, id: string, image: Uint8Array | null): Promise<Seller>
  /**
   * Archives a seller. A repeat changes nothing. Throws `seller_money_in_flight` with `intent_ids`,
   * `subscription_ids` and `subscription_intent_ids`.
   */
  archiveSeller(caller: MarketplaceCaller, id: string): Promise<Seller>

  /** The next three are for the operator. Grants the capability, or grants it again. Throws `account_not_found`. */
  approve(accountId: string, terms: Approval, actor: Actor): Promise<MarketplaceWithCounts>
  /** Disables the capability. A repeat changes nothing. */
  revoke(accountId: string, actor: Actor): Promise<MarketplaceWithCounts>
  show(accountId: string): Promise<MarketplaceWithCounts>
  /**
   * For the operator. Corrects a seller, also while its marketplace is revoked, with an entry of the audit trail for each
   * changed dimension. Throws `account_not_found`, `invalid_request` for a business or a field that breaks a rule, and
   * `invalid_address`.
   */
  correctSeller(id: string, patch: SellerCorrection, actor: Actor): Promise<Account>
}
