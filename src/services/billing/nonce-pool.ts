// The pool of durable nonce accounts: its growth, and the lifetimes that its values give to attempts. docs/billing.md, "Charges".
import { later } from '#core/billing/dunning.ts'
import {
  type Growth,
  growthOf,
  LONGEST_WAIT_MS,
  NONCE_BYTES,
  nonceAddress,
  nonceTransfer,
  type PoolSize,
  waitsForNonce,
} from '#core/billing/nonce-pool.ts'
import type { Authority } from '#core/chain/keys.ts'
import type { Address, Blockhash, Network, NonceLifetime } from '#core/chain/types.ts'
import { ServiceError } from '#core/errors.ts'
import type { Delay } from '#core/transfers/preflight.ts'
import type { Transfer } from '#core/transfers/transfer.ts'
import type { DepositKeys, NonceReader, RentReader, SeededAddress } from '#ports/chain.ts'
import type { Clock } from '#ports/clock.ts'
import type { NoncePoolStore } from '#ports/nonce-pool.ts'

export type NoncePoolDeps = {
  readonly pool: NoncePoolStore
  readonly chainOf: (network: Network) => NonceReader & RentReader
  readonly keys: Pick<DepositKeys, 'addressOf'>
  readonly seededAddress: SeededAddress
  readonly size: PoolSize
  /** The kinds of transfers that use the pool. */
  readonly kinds: readonly string[]
  /** Finalized, except in a sandbox that cannot wait. */
  readonly clock: Clock
}

const untilOf = ({ clock }: Pick<NoncePoolDeps, 'clock'>): Date => later(clock.now(), LONGEST_WAIT_MS)

/** Creations that one round plans. */
const MAX_A_ROUND = 16

/**
 * Plans the creation of accounts that the pool needs, in one bounded round. The engine of transfers carries them out.
 * Returns how many it planned. Any number of workers may run it, at any moment, and none plans an account twice.
 */
export async function growPool(deps: NoncePoolDeps, network: Network): Promise<number> {
  const growth = growthOf(
    await deps.pool.state(network, deps.kinds, untilOf(deps)),
    deps.size,
    MAX_A_ROUND,
    deps.clock.now(),
  )
  if (growth.length === 0) return 0
  const rent = await deps.chainOf(network).minimumBalance(NONCE_BYTES)
  const planned: boolean[] = []
  for (const one of growth) planned.push(await planCreation(deps, network, one, rent))
  return planned.filter((isPlanned) => isPlanned).length
}

/**
 * Tries a failed creation again at once, at the request of the operator. Throws `transfer_not_retryable` when it is not failed
 * any more.
 */
export async function retryCreation(
  { pool, clock }: Pick<NoncePoolDeps, 'pool' | 'clock'>,
  { id }: Pick<Transfer, 'id'>,
): Promise<void> {
  if (!(await pool.planAgain(id, clock.now()))) throw new ServiceError('transfer_not_retryable', { id })
}

function planCreation(
  { pool, keys, seededAddress, clock }: NoncePoolDeps,
  network: Network,
  one: Growth[number],
  rent: Awaited<ReturnType<RentReader['minimumBalance']>>,
): Promise<boolean> {
  const authority = authorityOf(keys, network)
  const transfer = nonceTransfer(one, nonceAddress(seededAddress, authority, one.index), authority, rent)
  return pool.plan({ index: one.index, transfer, at: clock.now() })
}

/**
 * Reads the lifetimes of the next attempts of transfers: each is the present value of an account that is leased to the
 * transfer. Until the chain has consumed that value, another attempt of the transfer has the same lifetime. Returns a function
 * that gives a transfer its lifetime, or a delay while every account is in use.
 */
export async function readNonceLifetimes(
  { pool, chainOf, keys, clock, kinds, size }: NoncePoolDeps,
  network: Network,
  transfers: readonly Pick<Transfer, 'id'>[],
): Promise<(transfer: Pick<Transfer, 'id'>) => NonceLifetime | Delay> {
  const ids = transfers.map(({ id }) => id)
  const leased = await pool.lease(network, ids, clock.now())
  const without = ids.filter((id) => !leased.has(id))
  const waits = waitsForNonce(without.length === 0 ? 0 : await pool.demand(network, kinds, untilOf({ clock })), size)
  const [shortest] = waits
  // The oldest come first, and wait the shortest time.
  const waitOf = new Map(without.map((id, at) => [id, waits[at % waits.length]]))
  const accounts = [...leased.values()]
  if (accounts.length === 0) return ({ id }) => waitOf.get(id) ?? shortest
  const { slot, values } = await chainOf(network).nonces(accounts, 'finalized')
  const shown = new Map(accounts.flatMap((account, at) => entryOf(account, values[at])))
  const usedIn = await pool.usedIn(shown)
  const authority = authorityOf(keys, network)
  return ({ id }) => {
    const account = leased.get(id)
    if (account === undefined) return waitOf.get(id) ?? shortest
    const nonce = shown.get(account)
    // A provider that lags still shows the value that an earlier transaction has consumed.
    if (nonce === undefined || slot < (usedIn.get(account) ?? 0n)) return shortest
    return { kind: 'nonce', nonce, account, slot, authority }
  }
}

const entryOf = (account: Address, nonce: Blockhash | null | undefined): readonly (readonly [Address, Blockhash])[] =>
  nonce == null ? [] : [[account, nonce]]

function authorityOf(keys: NoncePoolDeps['keys'], network: Network): Authority {
  const key = { network, branch: 'nonce_authority' } as const
  return { address: keys.addressOf(key), key }
}
