// The rounds of a sweep or a refund that ended before they were signed, because wallets could not take their parts.
import type { Address } from '#core/chain/types.ts'
import type { Custodians } from '#core/payments/obstacle.ts'
import type { Deposit } from '#core/payments/payment-intent.ts'
import { isWithdrawn, type Reservation } from '#core/payments/position/position.ts'
import { couldTake } from '#core/payments/position/share-pool.ts'
import { depositSharesOf } from '#core/payments/position/shares.ts'
import { obstructionOf } from '#core/payments/returns/recipients.ts'

type Round = Pick<Reservation, 'round' | 'status' | 'attemptCount' | 'plannedVersion' | 'legs'>

/**
 * Returns the rounds that were withdrawn for wallets: one of the wallets has an obstacle, and was in no later round before it
 * paid again. Each of these rounds has a payment of its own with an obstacle, so there are no more of them than payments, and they
 * need not count against other wallets. `rounds` and `deposits` are of one asset and one kind.
 */
export function withdrawnForWallets<T extends Round>(
  rounds: readonly T[],
  deposits: readonly Deposit[],
  { custodians }: { readonly custodians: Custodians },
): ReadonlySet<T> {
  const withdrawn = rounds.filter(isWithdrawn)
  if (withdrawn.length === 0) return new Set()
  const sharesOf = Map.groupBy(depositSharesOf(deposits), ({ sender }) => sender)
  const parts = rounds.flatMap((round) => [...recipientsOf(round)].map((wallet) => ({ round, wallet })))
  const partsOf = Map.groupBy(parts, ({ wallet }) => wallet)
  const isFor = (wallet: Address, round: T): boolean => {
    const shares = sharesOf.get(wallet) ?? []
    if (!shares.some((share) => couldTake(round, share) && obstructionOf(share, custodians) !== null)) return false
    const later = (partsOf.get(wallet) ?? []).filter((part) => part.round.round > round.round)
    const next = { plannedVersion: Math.min(...later.map((part) => part.round.plannedVersion)) }
    return later.length === 0 || shares.some((share) => !couldTake(round, share) && couldTake(next, share))
  }
  return new Set(withdrawn.filter((round) => [...recipientsOf(round)].some((wallet) => isFor(wallet, round))))
}

/** Returns the wallets to which a round returns money. */
export const recipientsOf = ({ legs }: Pick<Round, 'legs'>): ReadonlySet<Address> =>
  new Set(legs.flatMap(({ role, destination }) => (role === 'refund' ? [destination] : [])))
