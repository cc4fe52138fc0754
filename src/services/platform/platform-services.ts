// The use cases of the platform itself: its facts, its health, and what its operator reads and retries.
import type { Address, Asset, Network, Signature } from '#core/chain/types.ts'
import type { BasisPoints, Lamports } from '#core/money/amounts.ts'
import type { Spend, SpendBudget } from '#core/transfers/budget.ts'
import type { TransferStatus } from '#core/transfers/transfer.ts'
import type { ChainPace, ProviderCount, ProviderHealth } from '#ports/chain.ts'
import type { DepositSourceState } from '#ports/deposit-sources.ts'
import type { Queue } from '#ports/operator.ts'
import type { BillingStatus } from '#services/billing/status.ts'

export type PlatformFacts = {
  readonly cluster: string
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
  /** Seconds since the newest final block became final, or since its own time where that is longer ago. */
  readonly lagSeconds: number
  /** The network answers, but no further block becomes final. */
  readonly isStalled: boolean
  /** How far the clock of this machine is behind the network. Negative when it is ahead. */
  readonly clockBehindSeconds: number
  readonly providers: ProviderCount
  /** As the process that answers has found them. */
  readonly providerHealth: readonly ProviderHealth[]
  readonly pace: ChainPace
  /** How its deposits are found, and why; null until a worker has checked. */
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
  /** The work that waits, by name. */
  readonly queues: readonly Queue[]
  /** What refunds have cost the fee payer of each network lately, and what they may cost. */
  readonly refunds: readonly { readonly network: Network; readonly spend: Spend; readonly budget: SpendBudget }[]
  /** null while recurring billing is disabled. */
  readonly billing: BillingStatus | null
  /** Problems that need a person, each a sentence that says what to do. */
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

export type PlatformServices = {
  facts(): PlatformFacts
  health(): Promise<Health>
  operatorStatus(): Promise<OperatorStatus>
  transfers(filter: { status: TransferStatus | null; limit: number }): Promise<readonly TransferSummary[]>
  /** Re-arms a failed or held transfer. Throws `transfer_not_found`, `transfer_not_retryable`. */
  retryTransfer(id: string): Promise<TransferSummary>
}
