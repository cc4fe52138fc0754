// Businesses and sellers.
import type { Account, ApiKey, KeyScope, Marketplace, Tenant } from '#core/accounts/account.ts'
import type { Brand } from '#core/accounts/brand.ts'
import type { Address, Network } from '#core/chain/types.ts'

export type NewAccount = {
  readonly id: string
  readonly network: Network
  readonly name: string
  readonly label: string | null
  readonly sweepDestination: Address | null
}

/** What is left out stays. */
export type EndpointPatch = {
  readonly url?: string | null
  /** The types of events that it then receives; none for every type. They change nothing where there is no endpoint. */
  readonly eventTypes?: readonly string[]
  readonly at: Date
}

export type AccountStore = {
  /**
   * Stores a business with its first key and the endpoint that the operator sets, if it has one, in one transaction. That endpoint
   * has the id of the account.
   */
  open(account: NewAccount, key: Omit<NewKey, 'accountId'>, webhookUrl: string | null): Promise<Account>
  /**
   * Returns null when there is no such account. `endpoint` changes the one that the operator sets: a URL replaces its URL, and
   * enables it; a null URL deletes it; undefined changes nothing. Other endpoints of the account stay as they are.
   */
  update(
    id: string,
    patch: { name?: string; label?: string | null; sweepDestination?: Address | null } & Partial<Brand>,
    endpoint?: EndpointPatch,
  ): Promise<Account | null>
  /** Returns the URL that the operator set; null when there is none, or its endpoint is disabled. */
  webhookUrl(id: string): Promise<string | null>
  /** Returns the types of events that this endpoint receives; none for every type, and without an endpoint. */
  webhookEvents(id: string): Promise<readonly string[]>
  find(id: string): Promise<Account | null>
  list(): Promise<readonly Account[]>
  findMarketplace(accountId: string): Promise<Marketplace | null>
  findSeller(tenant: Tenant, sellerId: string): Promise<Account | null>
}

// API keys: only their hashes are stored.

export type NewKey = {
  readonly id: string
  readonly accountId: string
  readonly hash: Uint8Array
  readonly hint: string
  readonly scopes: readonly KeyScope[]
}

export type KeyStore = {
  create(key: NewKey): Promise<ApiKey>
  list(accountId: string): Promise<readonly ApiKey[]>
  revoke(id: string, at: Date): Promise<ApiKey | null>
  /** Returns the live key with this hash, its account, and the state of its marketplace. Does not find revoked keys. */
  findByHash(hash: Uint8Array): Promise<{
    key: ApiKey
    account: Account
    marketplace: Marketplace['status'] | null
    hash: Uint8Array
  } | null>
}
