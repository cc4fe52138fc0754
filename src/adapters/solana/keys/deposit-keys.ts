// Derives addresses from the master seed. The same seed always gives the same addresses; an address takes microseconds.

import type { Address } from '#core/chain/types.ts'
import { createLru } from '#lib/lru.ts'
import type { DepositKeys } from '#ports/chain.ts'
import { associatedTokenAddress } from './associated-token.ts'
import { createKeyTree } from './key-tree.ts'

/** Token accounts in memory: enough for ten thousand open intents with a few accepted tokens each. */
const CACHED_TOKEN_ACCOUNTS = 50_000

/** Creates the keys of a seed: the 64 bytes of `loadMasterSeed`. */
export function createDepositKeys(seed: Uint8Array): DepositKeys {
  const tree = createKeyTree(seed)
  const tokenAccounts = createLru<string, Address>(CACHED_TOKEN_ACCOUNTS)

  return {
    addressOf: tree.addressOf,
    async tokenAccountOf(owner, mint, tokenProgram) {
      const name = `${owner}/${mint}/${tokenProgram}`
      const known = tokenAccounts.get(name)
      if (known !== undefined) return known
      const found = associatedTokenAddress(owner, mint, tokenProgram)
      tokenAccounts.set(name, found)
      return found
    },
  }
}
