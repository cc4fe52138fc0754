// The capabilities of a Solana network. Everything is read as of the newest final block. Each type is narrow, so that a function names only the methods that it calls.
// Every method rejects with ServiceError('chain_unavailable') when no provider answers in time.

import type { SponsoredPlan } from '#core/billing/approval.ts'
import type { KeyPath } from '#core/chain/keys.ts'
import type {
  AccountState,
  Address,
  Consensus,
  Lifetime,
  MintFacts,
  Network,
  ObservedTransaction,
  ReportedFinal,
  Signature,
  SignatureStatus,
} from '#core/chain/types.ts'
import type { BaseUnits, Lamports } from '#core/money/amounts.ts'
import type { TransactionPlan } from '#core/transfers/plan.ts'

export type BalanceReader = {
  /** Returns states in the order asked, null for a missing account; 100 accounts a call. `slot` is the oldest read. */
  readAccounts(accounts: readonly Address[]): Promise<{ slot: bigint; states: readonly (AccountState | null)[] }>
}

/** A token account with a balance. */
export type TokenBalance = { readonly account: Address; readonly mint: Address; readonly amount: BaseUnits }

export type TokenAccountReader = {
  /** Returns the token accounts of a wallet that are not empty, of both token programs. Anyone can create one. Two calls. */
  tokenAccounts(owner: Address): Promise<readonly TokenBalance[]>
}

/** A transaction that names an account. */
export type HistoryEntry = { readonly signature: Signature; readonly slot: bigint; readonly failed: boolean }

/** `next` is the `before` of the next page; null after the last one. */
export type HistoryPage = { readonly entries: readonly HistoryEntry[]; readonly next: Signature | null }

/**
 * Signatures older than `before`, down to but without `until`. A provider may lack a part of the history: each `firstProvider`, counted
 * from 0, asks another one first, round and round. Only a provider that has every slot of `covers` is asked: another
 * one may lack the oldest or the newest transactions. Without `from`, it may lack old ones.
 */
export type HistoryRange = {
  readonly before?: Signature | null
  readonly until?: Signature | null
  readonly firstProvider?: number
  readonly covers?: { readonly from: bigint | null; readonly upTo: bigint }
}

export type HistoryReader = {
  /**
   * Returns one page of the signatures that name the account, newest first. One call to one provider, except that an empty page is
   * asked of every provider, and that a provider is asked for its slots first. Rejects with ServiceError('chain_unavailable').
   */
  signatures(account: Address, range: HistoryRange): Promise<HistoryPage>
  /**
   * Returns the transaction as it landed; null when no provider knows it, or when it
   * is not final yet. Rejects when a provider does not answer and the others do not know it.
   */
  transaction(signature: Signature): Promise<ObservedTransaction | null>
}

export type FinalityJudge = {
  /**
   * Returns the doubts about transactions that one provider reports as final, by signature: with several providers, a
   * transaction is final when two report it as final, in the same slot and with the same outcome. A transaction without a
   * doubt is final. A doubt is null when another provider only has to reach the slot, and otherwise says what is wrong.
   */
  finalDoubts(reported: readonly ReportedFinal[]): Promise<ReadonlyMap<Signature, string | null>>
  /** Returns how many providers are configured, and how many of them answer now. */
  countProviders(): Promise<ProviderCount>
}

/** A provider is named by its place in the list: its URL may hold an API key. */
export type ProviderHealth = {
  /** Counts from 1. */
  readonly provider: number
  /** The failures since its last answer. */
  readonly faults: number
  /** Whether the others are asked first. */
  readonly resting: boolean
  /** How long its answers took lately, in milliseconds; null before the first. */
  readonly latencyMs: number | null
  /** The failures since the start. */
  readonly failures: number
}

export type ProviderMonitor = {
  /** Asks nothing. `calls`: those made so far, by method. */
  readonly rpc: { health(): readonly ProviderHealth[]; readonly calls: ReadonlyMap<string, number> }
}

export type ProviderCount = { readonly configured: number; readonly answering: number }

export type MintReader = {
  /** Reads a mint; null when the account does not exist or is not a mint of a token program. */
  readMint(mint: Address): Promise<MintFacts | null>
}

export type ChainClock = {
  /** Returns the newest final slot and its block's time: the chain's own clock. */
  blockTime(): Promise<{ slot: bigint; time: Date }>
}

export type ChainPace = {
  /** Null when no provider says which it is. */
  readonly consensus: Consensus | null
  /** The measured time from slot to slot, in milliseconds; null until it is measured. */
  readonly slotMs: number | null
  /** By how many slots the newest final block is behind the newest block. */
  readonly finalAfterSlots: number
}

export type PaceReader = {
  /** Measures how fast the chain is. Three calls. */
  pace(): Promise<ChainPace>
}

