// The accounts of a transfer as they were read before an attempt, and the checks that every kind of transfer shares.
import { type AccountState, type Address, type Asset, SOL } from '#core/chain/types.ts'
import type { Lamports } from '#core/money/amounts.ts'
import { FEE_ALLOWANCE } from './plan.ts'
import type { Transfer } from './transfer.ts'

/**
 * The largest size of a new token account, in bytes: 166 with the type of the account, its immutable owner, and what the allowed
 * extensions of a mint add to it: withheld fees, a hook and a pause.
 */
export const TOKEN_ACCOUNT_BYTES = 166 + 4 + 12 + 5 + 4

const CLASSIC_PROGRAM = 'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA'
const CLASSIC_ACCOUNT_BYTES = 165

/** What an extension of a mint adds to an account, in bytes. */
const EXTENSION_BYTES: Readonly<Record<string, number>> = { 'transfer-fee-config': 12, 'transfer-hook': 5, pausable: 4 }

/** Returns the size of a new associated account of a token, in bytes; the largest one where its extensions are not known. */
export function tokenAccountBytes(tokenProgram: string, extensions: readonly string[] | null): number {
  if (tokenProgram === CLASSIC_PROGRAM) return CLASSIC_ACCOUNT_BYTES
  if (extensions === null) return TOKEN_ACCOUNT_BYTES
  return extensions.reduce((bytes, name) => bytes + (EXTENSION_BYTES[name] ?? 0), 166 + 4)
}

export const SYSTEM_PROGRAM = '11111111111111111111111111111111'

/** The accounts that a transfer touches, as they were read. */
export type TransferView = {
  /** The slot of the provider's answer. Another provider may have read the accounts at a later one. */
  readonly slot: bigint
  /** The account that the asset leaves: the source itself for SOL, its token account for a token. */
  readonly source: AccountState | null
  /** Wallets by address; null for a wallet without an account. */
  readonly destinations: ReadonlyMap<Address, AccountState | null>
  /** The receiving token accounts, by wallet; null for an account that does not exist yet. Empty for SOL. */
  readonly receivers: ReadonlyMap<Address, AccountState | null>
  readonly feePayerLamports: bigint
  /** The chain's rent minimum of an account without data, and of a token account. */
  readonly rent: { readonly wallet: bigint; readonly tokenAccount: bigint }
}

/** Returns whether the fee payer can pay for the transfer, even when every receiver needs a new token account. */
export function isAffordable(
  { asset, legs }: Pick<Transfer, 'asset' | 'legs'>,
  { feePayerLamports, rent }: Pick<TransferView, 'feePayerLamports' | 'rent'>,
): boolean {
  const accounts = asset === SOL ? 0n : rent.tokenAccount * BigInt(legs.length)
  return feePayerLamports >= FEE_ALLOWANCE + accounts + rent.wallet
}

/** Returns whether the balance of the source covers the legs. This is so until they land. */
export function coversLegs(source: AccountState | null, { asset, legs }: Pick<Transfer, 'asset' | 'legs'>): boolean {
  const total = legs.reduce((sum, { amount }) => sum + amount, 0n)
  return balanceOf(source, asset) >= total
}

/** Returns the balance in base units. */
export const balanceOf = (account: AccountState | null, asset: Asset): bigint =>
  asset === SOL ? (account?.lamports ?? 0n) : (account?.token?.amount ?? 0n)

/** Returns why a transfer of a token waits for the issuer, for people. */
export const frozenText = ({ sourceAccount }: Pick<Transfer, 'sourceAccount'>): string =>
  sourceAccount === null
    ? 'The deposit address’s token account is frozen by its issuer.'
    : `The token account ${sourceAccount} of the deposit address is frozen by its issuer.`

/** Why a transfer is not attempted now. `reason` is for people. */
export type Delay = {
  readonly reason: string
  readonly afterMs: number
  /** Set when it waits for a budget: what is kept for its next attempt before later transfers; 0 where nothing is kept. */
  readonly budgetWaitCost?: Lamports | null
}

/** The delay of a transfer that waits for a change outside the service. */
export const TRY_AGAIN_MS = 5_000

/** A provider may be behind. Otherwise a transaction left the address that the ledger does not have: the reconciliation halts it. */
export const BELOW_BOOKS: Delay = {
  reason: 'The chain holds less at its address than the ledger says.',
  afterMs: TRY_AGAIN_MS,
}

/** After a failover of the database: a transaction is under way, its row is lost, or no provider has the whole history. */
export const UNBOOKED: Delay = {
  reason:
    'Since the database was replaced, its address may have a transaction of the service that is not in the ledger.',
  afterMs: TRY_AGAIN_MS,
}

export const UNFUNDED: Delay = { reason: 'The fee payer has too little SOL: fund it.', afterMs: TRY_AGAIN_MS }

// Closing an emptied token account, so that its rent goes back to the fee payer.

export type Closing =
  | { readonly is: 'go' }
  /** The account does not exist, or another wallet may close it and has its rent. */
  | { readonly is: 'nothing' }
  /** `lasts`: it may never end by itself. */
  | { readonly is: 'later'; readonly reason: string; readonly lasts: boolean }
  /** A person has to check the account. */
  | { readonly is: 'held'; readonly reason: string }

/** Returns whether an emptied token account can be closed now. */
export function judgeClose(
  source: AccountState | null,
  { feePayerLamports, rent }: Pick<TransferView, 'feePayerLamports' | 'rent'>,
): Closing {
  if (source === null) return { is: 'nothing' }
  const { token } = source
  // The maker of another account than the associated one can keep the right to close it.
  if (token !== null && token.closeAuthority !== null && token.closeAuthority !== token.owner) return { is: 'nothing' }
  if (token?.frozen === true) return { is: 'held', reason: 'The emptied token account is frozen by its issuer.' }
  if (token === null || token.amount > 0n)
    return { is: 'later', reason: 'The emptied token account received tokens.', lasts: true }
  return feePayerLamports < FEE_ALLOWANCE + rent.wallet
    ? { is: 'later', reason: UNFUNDED.reason, lasts: false }
    : { is: 'go' }
}
