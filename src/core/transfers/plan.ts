// What one transaction out of a source does, frozen before its first signature.
import type { Authority } from '#core/chain/keys.ts'
import type { Address, Asset, Lifetime, Network } from '#core/chain/types.ts'
import { type BaseUnits, type Lamports, makeLamports } from '#core/money/amounts.ts'

/** Lamports. More than a thousandth of a SOL for getting a transaction in sooner is a mistake, not a price. */
export const MOST_PRIORITY_FEE = 1_000_000n

/** Lamports that the chain takes for one signature. */
const SIGNATURE_FEE = 5_000n

/** Lamports that the chain takes for the signatures of the fee payer and of one authority. */
export const SIGNATURE_FEES = 2n * SIGNATURE_FEE

/** The signatures, and the most for being quick. */
export const FEE_ALLOWANCE = SIGNATURE_FEES + MOST_PRIORITY_FEE

/** One movement within a transfer. `destination` is a wallet; for a token, its associated token account receives. */
export type Leg<Role extends string = string> = {
  /** What the leg is for: a word of the subject's, which receivers that ask for a memo get to read. */
  readonly role: Role
  readonly destination: Address
  /** Base units of the transfer's asset. */
  readonly amount: BaseUnits
  readonly feeBps: number | null
}

/** The token side of a transfer: which program moves it, and how its mint counts. */
export type TokenDetails = {
  readonly mint: Address
  readonly tokenProgram: Address
  readonly decimals: number
}

type FromSource = {
  readonly network: Network
  /** The wallet whose asset moves. */
  readonly source: Address
  /** Signs for the source: the source itself, or for a token its delegate. */
  readonly authority: Authority
  readonly lifetime: Lifetime
}

/** Moves an asset from its source along the legs. SOL is moved by its owner only. */
export type LegsPlan = FromSource & {
  readonly kind: 'legs'
  readonly asset: Asset
  readonly token: TokenDetails | null
  readonly legs: readonly Leg[]
}

/** Closes an emptied token account of the source; its rent goes to the fee payer. */
export type ClosePlan = FromSource & {
  readonly kind: 'close'
  readonly token: TokenDetails
  /** Collect fees withheld in the account into the mint first, or a transfer-fee mint's account cannot close. */
  readonly harvestWithheld: boolean
}

export type TransactionPlan = LegsPlan | ClosePlan

/** Returns who signs the plan's transaction, each once: the fee payer, the authority, and a nonce's authority. */
export function signersOf({ authority, lifetime }: TransactionPlan, feePayer: Authority): readonly Authority[] {
  const all = [feePayer, authority, ...(lifetime.kind === 'nonce' ? [lifetime.authority] : [])]
  return all.filter((one, at) => all.findIndex(({ address }) => address === one.address) === at)
}

/** Returns what the chain takes for so many signatures, in lamports. */
export const feeOfSignatures = (signers: number): Lamports => makeLamports(SIGNATURE_FEE * BigInt(signers))
