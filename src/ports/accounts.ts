// Businesses and sellers.
import type { Account, Marketplace, Tenant } from '#core/accounts/account.ts'
import type { Address, Network } from '#core/chain/types.ts'
import type { WebhookSecretState } from '#core/events/rotation.ts'
import type { NewKey } from '#ports/keys.ts'

export type NewAccount = {
  readonly id: string
  readonly network: Network
  readonly name: string
  readonly label: string | null
  readonly sweepDestination: Address | null
}

export type AccountStore = {
  /** Stores a business with its first key and its webhook endpoint, if it has one, in one transaction. */
  open(
    account: NewAccount,
    key: Omit<NewKey, 'accountId'>,
    endpoint: { id: string; url: string } | null,
  ): Promise<Account>
  /**
   * Returns null when there is no such account. `endpoint` replaces the URL of its webhook endpoint and keeps pending
   * deliveries; a null URL ends deliveries; undefined changes nothing.
   */
  update(
    id: string,
    patch: { name?: string; label?: string | null; sweepDestination?: Address | null },
    endpoint?: { newId: string; url: string | null; at: Date },
  ): Promise<Account | null>
  /** Returns the URL of the webhooks of an account; null when it has none. */
  webhookUrl(id: string): Promise<string | null>
  find(id: string): Promise<Account | null>
  list(): Promise<readonly Account[]>
  findMarketplace(accountId: string): Promise<Marketplace | null>
  findSeller(tenant: Tenant, sellerId: string): Promise<Account | null>
  /** Replaces the state of the account's webhook secret. Returns false when the state is no longer `from`. */
  setWebhookSecret(id: string, from: WebhookSecretState, to: WebhookSecretState): Promise<boolean>
}
