// Addresses from which nothing is sent, because their books are not what the chain says.
import type { Fault } from '#core/audit/faults.ts'
import type { Network } from '#core/chain/types.ts'

export type Halt = {
  readonly id: string
  readonly network: Network
  readonly address: string
  readonly intentId: string
  readonly intentIndex: number
  /** For people. */
  readonly reason: string
  readonly faults: readonly Fault[]
  readonly haltedAt: Date
  /** Null while it holds. */
  readonly clearedAt: Date | null
  readonly clearedBy: 'reconciled' | 'operator' | null
  /** Why the operator cleared it. */
  readonly clearedReason: string | null
}

export type HaltStore = {
  /**
   * Halts an address: once this resolves, no attempt to send from it is stored. True when it was not halted before. An
   * open halt takes over the newer faults. Nothing happens when the operator cleared its last halt knowing of these very
   * faults.
   */
  halt(finding: Pick<Halt, 'network' | 'address' | 'intentId' | 'reason' | 'faults' | 'haltedAt'>): Promise<boolean>
  /** Those that hold, the oldest first. */
  open(network: Network): Promise<readonly Halt[]>
  /** The newest first; `open` leaves out those that are over. */
  list(filter: { network: Network | null; open: boolean; limit: number }): Promise<readonly Halt[]>
  /** Null when there is none with this id that still holds. */
  clear(id: string, end: { by: 'reconciled' | 'operator'; reason: string | null; at: Date }): Promise<Halt | null>
}
