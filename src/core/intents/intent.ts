// A payment intent: one price in US cents, to be paid at one deposit address. Spec: "PaymentIntent".
import type { Address, Asset, Network, Signature } from '#core/chain/types.ts'
import type { Obstacle } from '#core/intents/obstacle.ts'
import type { BaseUnits, BasisPoints, UsdCents } from '#core/money/amounts.ts'
import type { LegRole } from '#core/transfers/plan.ts'

export const INTENT_STATUSES = [
  'pending',
  'underpaid',
  'paid',
  'overpaid',
  'settling',
  'swept',
  'refunding',
  'refunded',
  'cancelled',
  'settle_failed',
  'refund_failed',
] as const
export type IntentStatus = (typeof INTENT_STATUSES)[number]

/** The fixed window in which an intent can be paid. Spec: "Limits". */
export const CHECKOUT_WINDOW_SECONDS = 600

export type PostalAddress = {
  readonly line1?: string
  readonly line2?: string
  readonly city?: string
  readonly state?: string
  readonly postal_code?: string
  /** ISO 3166-1 alpha-2. */
  readonly country?: string
}

export type CustomerDetails = {
  readonly first_name?: string
  readonly last_name?: string
  readonly email?: string
  readonly address?: PostalAddress
}

/** The buyer's choice of asset and the amount that it locked. */
export type Selection = {
  readonly asset: Asset
  readonly decimals: number
  readonly expected: BaseUnits
}

export type SettlementLeg = {
  readonly role: LegRole
  readonly destination: Address
  /** null for SOL. */
  readonly mint: Address | null
  /** Display symbol. */
  readonly asset: string
  readonly decimals: number
  /** Base units that arrived there. */
  readonly amount: BaseUnits
  readonly feeBps: number | null
  readonly signature: Signature
}

/** What really landed where, in base units; the legs add up to what was received. Spec: "Settlement object". */
export type Settlement = {
  readonly asset: string
  readonly decimals: number
  readonly destinationAmount: BaseUnits
  readonly platformFeeAmount: BaseUnits
  readonly signatures: readonly Signature[]
  readonly legs: readonly SettlementLeg[]
}

export const TOKEN_REFUND_STATUSES = ['pending', 'settling', 'refunded', 'failed'] as const

export type TokenRefund = {
  readonly mint: string
  readonly status: (typeof TOKEN_REFUND_STATUSES)[number]
}

export const LATE_PAYMENT_STATUSES = ['held', 'pending', 'settling', 'refunded', 'failed'] as const

export type LatePayment = {
  /** null for SOL. */
  readonly mint: string | null
  readonly amount: BaseUnits
  readonly status: (typeof LATE_PAYMENT_STATUSES)[number]
  /** The payment's own transaction. */
  readonly signature: Signature
}

/** Money that lies at the address until a person decides: it is nobody's who is known, or cannot go back. */
export type HeldMoney = {
  /** null for SOL. */
  readonly mint: string | null
  /** Base units. */
  readonly amount: BaseUnits
  /** For people. */
  readonly reason: string
}

export type PaymentIntent = {
  readonly id: string
  readonly network: Network
  readonly accountId: string
  readonly callerAccountId: string
  readonly derivationIndex: number
  readonly address: Address
  readonly priceUsdCents: UsdCents
  readonly acceptedAssets: readonly Asset[]
  /** null until the buyer, or an early payment, chose. */
  readonly selection: Selection | null
  /** Base units of the selected asset received so far, at least confirmed. */
  readonly received: BaseUnits
  readonly status: IntentStatus
  readonly statusReason: string | null
  readonly reference: string | null
  readonly expiresAt: Date
  readonly refundSender: Address | null
  readonly marketplaceFeeBps: BasisPoints | null
  readonly payeeLabel: string
  readonly customerDetails: CustomerDetails | null
  readonly settlement: Settlement | null
  readonly tokenRefunds: readonly TokenRefund[]
  readonly latePayments: readonly LatePayment[]
  readonly held: readonly HeldMoney[]
  /** Grows with every change. */
  readonly version: number
  readonly createdAt: Date
  readonly updatedAt: Date
}

/** One sender of a deposit: a signer whose balance of the asset fell in its transaction. */
export type Sender = {
  readonly address: Address
  readonly amount: BaseUnits
  /** Set when nothing is returned there automatically. */
  readonly obstacle?: Obstacle
}

/** Money seen arriving at a deposit address, by one transaction, in one asset. */
export type Deposit = {
  readonly network: Network
  readonly intentId: string
  readonly account: Address
  readonly asset: Asset
  readonly amount: BaseUnits
  readonly signature: Signature
  readonly slot: bigint
  readonly blockTime: Date | null
  readonly senders: readonly Sender[]
  readonly state: 'confirmed' | 'final' | 'dropped'
  readonly use: 'applied' | 'wrong_asset' | 'late' | 'held'
  readonly seenAt: Date
}
