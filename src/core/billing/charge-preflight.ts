// The check of a charge before an attempt, on the accounts as they were read: a charge that cannot succeed fails without a
// transaction. docs/billing.md, "Charges".
import { type AllowanceState, allowanceState } from '#core/billing/allowance.ts'
import type { FailureCode } from '#core/billing/charge.ts'
import type { AccountState, Address } from '#core/chain/types.ts'
import { SOL } from '#core/chain/types.ts'
import type { BaseUnits } from '#core/money/amounts.ts'
import { add } from '#core/money/amounts.ts'
import { payoutWithoutAccount } from '#core/transfers/payout-creation.ts'
import { type Delay, isAffordable, type TransferView, UNFUNDED } from '#core/transfers/preflight.ts'
import type { NewTransfer } from '#core/transfers/transfer.ts'

export type Pull = Pick<NewTransfer, 'source' | 'asset' | 'authority' | 'legs'>

export const UNPAYABLE = 'destination_unavailable'

export type ChargePreflight =
  | { readonly is: 'go' }
  /** It cannot succeed. */
  | { readonly is: 'failed'; readonly code: FailureCode }
  /** The service itself is not ready: no failure of the charge. */
  | { readonly is: 'later'; readonly delay: Delay }

/**
 * Judges a charge. `mayCreatePayout`: whether the fee payer may pay for a missing token account of the business, which it
 * does once in 30 days.
 */
export function judgeCharge(pull: Pull, view: TransferView, mayCreatePayout: boolean): ChargePreflight {
  const code = failureOfPull(pull, view) ?? (mayCreatePayout || !createsPayout(pull, view) ? null : UNPAYABLE)
  if (code !== null) return { is: 'failed', code }
  return isAffordable(pull, view) ? { is: 'go' } : { is: 'later', delay: UNFUNDED }
}

/** Returns why the accounts do not let the pull succeed; null when they do. Missing receivers can be created. */
export const failureOfPull = (pull: Pull, view: Pick<TransferView, 'source' | 'receivers'>): FailureCode | null =>
  failureOfSource(pull, view.source) ?? failureOfReceivers(pull, view)

function failureOfSource({ source, asset, authority, legs }: Pull, account: AccountState | null): FailureCode | null {
  if (asset === SOL) return 'platform_error'
  const amount = add(...legs.map((leg) => leg.amount))
  return failureOfAllowance(allowanceState(account, { wallet: source, mint: asset }), authority.address, amount)
}

/**
 * Returns why the account does not let the delegate pull an amount; null when it does. Causes that only a new approval
 * ends come before causes that time may end.
 */
function failureOfAllowance(state: AllowanceState, delegate: Address, amount: BaseUnits): FailureCode | null {
  if (state.is === 'missing') return 'account_closed'
  if (state.delegate === null) return 'delegate_revoked'
  if (state.delegate !== delegate) return 'delegate_replaced'
  if (state.delegated < amount) return 'allowance_insufficient'
  if (state.frozen) return 'account_frozen'
  return state.balance < amount ? 'insufficient_funds' : null
}

function failureOfReceivers({ source, asset, legs }: Pull, { receivers }: Pick<TransferView, 'receivers'>) {
  const blocked = legs.filter(({ destination }) => {
    const token = receivers.get(destination)?.token ?? null
    const isForeign = token !== null && (token.owner !== destination || token.mint !== asset)
    return destination === source || isForeign || token?.frozen === true
  })
  if (blocked.some(({ role }) => role === 'payout')) return UNPAYABLE
  // The platform's account is the operator's to repair.
  return blocked.length > 0 ? 'platform_error' : null
}

/** Returns whether a transaction of the pull creates the token account of the business. */
export const createsPayout = (pull: Pick<Pull, 'asset' | 'legs'>, view: Pick<TransferView, 'receivers'>): boolean =>
  payoutWithoutAccount(pull, view, ({ role }) => role === 'payout') !== null
