// Accounts and allowlists as requests need them: many reads, few writes.
import type { Account } from '#core/accounts/account.ts'
import type { Asset, Network } from '#core/chain/types.ts'
import type { Token } from '#core/tokens/token.ts'
import type { Clock } from '#ports/clock.ts'
import type { AccountStore, TokenStore } from '#ports/stores.ts'
import { createCache } from './cache.ts'

export type Directory = {
  account(id: string): Promise<Account | null>
  /** Every token that was ever allowed on the network, by asset, in the allowlist's order. */
  tokens(network: Network): Promise<ReadonlyMap<Asset, Token>>
  /** To be called after a write here, and when another instance tells of one. */
  clear(): void
}

export function createDirectory(deps: {
  clock: Clock
  accounts: Pick<AccountStore, 'find'>
  tokens: Pick<TokenStore, 'list'>
}): Directory {
  const accounts = createCache(deps.clock, (id: string) => deps.accounts.find(id))
  const tokens = createCache(deps.clock, async (network: Network) => {
    const list = await deps.tokens.list(network)
    return new Map(list.map((token) => [token.asset, token]))
  })
  return {
    account: accounts.get,
    tokens: tokens.get,
    clear() {
      accounts.clear()
      tokens.clear()
    },
  }
}
