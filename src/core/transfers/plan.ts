// What one transaction out of a deposit address does, frozen before its first signature.
import type { Address, Asset, Network } from '#core/chain/types.ts'
import type { BaseUnits } from '#core/money/amounts.ts'

/** Lamports. More than a thousandth of a SOL for getting a transaction in sooner is a mistake, not a price. */
export const MOST_PRIORITY_FEE = 1_000_000n

/** Lamports that the chain asks for the signatures of the fee payer and of the deposit address. */
export const SIGNATURE_FEES = 2n * 5_000n

export const LEG_ROLES = ['seller', 'merchant', 'marketplace', 'platform', 'refund', 'release', 'network_fee'] as const
export type LegRole = (typeof LEG_ROLES)[number]

/** One payment within a transfer. `destination` is a wallet; for a token, its associated token account receives. */
export type Leg = {
  readonly role: LegRole
  readonly destination: Address
  /** Base units of the transfer's asset. */
  readonly amount: BaseUnits
  readonly feeBps: number | null
}

/** Which key signs: a deposit address of an account, or one of the service's own keys for a network. */
export type KeyPath =
  | { readonly network: Network; readonly branch: 'deposit'; readonly account: number; readonly intent: number }
  | { readonly network: Network; readonly branch: 'fee_payer' | 'delegate' | 'nonce_authority' }

/** The token side of a transfer: which program moves it, and how its mint counts. */
export type TokenDetails = {
  readonly mint: Address
  readonly tokenProgram: Address
  readonly decimals: number
}

type FromDeposit = {
  readonly network: Network
  readonly source: Address
  readonly sourceKey: KeyPath & { readonly branch: 'deposit' }
}

/** Moves an asset from a deposit address along its legs. For SOL the legs add up to the whole balance. */
export type LegsPlan = FromDeposit & {
  readonly kind: 'legs'
  readonly asset: Asset
  readonly token: TokenDetails | null
  readonly legs: readonly Leg[]
}

/** Closes an emptied token account of a deposit address; its rent goes to the fee payer. */
export type ClosePlan = FromDeposit & {
  readonly kind: 'close'
  readonly token: TokenDetails
  /** Collect fees withheld in the account into the mint first, or a transfer-fee mint's account cannot close. */
  readonly harvestWithheld: boolean
}

export type TransactionPlan = LegsPlan | ClosePlan
