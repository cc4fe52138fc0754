// The state of a delegation: an approve, a reading of the token account, or a pull changes it. docs/billing.md,
// "Authorization".

import type { AccountState, Address } from '#core/chain/types.ts'
import { type BaseUnits, capAtU64, subtractToZero, sumOf, ZERO } from '#core/money/amounts.ts'
import type { Delegation, DelegationStatus } from './delegation.ts'
import { allowanceFor, isOutstanding, type Reading, type Slice } from './room.ts'
import { SUBSCRIPTION_POLICY } from './subscription.ts'

// What the token account of a subscriber lets the service pull, as the chain shows it. docs/billing.md, "Authorization".

/** `missing`: there is no account, or it belongs to another wallet now. Amounts are in base units of the mint. */
export type AllowanceState =
  | { readonly is: 'missing' }
  | {
      readonly is: 'open'
      readonly balance: BaseUnits
      readonly frozen: boolean
      /** null when the owner, or the spending of the whole allowance, has removed the delegate. */
      readonly delegate: Address | null
      readonly delegated: BaseUnits
    }

/** Returns the state of the associated token account of a wallet, from the account as it was read. */
export function allowanceState(
  account: AccountState | null,
  { wallet, mint }: { readonly wallet: Address; readonly mint: Address },
): AllowanceState {
  const token = account?.token ?? null
  if (token === null || token.owner !== wallet || token.mint !== mint) return { is: 'missing' }
  const { amount: balance, frozen, delegation } = token
  return {
    is: 'open',
    balance,
    frozen,
    delegate: delegation?.delegate ?? null,
    delegated: delegation?.allowance ?? ZERO,
  }
}

/** Returns the allowance of one delegate in base units: zero when the account has another delegate or none. */
export const allowanceOf = (state: AllowanceState, delegate: Address): BaseUnits =>
  state.is === 'open' && state.delegate === delegate ? state.delegated : ZERO

/** A token account as it was read. `slot`: the slot of the provider's answer. */
export type AllowanceReading = { readonly slot: bigint; readonly state: AllowanceState }

/** Takes a reading of the token account. One that is older than the last, or than a booked pull, changes nothing. */
export function takeReading(
  delegation: Delegation,
  reading: AllowanceReading,
  delegate: Address,
  now: Date,
): Delegation {
  const { slot, state } = reading
  if (isOlder(slot, delegation.chainSlot) || isOlder(slot, delegation.pulledSlot)) return delegation
  const [chainDelegate, chainAllowance] =
    state.is === 'open' && state.delegate !== null ? [state.delegate, state.delegated] : [null, ZERO]
  const isFirst = delegation.accountedSlot === null
  const known = isFirst ? takeAccounted(delegation, { slot, allowance: allowanceOf(state, delegate) }) : delegation
  return { ...known, chainSlot: slot, chainDelegate, chainAllowance, chainCheckedAt: now, updatedAt: now }
}

/** The allowance of the service as it was read in a slot, in base units. */
export type ReadAllowance = { readonly slot: bigint; readonly allowance: BaseUnits }

/**
 * How a reading of the allowance compares with what the ledger accounts for. `behind`: it is older. `in_flight`: the charges under
 * way are taken. `changed`: the history after `since` has to say why. `unsearched`: they are equal, but the ledger may have lost a pull
 * after `since` that a later approve of the owner hides.
 */
type Accounting =
  | { readonly is: 'first' | 'expected' | 'in_flight' | 'behind' }
  | { readonly is: 'changed' | 'unsearched'; readonly since: bigint }

/** `inFlight`: the amount of the charges under way. `lostBefore`: lost pulls may have landed before this slot; null when none was lost. */
export type LedgerLimits = { readonly inFlight: bigint; readonly lostBefore: bigint | null }

/** Compares a reading with the ledger. */
export function accountFor(
  { accountedSlot, accountedAllowance, pulledSlot }: Delegation,
  { slot, allowance }: ReadAllowance,
  { inFlight, lostBefore }: LedgerLimits,
): Accounting {
  if (isOlder(slot, accountedSlot) || isOlder(slot, pulledSlot)) return { is: 'behind' }
  if (accountedSlot === null) return { is: 'first' }
  if (allowance === accountedAllowance) {
    const isSearched = lostBefore === null || accountedSlot >= lostBefore || accountedSlot === slot
    return isSearched ? { is: 'expected' } : { is: 'unsearched', since: accountedSlot }
  }
  if (inFlight > 0n && allowance + inFlight === accountedAllowance) return { is: 'in_flight' }
  return { is: 'changed', since: accountedSlot }
}

