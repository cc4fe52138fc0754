// The use cases of businesses.
import type { Account, Marketplace, Tenant } from '#core/accounts/account.ts'
import type { ApiKey } from '#core/accounts/api-key.ts'
import type { Actor } from '#core/accounts/audit.ts'
import type { Brand } from '#core/accounts/brand.ts'
import type { Address, Network } from '#core/chain/types.ts'

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
  update(
    id: string,
    patch: {
      name?: string
      label?: string | null
      sweepDestination?: Address | null
      webhookUrl?: string | null
      /** The types of events that its webhooks deliver. Null, and an empty list, choose every type. */
      webhookEvents?: readonly string[] | null
    },
    actor: Actor,
  ): Promise<Account>
  /** Changes how the pages of a business look. What is left out stays, and null clears. Throws as `SaveImage` does. */
  setBrand(id: string, patch: BrandPatch, actor: Actor): Promise<Account>
  /** Returns how the pages of an account look: those of a seller have its logo, and the rest of its marketplace. */
  brandOf(id: string): Promise<Brand>
  find(id: string): Promise<Account>
  list(): Promise<readonly Account[]>
  /** Returns the URL of the webhooks of an account; null when it has none. */
  webhookUrl(id: string): Promise<string | null>
  /** Returns the types of events that its webhooks deliver; none for every type. */
  webhookEvents(id: string): Promise<readonly string[]>
}
