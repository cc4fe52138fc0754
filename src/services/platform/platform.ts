// What the platform says of itself, and what its operator may do with the money that got stuck.
import { ServiceError } from '#core/errors.ts'
import type { ListedTransfer, OperatorStore } from '#ports/operator.ts'
import type { PlatformFacts, PlatformServices, TransferSummary } from '#services/services.ts'
import { isUuid } from '#services/uuid.ts'
import { createHealth, type HealthDeps } from './health.ts'
import { type OperatorStatusDeps, readOperatorStatus } from './operator-status.ts'

/**
 * Plans a payment's stopped obligation again and moves the payment back to where its end will find it (settle_failed to
 * settling, say), both or neither. Throws `transfer_not_retryable`.
 */
export type RearmOfIntent = (transfer: ListedTransfer & { readonly intentId: string }) => Promise<void>

export type PlatformDeps = Omit<HealthDeps & OperatorStatusDeps, 'store'> & {
  readonly facts: PlatformFacts
  readonly store: OperatorStore
  readonly rearmOfIntent: RearmOfIntent
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
  { store, rearmOfIntent }: Pick<PlatformDeps, 'store' | 'rearmOfIntent'>,
  id: string,
): Promise<TransferSummary> {
  const transfer = isUuid(id) ? await store.transfer(id) : null
  if (transfer === null) throw new ServiceError('transfer_not_found', { id })
  const { intentId, status } = transfer
  if (intentId === null || (status !== 'failed' && status !== 'held')) throw notRetryable(transfer)
  await rearmOfIntent({ ...transfer, intentId })
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