/** Takes a reading that the ledger and the history account for. */
export const takeAccounted = (delegation: Delegation, { slot, allowance }: ReadAllowance): Delegation => ({
  ...delegation,
  accountedSlot: slot,
  accountedAllowance: allowance,
})

const isOlder = (slot: bigint, than: bigint | null): boolean => than !== null && slot < than

/** The amount of a charge that succeeded, in base units. */
export type Pull = { readonly subscriptionId: string; readonly amount: BaseUnits }

/** Returns the sum in base units. */
export const pulledBy = (pulls: readonly Pull[]): BaseUnits => capAtU64(sumOf(pulls.map(({ amount }) => amount)))

/** Returns whether a pull is booked whose slot is after this one. A pull in the same slot counts as from before. */
export const hasPulledAfter = ({ pulledSlot }: Delegation, slot: bigint): boolean =>
  pulledSlot !== null && pulledSlot > slot

type FinalApprove = {
  readonly delegate: Address
  /** In base units. */
  readonly total: BaseUnits
  readonly slot: bigint
  /** The booked pulls from after this slot. */
  readonly pulls: readonly Pull[]
}

/**
 * Begins the next epoch by an approve that is final. Pulls from after the approve may be booked before it: they have already taken
 * their part of its total.
 */
export function beginEpoch(
  delegation: Delegation,
  { delegate, total, slot, pulls }: FinalApprove,
  now: Date,
): Delegation {
  const { accountedSlot } = delegation
  const begun = {
    ...delegation,
    status: 'active',
    epoch: delegation.epoch + 1,
    authorizedTotal: total,
    clearedAt: null,
    // A pull that the ledger lost does not show in the new allowance, only in the history before it. A reading from after the approve
    // has accounted for both.
    ...((accountedSlot === null || accountedSlot < slot) && { accountedAllowance: null }),
    updatedAt: now,
  } as const
  if (isOlder(slot, delegation.chainSlot)) return begun
  return { ...begun, chainSlot: slot, chainCheckedAt: now, ...leftBy(total, pulledBy(pulls), delegate) }
}

/**
 * Begins the first epoch by the allowance that the last reading shows: the wallet has given it by itself. Every other
 * delegation stays as it is.
 */
export const adoptAllowance = (delegation: Delegation, now: Date): Delegation =>
  delegation.epoch > 0
    ? delegation
    : { ...delegation, status: 'active', epoch: 1, authorizedTotal: delegation.chainAllowance, updatedAt: now }

/**
 * Takes a final pull into account. A reading from before the pull still shows its amount: without this, it would look like
 * room, whether it was taken before or comes later from a provider that is behind.
 */
export function afterPull(before: Delegation, amount: BaseUnits, slot: bigint, now: Date): Delegation {
  const isCounted = before.accountedAllowance === null || !isOlder(before.accountedSlot ?? slot, slot)
  const delegation = {
    ...before,
    ...(!isOlder(slot, before.pulledSlot) && { pulledSlot: slot, updatedAt: now }),
    ...(!isCounted && { accountedAllowance: subtractToZero(before.accountedAllowance ?? ZERO, amount) }),
  }
  if (delegation.chainSlot === null || delegation.chainSlot >= slot) return delegation
  return { ...delegation, ...leftBy(delegation.chainAllowance, amount, delegation.chainDelegate), updatedAt: now }
}

/** Returns what a pull leaves. The chain removes a delegate whose allowance reaches zero. */
function leftBy(allowance: BaseUnits, pulled: BaseUnits, delegate: Address | null): Reading {
  const chainAllowance = subtractToZero(allowance, pulled)
  return { chainDelegate: chainAllowance === 0n ? null : delegate, chainAllowance }
}

/** Takes a final revocation into account: since this slot the token account has no delegate. */
export function afterRevocation(delegation: Delegation, slot: bigint, now: Date): Delegation {
  if (isOlder(slot, delegation.chainSlot)) return delegation
  return {
    ...delegation,
    chainSlot: slot,
    chainDelegate: null,
    chainAllowance: ZERO,
    chainCheckedAt: now,
    updatedAt: now,
  }
}

