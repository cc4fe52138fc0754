// The held money of all businesses, and its releases by the operator.
import type { Address, Asset, Network, Signature } from '#core/chain/types.ts'
import type { BaseUnits } from '#core/money/amounts.ts'
import type { HeldMoney } from '#core/payments/parts.ts'
import type { IntentStatus } from '#core/payments/payment-intent.ts'
import type { TransferStatus } from '#core/transfers/transfer.ts'

/** A payment with held money. */
export type HeldPayment = {
  readonly intentId: string
  readonly intentIndex: number
  readonly accountId: string
  readonly network: Network
  readonly address: string
  readonly status: IntentStatus
  readonly held: readonly HeldMoney[]
  readonly updatedAt: Date
}

/** The order of the operator, and its transfer. */
export type Release = {
  readonly transferId: string
  readonly intentId: string
  readonly intentIndex: number
  readonly network: Network
  readonly asset: Asset
  readonly round: number
  /** The amount that the wallet receives, in base units. */
  readonly amount: BaseUnits
  readonly to: Address
  /** The operator's reason. */
  readonly reason: string
  readonly releasedBy: string
  readonly releasedAt: Date
  readonly status: TransferStatus
  /** Why the transfer waits or failed. */
  readonly problem: string | null
  readonly signature: Signature | null
}

export type HeldStore = {
  /** Returns payments with held money, the latest change first. */
  payments(filter: {
    network: Network | null
    accountId: string | null
    limit: number
  }): Promise<readonly HeldPayment[]>
  find(by: { readonly id: string } | { readonly index: number }): Promise<{ id: string; network: Network } | null>
  /** Returns releases, the newest first. */
  releases(filter: { network?: Network; intentId?: string; limit: number }): Promise<readonly Release[]>
}
