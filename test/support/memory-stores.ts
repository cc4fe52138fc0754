// Intents and transfers in memory, with the compare-and-set, the uniqueness and the fencing of the real stores, for
// tests of services. test/adapters/prisma/transfer-store.test.ts checks the same rules here and on both engines.
import type { Address, Network } from '#core/chain/types.ts'
import type { IntentChange, IntentEvent, IntentFacts, Payee } from '#core/payments/change.ts'
import type { Deposit, PaymentIntent } from '#core/payments/payment-intent.ts'
import type { NewPaymentTransfer, PaymentTransfer } from '#core/payments/transfers.ts'
import {
  type Attempt,
  type Lease,
  LIVE_ATTEMPT_STATES,
  type NewLedgerEntry,
  type StatusOverride,
} from '#core/transfers/transfer.ts'
import type { UnacceptedArrival } from '#ports/held.ts'
import type { ExpiredIntent, IntentWorkStore, WatchedIntent } from '#ports/payments.ts'
import type { KnownTransaction, TransferStore } from '#ports/transfers.ts'
import type { MintGuard } from '#services/tokens/mint-guard.ts'
import { PAYEE } from './payment.ts'

type StoredTransfer = { transfer: PaymentTransfer; fence: bigint; leaseUntil: Date | null; nextAttemptAt: Date }

export type MemoryStores = {
  readonly intents: IntentWorkStore
  readonly transfers: TransferStore
  /** Every event that was staged, in order. */
  readonly events: readonly IntentEvent[]
  readonly ledger: readonly NewLedgerEntry[]
  /** The records of unaccepted tokens, in order. */
  readonly unaccepted: readonly UnacceptedArrival[]
  readonly attempts: readonly Attempt[]
  /** Returns the stored facts, not a copy. */
  transfer(id: string): StoredTransfer
  put(intent: PaymentIntent, deposits?: readonly Deposit[], payee?: Payee): void
  /** Changes the wallets of the payee of an intent. */
  namePayee(intentId: string, payee: Payee): void
  /** Halts an address; without a reason, ends its halt. */
  halt(address: Address, reason: string | null): void
}

const isLive = ({ state }: Attempt): boolean => LIVE_ATTEMPT_STATES.some((live) => live === state)
const placeOf = ({ signature, account, asset }: Pick<Deposit, 'signature' | 'account' | 'asset'>): string =>
  `${signature} ${account} ${asset}`

const watched = (intent: PaymentIntent): WatchedIntent => ({ ...intent, asset: intent.selection?.asset ?? null })

const inOrderOfEnd = (a: ExpiredIntent, b: ExpiredIntent): number =>
  a.expiresAt.getTime() - b.expiresAt.getTime() || a.id.localeCompare(b.id)

const entryOf = (deposit: Deposit, intent: PaymentIntent): NewLedgerEntry => ({
  network: deposit.network,
  address: intent.address,
  account: deposit.account,
  asset: deposit.asset,
  delta: deposit.amount,
  signature: deposit.signature,
  slot: deposit.slot,
  kind: 'deposit',
  subjectId: intent.id,
  transferId: null,
})

