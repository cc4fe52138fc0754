// The lists of a status about money that goes back or stays at the address: `refunds`, `token_refunds`, `late_payments`
// and `held`. Spec: "Status response"; docs/contract.md, "Bounded lists".

import { type Asset, SOL, WRAPPED_SOL_MINT } from '#core/chain/types.ts'
import { record } from '#core/codec.ts'
import type { IntentFacts, IntentPatch } from '#core/payments/change.ts'
import type { DecisionContext } from '#core/payments/decision-context.ts'
import {
  type AssetRefund,
  type HeldMoney,
  type LatePayment,
  type TokenRefund,
  tokenRefundCodec,
} from '#core/payments/intent-values.ts'
import { type Deposit, INTENT_FIELDS, type PaymentIntent } from '#core/payments/payment-intent.ts'
import { depositKey, isOpen, Position, paymentAssets, unreservedUnaccepted } from '#core/payments/position/position.ts'
import { totalOf } from '#core/payments/position/shares.ts'
import { isDust, largestDust } from '#core/payments/returns/dust.ts'
import { refundAddressAfter } from '#core/payments/returns/releasable.ts'
import { HELD, type ReturnState, returnStateOf } from '#core/payments/returns/return-state.ts'
import { STATUS_POLICY } from '#core/payments/status-policy.ts'
import type { IntentEventType } from '#core/payments/transitions.ts'
import { type AssetBook, booksOf, mintOf, newestOf } from './asset-books.ts'

const IN_ANOTHER_ACCOUNT = 'It is in another token account than the associated one of the address.'

type BookOf = (asset: Asset) => AssetBook

/** Writes the lists as they are after the change, with an event when the business has to know at once. */
export function writeReturnLists(position: Position): Position {
  const { deposits, intent } = position
  const bookOf = booksOf(position)
  const held = newestOf(heldOf(position).map(({ key: _, ...entry }): HeldMoney => entry))
  const late = newestOf(groupLate(latePaymentsOf(deposits, bookOf), bookOf, position.context))
  const wrong = newestOf(tokenRefundsOf(deposits, bookOf))

  const refunds = refundsOf(intent, deposits, bookOf)
  const refundAddress = refundAddressAfter(position)
  const quiet = write(position, {
    refunds,
    held: held.shown,
    listTotals: { ...intent.listTotals, held: held.total },
    refundAddress,
  })
  const withLate = write(
    quiet,
    { latePayments: late.shown, listTotals: { ...quiet.intent.listTotals, latePayments: late.total } },
    addsLatePayment(position) ? 'intent.late_payment' : null,
  )
  return write(
    withLate,
    { tokenRefunds: wrong.shown, listTotals: { ...withLate.intent.listTotals, tokenRefunds: wrong.total } },
    statesOf(wrong.shown) === statesOf(intent.tokenRefunds) && !addsWrongAsset(position)
      ? null
      : 'intent.token_refund_updated',
  )
}

/** An entry of a full list. Its key is unique in the list and never changes. */
type Keyed<T> = T & { readonly key: string }

/** The lists of an intent in full, oldest first. */
export type FullLists = {
  /** Each late payment, also those that are too small to return. */
  readonly latePayments: readonly Keyed<LatePayment & Pick<Deposit, 'seenAt'>>[]
  readonly tokenRefunds: readonly Keyed<TokenRefund>[]
  readonly held: readonly Keyed<HeldMoney>[]
}

export function fullListsOf(facts: IntentFacts, context: DecisionContext): FullLists {
  const position = new Position(facts, context)
  const bookOf = booksOf(position)
  const { deposits } = position
  return {
    latePayments: latePaymentsOf(deposits, bookOf).flatMap((one) =>
      lateEntry([one], bookOf).map((entry) => ({
        ...entry,
        key: depositKey(one.deposit),
        seenAt: one.deposit.seenAt,
      })),
    ),
    tokenRefunds: tokenRefundsOf(deposits, bookOf).map((one) => ({ ...one, key: one.mint })),
    held: heldOf(position),
  }
}

function write(position: Position, patch: IntentPatch, event: IntentEventType | null = null): Position {
  if (event !== null) return position.step(patch, event)
  return isSame({ ...position.intent, ...patch }, position.intent) ? position : position.amend(patch)
}

type Lists = Pick<PaymentIntent, 'refunds' | 'tokenRefunds' | 'latePayments' | 'held' | 'listTotals' | 'refundAddress'>

const isSame = (a: Lists, b: Lists): boolean => textOf(a) === textOf(b)

const { refunds, tokenRefunds, latePayments, held, listTotals, refundAddress } = INTENT_FIELDS
const listsCodec = record({ refunds, tokenRefunds, latePayments, held, listTotals, refundAddress })

const textOf = ({ refunds, tokenRefunds, latePayments, held, listTotals, refundAddress }: Lists): string =>
  JSON.stringify(listsCodec.write({ refunds, tokenRefunds, latePayments, held, listTotals, refundAddress }))

/** Returns, by asset in order of arrival: what is in other token accounts, what held transfers reserve, and what cannot go back. */
function heldOf(position: Position): FullLists['held'] {
  const { deposits, transfers } = position
  return [...new Set(deposits.map(({ asset }) => asset))].flatMap((asset) => {
    const own = transfers.filter((one) => one.asset === asset)
    const returnState = returnStateOf(position, asset)
    const parts = [
      {
        key: `apart:${asset}`,
        amount: totalOf(unreservedUnaccepted(asset, deposits, own)),
        reason: IN_ANOTHER_ACCOUNT,
      },
      ...own
        .filter((transfer) => isOpen(transfer) && transfer.status === 'held')
        .map(({ key, legs, reason }) => ({ key, amount: totalOf(legs), reason: reason ?? HELD })),
      ...(returnState.is === 'stuck'
        ? [{ key: `stuck:${asset}`, amount: totalOf(position.of(asset).free), reason: returnState.reason }]
        : []),
    ]
    return parts.filter(({ amount }) => amount > 0n).map((part) => ({ mint: mintOf(asset), ...part }))
  })
}

