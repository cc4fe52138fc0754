// Businesses and sellers.
import type { Account, Marketplace, PaymentDefaults, Tenant } from '#core/accounts/account.ts'
import type { ApiKey } from '#core/accounts/api-key.ts'
import type { Authorship } from '#core/accounts/audit.ts'
import type { Brand } from '#core/accounts/brand.ts'
import type { PayoutChange } from '#core/accounts/payout-change.ts'
import type { KeyPermission } from '#core/accounts/permissions.ts'
import type { Address, Network } from '#core/chain/types.ts'

type NewAccount = {
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
}

export type AccountColumns = Partial<Brand & PaymentDefaults> & {
  readonly name?: string
  readonly label?: string | null
  readonly sweepDestination?: Address | null
  readonly disabledAt?: Date | null
  readonly disabledReason?: string | null
}

export type AccountStore = {
  /**
   * Stores a business with its first key and the endpoint that the operator sets, if it has one, in one transaction. That endpoint
   * has the id of the account.
   */
  open(account: NewAccount, key: Omit<NewKey, 'accountId'>, webhookUrl: string | null, by: Authorship): Promise<Account>
  /**
   * Returns null when there is no such account. `endpoint` changes the one that the operator sets: a URL replaces its URL, and
   * enables it; a null URL deletes it; undefined changes nothing. Other endpoints of the account stay as they are.
   */
  update(id: string, patch: AccountColumns, by: Authorship, endpoint?: EndpointPatch): Promise<Account | null>
  /** Returns the URL that the operator set; null when there is none, or its endpoint is disabled. */
  webhookUrl(id: string): Promise<string | null>
  /** Returns the types of events that this endpoint receives; none for every type, and without an endpoint. */
  webhookEvents(id: string): Promise<readonly string[]>
  find(id: string): Promise<Account | null>
  list(): Promise<readonly Account[]>
  /** Returns the ids of the accounts that the operator has disabled. */
  disabled(): Promise<ReadonlySet<string>>
  findMarketplace(accountId: string): Promise<Marketplace | null>
  findSeller(tenant: Tenant, sellerId: string): Promise<Account | null>
}

// API keys: only their hashes are stored. Each change has its entry in the audit log, in the same transaction.

/** What is drawn for a new key. */
type IssuedKey = { readonly id: string; readonly hash: Uint8Array; readonly hint: string }

export type NewKey = IssuedKey & {
  readonly accountId: string
  readonly name: string
  readonly scopes: readonly KeyPermission[]
}

export type KeyStore = {
  /** Returns null when the business has as many live keys as it can have. */
  create(key: NewKey, by: Authorship): Promise<ApiKey | null>
  /** Returns a key of the business, also a revoked one; null when it has none with this id. */
  find(tenant: Tenant, id: string): Promise<ApiKey | null>
  /** Puts a key with the same name and scopes in the place of a live one, which stops at `revokeAt`. Null for no live key. */
  roll(
    tenant: Tenant,
    id: string,
    successor: IssuedKey & { readonly revokeAt: Date },
    by: Authorship,
  ): Promise<{ readonly key: ApiKey; readonly old: ApiKey } | 'full' | null>
  /** Returns the key as it then is; null for a key of another business. */
  revoke(tenant: Tenant, id: string, by: Authorship): Promise<ApiKey | null>
  /** Returns the live keys, the newest first, then those that were revoked last. */
  list(
    accountId: string,
    most: { readonly live: number; readonly revoked: number },
    now: Date,
  ): Promise<readonly ApiKey[]>
  ownerOf(id: string): Promise<string | null>
  /** Notes that a key was used, at most once a minute. */
  markUsed(id: string, at: Date): Promise<void>
  /** Returns the key with this hash, also a revoked one, its account, and the state of its marketplace. */
  findByHash(hash: Uint8Array): Promise<{
    key: ApiKey
    account: Account
    marketplace: Marketplace['status'] | null
    hash: Uint8Array
  } | null>
}

export type PayoutStore = {
  pending(accountId: string): Promise<PayoutChange | null>
  /** Stores a change for later, in the place of one that waits. One to the present wallet only cancels that. */
  request(
    tenant: Tenant,
    change: Omit<PayoutChange, 'accountId' | 'requestedBy' | 'requestedAt'>,
    by: Authorship,
  ): Promise<void>
  /** Returns the change that waited; null when there was none. */
  cancel(accountId: string, by: Authorship): Promise<PayoutChange | null>
  /** Makes a change that is due, by the actor that asked for it. Returns null when none is. One of a disabled business waits. */
  applyNext(now: Date): Promise<Account | null>
}

// Which request has used an idempotency key, and the id of what it creates.

type KeyOf = { readonly accountId: string; readonly keyHash: Uint8Array }

type Claim = KeyOf & {
  readonly requestHash: Uint8Array
  readonly objectId: string
  readonly createdAt: Date
}

export type IdempotencyStore = {
  /**
   * Stores a claim, or returns the one that is stored under its key. A claim of before `since` is forgotten, and one that was
   * released takes the new request.
   */
  claim(claim: Claim, since: Date): Promise<{ readonly objectId: string; readonly isSameRequest: boolean }>
  /** Frees a key for another request. Its object keeps the id, should it exist after all. */
  release(of: KeyOf, objectId: string): Promise<void>
  removeExpired(before: Date, limit: number): Promise<number>
}
