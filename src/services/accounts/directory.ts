// Caches accounts and allowlists for requests: many reads, few writes.
import type { Account } from '#core/accounts/account.ts'
import type { Asset, Network } from '#core/chain/types.ts'
import type { Custodians } from '#core/payments/obstacle.ts'
import type { Token } from '#core/tokens/token.ts'
import { createCache } from '#lib/cache.ts'
import type { AccountStore } from '#ports/accounts.ts'
import type { Clock } from '#ports/clock.ts'
import type { Announcer, CustodianStore, TokenStore } from '#ports/platform.ts'

export type Directory = {
  account(id: string): Promise<Account | null>
  /** Returns the ids of the accounts that the operator has disabled. */
  disabled(): Promise<ReadonlySet<string>>
  /** Returns every token that was ever allowed on the network, by asset, in the allowlist's order. */
  tokens(network: Network): Promise<ReadonlyMap<Asset, Token>>
  /** Returns the wallets of the network to which nothing is returned automatically, with their labels. */
  custodians(network: Network): Promise<Custodians>
  /** Forgets all. To be called after a write here, and when another instance reports a write. */
  clear(): void
}

export function createDirectory(deps: {
  clock: Clock
  accounts: Pick<AccountStore, 'find' | 'disabled'>
  tokens: Pick<TokenStore, 'list'>
  custodians: Pick<CustodianStore, 'list'>
}): Directory {
  const accounts = createCache(deps.clock, (id: string) => deps.accounts.find(id))
  const disabled = createCache(deps.clock, (_all: 'all') => deps.accounts.disabled())
  const tokens = createCache(deps.clock, async (network: Network) => {
    const list = await deps.tokens.list(network)
    return new Map(list.map((token) => [token.asset, token]))
  })
  const custodians = createCache(deps.clock, async (network: Network) => {
    const list = await deps.custodians.list(network)
    return new Map(list.map(({ address, label }) => [address, label]))
  })
  return {
    account: accounts.get,
    disabled: () => disabled.get('all'),
    tokens: tokens.get,
    custodians: custodians.get,
    clear() {
      accounts.clear()
      disabled.clear()
      tokens.clear()
      custodians.clear()
    },
  }
}

// Clears the caches of this instance after a write to accounts, keys or the allowlist, and notifies other instances.

/** To be awaited after the write and before its answer: the next request on this instance then sees the write. */
export type DirectoryChanged = () => Promise<void>

export function createDirectoryChanged(
  caches: readonly { clear(): void }[],
  announcer: Pick<Announcer, 'directoryChanged'>,
): DirectoryChanged {
  return async () => {
    for (const cache of caches) cache.clear()
    // A lost notice is harmless: other instances read again within a few seconds.
    await announcer.directoryChanged().catch(() => {})
  }
}
