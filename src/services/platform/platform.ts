// What the platform says of itself, and what its operator may do with the money that got stuck.
import { ServiceError } from '#core/errors.ts'
import type { Clock } from '#ports/clock.ts'
import type { ListedTransfer, OperatorStore } from '#ports/operator.ts'
import type { PlatformFacts, PlatformServices, TransferSummary } from '#services/services.ts'
import { isUuid } from '#services/uuid.ts'
import { createHealth, type HealthDeps } from './health.ts'
import { type OperatorStatusDeps, readOperatorStatus } from './operator-status.ts'

/**
 * Moves the payment of a stopped obligation back to where its end will find it (settle_failed to settling, say), before
 * the obligation is planned again. It may throw `transfer_not_retryable`, and must do nothing when asked a second time.
 */
export type ReopenIntent = (transfer: ListedTransfer) => Promise<void>

export type PlatformDeps = Omit<HealthDeps & OperatorStatusDeps, 'store'> & {
  readonly facts: PlatformFacts
  readonly store: OperatorStore
  readonly reopenIntent: ReopenIntent
  /** The service's own clock, which a sandbox can move; `clock` is real time. */
  readonly serviceClock: Clock
}

export function createPlatformServices(deps: PlatformDeps): PlatformServices {
  const { store } = deps
  return {
    facts: () => deps.facts,
    health: createHealth(deps),
    operatorStatus: () => readOperatorStatus(deps),
    transfers: async (filter) => (await store.transfers(filter)).map(summarize),
    retryTransfer: (id) => retryTransfer(deps, id),
  }
}

async function retryTransfer(
  { store, reopenIntent, serviceClock }: Pick<PlatformDeps, 'store' | 'reopenIntent' | 'serviceClock'>,
  id: string,
): Promise<TransferSummary> {
  const transfer = isUuid(id) ? await store.transfer(id) : null
  if (transfer === null) throw new ServiceError('transfer_not_found', { id })
  if (transfer.status !== 'failed' && transfer.status !== 'held') throw notRetryable(transfer)
  // The payment first: a crash in between leaves a payment that waits and an obligation that can be retried again,
  // never money that moves for a payment that has given up.
  await reopenIntent(transfer)
  if (!(await store.rearmTransfer(id, serviceClock.now()))) throw notRetryable(transfer)
  return summarize((await store.transfer(id)) ?? transfer)
}

const notRetryable = ({ id, status }: ListedTransfer): ServiceError =>
  new ServiceError('transfer_not_retryable', { id, status })

const summarize = (transfer: ListedTransfer): TransferSummary => ({
  id: transfer.id,
  key: transfer.key,
  kind: transfer.kind,
  status: transfer.status,
  reason: transfer.reason,
  network: transfer.network,
  asset: transfer.asset,
  attempts: transfer.attemptCount,
  signature: transfer.signature,
  intentIndex: transfer.intentIndex,
  createdAt: transfer.createdAt,
  doneAt: transfer.doneAt,
})
