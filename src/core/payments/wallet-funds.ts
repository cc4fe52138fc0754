// Judges whether a buyer's wallet can pay what is due, before the wallet signs.
import { type AccountState, type Address, type Asset, SOL } from '#core/chain/types.ts'
import { type BaseUnits, type Lamports, makeBaseUnits, makeLamports } from '#core/money/amounts.ts'
import { feeOfSignatures } from '#core/transfers/plan.ts'

/** The accounts of a payment as they were read; null for a missing account. For SOL, only the wallet counts. */
export type PayingAccounts = {
  readonly wallet: AccountState | null
  /** The token account of the wallet. */
  readonly source: AccountState | null
  /** The token account of the deposit address. The wallet pays for it where it is missing. */
  readonly receiver: AccountState | null
}

/** In lamports: the rent minimum of an account without data, and of a token account. */
export type Rents = { readonly wallet: bigint; readonly tokenAccount: bigint }

/**
 * Returns whether the wallet holds the amount that leaves it, in base units, the network fee and the rent of a new token account. The chain refuses a
 * payment that leaves the wallet less SOL than the rent minimum, unless it leaves none.
 */
export function canPay(
  owner: Address,
  { asset, amount }: { readonly asset: Asset; readonly amount: bigint },
  accounts: PayingAccounts,
  rent: Rents,
): boolean {
  const isNative = asset === SOL
  const { amount: held, cost } = fundsOf(owner, asset, accounts, rent)
  const lamports = accounts.wallet?.lamports ?? 0n
  const rest = lamports - cost - (isNative ? amount : 0n)
  if (rest !== 0n && rest < rent.wallet) return false
  return isNative || held >= amount
}

/** Returns what a wallet holds of an asset, in base units, and what a payment in it costs besides, in lamports. */
export function fundsOf(
  owner: Address,
  asset: Asset,
  { wallet, source, receiver }: PayingAccounts,
  rent: Rents,
): { readonly amount: BaseUnits; readonly cost: Lamports } {
  const makesAccount = asset !== SOL && receiver === null
  return {
    amount: asset === SOL ? makeBaseUnits(wallet?.lamports ?? 0n) : spendable(owner, source),
    cost: makeLamports(feeOfSignatures(1) + (makesAccount ? rent.tokenAccount : 0n)),
  }
}

/** Returns what the owner can move out of a token account, in base units: nothing while it is frozen, or not the owner's. */
const spendable = (owner: Address, account: AccountState | null): BaseUnits =>
  account?.token?.owner === owner && !account.token.frozen ? account.token.amount : makeBaseUnits(0n)
