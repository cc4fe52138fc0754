// The check of a charge before an attempt, on the accounts as they were read: a charge that cannot succeed fails without a
// transaction. docs/billing.md, "Charges".

import { type AccountState, type Address, SOL } from '#core/chain/types.ts'
import { isRecord } from '#core/json.ts'
import { add, type BaseUnits } from '#core/money/amounts.ts'
import { payoutWithoutAccount } from '#core/transfers/payout-creation.ts'
import { type Delay, isAffordable, type TransferView, UNFUNDED } from '#core/transfers/preflight.ts'
import type { Attempt, NewTransfer } from '#core/transfers/transfer.ts'
import type { FailureCode } from './charge.ts'
import { type AllowanceState, allowanceState } from './delegation-state.ts'

type Pull = Pick<NewTransfer, 'source' | 'asset' | 'authority' | 'legs'>

const UNPAYABLE = 'destination_unavailable'

type ChargePreflight =
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
const failureOfPull = (pull: Pull, view: Pick<TransferView, 'source' | 'receivers'>): FailureCode | null =>
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

// The failure codes of transactions of charges that failed on the chain, and of charges whose transactions never landed.
// docs/billing.md, "Charges".

/**
 * Returns the code of a failed transaction. `view` is how the accounts are after it; null when they are not known. The accounts
 * decide, because one error of a token program has several causes. Where they have changed since the failure, the code is one
 * that a retry may end: the next preflight finds a cause that lasts. A missing payout account, which the next attempt may create,
 * is the cause of an error about an account only.
 */
export function failureOfTransaction(
  error: string,
  pull: Pull,
  view: Pick<TransferView, 'source' | 'receivers'> | null,
): FailureCode {
  const cause = causeOf(error)
  if (view === null) return TEMPORARY[cause]
  const isUnpayable = cause === 'account' && createsPayout(pull, view)
  return failureOfPull(pull, view) ?? (isUnpayable ? UNPAYABLE : TEMPORARY[cause])
}

type Cause = 'funds' | 'frozen' | 'delegate' | 'account' | 'fee_payer' | 'other'

const TEMPORARY: Readonly<Record<Cause, FailureCode>> = {
  funds: 'insufficient_funds',
  frozen: 'account_frozen',
  delegate: 'chain_unavailable',
  account: 'chain_unavailable',
  fee_payer: 'chain_unavailable',
  other: 'platform_error',
}

/** Errors of both token programs, by number. */
const TOKEN_ERRORS: ReadonlyMap<number, Cause> = new Map([
  // InsufficientFunds: of the balance, or of the allowance.
  [1, 'funds'],
  // OwnerMismatch: no delegate, or another one.
  [4, 'delegate'],
  // UninitializedState
  [9, 'account'],
  // AccountFrozen: the source, or a receiver.
  [17, 'frozen'],
])

/** Errors of the runtime about one instruction. */
const ACCOUNT_ERRORS: ReadonlySet<string> = new Set([
  'InvalidAccountData',
  'UninitializedAccount',
  'InvalidAccountOwner',
  'IncorrectProgramId',
  'IllegalOwner',
])
/** Errors of the runtime about the whole transaction. */
const FEE_PAYER_ERRORS: ReadonlySet<string> = new Set(['InsufficientFundsForFee', 'InsufficientFundsForRent'])

/** Reads the JSON of an error, e.g. `{"InstructionError":[4,{"Custom":1}]}`. */
function causeOf(error: string): Cause {
  const parsed = parse(error)
  if (typeof parsed === 'string') return FEE_PAYER_ERRORS.has(parsed) ? 'fee_payer' : 'other'
  if (!isRecord(parsed)) return 'other'
  if (Object.keys(parsed).some((name) => FEE_PAYER_ERRORS.has(name))) return 'fee_payer'
  const { InstructionError: failed } = parsed
  const reason: unknown = Array.isArray(failed) ? failed[1] : null
  if (typeof reason === 'string') return ACCOUNT_ERRORS.has(reason) ? 'account' : 'other'
  const number = isRecord(reason) ? reason.Custom : null
  return (typeof number === 'number' ? TOKEN_ERRORS.get(number) : undefined) ?? 'other'
}

function parse(error: string): unknown {
  try {
    return JSON.parse(error)
  } catch {
    return error
  }
}

/**
 * Returns the code of a charge that is given up after its last attempt: the chain did not take it, or the signer refused
 * its message.
 */
export const failureOfGivingUp = ({ signature }: Pick<Attempt, 'signature'>): FailureCode =>
  signature === null ? 'platform_error' : 'chain_unavailable'
