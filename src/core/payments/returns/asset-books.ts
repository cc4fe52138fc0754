// The use of each deposit of an asset, and the amounts that went back by which transaction. The lists of a payment derive
// from it.
import { type Asset, SOL } from '#core/chain/types.ts'
import { type BaseUnits, makeBaseUnits } from '#core/money/amounts.ts'
import type { LatePayment, ListTotal, MintTotal, Refund } from '#core/payments/intent-values.ts'
import type { Deposit } from '#core/payments/payment-intent.ts'
import {
  depositKey,
  oncePerAsset,
  type Position,
  type PositionTransfer,
  takingsOf,
} from '#core/payments/position/position.ts'
import { type DepositShare, depositSharesOf, type Takes, takeInTurn, totalOf } from '#core/payments/position/shares.ts'
import type { LegRole } from '#core/payments/transfers.ts'
import { isForSenderOf, recipientsOf } from './recipients.ts'
import { type ReturnState, returnStateOf } from './return-state.ts'

// Lists that anyone can make longer are shown up to a bound. docs/contract.md, "Bounded lists".

/** Entries of a list that a status and an event show, and mints that its totals name. */
export const NEWEST = 20

/** Transactions that one refund names. */
const NEWEST_SIGNATURES = 5

type Entry = { readonly mint: string | null; readonly amount: BaseUnits; readonly count?: number }

/** Returns the newest entries, and the totals of all of them when there are more. `list` is oldest first. */
export function newestOf<T extends Entry>(list: readonly T[]): { shown: readonly T[]; total: ListTotal | null } {
  if (list.length <= NEWEST) return { shown: list, total: null }
  // By the newest entry of each mint.
  const mints = [...new Set(list.map(({ mint }) => mint).reverse())].slice(0, NEWEST).reverse()
  const byMint = Map.groupBy(list, ({ mint }) => mint)
  const totals = mints.map((mint): MintTotal => {
    const own = byMint.get(mint) ?? []
    const count = own.reduce((sum, entry) => sum + (entry.count ?? 1), 0)
    return { mint, amount: totalOf(own), count }
  })
  return { shown: list.slice(-NEWEST), total: { count: list.length, totals } }
}

export type AssetBook = {
  readonly returnState: ReturnState
  /** Returns where a late payment stands; null for one that went to the business. */
  lateStatus(deposit: Deposit): LatePayment['status'] | null
  /** Returns what goes back, or went back, of the deposits; null when nothing does. */
  refundOf(deposits: readonly Deposit[]): Refund | null
  /** Returns the same without what sweeps return, which the settlement shows. */
  separateRefundOf(deposits: readonly Deposit[]): Refund | null
  /** Returns whether a transfer returns a part of the deposits, or takes its fee from them. */
  hasReturnOf(deposits: readonly Deposit[]): boolean
}

/** Returns the book of each asset of a payment. */
export const booksOf =
  (position: Position) =>
  (asset: Asset): AssetBook =>
    assetBook(position, asset)

/** Returns what the transfers of an asset take from each deposit, in this position. */
export function partsOfAsset(asset: Asset, position: Position): (deposit: Deposit) => ReservedParts {
  const { deposits, transfers } = position.of(asset)
  return reservedPartsByDeposit(depositSharesOf(deposits), transfers)
}

const assetBook = oncePerAsset((position, asset): AssetBook => {
  const returnState = returnStateOf(position, asset)
  const reservedPartsOf = partsOfAsset(asset, position)
  const partsOf = (deposits: readonly Deposit[]) => deposits.flatMap((deposit) => reservedPartsOf(deposit).parts)
  return {
    returnState,
    lateStatus: (deposit) => lateStatusOf(deposit, reservedPartsOf(deposit), returnState),
    refundOf: (deposits) => refundFrom(partsOf(deposits)),
    separateRefundOf: (deposits) => refundFrom(partsOf(deposits).filter(({ transfer }) => transfer.kind !== 'sweep')),
    hasReturnOf: (deposits) =>
      deposits.some((deposit) => reservedPartsOf(deposit).parts.some((part) => isReturn(deposit, part))),
  }
})

