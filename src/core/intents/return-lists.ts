// What a status tells of money that was not the payment: `token_refunds` and `late_payments`. Spec, CONTRACT.
import { type Asset, SOL, WRAPPED_SOL_MINT } from '#core/chain/types.ts'
import { type IntentChange, type IntentFacts, step } from '#core/intents/change.ts'
import { type Claim, claimsAfter, depositsAfter } from '#core/intents/claims.ts'
import type { Deposit, LatePayment, TokenRefund } from '#core/intents/intent.ts'
import { type Share, sharesLeft, sharesOf, totalOf } from '#core/intents/shares.ts'
import { type Standing, standingOf } from '#core/intents/standing.ts'
import type { Surroundings } from '#core/intents/surroundings.ts'
import type { BaseUnits } from '#core/money/amounts.ts'

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
  if (isSame(tokenRefunds, before.tokenRefunds)) return told
  return step(told, { tokenRefunds }, around.now, 'intent.token_refund_updated')
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
  const claims = claimsAfter(change, facts).filter((claim) => claim.asset === asset && claim.status !== 'failed')
  const done = claims.filter(({ status }) => status === 'done')
  const kept = leftOf(shares, done)
  const keptByRefunds = leftOf(
    shares,
    done.map((claim) => ({ ...claim, legs: claim.legs.filter(({ role }) => role === 'refund') })),
  )
  const unclaimed = leftOf(shares, claims)
  const standing = standingOf(change, facts, asset, around)
  const stuck = standing.is === 'stuck' ? (standing.gaveUp ? 'failed' : 'held') : null
  const onItsWay = claims.some(({ status }) => status === 'held') ? 'held' : 'settling'
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
