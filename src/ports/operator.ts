// What an operator asks of the records: counts, obligations, who is at work.
import type { Transfer, TransferStatus } from '#core/transfers/transfer.ts'

export type ListedTransfer = Transfer & { readonly intentIndex: number | null }

export type OperatorCounts = {
  /** Payments that are neither settled nor over. */
  readonly openIntents: number
  /** Obligations that the service is still working on. */
  readonly unfinishedTransfers: number
  /**
   * Obligations planned before `waitingSince` and still not done, because something outside must change first. Rent and
   * what was left behind wait by design, and a halt is told of by itself.
   */
  readonly waitingTransfers: number
  /** The one that waits longest, and why, as far as it was said. */
  readonly longestWaiting: { readonly key: string; readonly reason: string | null } | null
  /** Obligations that nothing but a person will take up again. */
  readonly failedTransfers: number
  readonly heldTransfers: number
  /** Payments in settle_failed or refund_failed without such an obligation: something else stands in their way. */
  readonly stuckIntents: number
  /** Addresses from which nothing is sent, because their books are not what the chain says. */
  readonly haltedAddresses: number
  /** Payments that are read by their address, because their deposits could not be taken in or explained. */
  readonly setAsidePayments: number
  /** The one that was set aside first, and why. */
  readonly firstSetAside: { readonly intentId: string; readonly reason: string } | null
  /** Webhook endpoints that the service stopped using. */
  readonly disabledEndpoints: number
}

export type OperatorStore = {
  /** Resolves when the database answers. */
  ping(): Promise<void>
  counts(asked: { waitingSince: Date }): Promise<OperatorCounts>
  /** Newest first. */
  transfers(filter: { status: TransferStatus | null; limit: number }): Promise<readonly ListedTransfer[]>
  transfer(id: string): Promise<ListedTransfer | null>
}

/** An instance at work, as it said last. */
export type WorkerBeat = {
  readonly id: string
  readonly role: string
  readonly startedAt: Date
  readonly lastSeenAt: Date
}

export type WorkerStore = {
  /** Says that an instance lives, and forgets those that have not said so since `forgetBefore`. */
  beat(worker: WorkerBeat, forgetBefore: Date): Promise<void>
  /** Forgets an instance that stops. */
  retire(id: string): Promise<void>
  /** Longest at work first. */
  list(): Promise<readonly WorkerBeat[]>
}
