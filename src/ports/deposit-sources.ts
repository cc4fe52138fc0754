// What is remembered of how a network's deposits are found, and what there is to find.

import type { DepositSourceKind } from '#core/chain/source-choice.ts'
import type { Address, Network } from '#core/chain/types.ts'
import type { BlockPlace } from './blocks.ts'

export type DepositSourceState = {
  readonly source: DepositSourceKind
  /** Why that one, for people. */
  readonly reason: string
  /** When it became that one. */
  readonly since: Date
  /** Everything up to here was read, and what it brought taken in. Null before the first block. */
  readonly cursor: (BlockPlace & { readonly savedAt: Date }) | null
  /** As they were last reckoned. */
  readonly pollingCallsPerMinute: number
  readonly blockCallsPerMinute: number
}

/** Accounts by how often polling would read them: an intent's own, and one for each token that it accepts. */
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

/** A payment that is read by its address, because its deposits could not be taken in, or its balance not explained. */
export type SetAsidePayment = {
  readonly intentId: string
  /** Grows each time the payment is set aside. */
  readonly version: number
  /** Looks that explained nothing. */
  readonly attempts: number
}

export type SetAsideStore = {
  /** Sets payments aside. One that is set aside already gets the new reason and a new version. */
  setAside(network: Network, intentIds: readonly string[], reason: string, at: Date, nextLookAt: Date): Promise<void>
  /** Returns the ids of all payments that are set aside. */
  allSetAside(network: Network): Promise<readonly string[]>
  /** Returns payments whose next look is due at `now`, the longest overdue first. */
  dueSetAside(network: Network, now: Date, limit: number): Promise<readonly SetAsidePayment[]>
  /** Postpones the next look at a payment. */
  postponeSetAside(intentId: string, attempts: number, nextLookAt: Date): Promise<void>
  /** Removes a payment whose balance is explained. Returns false when it was set aside again since `version` was read. */
  endSetAside(payment: Pick<SetAsidePayment, 'intentId' | 'version'>): Promise<boolean>
}

export type DepositSourceStore = SetAsideStore & {
  /** Null before the first choice. */
  read(network: Network): Promise<DepositSourceState | null>
  /** Leaves the cursor as it is. */
  saveChoice(network: Network, choice: Omit<DepositSourceState, 'cursor'>): Promise<void>
  /** Moves the cursor on, never back: of two readers the one that is further ahead has read what the other has. */
  saveCursor(network: Network, cursor: BlockPlace, at: Date): Promise<void>
  /** Addresses in pages by index; with `open`, only of intents that are not over. */
  addresses(
    network: Network,
    page: { readonly afterIndex: number; readonly limit: number; readonly open: boolean },
  ): Promise<readonly WatchedAddress[]>
  /** Whose address each is; strangers are left out. */
  intentsAt(network: Network, addresses: readonly Address[]): Promise<ReadonlyMap<Address, string>>
  /** Of the `issued` addresses there are; those that ended more than a day ago are what is left over, and not read. */
  load(network: Network, now: Date, issued: number): Promise<WatchLoad>
}
