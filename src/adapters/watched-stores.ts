// Stores that report each write about money to watchers: the services know of neither.
import type { LeasedDelivery } from '#core/events/delivery.ts'
import type { Lease, LeasedTransfer, Transfer } from '#core/transfers/transfer.ts'
import { createLru } from '#lib/lru.ts'
import type { Clock } from '#ports/clock.ts'
import type { Took, TransferStep, WatchedStores, Watcher } from '#ports/watching.ts'

/** Transfers that end elsewhere are never taken out, so the oldest are forgotten. */
const MOST_CLAIMED = 10_000

/** `clock`: the real time. */
export function watchStores<Stores extends WatchedStores>(
  stores: Stores,
  watchers: readonly Watcher[],
  clock: Clock,
): Stores {
  const { intents, work, billing, transfers, deliveries } = stores
  const report = (of: (watcher: Watcher) => void): void => watchers.forEach(of)
  const timed = async <T>(write: Promise<T>): Promise<readonly [T, Took]> => {
    const since = clock.now().getTime()
    const written = await write
    return [written, { since, until: clock.now().getTime() }]
  }
  const leased = new WeakMap<Lease, LeasedTransfer>()
  const claimed = createLru<string, Transfer>(MOST_CLAIMED)
  const leasedDeliveries = new WeakMap<object, LeasedDelivery>()

  const takeEnded = (outcome: { readonly transferId: string } | null): Transfer | null => {
    const ended = outcome === null ? undefined : claimed.get(outcome.transferId)
    if (ended !== undefined) claimed.delete(ended.id)
    return ended ?? null
  }

  /** Writes a step of a transfer, and reports it unless it was refused. */
  async function step<T>(lease: Lease, write: Promise<T>, what: Omit<TransferStep, 'transfer'>): Promise<T> {
    const [written, took] = await timed(write)
    const transfer = leased.get(lease)?.transfer
    if (transfer !== undefined && written !== false && written !== null)
      report((watcher) => watcher.stepped({ transfer, ...what }, took))
    return written
  }

  return {
    ...stores,
    intents: {
      ...intents,
      async create(tenant, intent) {
        const [stored, took] = await timed(intents.create(tenant, intent))
        if (stored.created) report((watcher) => watcher.created(stored.intent, took))
        return stored
      },
    },
    work: {
      ...work,
      async apply(change) {
        const [isApplied, took] = await timed(work.apply(change))
        const ended = isApplied ? takeEnded(change.outcome) : null
        if (isApplied) report((watcher) => watcher.changed(change, took, ended))
        return isApplied
      },
    },
    billing: {
      ...billing,
      async apply(change, delegation, consent) {
        const [isApplied, took] = await timed(billing.apply(change, delegation, consent))
        const ended = isApplied ? takeEnded(change.outcome) : null
        if (isApplied) report((watcher) => watcher.charged(change, took, ended))
        return isApplied
      },
    },
    transfers: {
      ...transfers,
      async claim(network, options) {
        const taken = await transfers.claim(network, options)
        for (const one of taken) {
          leased.set(one.lease, one)
          claimed.set(one.transfer.id, one.transfer)
        }
        return taken
      },
      prepareAttempt: (lease, attempt) => step(lease, transfers.prepareAttempt(lease, attempt), { step: 'prepared' }),
      recordSigned: (lease, attemptId, wire, signature) =>
        step(lease, transfers.recordSigned(lease, attemptId, wire, signature), { step: 'signed', signature }),
      recordAttempt: (lease, attemptId, state, details) =>
        step(lease, transfers.recordAttempt(lease, attemptId, state, details), { step: state }),
      hold: (lease, reason) => step(lease, transfers.hold(lease, reason), { step: 'held', reason }),
      finish: (lease, outcome) => step(lease, transfers.finish(lease, outcome), { step: outcome.status }),
    },
    deliveries: {
      ...deliveries,
      async claim(options) {
        const taken = await deliveries.claim(options)
        for (const one of taken) leasedDeliveries.set(one.lease, one)
        return taken
      },
      async record(lease, outcome) {
        const isRecorded = await deliveries.record(lease, outcome)
        const delivery = leasedDeliveries.get(lease)
        const until = clock.now().getTime()
        const took = { since: until - (outcome.attempt?.durationMs ?? 0), until }
        if (isRecorded && delivery !== undefined) report((watcher) => watcher.delivered(delivery, outcome, took))
        return isRecorded
      },
    },
  }
}
