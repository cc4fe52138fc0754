// A payment intent: one price in US cents, to be paid at one deposit address. Spec: "PaymentIntent".

import type { Address, Asset, Network, Signature } from '#core/chain/types.ts'
import type { BaseUnits, BasisPoints, UsdCents } from '#core/money/amounts.ts'
import type { Obstacle } from '#core/payments/returns/obstacle.ts'
import type { LegRole } from '#core/payments/transfers.ts'

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
  /** Base units for the business that were left behind at the address, and follow; zero when the figures are complete. */
  readonly pendingAmount: BaseUnits
  readonly signatures: readonly Signature[]
  readonly legs: readonly SettlementLeg[]
}

/** Money on its way back to its senders, or returned. */
export type Refund = {
  /** Base units: what arrived where a transfer is final, and what was planned where it is under way. */
  readonly amount: BaseUnits
  /** The newest transactions that are final, oldest first; empty until there is one. */
  readonly signatures: readonly Signature[]
}

/** The refund of what was paid for the price in one asset, in time or late. */
export type AssetRefund = Refund & {
  /** null for SOL. */
  readonly mint: string | null
}

export const TOKEN_REFUND_STATUSES = ['pending', 'settling', 'refunded', 'failed'] as const

export type TokenRefund = {
  readonly mint: string
  readonly status: (typeof TOKEN_REFUND_STATUSES)[number]
  /** Base units of the mint that arrived, in all payments together. */
  readonly amount: BaseUnits
  /** null while none is planned. */
  readonly refund: Refund | null
}

export const LATE_PAYMENT_STATUSES = ['held', 'pending', 'settling', 'refunded', 'failed'] as const

/** One late payment, or all payments of an asset and a status that are too small to return. */
export type LatePayment = {
  /** null for SOL. */
  readonly mint: string | null
  readonly amount: BaseUnits
  readonly status: (typeof LATE_PAYMENT_STATUSES)[number]
  /** The payment's own transaction, the newest of several. */
  readonly signature: Signature
  /** How many payments this is. */
  readonly count: number
  /** null while none is planned. */
  readonly refund: Refund | null
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

/** The entries of a list of one mint, added up. */
export type MintTotal = {
  /** null for SOL. */
  readonly mint: string | null
  readonly amount: BaseUnits
  readonly count: number
}

/** A list that is longer than what is shown of it. */
export type ListTotal = {
  /** All entries, those that are shown among them. */
  readonly count: number
  /** All entries by mint, of the newest mints. */
  readonly totals: readonly MintTotal[]
}

/** null for a list that is shown whole. */
export type ListTotals = {
  readonly tokenRefunds: ListTotal | null
  readonly latePayments: ListTotal | null
  readonly held: ListTotal | null
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
  /** What was paid for the price and goes back, by asset. */
  readonly refunds: readonly AssetRefund[]
  /** Of this list and the next two, the newest entries only, oldest first; `listTotals` has the rest. */
  readonly tokenRefunds: readonly TokenRefund[]
  readonly latePayments: readonly LatePayment[]
  readonly held: readonly HeldMoney[]
  readonly listTotals: ListTotals
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
  readonly use: 'applied' | 'wrong_asset' | 'late' | 'unaccepted'
  readonly seenAt: Date
  /** The version of the intent that first had it. Instances whose clocks differ agree by it on what came first. */
  readonly seenVersion: number
}
