// What a status tells of money that was not the payment: `token_refunds` and `late_payments`. Spec, CONTRACT.
import { type Asset, SOL, WRAPPED_SOL_MINT } from '#core/chain/types.ts'
import { type IntentChange, type IntentFacts, step } from '#core/intents/change.ts'
import {
  type Claim,
  claimsAfter,
  depositsAfter,
  isOpen,
  takesApart,
  unclaimedApart,
  unclaimedOf,
} from '#core/intents/claims.ts'
import type { Deposit, HeldMoney, LatePayment, TokenRefund } from '#core/intents/intent.ts'
import { isLeftBehind } from '#core/intents/left-behind.ts'
import { type Share, sharesLeft, sharesOf, totalOf } from '#core/intents/shares.ts'
import { HELD, type Standing, standingOf } from '#core/intents/standing.ts'
import type { Surroundings } from '#core/intents/surroundings.ts'
import type { BaseUnits } from '#core/money/amounts.ts'

/** Money that was never accepted is recorded and left where it is: returning spam costs money. */
const NOT_ACCEPTED = 'This token is not accepted here.'
const OUT_OF_REACH = 'It lies in another token account than the one that transfers draw from.'

export function tellReturns(change: IntentChange, facts: IntentFacts, around: Surroundings): IntentChange {
  const tokenRefunds = tokenRefundsOf(change, facts, around)
  const latePayments = latePaymentsOf(change, facts, around)
  const before = change.after
  const known = new Set(before.latePayments.map(({ signature }) => signature))
  const isNew = latePayments.some(({ signature }) => !known.has(signature))
  let told = change
  if (!isSame(latePayments, before.latePayments)) {
    told = step(told, { latePayments }, around.now, isNew ? 'intent.late_payment' : null)
  }
  if (!isSame(tokenRefunds, before.tokenRefunds)) {
    told = step(told, { tokenRefunds }, around.now, 'intent.token_refund_updated')
  }
  return told
}

/** By asset in order of arrival: what lies apart, what held transfers claim, and what cannot go back. */
export function tellHeld(change: IntentChange, facts: IntentFacts, around: Surroundings): IntentChange {
  const deposits = depositsAfter(change, facts)
  const claims = claimsAfter(change, facts)
  const isAccepted = (asset: Asset) =>
    change.after.acceptedAssets.includes(asset) || around.tokens.get(asset)?.enabled === true
  const held = [...new Set(deposits.map(({ asset }) => asset))].flatMap((asset) => {
    const own = claims.filter((claim) => claim.asset === asset)
    const standing = standingOf(change, facts, asset, around)
    const parts = [
      {
        amount: totalOf(unclaimedApart(asset, deposits, own)),
        reason: isAccepted(asset) ? OUT_OF_REACH : NOT_ACCEPTED,
      },
      ...own
        .filter((claim) => isOpen(claim) && claim.status === 'held')
        .map(({ legs, reason }) => ({ amount: totalOf(legs), reason: reason ?? HELD })),
      ...(standing.is === 'stuck'
        ? [{ amount: totalOf(unclaimedOf(asset, deposits, own)), reason: standing.reason }]
        : []),
    ]
    return parts
      .filter(({ amount }) => amount > 0n)
      .map((part): HeldMoney => ({ mint: asset === SOL ? null : asset, ...part }))
  })
  const textOf = (list: readonly HeldMoney[]) =>
    list.map(({ mint, amount, reason }) => `${mint} ${amount} ${reason}`).join()
  return textOf(held) === textOf(change.after.held) ? change : step(change, { held }, around.now, null)
}

function isSame(a: readonly (LatePayment | TokenRefund)[], b: readonly (LatePayment | TokenRefund)[]): boolean {
  const textOf = (one: LatePayment | TokenRefund) =>
    'signature' in one ? `${one.signature} ${one.mint} ${one.amount} ${one.status}` : `${one.mint} ${one.status}`
  return (
    a.length === b.length && a.every((one, at) => b.slice(at, at + 1).some((other) => textOf(one) === textOf(other)))
  )
}

const REFUND_STATUS: Readonly<Record<Standing['is'], TokenRefund['status']>> = {
  nothing: 'refunded',
  business: 'pending',
  waiting: 'pending',
  ready: 'settling',
  open: 'settling',
  stuck: 'failed',
}

/** One entry for each wrong asset that arrived, in the order of arrival. */
function tokenRefundsOf(change: IntentChange, facts: IntentFacts, around: Surroundings): readonly TokenRefund[] {
  const wrong = depositsAfter(change, facts).filter(({ use }) => use === 'wrong_asset')
  const assets = new Set(wrong.map(({ asset }) => asset))
  return [...assets].map((asset) => ({
    mint: asset === SOL ? WRAPPED_SOL_MINT : asset,
    status: REFUND_STATUS[standingOf(change, facts, asset, around).is],
  }))
}

/** Late payments, oldest first, but for those that settled to the business after all. */
function latePaymentsOf(change: IntentChange, facts: IntentFacts, around: Surroundings): readonly LatePayment[] {
  const deposits = depositsAfter(change, facts)
  const late = deposits.filter(({ use }) => use === 'late')
  const assets = [...new Set(late.map(({ asset }) => asset))]
  const tellers = new Map(assets.map((asset) => [asset, tellerOf(asset, change, facts, around)]))
  return late.flatMap((deposit): LatePayment[] => {
    const { asset, amount, signature } = deposit
    const status = tellers.get(asset)?.(deposit) ?? null
    return status === null ? [] : [{ mint: asset === SOL ? null : asset, amount, signature, status }]
  })
}

/** Tells where a late payment of the asset stands; null for one that went to the business. */
function tellerOf(
  asset: Asset,
  change: IntentChange,
  facts: IntentFacts,
  around: Surroundings,
): (deposit: Deposit) => LatePayment['status'] | null {
  const shares = sharesOf(depositsAfter(change, facts).filter((one) => one.asset === asset && one.use !== 'held'))
  const claims = claimsAfter(change, facts).filter(
    (claim) => claim.asset === asset && claim.status !== 'failed' && !takesApart(claim),
  )
  const done = claims.filter(({ status }) => status === 'done')
  const kept = leftOf(shares, done)
  const keptByRefunds = leftOf(
    shares,
    done.map((claim) => ({ ...claim, legs: claim.legs.filter(({ role }) => role === 'refund' || role === 'release') })),
  )
  const unclaimed = leftOf(shares, claims)
  const standing = standingOf(change, facts, asset, around)
  const stuck = standing.is === 'stuck' ? (standing.gaveUp ? 'failed' : 'held') : null
  const isHeld = claims.some((claim) => claim.status === 'held' && !isLeftBehind(claim))
  const onItsWay = isHeld ? 'held' : 'settling'
  return (deposit) => {
    if (kept(deposit) > 0n) return stuck ?? (unclaimed(deposit) > 0n ? 'pending' : onItsWay)
    return keptByRefunds(deposit) === deposit.amount ? null : 'refunded'
  }
}

/** What claims leave of each deposit. None takes what was not final, or what came after it was planned. */
function leftOf(shares: readonly Share[], claims: readonly Claim[]): (deposit: Deposit) => BaseUnits {
  let left = shares
  for (const { legs, createdAt } of claims) {
    const isThere = ({ deposit }: Share) => deposit.state === 'final' && deposit.seenAt <= createdAt
    left = [...sharesLeft(left.filter(isThere), legs), ...left.filter((share) => !isThere(share))]
  }
  const byDeposit = Map.groupBy(left, ({ deposit }) => deposit)
  return (deposit) => totalOf(byDeposit.get(deposit) ?? [])
}
