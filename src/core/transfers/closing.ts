// Closing an emptied token account, so that its rent goes back to the fee payer.
import type { AccountState } from '#core/chain/types.ts'
import { FEE_ALLOWANCE } from '#core/transfers/plan.ts'
import { type TransferView, UNFUNDED } from '#core/transfers/preflight.ts'

export type Closing =
  | { readonly is: 'go' | 'gone' }
  /** `lasts`: it may never end by itself. */
  | { readonly is: 'later'; readonly reason: string; readonly lasts: boolean }
  /** A person has to check the account. */
  | { readonly is: 'held'; readonly reason: string }

/** Returns whether an emptied token account can be closed now; `gone` when it no longer exists. */
export function judgeClose(
  source: AccountState | null,
  { feePayerLamports, rent }: Pick<TransferView, 'feePayerLamports' | 'rent'>,
): Closing {
  if (source === null) return { is: 'gone' }
  if (source.token?.frozen === true) return { is: 'held', reason: 'The emptied token account is frozen by its issuer.' }
  if (source.token === null || source.token.amount > 0n)
    return { is: 'later', reason: 'The emptied token account received tokens.', lasts: true }
  return feePayerLamports < FEE_ALLOWANCE + rent.wallet
    ? { is: 'later', reason: UNFUNDED.reason, lasts: false }
    : { is: 'go' }
}
