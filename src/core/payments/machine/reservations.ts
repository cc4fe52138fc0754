// What lies at a deposit address and what transfers have taken of it, or are about to: as it stands once a change is
// applied. Nothing is promised twice because everything is reckoned from here.

import type { Asset } from '#core/chain/types.ts'
import type { IntentChange, IntentFacts } from '#core/payments/machine/change.ts'
import type { DecisionContext } from '#core/payments/machine/decision-context.ts'
import type { Deposit } from '#core/payments/payment-intent.ts'
import { type DepositShare, depositSharesOf, remainingShares } from '#core/payments/returns/deposit-shares.ts'
import type { NewPaymentTransfer, PaymentTransfer } from '#core/payments/transfers.ts'

/** A transfer as it stands once a change is applied. */
export type Reservation = NewPaymentTransfer &
  Pick<PaymentTransfer, 'status' | 'reason' | 'attemptCount' | 'plannedVersion' | 'moved' | 'signature'>

export const depositKey = ({ signature, account, asset }: Pick<Deposit, 'signature' | 'account' | 'asset'>): string =>
  `${signature} ${account} ${asset}`

/** Every deposit that no fork has taken away, oldest first. */
export function depositsAfter(change: IntentChange, facts: IntentFacts): readonly Deposit[] {
  const changed = new Map(change.deposits.map((deposit) => [depositKey(deposit), deposit]))
  const kept = facts.deposits.filter((deposit) => !changed.has(depositKey(deposit)))
  return [...kept, ...changed.values()].filter(({ state }) => state !== 'dropped').sort(byAge)
}

/** The change with these deposits as they are now, each in the place of an older state of it. */
export function withDeposits(change: IntentChange, deposits: readonly Deposit[]): IntentChange {
  const keys = new Set(deposits.map(depositKey))
  return { ...change, deposits: [...change.deposits.filter((one) => !keys.has(depositKey(one))), ...deposits] }
}

/** Within a slot by name: the same money must never be told of in two orders. */
function byAge(a: Deposit, b: Deposit): number {
  if (a.slot !== b.slot) return a.slot < b.slot ? -1 : 1
  return depositKey(a) < depositKey(b) ? -1 : 1
}

export function reservationsAfter(
  { outcome, statusOverride, transfers, after }: IntentChange,
  facts: IntentFacts,
): readonly Reservation[] {
  const stored = facts.transfers.map((transfer) => {
    const { id } = transfer
    if (id === outcome?.transferId) {
      const { transferStatus: status, reason, moved, signature } = outcome
      return { ...transfer, status, reason, moved, signature: status === 'done' ? signature : null }
    }
    return id === statusOverride?.transferId
      ? { ...transfer, status: statusOverride.status, reason: statusOverride.reason }
      : transfer
  })
  const planned = transfers.map(
    (transfer): Reservation => ({
      ...transfer,
      status: 'planned',
      reason: null,
      attemptCount: 0,
      plannedVersion: after.version,
      moved: [],
      signature: null,
    }),
  )
  return [...stored, ...planned]
}

/** Whether it may still move money: a second one beside it could pay twice. */
export const isOpen = ({ kind, status }: Pick<Reservation, 'kind' | 'status'>): boolean =>
  kind !== 'rent' && (status === 'planned' || status === 'in_progress' || status === 'held')

/** Whether it was tried and failed, and not only withdrawn before anything was signed. */
export const hasFailed = ({ status, attemptCount }: Pick<Reservation, 'status' | 'attemptCount'>): boolean =>
  status === 'failed' && attemptCount > 0

/** Whether it was withdrawn before anything of it was signed. */
export const isWithdrawn = ({ status, attemptCount }: Pick<Reservation, 'status' | 'attemptCount'>): boolean =>
  status === 'failed' && attemptCount === 0

/** How long money that is final waits for money that is not. Long enough for a block to become final. */
const FINALITY_PATIENCE_MS = 60_000

/**
 * Whether what is final of an asset should wait for what is not, so that one transaction moves all of it. The wait is
 * bounded from when the oldest was seen: a stranger who pays a lamport now and then must not keep the rest from moving.
 */
export function awaitsFinality(
  asset: Asset,
  deposits: readonly Deposit[],
  reservations: readonly Taking[],
  { now }: Pick<DecisionContext, 'now'>,
): boolean {
  if (!deposits.some((deposit) => deposit.asset === asset && deposit.state === 'confirmed')) return false
  const final = unreservedOf(asset, deposits, reservations)
  return final.every(({ deposit }) => now.getTime() - deposit.seenAt.getTime() < FINALITY_PATIENCE_MS)
}

type Taking = Pick<Reservation, 'portion' | 'kind' | 'asset' | 'status' | 'legs'>

/** What is final at the address of an asset, by who sent it, less what transfers have taken or are about to take. */
export function unreservedOf(
  asset: Asset,
  deposits: readonly Deposit[],
  reservations: readonly Taking[],
): readonly DepositShare[] {
  return leftBy(asset, deposits, reservations, false)
}

/** The same of what arrived while nobody accepted the asset. It lies apart: only a release of it takes of it. */
export function unreservedUnaccepted(
  asset: Asset,
  deposits: readonly Deposit[],
  reservations: readonly Taking[],
): readonly DepositShare[] {
  return leftBy(asset, deposits, reservations, true)
}

export const takesUnaccepted = ({ portion }: Pick<NewPaymentTransfer, 'portion'>): boolean => portion === 'unaccepted'

function leftBy(
  asset: Asset,
  deposits: readonly Deposit[],
  reservations: readonly Taking[],
  unaccepted: boolean,
): readonly DepositShare[] {
  const final = deposits.filter(
    (deposit) => deposit.asset === asset && deposit.state === 'final' && (deposit.use === 'unaccepted') === unaccepted,
  )
  const taken = reservations.filter(
    (reservation) =>
      reservation.asset === asset && reservation.status !== 'failed' && takesUnaccepted(reservation) === unaccepted,
  )
  return remainingShares(depositSharesOf(final), taken)
}

/** Assets in which the price was paid, in whole or in part, in time or late: what the intent's own status is about. */
export const paymentAssets = (deposits: readonly Deposit[]): ReadonlySet<Asset> =>
  new Set(deposits.flatMap(({ asset, use }) => (use === 'applied' || use === 'late' ? [asset] : [])))
