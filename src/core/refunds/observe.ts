// What the chain says of a refund. Its state follows from all transactions that paid it. docs/contract.md, "Refunds by the business".
import type { Actor, NewAuditEntry } from '#core/accounts/audit.ts'
import { type Address, type Asset, type ObservedTransaction, SOL } from '#core/chain/types.ts'
import { type BaseUnits, capAtU64, makeBaseUnits, smaller, sumOf, ZERO } from '#core/money/amounts.ts'
import {
  type Refund,
  type RefundEventType,
  type RefundStatus,
  type RefundTransaction,
  refundCanceledEntry,
  SHOWN_SIGNATURES,
} from './refund.ts'

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

/** Returns the wallet that gave most of the asset; null for none. A fee that a wallet paid went to no recipient. */
function payerIn({ asset, recipient }: Claim, { changes, feePayer, fee }: ObservedTransaction): Address | null {
  const fell = new Map<Address, bigint>(asset === SOL && feePayer !== recipient ? [[feePayer, -fee]] : [])
  for (const { owner, asset: moved, before, after } of changes)
    if (moved === asset && owner !== recipient) fell.set(owner, (fell.get(owner) ?? 0n) + before - after)
  const [first, ...others] = [...fell].filter(([, amount]) => amount > 0n)
  if (first === undefined) return null
  return others.reduce((most, one) => (one[1] > most[1] ? one : most), first)[0]
}

/** What a part of a history says of a refund: the transactions that count, and the newest problem; null for none. */
export type Findings = { readonly counted: readonly RefundTransaction[]; readonly problem: string | null }

/** A transaction that pays less than this part of a refund counts only when it completes it: anyone can send dust. */
const LEAST_PART = 100n

/** Returns what judged transactions, the newest first, say of a refund. Once it has ended unpaid, nothing more counts. */
export function findingsOf(refund: Refund, judged: readonly Judged[]): Findings {
  const isClosed = refund.endedAt !== null && refund.status !== 'succeeded'
  const counted: RefundTransaction[] = []
  let paid: bigint = refund.paidAmount
  let problem: string | null = null
  for (const one of judged.toReversed()) {
    const why =
      'problem' in one ? one.problem : isClosed ? lateText(one) : isDust(refund, paid, one) ? dustText(one) : null
    if (why !== null) problem = why
    else if ('amount' in one) {
      counted.push(one)
      paid += one.amount
    }
  }
  return { counted, problem }
}

function isDust({ amount }: Refund, paid: bigint, one: RefundTransaction): boolean {
  const completes = paid < amount && paid + one.amount >= amount
  return one.amount * LEAST_PART < amount && !completes
}

const dustText = ({ signature }: RefundTransaction): string =>
  `The transaction ${signature} moved less than a hundredth of the amount to the recipient. It does not count.`

const lateText = ({ signature, amount }: RefundTransaction): string =>
  `The transaction ${signature} moved ${amount} base units to the recipient after the refund had ended. They do not count.`

/** A refund after a change, the event of it, null for none, and the entry of the audit log where a person or a key has made it. */
export type RefundChange = {
  readonly after: Refund
  readonly event: RefundEventType | null
  readonly audit?: { readonly actor: Actor; readonly entry: NewAuditEntry }
}

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
  const isEnd = isPaid && refund.endedAt === null
  const after: Refund = {
    ...refund,
    paidAmount,
    paidBy: [...new Set(oldestFirst.flatMap(({ paidBy }) => paidBy ?? []))].slice(0, SHOWN_SIGNATURES),
    signatures: oldestFirst.slice(0, SHOWN_SIGNATURES).map(({ signature }) => signature),
    status: refund.endedAt !== null ? refund.status : isPaid ? 'succeeded' : unpaidStatus(refund, paidAmount),
    problem: isEnd ? null : (problem ?? refund.problem),
    endedAt: isEnd ? now : refund.endedAt,
    updatedAt: now,
  }
  return { after, event: isEnd ? 'refund.succeeded' : null }
}

const unpaidStatus = ({ status }: Pick<Refund, 'status'>, paid: bigint): RefundStatus =>
  status === 'canceled' ? status : paid > 0n ? 'processing' : 'open'

/** Ends a refund that was not paid in its time, or was canceled, after the chain was read to a later time. */
export function endUnpaid(refund: Refund, now: Date): RefundChange {
  const ended = { ...refund, endedAt: now, updatedAt: now }
  if (refund.status === 'canceled') return { after: ended, event: null }
  const isPart = refund.paidAmount > 0n
  const problem = isPart ? 'Less than the amount was paid before it expired.' : refund.problem
  return { after: { ...ended, status: isPart ? 'failed' : 'expired', problem }, event: 'refund.failed' }
}

/** Cancels a refund: its time ends now, and like every other one it ends with the last reading after that. */
export const cancelRefund = (refund: Refund, actor: Actor, now: Date): RefundChange => ({
  after: {
    ...refund,
    status: 'canceled',
    expiresAt: now < refund.expiresAt ? now : refund.expiresAt,
    nextLookAt: now,
    updatedAt: now,
  },
  event: null,
  audit: { actor, entry: refundCanceledEntry(refund) },
})

/** The shortest pause between two readings of the history of one refund, and the longest before and after its end, in milliseconds. */
const SHORTEST_PAUSE_MS = 5_000
const LONGEST_PAUSE_MS = 600_000
const LONGEST_PAUSE_ENDED_MS = 6 * 3_600_000

/** How long a refund is read after its end, in milliseconds: what lands then is paid twice, or too late. */
export const READ_AFTER_END_MS = 7 * 24 * 3_600_000

/**
 * Returns when the history is read next: soon after the creation, at the end of its time, soon after that and after its end, and ever
 * more rarely. null when it is read no more.
 */
export function nextLook(refund: Pick<Refund, 'createdAt' | 'expiresAt' | 'endedAt'>, now: Date): Date | null {
  const { createdAt, expiresAt, endedAt } = refund
  const at = now.getTime()
  if (endedAt !== null && at >= endedAt.getTime() + READ_AFTER_END_MS) return null
  const longest = endedAt === null ? LONGEST_PAUSE_MS : LONGEST_PAUSE_ENDED_MS
  const since = endedAt ?? (now < expiresAt ? createdAt : expiresAt)
  const next = at + Math.min(longest, Math.max(SHORTEST_PAUSE_MS, Math.floor((at - since.getTime()) / 10)))
  return new Date(endedAt === null && now < expiresAt ? Math.min(next, expiresAt.getTime()) : next)
}

/** The pause after a reading that failed, in milliseconds. It doubles with each, up to the longest pause. */
const PAUSE_AFTER_FAILURE_MS = 10_000

/** Returns when a history is read again that could not be read: others have their turn. */
export const lookAfterFailure = ({ failedLooks }: Pick<Refund, 'failedLooks'>, now: Date): Date =>
  new Date(
    now.getTime() + Math.min(LONGEST_PAUSE_MS, PAUSE_AFTER_FAILURE_MS * 2 ** Math.min(failedLooks, MOST_DOUBLED)),
  )

const MOST_DOUBLED = 10
