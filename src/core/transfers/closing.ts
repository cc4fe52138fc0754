// Closing an emptied token account, so that its rent goes back to the fee payer.
import type { AccountState } from '#core/chain/types.ts'
import { FEE_ALLOWANCE } from '#core/transfers/plan.ts'
import { type TransferView, UNFUNDED } from '#core/transfers/preflight.ts'

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