/**
 * Takes a subscription into account that is charged, or is to be charged again: its delegation may have been found without cover
 * while it was paused or waited for its first charge, and rounds do not read such a delegation. From now on they do, and the next
 * reading decides.
 */
export const toReadAgain = (delegation: Delegation, now: Date): Delegation =>
  hasNoCover(delegation) ? { ...delegation, status: 'active', updatedAt: now } : delegation

/** Returns whether the allowance was found gone or replaced. Rounds do not read such a delegation. */
export const hasNoCover = ({ status }: Pick<Delegation, 'status'>): boolean =>
  status === 'revoked' || status === 'replaced'

type DelegationFacts = {
  readonly delegation: Delegation
  /** The slices of all subscriptions of the delegation that are live or incomplete, or have a charge under way. */
  readonly slices: readonly Slice[]
  /** The delegate key of the network. */
  readonly delegate: Address
}

export type DelegationVerdict = {
  readonly delegation: Delegation
  /** The subscriptions that the allowance does not cover any more, the newest first. */
  readonly uncovered: readonly string[]
}

/**
 * Judges a delegation by the last reading of its token account. The newest subscriptions are uncovered until the allowance
 * covers the rest. A charge under way counts as taken: the reading may show it already, or not yet.
 */
export function judgeDelegation({ delegation, slices, delegate }: DelegationFacts, now: Date): DelegationVerdict {
  const uncovered = delegation.epoch === 0 ? [] : uncoveredBy(slices, allowanceFor(delegation, delegate))
  const status = statusOf({ delegation, slices, delegate }, uncovered)
  if (status === delegation.status) return { delegation, uncovered: uncovered.filter(isRevocable).map(idOf) }
  const clearedAt = status === 'cleared' ? now : null
  return {
    delegation: { ...delegation, status, clearedAt, updatedAt: now },
    uncovered: uncovered.filter(isRevocable).map(idOf),
  }
}

/** Returns whether the allowance covers the slice of a subscription by the last reading, whether it can be revoked or not. */
export const coversSubscription = ({ delegation, slices, delegate }: DelegationFacts, id: string): boolean =>
  !uncoveredBy(slices, allowanceFor(delegation, delegate)).some(({ subscriptionId }) => subscriptionId === id)

const idOf = ({ subscriptionId }: Slice): string => subscriptionId
const isRevocable = ({ status }: Slice): boolean => SUBSCRIPTION_POLICY[status].isRevocable

/** Returns the base units that the slice needs after the charge under way. */
const needOf = (slice: Slice): bigint => (isOutstanding(slice) ? slice.remaining - slice.inFlight : 0n)

/** Returns the newest slices without which the allowance covers the others. A slice that needs nothing is covered. */
function uncoveredBy(slices: readonly Slice[], allowance: bigint): readonly Slice[] {
  const needing = slices.filter((slice) => needOf(slice) > 0n).sort(newestFirst)
  const uncovered: Slice[] = []
  let needed = sumOf(needing.map(needOf))
  for (const slice of needing) {
    if (needed <= allowance) break
    needed -= needOf(slice)
    uncovered.push(slice)
  }
  return uncovered
}

function newestFirst(a: Slice, b: Slice): number {
  const difference = b.createdAt.getTime() - a.createdAt.getTime()
  return difference !== 0 ? difference : a.subscriptionId < b.subscriptionId ? 1 : -1
}

function statusOf({ delegation, slices, delegate }: DelegationFacts, uncovered: readonly Slice[]): DelegationStatus {
  const { status, epoch, chainDelegate } = delegation
  if (epoch === 0) return 'pending'
  const needing = slices.filter((slice) => needOf(slice) > 0n)
  if (needing.length > uncovered.length) return 'active'
  if (needing.length > 0) return takenBy(chainDelegate, delegate)
  if (slices.every((slice) => SUBSCRIPTION_POLICY[slice.status].isFinal)) return 'cleared'
  const isTaken = slices.some((slice) => slice.status === 'revoked' && slice.remaining > 0n)
  if (isTaken && hasNoCover(delegation)) return status
  if (allowanceFor(delegation, delegate) > 0n) return 'active'
  // A charge that found the allowance gone has stopped its subscription before any round read the account.
  return isTaken ? takenBy(chainDelegate, delegate) : 'exhausted'
}

const takenBy = (chainDelegate: Address | null, delegate: Address): DelegationStatus =>
  chainDelegate === null || chainDelegate === delegate ? 'revoked' : 'replaced'
