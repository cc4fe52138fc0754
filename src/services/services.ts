// Every use case that an edge may call, as one type. The composition root builds it; GraphQL's context carries it.
import type { Account, ApiKey, KeyScope, Tenant } from '#core/accounts/account.ts'
import type { AuditedAddress } from '#core/audit/audit.ts'
import type { Address, Asset, Network, Signature } from '#core/chain/types.ts'
import type { BaseUnits, BasisPoints, Lamports, UsdCents } from '#core/money/amounts.ts'
import type { CustomerPatch } from '#core/payments/customer-details.ts'
import type { PaymentIntent } from '#core/payments/payment-intent.ts'
import type { Custodian } from '#core/payments/returns/custodians.ts'
import type { FullLists } from '#core/payments/returns/return-lists.ts'
import type { SimulatedDeposit } from '#core/sandbox/simulated-deposit.ts'
import type { Token } from '#core/tokens/token.ts'
import type { TransferStatus } from '#core/transfers/transfer.ts'
import type { DepositSourceState } from '#ports/deposit-sources.ts'
import type { Halt } from '#ports/halts.ts'
import type { HeldPayment, Release } from '#ports/held.ts'
import type { UnacceptedToken } from '#ports/unaccepted.ts'

export type { CustomerPatch, FullLists, Halt, HeldPayment, Release, UnacceptedToken }

export type CreateIntentInput = {
  readonly amountUsdCents: UsdCents
  readonly acceptedAssets: readonly Asset[]
  readonly reference: string | null
  readonly customer: CustomerPatch | null
  readonly applicationFeeBps: number | null
  /** The seller that the calling marketplace acts for, as it was sent; malformed gives `seller_not_found` too. */
  readonly onBehalfOf: string | null
}

export type Quote = {
  readonly priceUsdCents: UsdCents
  readonly expiresInSeconds: number
  readonly quotes: readonly {
    readonly asset: Asset
    readonly symbol: string
    readonly decimals: number
    readonly expected: BaseUnits
  }[]
}

/** Spec: "Sweep result". Amounts in base units of the intent's asset, `amount` net of the platform's fee. */
export type SweepResult = {
  readonly signature: Signature
  readonly amount: BaseUnits
  readonly platformFee: BaseUnits
  readonly from: Address
  readonly to: Address
}

/** Spec: "Payments (API key)" and "Checkout endpoints (client secret)". Each throws ServiceError. */
export type IntentServices = {
  /** `clientSecret` only when this call created the intent. */
  create(
    caller: Tenant,
    input: CreateIntentInput,
  ): Promise<{ intent: PaymentIntent; clientSecret: string | null; created: boolean }>
  /** Throws `intent_not_found`. */
  findByIndex(caller: Tenant, index: number): Promise<PaymentIntent>
  /** Throws `intent_not_found`. */
  findByReference(caller: Tenant, reference: string): Promise<PaymentIntent>
  /** Throws `invalid_client_secret`, as every checkout call does on a wrong or unknown one. */
  checkoutStatus(clientSecret: string): Promise<PaymentIntent>
  quote(clientSecret: string): Promise<Quote>
  selectToken(clientSecret: string, asset: Asset): Promise<PaymentIntent>
  /** Before payment only: cancelled, or refunding what has arrived. Idempotent. Throws `payment_already_received`. */
  cancelByIndex(caller: Tenant, index: number): Promise<PaymentIntent>
  cancelByClientSecret(clientSecret: string): Promise<PaymentIntent>
  /**
   * Moves what the intent holds to the business now, and waits up to 30 s for it, or until the signal aborts. Throws `reserved_index`,
   * `intent_not_found`, `nothing_to_sweep`, `sweep_destination_missing`, `refund_in_progress`, `transfer_unconfirmed`, and `rate_limited`
   * when too many calls of the business wait.
   */
  sweep(caller: Tenant, index: number, signal?: AbortSignal): Promise<SweepResult>
  /** Late payments, token refunds and held money in full, oldest first. Throws `intent_not_found`. */
  lists(caller: Tenant, index: number): Promise<FullLists>
  /** Returns the payment with the updated details. Throws `details_frozen`, `invalid_email`, `invalid_country`. */
  updateDetails(clientSecret: string, patch: CustomerPatch): Promise<PaymentIntent>
}

export type Credential = { readonly key: ApiKey; readonly account: Account; readonly tenant: Tenant }

