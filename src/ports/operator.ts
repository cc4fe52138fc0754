// The records that an operator reads: counts, transfers, instances.

import type { NewOperatorLogEntry, OperatorLogEntry } from '#core/platform/operator-log.ts'
import type { Transfer, TransferStatus } from '#core/transfers/transfer.ts'

export type ListedTransfer = Transfer & { readonly intentIndex: number | null }

export type OperatorCounts = {
  /** The number of payments that have not ended. */
  readonly openIntents: number
  /** The number of transfers that are planned or in progress. */
  readonly unfinishedTransfers: number
  /**
   * The number of transfers that were planned before `waitingSince` and are not done, because a cause outside the service
   * must change first. Rent and rent reserves wait by design, and halts have a count of their own.
   */
  readonly waitingTransfers: number
  /** The transfer that waits longest, and its reason if it has one. */
  readonly longestWaiting: { readonly key: string; readonly reason: string | null } | null
  /** The number of failed transfers that only a person can continue. */
  readonly failedTransfers: number
  readonly heldTransfers: number
  /** Payments in settle_failed or refund_failed without a failed or held transfer. */
  readonly stuckIntents: number
  /** Addresses from which nothing is sent, because their books differ from the chain. */
  readonly haltedAddresses: number
  /** Payments that are read by their address, because their deposits could not be taken in or explained. */
  readonly setAsidePayments: number
  /** The payment that was set aside first, and its reason. */
  readonly firstSetAside: { readonly intentId: string; readonly reason: string } | null
  /** Webhook endpoints that the service stopped using. */
  readonly disabledEndpoints: number
}

/** Work that waits for workers, by name: a kind of transfer, `webhook` or `set_aside`. */
export type Queue = {
  readonly name: string
  readonly waiting: number
  /** Since when the oldest of it waits. */
  readonly oldestSince: Date
  /** How often any of it was tried again. */
  readonly retries: number
}

export type OperatorStore = {
  /** Resolves when the database answers. */
  ping(): Promise<void>
  counts(asked: { waitingSince: Date }): Promise<OperatorCounts>
  /** Returns the queues in which something waits, by name. */
  queues(): Promise<readonly Queue[]>
  /** Returns transfers, the newest first. */
  transfers(filter: { status: TransferStatus | null; limit: number }): Promise<readonly ListedTransfer[]>
  transfer(id: string): Promise<ListedTransfer | null>
}

/** An instance at its last heartbeat. */
export type WorkerBeat = {
  readonly id: string
  readonly role: string
  readonly startedAt: Date
  readonly lastSeenAt: Date
  /** The time since then, by the clock of the database. */
  readonly silentMs: number
}

/** Heartbeats are written and compared by the clock of the database: the clocks of two machines may differ. */
export type WorkerStore = {
  /** Stores the heartbeat of an instance, and removes instances without a heartbeat for `forgetAfterMs`. */
  beat(worker: Pick<WorkerBeat, 'id' | 'role' | 'startedAt'>, forgetAfterMs: number): Promise<void>
  /** Removes an instance that stops. */
  retire(id: string): Promise<void>
  /** Returns instances, the longest running first. */
  list(): Promise<readonly WorkerBeat[]>
}

export type OperatorLogStore = {
  /** Stores an entry before its change is made. Returns its id. */
  begin(entry: NewOperatorLogEntry): Promise<string>
  end(id: string, outcome: string, at: Date): Promise<void>
  /** Returns the newest entries first, those before another one when it is named, without those of the given actions. */
  list(limit: number, before: string | null, without: readonly string[]): Promise<readonly OperatorLogEntry[]>
}
