// Money that has landed wins against what a buyer or a business does at the same moment, also before detection has found it.
import type { AccountState, Address, Network } from '#core/chain/types.ts'
import { hasCode } from '#core/errors.ts'
import { isExplained } from '#core/payments/deposits/inbound.ts'
import type { PaymentIntent } from '#core/payments/payment-intent.ts'
import { type Batcher, createBatcher } from '#lib/batcher.ts'
import type { BalanceReader, DepositKeys } from '#ports/chain.ts'
import type { IntentWorkStore } from '#ports/payments.ts'
import type { Directory } from '#services/accounts/directory.ts'
import type { ObserveDeposits } from '#services/detection/observe.ts'
import type { ChangedAccount } from '#services/detection/polling/inbound-reading.ts'
import { accountsOf, balanceOf } from '#services/detection/polling/watch-list.ts'

/**
 * Takes in what has landed at the address of an intent, and returns the balances that were read. A balance that is not explained
 * afterwards belongs to a payment whose transaction is not read yet. Throws `chain_unavailable` when no balance can be read.
 */
export type TakeInArrivals = (intent: PaymentIntent) => Promise<readonly ChangedAccount[]>

export type ArrivalDeps = {
  readonly chainOf: (network: Network) => BalanceReader
  readonly store: Pick<IntentWorkStore, 'facts'>
  readonly directory: Pick<Directory, 'tokens'>
  readonly keys: Pick<DepositKeys, 'tokenAccountOf'>
  readonly observe: ObserveDeposits
}

/** Payments that are asked for at the same time share calls to the provider. */
const TOGETHER = { maxSize: 16, concurrency: 4, isSharedFailure: () => true }

export function createTakeInArrivals(deps: ArrivalDeps): TakeInArrivals {
  const readers = new Map<Network, Batcher<readonly Address[], readonly (AccountState | null)[]>>()
  const readerOf = (network: Network) => {
    const reader =
      readers.get(network) ?? createBatcher((asked) => readTogether(deps.chainOf(network), asked), TOGETHER)
    readers.set(network, reader)
    return reader
  }
  return async (intent) => {
    const facts = await deps.store.facts(intent.id)
    if (facts === null) return []
    const accounts = await accountsOf(intent, deps.keys, await deps.directory.tokens(intent.network))
    const states = await readerOf(intent.network)(accounts.map(({ account }) => account))
    const seen = accounts.map((account, at) => ({ ...account, balance: balanceOf(states[at] ?? null, account.asset) }))
    const changed = seen.filter((touched) => !isExplained(facts, [], touched))
    try {
      if (changed.length > 0) await deps.observe(intent.id, changed)
    } catch (error) {
      // The balances are enough to know that money is there.
      if (!hasCode(error, 'chain_unavailable')) throw error
    }
    return seen
  }
}

async function readTogether(
  chain: BalanceReader,
  asked: readonly (readonly Address[])[],
): Promise<readonly (readonly (AccountState | null)[])[]> {
  const { states } = await chain.readAccounts(asked.flat())
  const rest = states.values()
  return asked.map((accounts) => accounts.map(() => rest.next().value ?? null))
}