export function createMemoryStores(): MemoryStores {
  const intents = new Map<string, { intent: PaymentIntent; payee: Payee }>()
  const deposits = new Map<string, Deposit>()
  const transfers = new Map<string, StoredTransfer>()
  const attempts = new Map<string, Attempt>()
  const ledger = new Map<string, NewLedgerEntry>()
  const bookedAt = new Map<NewLedgerEntry, Date>()
  const events: IntentEvent[] = []
  const unaccepted: UnacceptedArrival[] = []
  const halts = new Map<Address, string>()
  const payoutCreations = new Map<string, { readonly transferId: string; readonly attempt: number }>()

  const liveOf = (transferId: string) =>
    [...attempts.values()].find((attempt) => attempt.transferId === transferId && isLive(attempt)) ?? null
  const held = ({ transferId, fence }: Lease): StoredTransfer | null => {
    const stored = transfers.get(transferId)
    return stored?.fence === fence && stored.transfer.status === 'in_progress' ? stored : null
  }
  const book = (entries: readonly NewLedgerEntry[], at: Date) => {
    for (const entry of entries) {
      if (ledger.has(placeOf(entry))) continue
      ledger.set(placeOf(entry), entry)
      bookedAt.set(entry, at)
    }
  }
  const plan = (
    transfer: NewPaymentTransfer,
    { updatedAt: at, version }: Pick<PaymentIntent, 'updatedAt' | 'version'>,
  ) => {
    for (const { transfer: other } of transfers.values())
      if (other.key === transfer.key) throw new Error(`the key ${transfer.key} is taken`)
    const id = `transfer-${transfers.size + 1}`
    const moved = transfer.legs.map(() => null)
    const unstarted = {
      reason: null,
      attemptCount: 0,
      fence: 0n,
      signature: null,
      createdAt: at,
      plannedVersion: version,
      doneAt: null,
    }
    transfers.set(id, {
      transfer: { ...transfer, ...unstarted, id, moved, status: 'planned' },
      fence: 0n,
      leaseUntil: null,
      nextAttemptAt: at,
    })
  }

  const restate = ({ transferId, status, reason, fence }: StatusOverride, now: Date): boolean => {
    const stored = transfers.get(transferId)
    const from = status === 'planned' ? ['failed', 'held'] : [fence === null ? 'held' : 'in_progress']
    if (stored === undefined || !from.includes(stored.transfer.status)) return false
    if (fence !== null && stored.fence !== fence) return false
    if (status !== 'planned' && liveOf(transferId) !== null) return false
    if (status === 'planned') Object.assign(stored, { nextAttemptAt: now, fence: stored.fence + 1n })
    stored.leaseUntil = null
    stored.transfer = { ...stored.transfer, status, reason, doneAt: status === 'failed' ? now : null }
    return true
  }

  const apply = (change: IntentChange): boolean => {
    const { before, after, outcome } = change
    const row = intents.get(before.id)
    if (row?.intent.version !== before.version) return false
    if (outcome !== null) {
      const attempt = attempts.get(outcome.attemptId ?? '')
      const stored = transfers.get(outcome.transferId)
      if (attempt === undefined || !isLive(attempt) || stored?.transfer.status !== 'in_progress') return false
      if (stored.fence !== outcome.fence) return false
      const [moved, known] = [outcome.moved.length, stored.transfer.legs.length]
      if (moved > known) throw new Error(`${moved} legs moved, and ${known} are known`)
      attempts.set(attempt.id, { ...attempt, state: outcome.attemptState })
      const landed = outcome.attemptState === 'final_ok'
      stored.leaseUntil = null
      stored.transfer = {
        ...stored.transfer,
        status: outcome.transferStatus,
        reason: outcome.reason,
        signature: landed ? outcome.signature : null,
        moved: landed ? outcome.moved : stored.transfer.moved,
        doneAt: outcome.at,
      }
    }
    if (change.statusOverride !== null && !restate(change.statusOverride, after.updatedAt)) return false
    intents.set(before.id, { ...row, intent: after })
    for (const deposit of change.deposits) {
      const { seenAt, seenVersion } = deposits.get(placeOf(deposit)) ?? deposit
      deposits.set(placeOf(deposit), { ...deposit, seenAt, seenVersion })
    }
    for (const transfer of change.transfers) plan(transfer, after)
    book(change.ledger, after.updatedAt)
    events.push(...change.events)
    return true
  }

  const intentStore: IntentWorkStore = {
    apply: async (change) => apply(change),
    recordUnaccepted: async (_intentId, arrivals) => void unaccepted.push(...arrivals),
    async selectionTimes(intentId, most) {
      const chosen = events.filter(({ type, intent }) => type === 'intent.token_selected' && intent.id === intentId)
      return chosen
        .slice(-most)
        .map(({ intent }) => intent.updatedAt)
        .reverse()
    },
    async facts(intentId): Promise<IntentFacts | null> {
      const row = intents.get(intentId)
      if (row === undefined) return null
      return {
        ...row,
        deposits: [...deposits.values()].filter((deposit) => deposit.intentId === intentId),
        transfers: [...transfers.values()]
          .map(({ transfer, fence }) => ({ ...transfer, fence }))
          .filter((one) => one.subject.id === intentId),
      }
    },
    async watchList(network, { afterIndex, limit, open }) {
      const ended = ['swept', 'refunded', 'cancelled', 'settle_failed', 'refund_failed']
      return all()
        .filter((intent) => intent.network === network && intent.derivationIndex > afterIndex)
        .filter(({ status }) => open !== ended.includes(status))
        .sort((a, b) => a.derivationIndex - b.derivationIndex)
        .slice(0, limit)
        .map(watched)
    },
    watched: async (ids) =>
      all()
        .filter(({ id }) => ids.includes(id))
        .map(watched),
    async expired(network, before, { after, limit }) {
      const due = all()
        .filter(({ status }) => status === 'pending' || status === 'underpaid')
        .filter((intent) => intent.network === network && intent.expiresAt < before)
        .map(({ id, expiresAt }) => ({ id, expiresAt }))
        .sort(inOrderOfEnd)
      return due.filter((one) => after === null || inOrderOfEnd(one, after) > 0).slice(0, limit)
    },
  }
  const all = () => [...intents.values()].map(({ intent }) => intent)

  const transferStore: TransferStore = {
    async claim(network: Network, { now, leaseMs, queues }) {
      const due = [...transfers.values()].filter(
        ({ transfer, nextAttemptAt, leaseUntil }) =>
          transfer.network === network &&
          (transfer.status === 'planned' || transfer.status === 'in_progress') &&
          nextAttemptAt <= now &&
          (leaseUntil === null || leaseUntil < now),
      )
      const taken = queues.flatMap(({ kind, most }) =>
        due.filter(({ transfer }) => transfer.kind === kind).slice(0, most),
      )
      return taken.map((stored) => {
        stored.fence += 1n
        stored.leaseUntil = new Date(now.getTime() + leaseMs)
        stored.transfer = { ...stored.transfer, status: 'in_progress' }
        const { transfer, fence } = stored
        return {
          transfer: { ...transfer, fence },
          live: liveOf(transfer.id),
          lease: { transferId: transfer.id, fence },
        }
      })
    },
    async prepareAttempt(lease, attempt) {
      const stored = held(lease)
      const own = [...attempts.values()].filter(({ transferId }) => transferId === lease.transferId)
      if (stored?.transfer.status !== 'in_progress' || stored.leaseUntil === null) return null
      if (own.some((one) => isLive(one) || one.state === 'final_ok')) return null
      if ([...attempts.values()].some((one) => one.source === attempt.source && isLive(one))) return null
      if (halts.has(attempt.source)) return null
      stored.transfer = { ...stored.transfer, attemptCount: stored.transfer.attemptCount + 1 }
      const prepared: Attempt = { ...attempt, state: 'prepared', wire: null, signature: null, sentAt: null }
      attempts.set(attempt.id, prepared)
      return prepared
    },
    spendOf: async () => ({ ofSubject: 0n, lastHour: 0n, lastDay: 0n }),
    costlySubjects: async () => null,
    haltsOn: async (sources) => new Map([...halts].filter(([address]) => sources.includes(address))),
    booked: async (accounts) =>
      new Map(
        [...accounts].map(([id, account]) => {
          const asset = transfers.get(id)?.transfer.asset
          const entries = [...ledger.values()].filter((entry) => entry.account === account && entry.asset === asset)
          const amount = entries.reduce((sum, { delta }) => sum + delta, 0n)
          const since = entries.reduce((least, { slot }) => (slot < least ? slot : least), entries[0]?.slot ?? 0n)
          return [id, { amount, since }]
        }),
      ),
    bookedOf: async (account, signatures) =>
      new Set(
        signatures.filter((signature) =>
          [...ledger.values()].some((entry) => entry.account === account && entry.signature === signature),
        ),
      ),
    async recordSigned(lease, attemptId, wire, signature) {
      const attempt = attempts.get(attemptId)
      if (held(lease) === null || attempt?.state !== 'prepared') return false
      attempts.set(attemptId, { ...attempt, state: 'signed', wire, signature })
      return true
    },
    async recordAttempt(lease, attemptId, state, { now }) {
      const attempt = attempts.get(attemptId)
      if (held(lease) === null || attempt === undefined || !isLive(attempt)) return false
      attempts.set(attemptId, { ...attempt, state, ...(state === 'sent' && { sentAt: now }) })
      return true
    },
    async giveBack(leases, nextAttemptAt) {
      for (const lease of leases) {
        const stored = held(lease)
        if (stored !== null) Object.assign(stored, { leaseUntil: null, nextAttemptAt })
      }
    },
    async postpone(leases, reason, nextAttemptAt) {
      for (const lease of leases) {
        const stored = held(lease)
        if (stored === null) continue
        Object.assign(stored, { leaseUntil: null, nextAttemptAt })
        stored.transfer = { ...stored.transfer, reason }
      }
    },
    async hold(lease, reason) {
      const stored = held(lease)
      if (stored === null) return false
      stored.leaseUntil = null
      stored.transfer = { ...stored.transfer, reason, status: 'held' }
      return true
    },
    async knownTransactions(transferIds) {
      const newestOf = (transferId: string): [string, KnownTransaction][] => {
        const network = transfers.get(transferId)?.transfer.network
        const booked = [...ledger.values()].filter((entry) => entry.network === network)
        const [newest] = booked.toReversed().sort((a, b) => Number(b.slot - a.slot))
        if (newest === undefined) return []
        const { signature, slot } = newest
        return [[transferId, { signature, slot, at: bookedAt.get(newest) ?? new Date(0) }]]
      }
      return new Map(transferIds.flatMap(newestOf))
    },
    async finish(lease, { attemptId, attemptState, status, reason, signature, at, ledger: entries }) {
      const stored = held(lease)
      if (stored?.transfer.status !== 'in_progress') return false
      if (attemptId !== null && attemptState !== null) {
        const attempt = attempts.get(attemptId)
        if (attempt === undefined || !isLive(attempt)) throw new Error('the attempt is not live')
        attempts.set(attemptId, { ...attempt, state: attemptState })
      }
      const landed = attemptState === 'final_ok' ? signature : null
      stored.leaseUntil = null
      stored.transfer = {
        ...stored.transfer,
        status,
        reason,
        signature: landed,
        doneAt: status === 'planned' ? null : at,
      }
      book(entries, at)
      return true
    },
    async claimPayoutCreation({ network, accountId, asset, transferId, attempt }) {
      const key = `${network} ${accountId} ${asset}`
      const last = payoutCreations.get(key)
      const isRepeat = last?.transferId === transferId && last.attempt === attempt
      if (last !== undefined && !isRepeat) {
        const made = [...attempts.values()].find(
          (one) => one.transferId === last.transferId && one.number === last.attempt,
        )
        const holder = transfers.get(last.transferId)
        const isLeased = holder?.transfer.status === 'in_progress' && holder.leaseUntil !== null
        const isComing = isLeased && holder.transfer.attemptCount < last.attempt
        if (made?.state === 'final_ok') return 'spent'
        if (isComing || (made !== undefined && isLive(made))) return 'pending'
      }
      payoutCreations.set(key, { transferId, attempt })
      return 'allowed'
    },
  }

  return {
    intents: intentStore,
    transfers: transferStore,
    events,
    unaccepted,
    get ledger() {
      return [...ledger.values()]
    },
    get attempts() {
      return [...attempts.values()]
    },
    transfer(id) {
      const stored = transfers.get(id)
      if (stored === undefined) throw new Error(`there is no ${id}`)
      return stored
    },
    halt(address, reason) {
      if (reason === null) halts.delete(address)
      else halts.set(address, reason)
    },
    namePayee(intentId, payee) {
      const stored = intents.get(intentId)
      if (stored !== undefined) intents.set(intentId, { ...stored, payee })
    },
    put(intent, known = [], payee = PAYEE) {
      intents.set(intent.id, { intent, payee })
      for (const deposit of known) deposits.set(placeOf(deposit), deposit)
      // Stores a deposit together with its ledger entry, as a service books it.
      book(
        known.map((deposit) => entryOf(deposit, intent)),
        intent.updatedAt,
      )
    },
  }
}

/** The guard of mints that never change. */
export const UNCHANGED_MINTS: MintGuard = {
  problemOf: async () => null,
  requireUsable: async () => {},
  holdOf: async () => null,
}
