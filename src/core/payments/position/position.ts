// A payment in the middle of a decision: what was read, what the decision has changed so far, and what follows from both for the
// money at its address. All plans are computed from it, so no money is reserved twice.

import type { Address, Asset } from '#core/chain/types.ts'
import { subtractToZero, ZERO } from '#core/money/amounts.ts'
import {
  amend,
  type IntentChange,
  type IntentFacts,
  type IntentPatch,
  moveTo,
  startChange,
  step,
} from '#core/payments/change.ts'
import type { DecisionContext } from '#core/payments/decision-context.ts'
import type { Deposit, IntentStatus, PaymentIntent } from '#core/payments/payment-intent.ts'
import {
  type DepositShare,
  depositSharesOf,
  type PlannedTaking,
  takeInTurn,
  totalOf,
} from '#core/payments/position/shares.ts'
import { isRentReserve, type NewPaymentTransfer, type PaymentTransfer } from '#core/payments/transfers.ts'
import type { IntentEventType } from '#core/payments/transitions.ts'

/** The money in one asset that counts: SOL, or what is in the associated token account. */
export type AssetPosition = {
  readonly deposits: readonly Deposit[]
  readonly transfers: readonly PositionTransfer[]
  /** By sender, what no transfer has taken or reserves. */
  readonly free: readonly DepositShare[]
}

/** Immutable: each step of a decision makes the next position. */
export class Position {
  readonly facts: IntentFacts
  readonly context: DecisionContext
  readonly change: IntentChange
  #deposits: readonly Deposit[] | null = null
  #transfers: readonly PositionTransfer[] | null = null

  constructor(facts: IntentFacts, context: DecisionContext, change: IntentChange = startChange(facts.intent)) {
    this.facts = facts
    this.context = context
    this.change = change
  }

  /** The payment as the change leaves it. */
  get intent(): PaymentIntent {
    return this.change.after
  }

  /** Every deposit, oldest first. */
  get deposits(): readonly Deposit[] {
    this.#deposits ??= depositsAfter(this.change, this.facts)
    return this.#deposits
  }

  /** Every transfer, in the order in which they were planned. */
  get transfers(): readonly PositionTransfer[] {
    this.#transfers ??= transfersAfter(this.change, this.facts)
    return this.#transfers
  }

  of(asset: Asset): AssetPosition {
    return assetPosition(this, asset)
  }

  with(patch: Partial<IntentChange>): Position {
    return new Position(this.facts, this.context, { ...this.change, ...patch })
  }

  /** Adds transfers to the plan. */
  plan(...transfers: readonly NewPaymentTransfer[]): Position {
    return this.with({ transfers: [...this.change.transfers, ...transfers] })
  }

  /** Puts the present state of these deposits in the place of their older state. */
  withDeposits(deposits: readonly Deposit[]): Position {
    const keys = new Set(deposits.map(depositKey))
    return this.with({ deposits: [...this.change.deposits.filter((one) => !keys.has(depositKey(one))), ...deposits] })
  }

  /** Patches the payment, in a step with an event or without one. */
  step(patch: IntentPatch = {}, event: IntentEventType | null = null): Position {
    return this.with(step(this.change, patch, this.context.now, event))
  }

  /** Patches the payment as the last event shows it. */
  amend(patch: IntentPatch): Position {
    return this.with(amend(this.change, patch, this.context.now))
  }

  /** Moves the payment to a status, with the event of that status. Throws on a transition that is not in the table. */
  moveTo(status: IntentStatus, patch: IntentPatch = {}): Position {
    return this.with(moveTo(this.change, status, patch, this.context.now))
  }
}

/** Returns the function, which computes its result once for each asset of a position. */
export function oncePerAsset<T>(
  compute: (position: Position, asset: Asset) => T,
): (position: Position, asset: Asset) => T {
  const results = new WeakMap<Position, Map<Asset, { readonly value: T }>>()
  return (position, asset) => {
    const assets = results.get(position) ?? new Map<Asset, { readonly value: T }>()
    results.set(position, assets)
    const known = assets.get(asset) ?? { value: compute(position, asset) }
    assets.set(asset, known)
    return known.value
  }
}

const assetPosition = oncePerAsset((position, asset): AssetPosition => {
  const deposits = position.deposits.filter((one) => one.asset === asset && one.use !== 'unaccepted')
  const transfers = position.transfers.filter((one) => one.asset === asset && one.sourceAccount === null)
  return { deposits, transfers, free: takeInTurn(depositSharesOf(deposits), takingsOf(transfers)) }
})

/** A transfer after a change is applied. */
export type PositionTransfer = NewPaymentTransfer &
  Pick<PaymentTransfer, 'status' | 'reason' | 'attemptCount' | 'plannedVersion' | 'moved' | 'signature'>

export const depositKey = ({ signature, account, asset }: Pick<Deposit, 'signature' | 'account' | 'asset'>): string =>
  `${signature} ${account} ${asset}`