export type AccountServices = {
  /** Throws `unauthenticated` on anything but a live key. Answers from a short cache; a revoked key stops within seconds. */
  authenticate(apiKey: string): Promise<Credential>
  /** `apiKey` and `webhookSecret` are shown here and never again. */
  create(input: {
    name: string
    network: Network
    label: string | null
    sweepDestination: Address | null
    webhookUrl: string | null
  }): Promise<{ account: Account; apiKey: string; webhookSecret: string }>
  update(
    id: string,
    patch: { name?: string; label?: string | null; sweepDestination?: Address | null; webhookUrl?: string | null },
  ): Promise<Account>
  find(id: string): Promise<Account>
  list(): Promise<readonly Account[]>
  /** Where an account's webhooks go; null when nowhere. */
  webhookUrl(id: string): Promise<string | null>
  createKey(accountId: string, scopes?: readonly KeyScope[]): Promise<{ key: ApiKey; apiKey: string }>
  listKeys(accountId: string): Promise<readonly ApiKey[]>
  revokeKey(keyId: string): Promise<ApiKey>
}

export type TokenServices = {
  /** Enabled tokens of a network: the exact set usable in accepted_tokens. */
  allowed(network: Network): Promise<readonly Token[]>
  list(): Promise<readonly Token[]>
  /** Decimals, program and extensions are read from the chain and judged. Throws mint_not_supported, mint_needs_consent, invalid_mint. */
  allow(input: {
    network: Network
    asset: Asset
    name: string
    ticker: string
    feedKey: string | null
    consent: { permanentDelegate: boolean; pausable: boolean }
  }): Promise<Token>
  disallow(network: Network, asset: Asset): Promise<Token>
  /** Why no price is known for it right now, in a sentence that says what to do; null when one is. */
  priceProblem(token: Pick<Token, 'ticker' | 'feedKey' | 'mint'>): Promise<string | null>
}

/** Wallets to which nothing is returned automatically. For the operator. */
export type CustodianServices = {
  list(network: Network | null): Promise<readonly Custodian[]>
  /** Adds wallets, or changes their labels, and answers the whole list of the network. */
  save(network: Network, wallets: readonly Omit<Custodian, 'network'>[]): Promise<readonly Custodian[]>
  /** False when it was not on the list. */
  remove(network: Network, address: Address): Promise<boolean>
}

export type PlatformFacts = {
  readonly network: string
  readonly checkoutWindowSeconds: number
  readonly networkFeeLamports: Lamports
  readonly platformFeeBps: BasisPoints
  readonly maxMarketplaceFeeBps: BasisPoints
  readonly webhookEventTypes: readonly string[]
  readonly apiVersion: string
}

export type HealthCheck = { readonly status: 'ok' | 'degraded' | 'down'; readonly detail: string | null }
export type Health = {
  readonly status: 'ok' | 'degraded' | 'down'
  readonly version: string
  readonly checks: {
    readonly database: HealthCheck
    readonly chain: HealthCheck
    readonly priceFeed: HealthCheck
    readonly workers: HealthCheck
  }
}

export type NetworkStatus = {
  readonly genesisHash: string
  readonly feePayer: Address
  readonly feePayerLamports: Lamports
  readonly slot: bigint
  /** For how many seconds the newest final block has been so, or its age where that is more. */
  readonly lagSeconds: number
  /** It answers, but nothing becomes final any more. */
  readonly isStalled: boolean
  /** How its deposits are found, and why so; null until a worker has looked. */
  readonly deposits: DepositSourceState | null
}

export type OperatorStatus = {
  readonly networks: { readonly live: NetworkStatus | null; readonly test: NetworkStatus | null }
  readonly workers: readonly {
    readonly id: string
    readonly role: string
    readonly startedAt: Date
    readonly lastSeenAt: Date
  }[]
  readonly openIntents: number
  readonly unfinishedTransfers: number
  /** What a person should look at, each a sentence that says what to do. */
  readonly alerts: readonly string[]
}

export type TransferSummary = {
  readonly id: string
  readonly key: string
  readonly kind: string
  readonly status: TransferStatus
  readonly reason: string | null
  readonly network: Network
  readonly asset: Asset
  readonly attempts: number
  readonly signature: Signature | null
  readonly intentIndex: number | null
  readonly createdAt: Date
  readonly doneAt: Date | null
}

export type DeliverySummary = {
  readonly id: string
  /** The event's id: what `webhook-id` carries. */
  readonly webhookId: string
  readonly accountId: string
  readonly url: string
  readonly type: string
  readonly status: 'pending' | 'succeeded' | 'failed'
  readonly attempts: number
  readonly nextAttemptAt: Date | null
  readonly lastStatusCode: number | null
  readonly lastError: string | null
  readonly createdAt: Date
}

export type RotatedWebhookSecret = {
  readonly webhookSecret: string
  /** When each older secret that still signs stops, the newest first. */
  readonly oldSecretsUntil: readonly Date[]
}

