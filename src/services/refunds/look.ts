// Reads the history of a refund's reference key, and writes what it says. docs/contract.md, "Refunds by the business".
import type { Network, ObservedTransaction, Signature } from '#core/chain/types.ts'
import {
  endUnpaid,
  findingsOf,
  type Judged,
  judgeTransaction,
  lookAfterFailure,
  nextLook,
  withTransactions,
} from '#core/refunds/observe.ts'
import { CLOSING_SLOTS, type Refund, type RefundTransaction } from '#core/refunds/refund.ts'
import { mapParallel } from '#lib/parallel.ts'
import type { ChainClock, HistoryRange, HistoryReader } from '#ports/chain.ts'
import type { Clock } from '#ports/clock.ts'
import type { RefundWorkStore } from '#ports/refunds.ts'

export type LookDeps = {
  readonly refundWork: RefundWorkStore
  readonly chainOf: (network: Network) => HistoryReader & ChainClock
  readonly clock: Clock
}

/** The most transactions that are read at a time: anyone who knows the key can add to its history. A later reading goes on. */
const READS = 20

/** The shortest time from slot to slot, in milliseconds, by which the slot of a creation is estimated that is not known. */
const SHORTEST_SLOT_MS = 150n

/** What a part of a history says. */
type Part = {
  /** The newest first. */
  readonly judged: readonly Judged[]
  /** The newest and the last transaction that was judged; null for none. */
  readonly first: Signature | null
  readonly last: Signature | null
  /** Whether nothing of the range is left. */
  readonly isWhole: boolean
}

/**
 * Reads the history of one refund, at most a part of a long one, and writes what is new. Ends it when the chain has gone on for long
 * enough after its time, and its whole history was read again to there. Returns the refund; null when it has changed meanwhile. Throws
 * `chain_unavailable`: a reading that failed ends nothing.
 */
export async function lookAt(deps: LookDeps, refund: Refund): Promise<Refund | null> {
  const { clock, refundWork } = deps
  const chain = deps.chainOf(refund.network)
  const isOver = refund.endedAt === null && clock.now() >= refund.expiresAt
  const { closesAtSlot, covers } = isOver ? await closingOf(chain, refund, clock.now()) : NOT_CLOSING
  const isLast = covers !== null
  // The last reading begins again, so that no transaction is missed that a provider did not list before.
  const reading = isLast && !refund.reading.isLast ? { to: null, from: null, at: null, isLast: true } : refund.reading
  const known = await refundWork.transactions(refund.id)
  const range = { before: reading.at, until: reading.to, ...(covers !== null && { covers }) }
  const part = await readPart(deps, refund, range, known)
  const from = reading.from ?? part.first
  const next = part.isWhole
    ? { to: from ?? reading.to, from: null, at: null, isLast: false }
    : { ...reading, from, at: part.last ?? reading.at }
  const now = clock.now()
  const { counted, problem } = findingsOf(refund, part.judged)
  const change = withTransactions(refund, [...known, ...counted], problem, now)
  const isEnd = isLast && part.isWhole && change.after.endedAt === null
  const { after, event } = isEnd ? endUnpaid(change.after, now) : change
  const nextLookAt = part.isWhole || after.endedAt !== null ? nextLook(after, now) : new Date(now.getTime() + GO_ON_MS)
  const looked = { reading: next, lookedAt: now, failedLooks: 0, closesAtSlot, nextLookAt }
  return await refundWork.apply(refund, { after: { ...after, ...looked }, event }, counted)
}

/** The pause within a long history, in milliseconds. */
const GO_ON_MS = 1_000

/** From which slot on it can end; and what a provider must have read for the last reading, null before that slot. */
type Closing = Pick<Refund, 'closesAtSlot'> & { readonly covers: NonNullable<HistoryRange['covers']> | null }

const NOT_CLOSING: Closing = { closesAtSlot: null, covers: null }

/**
 * Counts slots from a final block that is later than the time of the refund. Neither the clock of the service nor that of the chain
 * says how many blocks there were: after a chain has stood still, both jump, and what was signed before can still land.
 */
async function closingOf(chain: ChainClock, refund: Refund, now: Date): Promise<Closing> {
  const { slot, time } = await chain.blockTime()
  if (time < refund.expiresAt) return NOT_CLOSING
  const closesAtSlot = refund.closesAtSlot ?? slot + CLOSING_SLOTS
  if (slot < closesAtSlot) return { closesAtSlot, covers: null }
  const slots = BigInt(now.getTime() - refund.createdAt.getTime()) / SHORTEST_SLOT_MS
  const from = refund.createdSlot ?? (slot > slots ? slot - slots : 0n)
  return { closesAtSlot, covers: { from, upTo: slot } }
}

async function readPart(
  deps: LookDeps,
  refund: Refund,
  range: HistoryRange,
  known: readonly RefundTransaction[],
): Promise<Part> {
  const chain = deps.chainOf(refund.network)
  const { entries, next } = await chain.signatures(refund.referenceKey, range)
  const isKnown = new Set(known.map(({ signature }) => signature))
  const first = entries.slice(0, READS)
  const read = await mapParallel(first, READS_AT_ONCE, async ({ signature }) =>
    isKnown.has(signature) ? 'known' : await chain.transaction(signature),
  )
  const judged: Judged[] = []
  let last: Signature | null = null
  let count = 0
  for (const [at, { signature }] of first.entries()) {
    const transaction = read[at] ?? null
    // Another provider has yet to report it as final.
    if (transaction === null) break
    if (transaction !== 'known') judged.push(await judge(deps, refund, transaction))
    last = signature
    count += 1
  }
  const isWhole = count === entries.length && next === null
  return { judged, first: count > 0 ? (entries[0]?.signature ?? null) : null, last, isWhole }
}

const READS_AT_ONCE = 4

async function judge({ refundWork }: LookDeps, refund: Refund, transaction: ObservedTransaction) {
  const others = await refundWork.named(refund.network, transaction.accounts)
  return judgeTransaction(refund, transaction, others)
}

export type LookDue = (network: Network) => Promise<void>

/** Refunds of a round. With a round a second, it bounds the calls, however many refunds wait. */
const AT_ONCE = 10

/** Returns the round of a worker: it reads the histories that are due. `onError` gets the failure of one refund. */
export function createLookDue(
  deps: LookDeps & { readonly onError: (error: unknown, refund: string) => void },
): LookDue {
  return async (network) => {
    const due = await deps.refundWork.due(network, deps.clock.now(), AT_ONCE)
    await mapParallel(due, READS_AT_ONCE, async (refund) => {
      try {
        await lookAt(deps, refund)
      } catch (error) {
        deps.onError(error, refund.id)
        await deps.refundWork.lookLater(refund, lookAfterFailure(refund, deps.clock.now()), deps.clock.now())
      }
    })
  }
}
