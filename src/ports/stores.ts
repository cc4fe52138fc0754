// What is remembered, one store a noun. Two kinds of call: those of a business take its Tenant first; those of the
// service's own workers are in stores that no edge is given.
import type { Account, ApiKey, KeyScope, Marketplace, Tenant } from '#core/accounts/account.ts'
import type { Address, Asset, Network, Signature } from '#core/chain/types.ts'
import type { WebhookSecretState } from '#core/events/rotation.ts'
import type { BasisPoints, UsdCents } from '#core/money/amounts.ts'
import type { IntentChange, IntentFacts } from '#core/payments/machine/change.ts'
import type { CustomerDetails, Deposit, PaymentIntent } from '#core/payments/payment-intent.ts'
import type { Custodian } from '#core/payments/returns/custodians.ts'
import type { Token } from '#core/tokens/token.ts'
import type { Spend, Spender, Spending } from '#core/transfers/budget.ts'
import type { Attempt, AttemptState, Lease, LeasedTransfer, NewLedgerEntry } from '#core/transfers/transfer.ts'
import type { UnacceptedStore } from './unaccepted.ts'

// ── payment intents ──────────────────────────────────────────────────────────────────────────────────────────────

export type NewIntent = {
  readonly id: string
  readonly accountId: string
  readonly derivationIndex: number
  readonly address: Address
  readonly clientSecretHash: Uint8Array
  readonly priceUsdCents: UsdCents
  readonly acceptedAssets: readonly Asset[]
  readonly reference: string | null
  readonly expiresAt: Date
  readonly marketplaceFeeBps: BasisPoints | null
  readonly payeeLabel: string
  readonly customerDetails: CustomerDetails | null
  readonly createdAt: Date
}

/** The intents of a business, and of its marketplace's sellers. */
export type IntentStore = {
  /** Fresh derivation indexes, ascending, never given twice; unused ones are lost, which is harmless. */
  reserveIndexes(count: number): Promise<readonly number[]>
  /**
   * Stores the intent with its `intent.created` event, or finds the one that already has the reference
   * (`created: false`). Concurrent calls with one reference store one.
   */
  create(tenant: Tenant, intent: NewIntent): Promise<{ intent: PaymentIntent; created: boolean }>
  findByIndex(tenant: Tenant, index: number): Promise<PaymentIntent | null>
  findByReference(tenant: Tenant, reference: string): Promise<PaymentIntent | null>
}

/** The addresses at which payments are received, of every business: nobody's money may be sent to one. */
export type DepositAddressStore = {
  /** Whether it was ever handed out, on any network. */
  isIssued(address: Address): Promise<boolean>
}

/** What one buyer may reach: the intent whose secret it holds. The hash is its own proof. */
export type CheckoutStore = {
  findByClientSecretHash(hash: Uint8Array): Promise<PaymentIntent | null>
  /** Replaces the details of the intent at this version; null when the version moved on. */
  saveCustomerDetails(intent: PaymentIntent, details: CustomerDetails | null, now: Date): Promise<PaymentIntent | null>
}

/** Applies decisions. Shared by checkout, businesses and workers: the intent in the change was read by one of them. */
export type ChangeStore = {
  /** Everything in one transaction with its events and notice; false when the intent moved on meanwhile: read again. */
  apply(change: IntentChange): Promise<boolean>
}

