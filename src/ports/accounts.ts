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
  /** A business with its first key and, where it has one, its webhook endpoint: all of them or nothing. */
  open(
    account: NewAccount,
    key: Omit<NewKey, 'accountId'>,
    endpoint: { id: string; url: string } | null,
  ): Promise<Account>
  /**
   * Null when there is no such account. `endpoint` replaces its webhook endpoint's URL, keeping what waits for it to be
   * delivered; a null URL ends deliveries; undefined leaves everything as it is.
   */
  update(
    id: string,
    patch: { name?: string; label?: string | null; sweepDestination?: Address | null },
    endpoint?: { newId: string; url: string | null; at: Date },
  ): Promise<Account | null>
  /** Where an account's webhooks go; null when nowhere. */
  webhookUrl(id: string): Promise<string | null>
  find(id: string): Promise<Account | null>
  list(): Promise<readonly Account[]>
  findMarketplace(accountId: string): Promise<Marketplace | null>
  findSeller(tenant: Tenant, sellerId: string): Promise<Account | null>
  /** Replaces the state `from` of the account's webhook secret. False when it is not that any more. */
  setWebhookSecret(id: string, from: WebhookSecretState, to: WebhookSecretState): Promise<boolean>
}
