// The money at a deposit address, and the parts that transfers have taken or reserve, after a change is applied. All plans are
// computed from it, so no money is reserved twice.

import type { Address, Asset } from '#core/chain/types.ts'
import type { IntentChange, IntentFacts } from '#core/payments/change.ts'
import type { Deposit } from '#core/payments/payment-intent.ts'
import { takeInTurn } from '#core/payments/position/share-pool.ts'
import { type DepositShare, depositSharesOf } from '#core/payments/position/shares.ts'
import { turnsOf } from '#core/payments/position/turns.ts'
import type { NewPaymentTransfer, PaymentTransfer } from '#core/payments/transfers.ts'

/** A transfer after a change is applied. */
export type Reservation = NewPaymentTransfer &
  Pick<PaymentTransfer, 'status' | 'reason' | 'attemptCount' | 'plannedVersion' | 'moved' | 'signature'>

export const depositKey = ({ signature, account, asset }: Pick<Deposit, 'signature' | 'account' | 'asset'>): string =>
  `${signature} ${account} ${asset}`

/** Returns every deposit, oldest first. */
export function depositsAfter(change: IntentChange, facts: IntentFacts): readonly Deposit[] {
  const changed = new Map(change.deposits.map((deposit) => [depositKey(deposit), deposit]))
  const kept = facts.deposits.filter((deposit) => !changed.has(depositKey(deposit)))
  return [...kept, ...changed.values()].sort(byAge)
}

/** Returns the change with the present state of these deposits, each in place of its older state. */
export function withDeposits(change: IntentChange, deposits: readonly Deposit[]): IntentChange {
  const keys = new Set(deposits.map(depositKey))
  return { ...change, deposits: [...change.deposits.filter((one) => !keys.has(depositKey(one))), ...deposits] }
}

/** Orders deposits of one slot by name, so that every reading shows the same order. */
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
  // A change raises the version at least once, and in some plans only after its transfers are there.
  const plannedVersion = Math.max(after.version, facts.intent.version + 1)
  const planned = transfers.map(
    (transfer): Reservation => ({
      ...transfer,
      status: 'planned',
      reason: null,
      attemptCount: 0,
      plannedVersion,
      moved: [],
      signature: null,
    }),
  )
  return [...stored, ...planned]
}

/** Returns the transfers of an asset from the associated account, or of SOL. A release from another account concerns no other. */
export const reservationsOf = (asset: Asset, change: IntentChange, facts: IntentFacts): readonly Reservation[] =>
  reservationsAfter(change, facts).filter((one) => one.asset === asset && one.sourceAccount === null)

/** Returns whether it can still move money: a second transfer at the same time could pay twice. */
export const isOpen = ({ kind, status }: Pick<Reservation, 'kind' | 'status'>): boolean =>
  kind !== 'rent' && (status === 'planned' || status === 'in_progress' || status === 'held')

/** Returns whether it was tried and failed. A transfer that was withdrawn before it was signed was not tried. */
export const hasFailed = ({ status, attemptCount }: Pick<Reservation, 'status' | 'attemptCount'>): boolean =>
  status === 'failed' && attemptCount > 0

/** Returns whether it was withdrawn before an attempt was signed. */
export const isWithdrawn = ({ status, attemptCount }: Pick<Reservation, 'status' | 'attemptCount'>): boolean =>
  status === 'failed' && attemptCount === 0

type Taking = Pick<Reservation, 'portion' | 'sourceAccount' | 'kind' | 'asset' | 'status' | 'legs' | 'plannedVersion'>

/** Returns the shares of an asset at the address, by sender, without the parts that transfers took or reserve. */
export function unreservedOf(
  asset: Asset,
  deposits: readonly Deposit[],
  reservations: readonly Taking[],
): readonly DepositShare[] {
  return unreservedFor({ asset, sourceAccount: null }, deposits, reservations)
}

/** Returns the shares of an asset in other token accounts than the associated one. Only a release from there takes them. */
export function unreservedUnaccepted(
  asset: Asset,
  deposits: readonly Deposit[],
  reservations: readonly Taking[],
): readonly DepositShare[] {
  const accounts = new Set(deposits.flatMap(({ account, use }) => (use === 'unaccepted' ? [account] : [])))
  return [...accounts].flatMap((sourceAccount) => unreservedFor({ asset, sourceAccount }, deposits, reservations))
}

/** Returns the shares that a transfer of this asset from this account can take: see `Transfer.sourceAccount`. */
export function unreservedFor(
  { asset, sourceAccount }: Pick<Taking, 'asset' | 'sourceAccount'>,
  deposits: readonly Deposit[],
  reservations: readonly Taking[],
): readonly DepositShare[] {
  const own = deposits.filter((one) => one.asset === asset && otherAccountOf(one) === sourceAccount)
  const takers = reservations.filter((one) => one.asset === asset && one.sourceAccount === sourceAccount)
  return takeInTurn(depositSharesOf(own), turnsOf(takers))
}

/** Returns the account of money that is not in the associated one; null for any other money. */
const otherAccountOf = ({ account, use }: Pick<Deposit, 'account' | 'use'>): Address | null =>
  use === 'unaccepted' ? account : null

/** Returns the assets in which the price was paid, in whole or in part, in time or late. The status is about them. */
export const paymentAssets = (deposits: readonly Deposit[]): ReadonlySet<Asset> =>
  new Set(deposits.flatMap(({ asset, use }) => (use === 'applied' || use === 'late' ? [asset] : [])))
