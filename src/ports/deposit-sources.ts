// What is remembered of how a network's deposits are found, and what there is to find.
import type { Address, Network } from '#core/chain/types.ts'
import type { DepositSourceKind } from '#core/deposits/source-choice.ts'
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

export type DepositSourceStore = {
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