/** What a transfer takes from a deposit, and how much of that goes back. */
type Part = { readonly transfer: PositionTransfer; readonly returned: BaseUnits }

type ReservedParts = {
  readonly parts: readonly Part[]
  /** What no transfer takes. */
  readonly left: BaseUnits
}

function lateStatusOf(
  deposit: Deposit,
  { parts, left }: ReservedParts,
  returnState: ReturnState,
): LatePayment['status'] | null {
  const open = parts.filter(({ transfer }) => transfer.status !== 'done')
  if (left > 0n || open.length > 0) {
    if (returnState.is === 'stuck') return returnState.gaveUp ? 'failed' : 'held'
    if (left > 0n) return 'pending'
    return open.some(({ transfer }) => transfer.status === 'held') ? 'held' : 'settling'
  }
  if (parts.some((part) => isReturn(deposit, part))) return 'refunded'
  // It was too little to stay, and left with the refund of another wallet.
  return parts.some(({ transfer }) => transfer.kind === 'refund') ? 'failed' : null
}

/** Returns whether a part goes back, or pays the fee of its own return. */
const isReturn = (deposit: Deposit, { transfer, returned }: Part): boolean =>
  returned > 0n ||
  transfer.kind === 'release' ||
  (transfer.kind === 'refund' && isForSenderOf(deposit, recipientsOf(transfer)))

/** Lets the transfers take from the shares, one after the other. Returns what they take from each deposit. */
function reservedPartsByDeposit(
  shares: readonly DepositShare[],
  transfers: readonly PositionTransfer[],
): (deposit: Deposit) => ReservedParts {
  const parts = new Map<string, Part[]>()
  const left = takeInTurn(shares, takingsOf(transfers), ({ transfer }, taken, pool) => {
    const returned = sumByDeposit(pool.takesOf(returnOf(transfer)))
    for (const deposit of sumByDeposit(taken).keys()) {
      const own = parts.get(depositKey(deposit)) ?? []
      own.push({ transfer, returned: makeBaseUnits(returned.get(deposit) ?? 0n) })
      parts.set(depositKey(deposit), own)
    }
  })
  const leftOf = byDeposit(left)
  return (deposit) => ({ parts: parts.get(depositKey(deposit)) ?? [], left: leftOf(deposit) })
}

function sumByDeposit(takes: Takes): ReadonlyMap<Deposit, bigint> {
  const sums = new Map<Deposit, bigint>()
  for (const [{ deposit }, amount] of takes) sums.set(deposit, (sums.get(deposit) ?? 0n) + amount)
  return sums
}

function byDeposit(shares: readonly DepositShare[]): (deposit: Deposit) => BaseUnits {
  const parts = Map.groupBy(shares, ({ deposit }) => deposit)
  return (deposit) => totalOf(parts.get(deposit) ?? [])
}

const RETURNS: ReadonlySet<LegRole> = new Set(['refund', 'release', 'buyer'])

/** Returns the part of a transfer that goes back: the planned amounts, or the moved amounts once it is done. */
const returnOf = ({ kind, legs, moved, status }: PositionTransfer): Pick<PositionTransfer, 'kind' | 'legs'> => ({
  kind,
  legs: legs.flatMap((leg, at) =>
    RETURNS.has(leg.role) ? [{ ...leg, amount: status === 'done' ? (moved[at] ?? leg.amount) : leg.amount }] : [],
  ),
})

/** Returns what goes back or went back, by these parts. A transfer that is held returns nothing: its money is held money. */
function refundFrom(parts: readonly Part[]): Refund | null {
  const returned = parts.filter((part) => part.returned > 0n && part.transfer.status !== 'held')
  if (returned.length === 0) return null
  const signatures = [...new Set(returned.map(({ transfer }) => transfer))].flatMap(({ signature }) => signature ?? [])
  return {
    amount: totalOf(returned.map((part) => ({ amount: part.returned }))),
    signatures: signatures.slice(-NEWEST_SIGNATURES),
  }
}

/** Returns null for SOL. */
export const mintOf = (asset: Asset): string | null => (asset === SOL ? null : asset)
