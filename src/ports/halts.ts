// Halts: nothing is sent from an address, because its books differ from the chain.
import type { Fault } from '#core/audit/faults.ts'
import type { Network } from '#core/chain/types.ts'

export type Halt = {
  readonly id: string
  readonly network: Network
  readonly address: string
  /** null for the wallet of a subscriber, which has no payment. */
  readonly intentId: string | null
  readonly intentIndex: number | null
  /** For people. */
  readonly reason: string
  readonly faults: readonly Fault[]
  readonly haltedAt: Date
  /** Null while the halt is open. */
  readonly clearedAt: Date | null
  readonly clearedBy: 'reconciled' | 'operator' | null
  /** The operator's reason to clear the halt. */
  readonly clearedReason: string | null
}

export type HaltOfPayment = Halt & { readonly intentId: string; readonly intentIndex: number }

export type HaltStore = {
  /**
   * Halts an address. When this resolves, no further attempt to send from the address is stored. Returns true when it was
   * not halted before. An open halt gets the newer faults. Changes nothing when the operator cleared the last halt with the
   * same faults.
   */
  halt(
    finding: Pick<HaltOfPayment, 'network' | 'address' | 'intentId' | 'reason' | 'faults' | 'haltedAt'>,
  ): Promise<boolean>
  /** Returns open halts of the addresses of payments, the oldest first. */
  open(network: Network): Promise<readonly HaltOfPayment[]>
  /** Returns halts, the newest first; with `open`, without cleared halts. */
  list(filter: { network: Network | null; open: boolean; limit: number }): Promise<readonly Halt[]>
  /** Clears a halt. Returns null when there is no open halt with this id. */
  clear(id: string, end: { by: 'reconciled' | 'operator'; reason: string | null; at: Date }): Promise<Halt | null>
}
