// The stored state of deposit detection on a network: its source, its cursor, and the payments that are set aside.

import type { DepositSourceKind } from '#core/chain/source-choice.ts'
import type { Address, Network } from '#core/chain/types.ts'
import type { BlockPlace } from './blocks.ts'

export type DepositSourceState = {
  readonly source: DepositSourceKind
  /** Why this source was chosen, for people. */
  readonly reason: string
  /** When the source was chosen. */
  readonly since: Date
  /** The block up to which every deposit was taken in. Null before the first block. */
  readonly cursor: (BlockPlace & { readonly savedAt: Date }) | null
  /** The costs as they were last computed: of polling with the account notices that arrive, of polling without, and of blocks. */
  readonly noticeCallsPerMinute: number
  readonly pollingCallsPerMinute: number
  readonly blockCallsPerMinute: number
  /** Accounts whose changes are reported by notices, of those for which notices are wanted. */
  readonly noticedAccounts: number
  readonly watchedAccounts: number
}

/**
 * Accounts by the tier in which polling would read them: the address of each intent, and one for each accepted token.
 */
export type WatchLoad = {
  readonly busy: number
  readonly idle: number
  readonly closing: number
  readonly ended: number
  readonly old: number
}

export type WatchedAddress = {
  readonly intentId: string
  readonly address: Address
  readonly derivationIndex: number
  readonly createdAt: Date
}

/** A payment whose balance is checked, because its deposits could not be taken in or its balance is not explained. */
export type SetAsidePayment = {
  readonly intentId: string
  /** Grows each time the payment is set aside. */
  readonly version: number
  /** Checks that explained nothing. */
  readonly attempts: number
}

export type SetAsideStore = {
  /** Sets payments aside. One that is set aside already gets the new reason and a new version. */
  setAside(network: Network, intentIds: readonly string[], reason: string, at: Date, nextCheckAt: Date): Promise<void>
  /** Returns the ids of all payments that are set aside. */
  allSetAside(network: Network): Promise<readonly string[]>
  /** Returns payments whose next check is due at `now`, the longest overdue first. */
  dueSetAside(network: Network, now: Date, limit: number): Promise<readonly SetAsidePayment[]>
  /** Postpones the next check of a payment. */
  postponeSetAside(intentId: string, attempts: number, nextCheckAt: Date): Promise<void>
  /**
   * Removes a payment whose balance is explained. Returns false when it was set aside again since `version` was read.
   */
  endSetAside(payment: Pick<SetAsidePayment, 'intentId' | 'version'>): Promise<boolean>
}

export type DepositSourceStore = SetAsideStore & {
  /** Returns null before the first choice. */
  read(network: Network): Promise<DepositSourceState | null>
  /** Stores the choice, and leaves the cursor as it is. */
  saveChoice(network: Network, choice: Omit<DepositSourceState, 'cursor'>): Promise<void>
  /** Moves the cursor forward, never back: the reader that is further ahead has read everything that another has. */
  saveCursor(network: Network, cursor: BlockPlace, at: Date): Promise<void>
  /**
   * Returns addresses in pages by index: of all intents, or with `endedSince` only of intents that are open or have changed
   * after it.
   */
  addresses(
    network: Network,
    page: { readonly afterIndex: number; readonly limit: number; readonly endedSince: Date | null },
  ): Promise<readonly WatchedAddress[]>
  /** Returns the intent of each address. Addresses that are not ours are left out. */
  intentsAt(network: Network, addresses: readonly Address[]): Promise<ReadonlyMap<Address, string>>
  /**
   * Returns the accounts by tier. `old` is what is left of the `issued` addresses, so that they need not be counted.
   */
  load(network: Network, now: Date, issued: number): Promise<WatchLoad>
}
