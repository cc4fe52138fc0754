// The failure codes of transactions of charges that failed on the chain, and of charges whose transactions never landed.
// docs/billing.md, "Charges".
import type { FailureCode } from '#core/billing/charge.ts'
import { createsPayout, failureOfPull, type Pull, UNPAYABLE } from '#core/billing/charge-preflight.ts'
import { isRecord } from '#core/json.ts'
import type { TransferView } from '#core/transfers/preflight.ts'
import type { Attempt } from '#core/transfers/transfer.ts'

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