export type WebhookServices = {
  deliveries(filter: {
    accountId: string | null
    status: DeliverySummary['status'] | null
    limit: number
  }): Promise<readonly DeliverySummary[]>
  /** Sends a delivery again, now, whatever became of it. Throws `delivery_not_found`. */
  redeliver(id: string): Promise<DeliverySummary>
  /**
   * Makes a new secret. Each older one signs beside it until 24 hours after it was replaced, unless `revokeOld` ends them
   * now. Throws `account_not_found`, and `too_many_rotations` when too many older secrets sign already.
   */
  rotateSecret(accountId: string, options: { revokeOld: boolean }): Promise<RotatedWebhookSecret>
}

export type PlatformServices = {
  facts(): PlatformFacts
  health(): Promise<Health>
  operatorStatus(): Promise<OperatorStatus>
  transfers(filter: { status: TransferStatus | null; limit: number }): Promise<readonly TransferSummary[]>
  /** Re-arms a failed or held transfer. Throws `transfer_not_found`, `transfer_not_retryable`. */
  retryTransfer(id: string): Promise<TransferSummary>
}

/** Only where SANDBOX is on; each throws `sandbox_only` elsewhere. */
export type SandboxServices = {
  advanceClock(seconds: number): Promise<{ now: Date }>
  /**
   * Pays an intent of the caller's from a wallet of the sandbox, by a real transaction. `asset` is used before a
   * selection only. Throws `intent_not_found`, `asset_not_accepted`, `amount_too_large`.
   */
  simulateDeposit(
    caller: Tenant,
    input: { index: number; kind: SimulatedDeposit; asset: Asset | null },
  ): Promise<{ signature: string; asset: Asset; amount: BaseUnits }>
  /** Base units of the asset to a wallet. */
  faucet(input: {
    network: Network
    address: Address
    asset: Asset
    amount: BaseUnits
  }): Promise<{ signature: string | null }>
}

export type AuditScope = {
  /** Deposit addresses ever handed out on the network. */
  readonly addresses: number
  readonly feePayer: Address
  readonly feePayerLamports: Lamports
}

export type AuditPage = {
  readonly addresses: readonly (AuditedAddress & {
    /** In its token accounts: rent, which goes to the fee payer when they are closed. */
    readonly tokenAccountLamports: Lamports
  })[]
  /** What the transactions of these addresses took from the fee payer, and brought it. */
  readonly feePayerSpent: Lamports
  readonly feePayerCollected: Lamports
  /** Where the next page begins; null at the end. */
  readonly nextIndex: number | null
}

/** Conservation in production: every address derived anew, and its books beside the chain. */
export type AuditServices = {
  /** Null where the deployment does not serve the network. Throws `chain_unavailable`. */
  scope(network: Network): Promise<AuditScope | null>
  /** Throws `network_unavailable`, `chain_unavailable`. */
  page(network: Network, page: { afterIndex: number; limit: number }): Promise<AuditPage>
  /** Addresses from which nothing is sent, the newest first; with `open: false` those that are over as well. */
  halts(filter: { network: Network | null; open: boolean; limit: number }): Promise<readonly Halt[]>
  /**
   * Lets an address send again although its books are not what the chain says, and not be halted for these very
   * differences any more. Throws `halt_not_found`, `invalid_request` without a reason.
   */
  clearHalt(id: string, reason: string): Promise<Halt>
}

/** Money that waits for a person. For the operator. */
export type HeldServices = {
  payments(filter: {
    network: Network | null
    accountId: string | null
    limit: number
  }): Promise<readonly HeldPayment[]>
  /**
   * Tokens that are not allowed and were seen at deposit addresses, the latest first. `intent` is an index or an id.
   * Throws `intent_not_found`.
   */
  unaccepted(filter: {
    network: Network | null
    intent: string | null
    limit: number
  }): Promise<readonly UnacceptedToken[]>
  /** The newest first. */
  releases(filter: { network: Network | null; limit: number }): Promise<readonly Release[]>
  /**
   * Sends what is held of an asset at a payment's address, and claimed by no transfer, to a wallet. `intent` is an index
   * or an id. A repeat while that is under way answers with the same one. Throws `intent_not_found`, `nothing_held`,
   * `held_money_claimed`, `held_money_not_final`, `release_in_progress`, `invalid_address`, `invalid_mint`,
   * `mint_not_supported`, and `invalid_request` without a reason.
   */
  release(order: { intent: string; asset: Asset; to: Address; reason: string }): Promise<readonly Release[]>
}

export type Services = {
  readonly intents: IntentServices
  readonly accounts: AccountServices
  readonly tokens: TokenServices
  readonly custodians: CustodianServices
  readonly platform: PlatformServices
  readonly audit: AuditServices
  readonly held: HeldServices
  readonly webhooks: WebhookServices
  readonly sandbox: SandboxServices
}
