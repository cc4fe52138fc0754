// What the token account of a subscriber lets the service pull, as the chain shows it. docs/billing.md, "Authorization".
import type { AccountState, Address } from '#core/chain/types.ts'
import { type BaseUnits, ZERO } from '#core/money/amounts.ts'

/** `missing`: there is no account, or it belongs to another wallet now. Amounts are in base units of the mint. */
export type AllowanceState =
  | { readonly is: 'missing' }
  | {
      readonly is: 'open'
      readonly balance: BaseUnits
      readonly frozen: boolean
      /** null when the owner, or the spending of the whole allowance, has removed the delegate. */
      readonly delegate: Address | null
      readonly delegated: BaseUnits
    }

/** Returns the state of the associated token account of a wallet, from the account as it was read. */
export function allowanceState(
  account: AccountState | null,
  { wallet, mint }: { readonly wallet: Address; readonly mint: Address },
): AllowanceState {
  const token = account?.token ?? null
  if (token === null || token.owner !== wallet || token.mint !== mint) return { is: 'missing' }
  const { amount: balance, frozen, delegation } = token
  return {
    is: 'open',
    balance,
    frozen,
    delegate: delegation?.delegate ?? null,
    delegated: delegation?.allowance ?? ZERO,
  }
}

/** Returns the allowance of one delegate in base units: zero when the account has another delegate or none. */
export const allowanceOf = (state: AllowanceState, delegate: Address): BaseUnits =>
  state.is === 'open' && state.delegate === delegate ? state.delegated : ZERO