/** Returns every deposit, oldest first. */
function depositsAfter(change: IntentChange, facts: IntentFacts): readonly Deposit[] {
  const changed = new Map(change.deposits.map((deposit) => [depositKey(deposit), deposit]))
  const kept = facts.deposits.filter((deposit) => !changed.has(depositKey(deposit)))
  return [...kept, ...changed.values()].sort(byAge)
}

/** Orders deposits of one slot by name, so that every reading shows the same order. */
function byAge(a: Deposit, b: Deposit): number {
  if (a.slot !== b.slot) return a.slot < b.slot ? -1 : 1
  return depositKey(a) < depositKey(b) ? -1 : 1
}

function transfersAfter(
  { outcome, statusOverride, transfers, after }: IntentChange,
  facts: IntentFacts,
): readonly PositionTransfer[] {
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
    (transfer): PositionTransfer => ({
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

/** Returns whether it can still move money: a second transfer at the same time could pay twice. */
export const isOpen = ({ kind, status }: Pick<PositionTransfer, 'kind' | 'status'>): boolean =>
  kind !== 'rent' && (status === 'planned' || status === 'in_progress' || status === 'held')

/** Returns whether it was tried and failed. A transfer that was withdrawn before it was signed was not tried. */
export const hasFailed = ({ status, attemptCount }: Pick<PositionTransfer, 'status' | 'attemptCount'>): boolean =>
  status === 'failed' && attemptCount > 0

/** Returns whether it was withdrawn before an attempt was signed. */
export const isWithdrawn = ({ status, attemptCount }: Pick<PositionTransfer, 'status' | 'attemptCount'>): boolean =>
  status === 'failed' && attemptCount === 0

type Taking = Pick<
  PositionTransfer,
  'portion' | 'sourceAccount' | 'kind' | 'asset' | 'status' | 'legs' | 'plannedVersion'
>

/**
 * Returns what transfers of an asset take from its shares: each that has not failed, in the order in which they were planned. A rent
 * reserve takes in the place of the reserves before it, and what is more in its own: a refund that was planned in between would
 * otherwise seem to have taken money of the business.
 */
export function takingsOf<T extends Taking>(
  transfers: readonly T[],
): readonly (PlannedTaking & { readonly transfer: T })[] {
  const reserve = transfers.findLast(isRentReserve)
  let taken = ZERO
  return transfers.flatMap((transfer) => {
    const { kind, plannedVersion, legs } = transfer
    const owner = isRentReserve(transfer) ? reserve : transfer
    if (owner === undefined || owner.status === 'failed') return []
    if (!isRentReserve(transfer)) return [{ kind, plannedVersion, legs, transfer }]
    const more = subtractToZero(totalOf(legs), taken)
    taken = totalOf(legs)
    return [{ kind, plannedVersion, legs: legs.map((leg) => ({ ...leg, amount: more })), transfer: owner }]
  })
}

/** Returns the shares of an asset at the address, by sender, without the parts that transfers took or reserve. */
export function unreservedOf(
  asset: Asset,
  deposits: readonly Deposit[],
  transfers: readonly Taking[],
): readonly DepositShare[] {
  return unreservedFor({ asset, sourceAccount: null }, deposits, transfers)
}

/** Returns the shares of an asset in other token accounts than the associated one. Only a release from there takes them. */
export function unreservedUnaccepted(
  asset: Asset,
  deposits: readonly Deposit[],
  transfers: readonly Taking[],
): readonly DepositShare[] {
  const accounts = new Set(deposits.flatMap(({ account, use }) => (use === 'unaccepted' ? [account] : [])))
  return [...accounts].flatMap((sourceAccount) => unreservedFor({ asset, sourceAccount }, deposits, transfers))
}

/** Returns the shares that a transfer of this asset from this account can take: see `Transfer.sourceAccount`. */
export function unreservedFor(
  { asset, sourceAccount }: Pick<Taking, 'asset' | 'sourceAccount'>,
  deposits: readonly Deposit[],
  transfers: readonly Taking[],
): readonly DepositShare[] {
  const own = deposits.filter((one) => one.asset === asset && otherAccountOf(one) === sourceAccount)
  const takers = transfers.filter((one) => one.asset === asset && one.sourceAccount === sourceAccount)
  return takeInTurn(depositSharesOf(own), takingsOf(takers))
}

/** Returns the account of money that is not in the associated one; null for any other money. */
const otherAccountOf = ({ account, use }: Pick<Deposit, 'account' | 'use'>): Address | null =>
  use === 'unaccepted' ? account : null

/** Returns the assets in which the price was paid, in whole or in part, in time or late. The status is about them. */
export const paymentAssets = (deposits: readonly Deposit[]): ReadonlySet<Asset> =>
  new Set(deposits.flatMap(({ asset, use }) => (use === 'applied' || use === 'late' ? [asset] : [])))
