// What the service needs of a Solana network, in pieces narrow enough that each use names just what it calls.
// Every method rejects with ServiceError('chain_unavailable') when no provider answers in time.

import type { KeyPath } from '#core/chain/keys.ts'
import type {
  AccountState,
  Address,
  Blockhash,
  BlockhashLifetime,
  Commitment,
  Lifetime,
  MintFacts,
  ObservedTransaction,
  Signature,
  SignatureStatus,
} from '#core/chain/types.ts'
import type { Lamports } from '#core/money/amounts.ts'
import type { TransactionPlan } from '#core/transfers/plan.ts'

export type BalanceReader = {
  /** Returns states in the order asked, null for a missing account; 100 accounts a call. `slot` is the oldest read. */
  readAccounts(
    accounts: readonly Address[],
    commitment: Commitment,
  ): Promise<{ slot: bigint; states: readonly (AccountState | null)[] }>
}

/** A transaction that names an account. `final`: the provider lists it as finalized. */
export type HistoryEntry = {
  readonly signature: Signature
  readonly slot: bigint
  readonly failed: boolean
  readonly final: boolean
}

/** `next` is the `before` of the next page; null after the last one. */
export type HistoryPage = { readonly entries: readonly HistoryEntry[]; readonly next: Signature | null }

export type HistoryReader = {
  /**
   * Returns one page of the signatures that name the account, newest first: signatures older than `before`, down to but
   * without `until`. One call to one provider, except that an empty page is asked of every provider.
   */
  signatures(
    account: Address,
    options: { commitment: Commitment; before?: Signature | null; until?: Signature | null },
  ): Promise<HistoryPage>
  /**
   * Returns the transaction as it landed at that commitment or a higher one; null when the chain does not know it yet.
   */
  transaction(signature: Signature, commitment: Commitment): Promise<ObservedTransaction | null>
}

export type MintReader = {
  /** Reads a mint; null when the account does not exist or is not a mint of a token program. */
  readMint(mint: Address): Promise<MintFacts | null>
}

export type ChainClock = {
  /** Returns the newest slot at that commitment and its block's time: the chain's own clock. */
  blockTime(commitment: Commitment): Promise<{ slot: bigint; time: Date }>
}

export type RentReader = {
  /** The least balance that an account of `bytes` must keep, read from the chain: it is not a constant. */
  minimumBalance(bytes: number): Promise<Lamports>
}

export type Submitter = {
  /** A blockhash for a new transaction, fresh enough to have most of its life before it. */
  lifetime(): Promise<BlockhashLifetime>
  /**
   * Sends the same bytes to every provider; resolves when at least one took them or had them before. Harmless to
   * repeat. Rejects with ServiceError('transaction_refused') when those that answered called the bytes invalid, which
   * is their opinion and no evidence: only the chain says what became of an attempt.
   */
  broadcast(wire: Uint8Array): Promise<void>
  /** What is known of each signature, null where nothing is; 256 signatures a call. */
  signatureStatuses(signatures: readonly Signature[]): Promise<readonly (SignatureStatus | null)[]>
}

/** The outcome of asking every provider whether a transaction can still land (docs/money.md, "Proof of expiry"). */
export type ExpiryProof =
  | { readonly expired: true; readonly providers: number }
  /** `landed` found it after all; `not_yet`: too early; `unproven`: a provider is away or does not know its past. */
  | { readonly expired: false; readonly because: 'landed' | 'not_yet' | 'unproven'; readonly detail: string }

export type ExpiryProver = {
  /**
   * Proves that a transaction never landed and never will. On every configured provider its lifetime is over in
   * finalized blocks: the block height is beyond the last valid one + 32, or the nonce account holds another value. The
   * provider knows `knownSignature` (which it must know, being at least as old as the attempt), and with history
   * searched it does not know `signature`.
   */
  proveExpired(attempt: { signature: Signature; lifetime: Lifetime; knownSignature: Signature }): Promise<ExpiryProof>
}

export type NonceReader = {
  /** Returns the values of durable nonces in the order asked; null where there is no nonce account. `slot` as above. */
  nonces(
    accounts: readonly Address[],
    commitment: Commitment,
  ): Promise<{ slot: bigint; values: readonly (Blockhash | null)[] }>
}

/**
 * Account notices: the provider reports that an account changed. Hints, never evidence: a lost notice costs time only.
 */
export type AccountNotices = {
  /** Replaces the set of accounts with notices. */
  watch(accounts: ReadonlySet<Address>): void
  /** Adds a listener, called with the account of each notice. */
  onNotice(listener: (account: Address) => void): void
  close(): Promise<void>
}

export type TransactionCompiler = {
  /**
   * Returns the unsigned message of a plan, paid for by the network's fee payer, and the fee that the chain takes for
   * it. Looks up which destination token accounts exist and creates those that do not. Same plan and existing accounts,
   * same bytes. Rejects with ServiceError('destination_not_usable', {destination}) when a destination's token account
   * is another wallet's.
   */
  compile(
    plan: TransactionPlan,
    /** Accounts that were just read, null for a missing account: they are not read again. */
    seen?: ReadonlyMap<Address, AccountState | null>,
  ): Promise<{ message: Uint8Array; fee: Lamports }>
}

export type ChainIdentity = { genesisHash(): Promise<string> }

/** One network with every capability. Only the composition root uses it; other code takes the parts that it calls. */
export type Chain = BalanceReader &
  HistoryReader &
  MintReader &
  ChainClock &
  RentReader &
  Submitter &
  ExpiryProver &
  NonceReader &
  TransactionCompiler &
  ChainIdentity

export type DepositKeys = {
  /** The address of a key path; the same seed always gives the same one. Costs some twenty microseconds. */
  addressOf(path: KeyPath): Address
  /** The associated token account of a wallet for a mint. */
  tokenAccountOf(owner: Address, mint: Address, tokenProgram: Address): Promise<Address>
}
