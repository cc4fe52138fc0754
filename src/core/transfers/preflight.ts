// What one look at the chain shows of a transfer before it is attempted, and what follows for any of them.
import type { AccountState, Address } from '#core/chain/types.ts'
import { SOL } from '#core/chain/types.ts'
import { FEE_ALLOWANCE } from '#core/transfers/plan.ts'
import type { Transfer } from '#core/transfers/transfer.ts'

export const SYSTEM_PROGRAM = '11111111111111111111111111111111'

/** What was read of every account that a transfer touches. */
export type TransferView = {
  /** The account that the asset leaves: the source itself for SOL, its token account for a token. */
  readonly source: AccountState | null
  /** Wallets by address; null where there is none yet. */
  readonly destinations: ReadonlyMap<Address, AccountState | null>
  /** The token accounts that receive, by wallet; null where there is none yet. Empty for SOL. */
  readonly receivers: ReadonlyMap<Address, AccountState | null>
  readonly feePayerLamports: bigint
  /** The chain's rent minimum of an account without data, and of a token account. */
  readonly rent: { readonly wallet: bigint; readonly tokenAccount: bigint }
}

/** Returns what making the missing token accounts of its receivers costs, in lamports. */
export function rentOfReceivers(
  { asset, legs }: Pick<Transfer, 'asset' | 'legs'>,
  { receivers, rent }: Pick<TransferView, 'receivers' | 'rent'>,
): bigint {
  if (asset === SOL) return 0n
  const wallets = new Set(legs.map(({ destination }) => destination))
  return [...wallets].reduce(
    (sum, wallet) => ((receivers.get(wallet) ?? null) === null ? sum + rent.tokenAccount : sum),
    0n,
  )
}

/** Returns whether the fee payer can pay for the transfer, whatever accounts it has to make. */
export function isAffordable(
  { asset, legs }: Pick<Transfer, 'asset' | 'legs'>,
  { feePayerLamports, rent }: Pick<TransferView, 'feePayerLamports' | 'rent'>,
): boolean {
  const accounts = asset === SOL ? 0n : rent.tokenAccount * BigInt(legs.length)
  return feePayerLamports >= FEE_ALLOWANCE + accounts + rent.wallet
}

/** Returns whether the source holds what the legs move: before they land it must, and afterwards it does not. */
export function coversLegs(source: AccountState | null, { asset, legs }: Pick<Transfer, 'asset' | 'legs'>): boolean {
  const total = legs.reduce((sum, { amount }) => sum + amount, 0n)
  const balance = asset === SOL ? (source?.lamports ?? 0n) : (source?.token?.amount ?? 0n)
  return balance >= total
}

/** Why a transfer is not attempted now. `reason` is for people. */
export type Delay = { readonly reason: string; readonly afterMs: number }

/** How long a transfer waits that something outside keeps from being made. */
export const TRY_AGAIN_MS = 5_000

export const UNFUNDED: Delay = { reason: 'The fee payer has too little SOL: fund it.', afterMs: TRY_AGAIN_MS }
