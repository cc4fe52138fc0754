// The plan of a transaction: what it moves from its source. It is frozen before the first signature.
import type { Authority } from '#core/chain/keys.ts'
import type { Address, Asset, Lifetime, Network } from '#core/chain/types.ts'
import { type BaseUnits, divCeil, type Lamports, makeLamports } from '#core/money/amounts.ts'

/** In lamports. A priority fee above a thousandth of a SOL is a mistake. */
export const MAX_PRIORITY_FEE = 1_000_000n

/** The fee of one signature, in lamports. */
const SIGNATURE_FEE = 5_000n

/** The fee of the signatures of the fee payer and one authority, in lamports. */
export const SIGNATURE_FEES = 2n * SIGNATURE_FEE

/** The fee of the signatures and the largest priority fee, in lamports. */
export const FEE_ALLOWANCE = SIGNATURE_FEES + MAX_PRIORITY_FEE

/** The most compute units of a transaction without its legs, of one leg to an account that exists, and of one leg of SOL. */
const BASE_UNITS = 1_000n
const LEG_UNITS = 25_000n
export const SOL_LEG_UNITS = 300n

/**
 * Returns the highest fee of a transaction with this number of legs to accounts that exist, in lamports.
 * `computeUnitPrice` is in millionths of a lamport.
 */
export function highestFeeOf(legs: number, computeUnitPrice: bigint, legUnits = LEG_UNITS): bigint {
  const priorityFee = divCeil((BASE_UNITS + legUnits * BigInt(legs)) * computeUnitPrice, 1_000_000n)
  return SIGNATURE_FEES + (priorityFee < MAX_PRIORITY_FEE ? priorityFee : MAX_PRIORITY_FEE)
}

/** One movement within a transfer. `destination` is a wallet; for a token, its associated token account receives. */
export type Leg<Role extends string = string> = {
  /** The purpose of the leg, in a word of the subject. A receiver that requires a memo gets it as the memo. */
  readonly role: Role
  readonly destination: Address
  /** Base units of the transfer's asset. */
  readonly amount: BaseUnits
  readonly feeBps: number | null
}

/** The token of a transfer: its mint, the program that moves it, and its decimals. */
export type TokenDetails = {
  readonly mint: Address
  readonly tokenProgram: Address
  readonly decimals: number
}

type FromSource = {
  readonly network: Network
  /** The wallet whose asset moves. */
  readonly source: Address
  /** The token account of the source: its associated one unless another is named. */
  readonly sourceAccount?: Address
  /** Signs for the source: the source itself, or for a token its delegate. */
  readonly authority: Authority
  readonly lifetime: Lifetime
}

/** Moves an asset from its source to the destinations of the legs. Only its owner can move SOL. */
export type LegsPlan = FromSource & {
  readonly kind: 'legs'
  readonly asset: Asset
  readonly token: TokenDetails | null
  readonly legs: readonly Leg[]
  /**
   * A memo in front of the legs, by which the history of the source shows what the transaction paid. A pull has one: the key of
   * its transfer.
   */
  readonly memo?: string
}

/** Closes an emptied token account of the source; its rent goes to the fee payer. */
export type ClosePlan = FromSource & {
  readonly kind: 'close'
  readonly token: TokenDetails
  /** Whether withheld fees are collected into the mint first: without that, the account of a transfer-fee mint cannot close. */
  readonly harvestWithheld: boolean
}

export type TransactionPlan = LegsPlan | ClosePlan

/** Returns the signers of the transaction, each once: the fee payer and the authority. */
export const signersOf = ({ authority }: TransactionPlan, feePayer: Authority): readonly Authority[] =>
  authority.address === feePayer.address ? [feePayer] : [feePayer, authority]

/** Returns the fee of this number of signatures, in lamports. */
export const feeOfSignatures = (signers: number): Lamports => makeLamports(SIGNATURE_FEE * BigInt(signers))
