// Facts and health of the platform, and the retry of stopped transfers by its operator.

import { clusterOf } from '#core/chain/known-networks.ts'
import { ServiceError } from '#core/errors.ts'
import { API_VERSION } from '#core/events/subjects.ts'
import type { BasisPoints, Lamports } from '#core/money/amounts.ts'
import { CHECKOUT_WINDOW_SECONDS } from '#core/payments/payment-intent.ts'
import type { ListedTransfer, OperatorStore } from '#ports/operator.ts'
import { EVENT_SUBJECTS } from '#services/events/event-log.ts'
import { isUuid } from '#services/requests.ts'
import { createHealth, type HealthDeps } from './health.ts'
import { type OperatorStatusDeps, readOperatorStatus } from './operator-status.ts'
import type { PlatformFacts, PlatformServices, TransferSummary } from './platform-services.ts'

/**
 * Takes up a failed or held transfer again, by the kind of its subject. Throws `transfer_not_retryable` when what it was to
 * move is not there any more.
 */
export type Rearm = Readonly<Record<string, (transfer: ListedTransfer) => Promise<void>>>

export type PlatformDeps = HealthDeps &
  OperatorStatusDeps & {
    readonly facts: PlatformFacts
    readonly operator: OperatorStore
    readonly rearm: Rearm
  }

export function createPlatformServices(deps: PlatformDeps): PlatformServices {
  const { operator } = deps
  return {
    facts: () => deps.facts,
    health: createHealth(deps),
    operatorStatus: () => readOperatorStatus(deps),
    transfers: async (filter) => (await operator.transfers(filter)).map(summarize),
    retryTransfer: (id) => retryTransfer(deps, id),
  }
}

async function retryTransfer(
  { operator, rearm }: Pick<PlatformDeps, 'operator' | 'rearm'>,
  id: string,
): Promise<TransferSummary> {
  const transfer = isUuid(id) ? await operator.transfer(id) : null
  if (transfer === null) throw new ServiceError('transfer_not_found', { id })
  const { subject, status } = transfer
  const rearmOfSubject = rearm[subject.kind]
  if (rearmOfSubject === undefined || (status !== 'failed' && status !== 'held')) throw notRetryable(transfer)
  await rearmOfSubject(transfer)
  return summarize((await operator.transfer(id)) ?? transfer)
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

// The facts that GET /config shows.

export const platformFacts = (of: {
  /** The name of the live network. */
  readonly genesisHash: string
  readonly networkFee: Lamports
  readonly platformFeeBps: BasisPoints
  readonly maxMarketplaceFeeBps: BasisPoints
}): PlatformFacts => ({
  cluster: clusterOf(of.genesisHash),
  checkoutWindowSeconds: CHECKOUT_WINDOW_SECONDS,
  networkFeeLamports: of.networkFee,
  platformFeeBps: of.platformFeeBps,
  maxMarketplaceFeeBps: of.maxMarketplaceFeeBps,
  webhookEventTypes: EVENT_SUBJECTS.types,
  apiVersion: API_VERSION,
})
