// The pool of durable nonce accounts that charges use. It grows with the queue and never shrinks. docs/billing.md, "Charges".
import type { Authority } from '#core/chain/keys.ts'
import { type Address, type Network, SOL, SOL_DECIMALS } from '#core/chain/types.ts'
import type { BaseUnits } from '#core/money/amounts.ts'
import { FEE_ALLOWANCE, seedOf } from '#core/transfers/plan.ts'
import { type Delay, TRY_AGAIN_MS, type TransferView, UNFUNDED } from '#core/transfers/preflight.ts'
import type { NewTransfer, Transfer } from '#core/transfers/transfer.ts'

/** The kind of the transfer that creates a nonce account, and of its subject. */
export const NONCE = 'nonce'

/** The size of a nonce account, in bytes. */
export const NONCE_BYTES = 80

export type PoolSize = { readonly min: number; readonly max: number }
export const POOL_SIZE: PoolSize = { min: 16, max: 256 }

const MINUTE_MS = 60_000
/** The pause after a round that failed: longer than the rent is cached, because a change of the rent is the usual cause. */
const PAUSE_MS = 10 * MINUTE_MS
/** The pause of an account whose creation has failed on the chain in `MAX_QUICK_ROUNDS` rounds: each of them cost a fee. */
const LONG_PAUSE_MS = 60 * MINUTE_MS
const MAX_QUICK_ROUNDS = 8

/** The accounts of a pool, and the transfers that each need one of them now. */
export type PoolState = {
  readonly accounts: number
  readonly demand: number
  /** Accounts whose last creation failed. */
  readonly failed: readonly FailedCreation[]
}

/**
 * `rounds`: the number of rounds so far, which have all failed. `paid`: the number of those that failed on the chain. The
 * others never landed, and cost nothing. `failedAt`: the end of the last one.
 */
export type FailedCreation = {
  readonly index: number
  readonly rounds: number
  readonly paid: number
  readonly failedAt: Date
}

/** What a round of growth plans: indexes of new accounts, and further rounds for accounts whose creation failed. */
export type Growth = readonly { readonly index: number; readonly round: number }[]

/**
 * Returns the creations to plan, at most `limit`: what failed comes first, then new accounts in the order of their indexes. An
 * account is never given up, because it has its place in the pool: after a long congestion the pool would stay too small.
 */
export function growthOf({ accounts, demand, failed }: PoolState, size: PoolSize, limit: number, now: Date): Growth {
  const wanted = Math.min(size.max, Math.max(size.min, demand))
  const again = failed
    .filter((one) => now.getTime() - one.failedAt.getTime() >= pauseAfter(one))
    .map(({ index, rounds }) => ({ index, round: rounds + 1 }))
  const added = Array.from({ length: Math.max(0, wanted - accounts) }, (_, at) => ({ index: accounts + at, round: 1 }))
  return [...again, ...added].slice(0, limit)
}

const pauseAfter = ({ paid }: Pick<FailedCreation, 'paid'>): number =>
  paid < MAX_QUICK_ROUNDS ? PAUSE_MS : LONG_PAUSE_MS

const NETWORK_DIGITS: Readonly<Record<Network, string>> = { live: '1', test: '2' }

/**
 * Returns the id of the account at a place of the pool: a UUID of version 8 with the place in it. The address derives from
 * the id, so a lost database loses no account: its place has the same address again.
 */
export const nonceAccountId = (network: Network, index: number): string =>
  `6e6f6e63-6500-8000-800${NETWORK_DIGITS[network]}-${index.toString(16).padStart(12, '0')}`

/** Returns the address of the account at a place of the pool. */
export const nonceAddress = (
  derive: (base: Address, seed: string) => Address,
  { address, key }: Authority,
  index: number,
): Address => derive(address, seedOf(nonceAccountId(key.network, index)))

/** Returns the transfer that creates an account. The fee payer gives it the rent, in lamports. */
export const nonceTransfer = (
  { index, round }: Growth[number],
  address: Address,
  authority: Authority,
  rent: BaseUnits,
): NewTransfer<typeof NONCE, 'rent'> => {
  const { network } = authority.key
  return {
    key: `nonce:${network}:${index}:${round}`,
    network,
    subject: { kind: NONCE, id: nonceAccountId(network, index) },
    kind: NONCE,
    accountId: null,
    source: address,
    sourceAccount: null,
    authority,
    asset: SOL,
    decimals: SOL_DECIMALS,
    tokenProgram: null,
    round,
    portion: 'main',
    legs: [{ role: 'rent', destination: address, amount: rent, feeBps: null }],
  }
}

/** Returns why the fee payer cannot create the account now; null when it can. */
export function creationDelay(
  { legs }: Pick<Transfer, 'legs'>,
  { feePayerLamports, rent }: Pick<TransferView, 'feePayerLamports' | 'rent'>,
): Delay | null {
  const cost = legs.reduce((sum, { amount }) => sum + amount, FEE_ALLOWANCE)
  return feePayerLamports < cost + rent.wallet ? UNFUNDED : null
}

/** No transfer waits longer for an account. A transfer that is tried later than that waits for something else. */
export const LONGEST_WAIT_MS = 60_000

/**
 * Returns the waits of transfers that find no free account, the shortest first: the transfers that wait take them in turns.
 * `demand`: the transfers that use or need an account. A burst of many more than the pool serves is not looked at every few
 * seconds. The waits differ: transfers that wait equally long come back together, and the accounts that become free before
 * that stay unused.
 */
export function waitsForNonce(demand: number, { max }: PoolSize): readonly [Delay, ...Delay[]] {
  const turns = Math.min(Math.ceil(demand / max), LONGEST_WAIT_MS / TRY_AGAIN_MS)
  const waitOf = (turn: number): Delay => ({
    reason: 'Waiting for a free durable nonce.',
    afterMs: TRY_AGAIN_MS * turn,
  })
  return [waitOf(1), ...Array.from({ length: Math.max(0, turns - 1) }, (_, at) => waitOf(at + 2))]
}
