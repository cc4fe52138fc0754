// The checkout window ends by the chain's clock: only when every account was read at a block past it, and is empty.
import type { Network } from '#core/chain/types.ts'
import { decideExpiry } from '#core/intents/intent-machine.ts'
import type { BalanceReader, ChainClock, DepositKeys } from '#ports/chain.ts'
import type { Clock } from '#ports/clock.ts'
import type { IntentWorkStore } from '#ports/stores.ts'
import { decideAndApply } from '#services/decide.ts'
import type { Directory } from '#services/directory.ts'
import { accountsOf } from './watch-list.ts'

const BATCH = 500

/** Cancels pending intents whose window is over. Those that hold anything are left to detection, which comes first. */
export type ExpireIntents = (network: Network) => Promise<{ expired: number }>

export function createExpirer(deps: {
  chainOf: (network: Network) => BalanceReader & ChainClock
  store: Pick<IntentWorkStore, 'facts' | 'apply' | 'expired' | 'watched'>
  directory: Pick<Directory, 'tokens'>
  keys: Pick<DepositKeys, 'tokenAccountOf'>
  clock: Clock
}): ExpireIntents {
  return async (network) => {
    const ids = await deps.store.expired(network, deps.clock.now(), BATCH)
    if (ids.length === 0) return { expired: 0 }
    const chain = deps.chainOf(network)
    const block = await chain.blockTime('confirmed')
    const over = (await deps.store.watched(ids)).filter(({ expiresAt }) => expiresAt < block.time)
    const tokens = await deps.directory.tokens(network)
    const owned = await Promise.all(over.map(async (intent) => await accountsOf(intent, deps.keys, tokens)))
    const accounts = owned.flatMap((list) => list.map(({ account }) => account))
    if (accounts.length === 0) return { expired: 0 }
    const { slot, states } = await chain.readAccounts(accounts, 'confirmed')
    // A provider that lags behind the block whose time was read has not seen the end of the window.
    if (slot < block.slot) return { expired: 0 }
    let at = 0
    let expired = 0
    for (const [position, intent] of over.entries()) {
      const count = owned[position]?.length ?? 0
      const empty = states.slice(at, at + count).every((state) => state === null || isEmpty(state))
      at += count
      if (!empty) continue
      const after = await decideAndApply(deps.store, intent.id, (facts) =>
        decideExpiry(facts, block.time, deps.clock.now()),
      )
      if (after?.status === 'cancelled') expired += 1
    }
    return { expired }
  }
}

/** A token account that somebody created but nobody paid into is empty, whatever its rent. */
const isEmpty = (state: { lamports: bigint; token: { amount: bigint } | null }): boolean =>
  state.token === null ? state.lamports === 0n : state.token.amount === 0n
