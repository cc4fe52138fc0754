// API keys: only their hashes are stored.
import type { Account, ApiKey, KeyScope, Marketplace } from '#core/accounts/account.ts'

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