function refundsOf({ status }: PaymentIntent, deposits: readonly Deposit[], bookOf: BookOf): readonly AssetRefund[] {
  const { showsRefunds, showsExcess } = STATUS_POLICY[status]
  if (!showsRefunds && !showsExcess) return []
  // Next to a settlement, late payments have their own list.
  const paid = deposits.filter(({ use }) => use === 'applied' || (showsRefunds && use === 'late'))
  const refunds = [...paymentAssets(paid)].flatMap((asset): AssetRefund[] => {
    const own = paid.filter((deposit) => deposit.asset === asset)
    const refund = showsRefunds ? bookOf(asset).refundOf(own) : bookOf(asset).separateRefundOf(own)
    return refund === null ? [] : [{ mint: mintOf(asset), ...refund }]
  })
  return newestOf(refunds).shown
}

const REFUND_STATUS: Readonly<Record<ReturnState['is'], TokenRefund['status']>> = {
  nothing: 'refunded',
  business: 'pending',
  waiting: 'pending',
  ready: 'pending',
  open: 'settling',
  stuck: 'failed',
}

/** Returns an entry for each wrong asset, in the order of arrival. */
function tokenRefundsOf(deposits: readonly Deposit[], bookOf: BookOf): readonly TokenRefund[] {
  const wrong = deposits.filter(({ use }) => use === 'wrong_asset')
  return [...Map.groupBy(wrong, ({ asset }) => asset)].map(([asset, own]) => {
    const { returnState, refundOf, hasReturnOf } = bookOf(asset)
    return {
      mint: asset === SOL ? WRAPPED_SOL_MINT : asset,
      // SOL that is too little to stay may leave with a refund of late payments, and go to no sender.
      status: returnState.is === 'nothing' && !hasReturnOf(own) ? 'failed' : REFUND_STATUS[returnState.is],
      amount: totalOf(own),
      refund: refundOf(own),
    }
  })
}

/** Returns the part of the lists that causes an event by itself. */
const statesOf = (refunds: readonly TokenRefund[]): string =>
  JSON.stringify(refunds.map((one) => ({ ...tokenRefundCodec.write(one), amount: null })))

/** Returns whether the change adds a payment that raises an amount by more than dust. An amount without a price may be dust. */
function addsWrongAsset({ change: { deposits, events }, facts, context }: Position): boolean {
  if (events.some(({ type }) => type === 'intent.token_refund_updated')) return false
  const known = new Set(facts.deposits.map(depositKey))
  return deposits.some(
    (deposit) =>
      deposit.use === 'wrong_asset' &&
      !known.has(depositKey(deposit)) &&
      largestDust(deposit.asset, context) !== null &&
      !isDust(deposit, context),
  )
}

type LateDeposit = { readonly deposit: Deposit; readonly status: LatePayment['status'] }

/** Returns late payments, oldest first, without those that settled to the business. */
const latePaymentsOf = (deposits: readonly Deposit[], bookOf: BookOf): readonly LateDeposit[] =>
  deposits.flatMap((deposit) => {
    const status = deposit.use === 'late' ? bookOf(deposit.asset).lateStatus(deposit) : null
    return status === null ? [] : [{ deposit, status }]
  })

/** Returns an entry for each late payment. Dust has one entry for each asset and status, in the place of the newest. */
function groupLate(late: readonly LateDeposit[], bookOf: BookOf, context: DecisionContext): readonly LatePayment[] {
  const groups = new Map<string, LateDeposit[]>()
  for (const one of late) {
    const { deposit, status } = one
    const key = isDust(deposit, context) ? `${deposit.asset} ${status}` : depositKey(deposit)
    const group = groups.get(key) ?? []
    group.push(one)
    groups.delete(key)
    groups.set(key, group)
  }
  return [...groups.values()].flatMap((group) => lateEntry(group, bookOf))
}

/** Returns the entry of the late payments of one asset and one status. */
function lateEntry(group: readonly LateDeposit[], bookOf: BookOf): readonly LatePayment[] {
  const newest = group.at(-1)
  if (newest === undefined) return []
  const deposits = group.map(({ deposit }) => deposit)
  const { asset, signature } = newest.deposit
  return [
    {
      mint: mintOf(asset),
      amount: totalOf(deposits),
      status: newest.status,
      signature,
      count: deposits.length,
      refund: bookOf(asset).refundOf(deposits),
    },
  ]
}

/** Returns whether the change adds a late payment that causes an event: dust does only the first time. */
function addsLatePayment({ change: { deposits, events }, facts, context }: Position): boolean {
  if (events.some(({ type }) => type === 'intent.late_payment')) return false
  const isLate = ({ use }: Deposit): boolean => use === 'late'
  const known = facts.deposits.filter(isLate)
  const keys = new Set(known.map(depositKey))
  return deposits.some(
    (deposit) =>
      isLate(deposit) &&
      !keys.has(depositKey(deposit)) &&
      !(isDust(deposit, context) && known.some((one) => one.asset === deposit.asset && isDust(one, context))),
  )
}