export type SlotTime = {
  /** Returns the measured time from slot to slot in milliseconds, and that of mainnet until it is measured. Asks nothing. */
  slotMs(): number
}

export type RentReader = {
  /** Returns the minimum balance of an account of `bytes`, read from the chain: it is not a constant. */
  minimumBalance(bytes: number): Promise<Lamports>
}

export type Submitter = {
  /**
   * Returns the newest blockhash for a new transaction. Callers share it for less time than any transaction needs to become final: two
   * equal transfers, one after the other, are two transactions.
   */
  lifetime(): Promise<Lifetime>
  /**
   * Sends the same bytes to every provider. Resolves when at least one provider took them, or had them before. Safe to
   * repeat. Rejects with ServiceError('transaction_refused') when every provider that answered called the bytes invalid.
   * A refusal is no evidence: only the chain shows the outcome of an attempt.
   */
  broadcast(wire: Uint8Array): Promise<void>
  /** Returns the status of each signature, null for an unknown signature; 256 signatures a call. */
  signatureStatuses(signatures: readonly Signature[]): Promise<readonly (SignatureStatus | null)[]>
}

/** The outcome of asking every provider whether a transaction can still land (docs/money.md, "Proof of expiry"). */
export type ExpiryProof =
  | { readonly expired: true; readonly providers: number }
  /** `landed`: a provider found it; `not_yet`: too early; `unproven`: a provider is away, or its history is too short. */
  | { readonly expired: false; readonly because: 'landed' | 'not_yet' | 'unproven'; readonly detail: string }

export type ExpiryProver = {
  /**
   * Proves that a transaction has not landed and cannot land any more. On every configured provider its lifetime is over in
   * final blocks: the height is more than one block past the last valid one. The provider knows `knownSignature` (which it must
   * know, being at least as old as the attempt), and with history
   * searched it does not know `signature`.
   */
  proveExpired(attempt: { signature: Signature; lifetime: Lifetime; knownSignature: Signature }): Promise<ExpiryProof>
}

export type NoticeCoverage = {
  readonly via: 'websockets' | 'stream'
  /** Whether a provider sends notices at all. */
  readonly isTicking: boolean
  readonly wanted: number
  /** How many of the wanted accounts have every change reported. */
  readonly covered: number
}

/**
 * Account notices: the provider reports that an account changed. Hints, never evidence: a notice causes a reading, and a lost
 * notice costs time only.
 */
export type AccountNotices = {
  /** Replaces the accounts with notices, the most urgent first. The last are left out when there is no room. */
  watch(accounts: ReadonlySet<Address>): void
  /** Adds a listener, called with the account of each notice. */
  onNotice(listener: (account: Address) => void): void
  /**
   * Returns a slot: a reading at it, or later, shows every change of the account that no later notice reports. Null while
   * notices may be missing.
   */
  coveredSince(account: Address): bigint | null
  coverage(): NoticeCoverage
  /** The most accounts that can have notices. */
  readonly room: number
  close(): Promise<void>
}

export type TransactionCompiler = {
  /**
   * Returns the unsigned message of a plan, paid for by the network's fee payer, and the fee that the chain takes for
   * it. Checks which destination token accounts exist, and creates the missing ones. The same plan and the same existing
   * accounts give the same bytes. Rejects with ServiceError('destination_not_usable', {destination}) when a destination's token account
   * is another wallet's.
   */
  compile(
    plan: TransactionPlan,
    /** Accounts that were read before, null for a missing account: they are not read again. */
    seen?: ReadonlyMap<Address, AccountState | null>,
  ): Promise<{ message: Uint8Array; fee: Lamports }>
}

export type SponsoredCompiler = {
  /** Returns the unsigned message of a sponsored transaction, and the fee that the chain takes for it. Reads nothing. */
  compileSponsored(plan: SponsoredPlan): { message: Uint8Array; fee: Lamports }
}

export type ChainIdentity = { genesisHash(): Promise<string> }

/** One network with every capability. Only the composition root uses it; other code takes the parts that it calls. */
export type Chain = BalanceReader &
  TokenAccountReader &
  HistoryReader &
  FinalityJudge &
  MintReader &
  ChainClock &
  PaceReader &
  SlotTime &
  RentReader &
  Submitter &
  ExpiryProver &
  TransactionCompiler &
  SponsoredCompiler &
  ChainIdentity

export type DepositKeys = {
  /** Returns the address of a key path. The same seed always gives the same address. Takes about 20 microseconds. */
  addressOf(path: KeyPath): Address
  /** Returns the associated token account of a wallet for a mint. */
  tokenAccountOf(owner: Address, mint: Address, tokenProgram: Address): Promise<Address>
}

/** Returns many deposit addresses of one account, in the order of their indexes, without keeping the calling thread busy. */
export type DeriveAddresses = (
  network: Network,
  account: number,
  indexes: readonly number[],
) => Promise<readonly Address[]>