/** What workers read: every business's intents, so no edge is ever given one. */
export type IntentWorkStore = ChangeStore & {
  facts(intentId: string): Promise<IntentFacts | null>
  /** Returns when the intent's asset was chosen, the newest times first, at most so many. */
  selectionTimes(intentId: string, most: number): Promise<readonly Date[]>
  /** Adds to the bounded record of tokens that are not allowed. See `UnacceptedStore`. */
  readonly recordUnaccepted: UnacceptedStore['record']
  /** Intents to watch, oldest first, in pages by index: a light row for each. */
  watchList(
    network: Network,
    options: { afterIndex: number; limit: number; open: boolean },
  ): Promise<readonly WatchedIntent[]>
  watched(intentIds: readonly string[]): Promise<readonly WatchedIntent[]>
  /** Intents whose buyer has chosen or begun to pay, newest first. */
  busiest(network: Network, limit: number): Promise<readonly WatchedIntent[]>
  /**
   * Returns deposits that were seen and are not final yet: the oldest of every payment, then the second of every payment,
   * and so on, at most `ofOnePayment` of one. Deposits of the same rank come oldest first.
   */
  unfinalDeposits(
    network: Network,
    most: { readonly inAll: number; readonly ofOnePayment: number },
  ): Promise<readonly Deposit[]>
  /**
   * Returns pending and underpaid intents whose window ended before `before`, in the order of its end. `after` is the
   * last one of the page before; null asks for the first page.
   */
  expired(
    network: Network,
    before: Date,
    page: { readonly after: ExpiredIntent | null; readonly limit: number },
  ): Promise<readonly ExpiredIntent[]>
  /** Intents in paid or overpaid whose deposits are all final: nothing is left to wait for. */
  settleable(network: Network, limit: number): Promise<readonly string[]>
}

export type ExpiredIntent = { readonly id: string; readonly expiresAt: Date }

export type WatchedIntent = {
  readonly id: string
  /** Grows with every change of the intent, the booking of each of its transfers among them. */
  readonly version: number
  readonly network: Network
  readonly derivationIndex: number
  readonly address: Address
  readonly acceptedAssets: readonly Asset[]
  readonly asset: Asset | null
  readonly status: PaymentIntent['status']
  readonly createdAt: Date
  readonly expiresAt: Date
  readonly updatedAt: Date
}

// ── money out ────────────────────────────────────────────────────────────────────────────────────────────────────

export type TransferStore = {
  /**
   * Claims due obligations that no worker has leased, each with a new fence, for `leaseMs`: of each kind at most so many,
   * the longest due first. SKIP LOCKED.
   */
  claim(
    network: Network,
    options: {
      readonly now: Date
      readonly leaseMs: number
      readonly queues: readonly { readonly kind: string; readonly most: number }[]
    },
  ): Promise<readonly LeasedTransfer[]>
  /**
   * Stores an unsigned attempt. In one transaction: locks the obligation under its fence, checks that it still holds
   * and that no attempt of it, of its source or of its nonce is live, that its source is not halted, and that it stays
   * within its budget, whatever other workers store meanwhile. Null when any of that is no longer so.
   */
  prepareAttempt(
    lease: Lease,
    attempt: Omit<Attempt, 'state' | 'wire' | 'signature' | 'sentAt'> & { readonly spending?: Spending },
  ): Promise<Attempt | null>
  /** Returns what transfers of a kind have cost the fee payer, and those under way may still cost. */
  spendOf(spender: Spender): Promise<Spend>
  /** Why nothing leaves these addresses for now, by address; those that are not halted are left out. */
  haltsOn(sources: readonly Address[]): Promise<ReadonlyMap<Address, string>>
  /** Stores the signature and the bytes, before they are sent anywhere. False when the lease is lost. */
  recordSigned(lease: Lease, attemptId: string, wire: Uint8Array, signature: Signature): Promise<boolean>
  /** Moves a live attempt between live states, or to dead after proof. False when the lease is lost. */
  recordAttempt(
    lease: Lease,
    attemptId: string,
    state: Exclude<AttemptState, 'final_ok' | 'final_err' | 'prepared' | 'signed'>,
    details: { now: Date; error?: string },
  ): Promise<boolean>
  /** Gives obligations back, to be taken up again at `nextAttemptAt`. Lost leases are passed over. */
  release(leases: readonly Lease[], nextAttemptAt: Date): Promise<void>
  /** Gives it back for later because something outside must change first; `reason` says what, for people. */
  postpone(lease: Lease, reason: string, nextAttemptAt: Date): Promise<void>
  /** Sets it aside for a person, with the reason. */
  hold(lease: Lease, reason: string): Promise<void>
  /**
   * Returns, by obligation, a transaction that every provider must know before it is believed not to know an attempt that
   * is prepared now: the newest final transaction in the ledger of its network, which is mostly one that the fee payer
   * signed. It must be older than the attempt, because a provider that pruned its history may know every newer
   * transaction. It must be recent, because such a provider does not know an old one.
   */
  knownSignatures(transferIds: readonly string[]): Promise<ReadonlyMap<string, Signature>>
  /**
   * Ends an obligation whose subject has no state of its own to change, or plans it again after a failed attempt, with
   * its ledger entries, in one transaction.
   */
  finish(
    lease: Lease,
    outcome: {
      attemptId: string | null
      attemptState: 'final_ok' | 'final_err' | null
      status: 'done' | 'failed' | 'planned'
      reason: string | null
      signature: Signature | null
      slot: bigint | null
      at: Date
      ledger: readonly NewLedgerEntry[]
    },
  ): Promise<boolean>
}

