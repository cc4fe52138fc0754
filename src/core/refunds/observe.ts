// What the chain says of a refund. Its state follows from all transactions that paid it. docs/contract.md, "Refunds by the business".
import { type Address, type Asset, type ObservedTransaction, SOL } from '#core/chain/types.ts'
import { type BaseUnits, capAtU64, makeBaseUnits, smaller, sumOf, ZERO } from '#core/money/amounts.ts'
import { isWaiting, type Refund, type RefundEventType, type RefundTransaction, SHOWN_SIGNATURES } from './refund.ts'

type Claim = Pick<Refund, 'id' | 'asset' | 'recipient' | 'amount' | 'createdAt'>

/** What a transaction that names the key of a refund did for it. */
export type Judged = RefundTransaction | { readonly problem: string }

/**
 * Judges a final transaction that names the key of a refund. `named` are all refunds whose keys it names, with this one: what it moved
 * to their recipient is divided among them, the oldest first, and the newest has what is more than all of them ask for.
 */
export function judgeTransaction(refund: Claim, transaction: ObservedTransaction, named: readonly Claim[]): Judged {
  const { signature, slot, error } = transaction
  const wrong = (what: string) => ({ problem: `The transaction ${signature} ${what}.` })
  if (error !== null) return wrong('failed on the chain')
  const moved = movedTo(refund.recipient, refund.asset, transaction)
  if (moved <= 0n)
    return wrong(
      transaction.changes.some(
        ({ owner, asset, before, after }) => owner === refund.recipient && asset !== refund.asset && after > before,
      )
        ? 'moved another asset to the recipient'
        : 'moved nothing to the recipient',
    )
  const amount = shareOf(refund, capAtU64(moved), named)
  if (amount === 0n) return wrong('pays other refunds that it names, and nothing is left of it')
  return { refundId: refund.id, signature, slot, amount, paidBy: payerIn(refund, transaction) }
}

/** Returns what a transaction moved to a wallet, in all its accounts of the asset, in base units. A fee that it paid is no loss. */
function movedTo(wallet: Address, asset: Asset, { changes, feePayer, fee }: ObservedTransaction): bigint {
  const own = changes.filter((change) => change.owner === wallet && change.asset === asset)
  const moved = sumOf(own.map(({ before, after }) => after - before))
  return asset === SOL && feePayer === wallet ? moved + fee : moved
}

function shareOf(refund: Claim, moved: BaseUnits, named: readonly Claim[]): BaseUnits {
  const sharing = named
    .filter(({ asset, recipient }) => asset === refund.asset && recipient === refund.recipient)
    .toSorted((a, b) => a.createdAt.getTime() - b.createdAt.getTime() || (a.id < b.id ? -1 : 1))
  let left = moved
  for (const [at, one] of sharing.entries()) {
    const share = at === sharing.length - 1 ? left : smaller(left, one.amount)
    if (one.id === refund.id) return share
    left = makeBaseUnits(left - share)
  }
  return ZERO
}

/** Returns the wallet whose balance of the asset fell most; null for none. */
function payerIn({ asset, recipient }: Claim, { changes }: ObservedTransaction): Address | null {
  const fell = new Map<Address, bigint>()
  for (const { owner, asset: moved, before, after } of changes)
    if (moved === asset && owner !== recipient) fell.set(owner, (fell.get(owner) ?? 0n) + before - after)
  const [first, ...others] = [...fell].filter(([, amount]) => amount > 0n)
  if (first === undefined) return null
  return others.reduce((most, one) => (one[1] > most[1] ? one : most), first)[0]
}

/** A refund after a change, and the event of it; null for none. */
export type RefundChange = { readonly after: Refund; readonly event: RefundEventType | null }

/** Returns a refund with all transactions that paid it, and the newest problem, if one was found. */
export function withTransactions(
  refund: Refund,
  paid: readonly RefundTransaction[],
  problem: string | null,
  now: Date,
): RefundChange {
  const oldestFirst = paid.toSorted((a, b) => (a.slot === b.slot ? 0 : a.slot < b.slot ? -1 : 1))
  const paidAmount = capAtU64(sumOf(oldestFirst.map(({ amount }) => amount)))
  const isPaid = paidAmount >= refund.amount
  const isEnd = isPaid && isWaiting(refund)
  const after: Refund = {
    ...refund,
    paidAmount,
    paidBy: [...new Set(oldestFirst.flatMap(({ paidBy }) => paidBy ?? []))].slice(0, SHOWN_SIGNATURES),
    signatures: oldestFirst.slice(-SHOWN_SIGNATURES).map(({ signature }) => signature),
    status: !isWaiting(refund) ? refund.status : isPaid ? 'succeeded' : paidAmount > 0n ? 'processing' : 'open',
    problem: isEnd ? null : (problem ?? refund.problem),
    endedAt: isEnd ? now : refund.endedAt,
    updatedAt: now,
  }
  return { after, event: isEnd ? 'refund.succeeded' : null }
}

/** Ends a refund that was not paid in its time, after the chain was read to a later time. */
export function endUnpaid(refund: Refund, now: Date): RefundChange {
  const isPart = refund.paidAmount > 0n
  const problem = isPart ? 'Less than the amount was paid before it expired.' : refund.problem
  return {
    after: {
      ...refund,
      status: isPart ? 'failed' : 'expired',
      problem,
      nextLookAt: null,
      endedAt: now,
      updatedAt: now,
    },
    event: 'refund.failed',
  }
}

/** Cancels a refund for which nothing was paid. */
export const cancelRefund = (refund: Refund, now: Date): RefundChange => ({
  after: { ...refund, status: 'canceled', nextLookAt: null, endedAt: now, updatedAt: now },
  event: null,
})

/** The shortest and the longest pause between two readings of the history of one refund, in milliseconds. */
const SHORTEST_PAUSE_MS = 5_000
const LONGEST_PAUSE_MS = 600_000

/**
 * Returns when the history is read next: soon after the creation, and ever more rarely, but also at the end of its time. One that was
 * paid is read until then, because it may be paid twice. null when it is read no more.
 */
export function nextLook(refund: Pick<Refund, 'status' | 'createdAt' | 'expiresAt'>, now: Date): Date | null {
  const { createdAt, expiresAt } = refund
  const age = now.getTime() - createdAt.getTime()
  const isPaid = !isWaiting(refund)
  if (isPaid && (refund.status !== 'succeeded' || now >= expiresAt)) return null
  const pause = isPaid
    ? LONGEST_PAUSE_MS
    : Math.min(LONGEST_PAUSE_MS, Math.max(SHORTEST_PAUSE_MS, Math.floor(age / 10)))
  const next = now.getTime() + pause
  const end = expiresAt.getTime()
  return new Date(now.getTime() < end ? Math.min(next, end) : next)
}
