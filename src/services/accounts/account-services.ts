// The use cases of businesses.
import type { Account, Marketplace, Tenant } from '#core/accounts/account.ts'
import type { ApiKey } from '#core/accounts/api-key.ts'
import type { Actor } from '#core/accounts/audit.ts'
import type { Brand } from '#core/accounts/brand.ts'
import type { Address, Asset, Network } from '#core/chain/types.ts'

export type Credential = {
  readonly key: ApiKey
  readonly account: Account
  readonly tenant: Tenant
  /** The state of its capability as a marketplace; null for an ordinary business. */
  readonly marketplace: Marketplace['status'] | null
}

export type BrandPatch = {
  readonly logo?: Uint8Array | null
  readonly accentColor?: string | null
  readonly supportUrl?: string | null
  readonly supportEmail?: string | null
}

/** What a payment has unless it says otherwise. Null clears. */
export type DefaultsPatch = {
  readonly acceptedAssets?: readonly Asset[] | null
  readonly successUrl?: string | null
  readonly cancelUrl?: string | null
  /** Basis points. */
  readonly underpaymentToleranceBps?: number | null
}

/** What is left out stays, and null clears. */
export type AccountPatch = BrandPatch &
  DefaultsPatch & {
    readonly name?: string
    readonly label?: string | null
    readonly sweepDestination?: Address | null
    readonly webhookUrl?: string | null
    /** The types of events that its webhooks deliver. Null, and an empty list, choose every type. */
    readonly webhookEvents?: readonly string[] | null
  }

export type AccountServices = {
  /** Throws `unauthenticated` on any text but a live key. Reads a short cache; a revoked key stops within seconds. */
  authenticate(apiKey: string): Promise<Credential>
  /** Opens an account. `apiKey` and `webhookSecret` are returned here and never again. */
  create(
    input: {
      name: string
      network: Network
      label: string | null
      sweepDestination: Address | null
      webhookUrl: string | null
    },
    actor: Actor,
  ): Promise<{ account: Account; apiKey: string; webhookSecret: string }>
  /**
   * Changes a business. Throws `invalid_request`, `invalid_redirect_url` for a URL at no active redirect domain,
   * `token_not_accepted_on_platform`, and as `SaveImage` does.
   */
  update(id: string, patch: AccountPatch, actor: Actor): Promise<Account>
  /**
   * Disables a business or a seller, for a reason that its people read. A repeat changes the reason only. Throws
   * `account_not_found` and `invalid_request`.
   */
  disable(id: string, reason: string, actor: Actor): Promise<Account>
  /** Enables it again. A repeat changes nothing. Throws `account_not_found`. */
  enable(id: string, actor: Actor): Promise<Account>
  /** Returns how the pages of an account look: those of a seller have its logo, and the rest of its marketplace. */
  brandOf(id: string): Promise<Brand>
  find(id: string): Promise<Account>
  list(): Promise<readonly Account[]>
  /** Returns the URL of the webhooks of an account; null when it has none. */
  webhookUrl(id: string): Promise<string | null>
  /** Returns the types of events that its webhooks deliver; none for every type. */
  webhookEvents(id: string): Promise<readonly string[]>
}