// ── accounts, keys, allowlist ────────────────────────────────────────────────────────────────────────────────────

export type NewAccount = {
  readonly id: string
  readonly network: Network
  readonly name: string
  readonly label: string | null
  readonly sweepDestination: Address | null
}

export type AccountStore = {
  /** A business with its first key and, where it has one, its webhook endpoint: all of them or nothing. */
  open(
    account: NewAccount,
    key: Omit<NewKey, 'accountId'>,
    endpoint: { id: string; url: string } | null,
  ): Promise<Account>
  /**
   * Null when there is no such account. `endpoint` replaces its webhook endpoint's URL, keeping what waits for it to be
   * delivered; a null URL ends deliveries; undefined leaves everything as it is.
   */
  update(
    id: string,
    patch: { name?: string; label?: string | null; sweepDestination?: Address | null },
    endpoint?: { newId: string; url: string | null; at: Date },
  ): Promise<Account | null>
  /** Where an account's webhooks go; null when nowhere. */
  webhookUrl(id: string): Promise<string | null>
  find(id: string): Promise<Account | null>
  list(): Promise<readonly Account[]>
  findMarketplace(accountId: string): Promise<Marketplace | null>
  findSeller(tenant: Tenant, sellerId: string): Promise<Account | null>
  /** Replaces the state `from` of the account's webhook secret. False when it is not that any more. */
  setWebhookSecret(id: string, from: WebhookSecretState, to: WebhookSecretState): Promise<boolean>
}

export type NewKey = {
  readonly id: string
  readonly accountId: string
  readonly hash: Uint8Array
  readonly hint: string
  readonly scopes: readonly KeyScope[]
}

export type KeyStore = {
  create(key: NewKey): Promise<ApiKey>
  list(accountId: string): Promise<readonly ApiKey[]>
  revoke(id: string, at: Date): Promise<ApiKey | null>
  /** The live key with this hash and its account; revoked ones are not found. */
  findByHash(hash: Uint8Array): Promise<{ key: ApiKey; account: Account; hash: Uint8Array } | null>
}

export type TokenStore = {
  save(token: Token): Promise<Token>
  list(network: Network | null): Promise<readonly Token[]>
  find(network: Network, asset: Asset): Promise<Token | null>
}

export type CustodianStore = {
  /** Adds wallets, or changes their labels: all of them or none. */
  save(custodians: readonly Custodian[]): Promise<void>
  /** False when it was not on the list. */
  remove(network: Network, address: Address): Promise<boolean>
  list(network: Network | null): Promise<readonly Custodian[]>
}

// ── what the service remembers of itself ─────────────────────────────────────────────────────────────────────────

export type NetworkStore = {
  /** Remembers a network at its first start; afterwards returns what was remembered. */
  remember(
    network: Network,
    identity: { genesisHash: string; seedFingerprint: string },
  ): Promise<{ genesisHash: string; seedFingerprint: string }>
}

export type SettingStore = {
  read(key: string): Promise<unknown>
  write(key: string, value: unknown): Promise<void>
}

/** What only one instance should do at a time. A lease saves work; nothing that must hold rests on it. */
export type LeaseStore = {
  /** Takes or renews; false while somebody else holds it. Time is the database's. */
  hold(name: string, holder: string, forMs: number): Promise<boolean>
  release(name: string, holder: string): Promise<void>
}
