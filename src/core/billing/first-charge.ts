// The first charge of a subscription, as the page of its checkout shows it. Spec: "Subscription resources".
import type { Charge, ChargeStatus, FailureCode, RecoveryAction } from '#core/billing/charge.ts'
import type { Signature } from '#core/chain/types.ts'
import { explorerUrlOf, recoveryActionOf } from './payload.ts'

export const FIRST_CHARGE_STATUSES = ['pending', 'succeeded', 'failed'] as const
export type FirstChargeStatus = (typeof FIRST_CHARGE_STATUSES)[number]

export type FirstCharge = {
  readonly status: FirstChargeStatus
  readonly failureCode: FailureCode | null
  /** For people. null while it has not failed. */
  readonly failureMessage: string | null
  readonly recoveryAction: RecoveryAction | null
  /** Whether it is never tried again: the subscription has failed. */
  readonly isGivenUp: boolean
  readonly signature: Signature | null
  readonly explorerUrl: string | null
}

/** A canceled first charge is never made: the subscription has failed, or was canceled. */
const STATUS: Readonly<Record<ChargeStatus, FirstChargeStatus>> = {
  pending: 'pending',
  submitted: 'pending',
  succeeded: 'succeeded',
  failed: 'failed',
  canceled: 'failed',
}

const MESSAGES: Readonly<Record<FailureCode, string>> = {
  insufficient_funds: 'The wallet does not hold enough tokens.',
  account_frozen: 'The token account of the wallet is frozen.',
  chain_unavailable: 'The network did not answer.',
  delegate_revoked: 'The allowance of the wallet was removed.',
  delegate_replaced: 'The wallet gave its allowance to another service.',
  allowance_insufficient: 'The allowance of the wallet is too low.',
  account_closed: 'The wallet has no account for the token any more.',
  destination_unavailable: 'The account of the business cannot receive the token.',
  platform_error: 'The charge could not be made.',
}

/**
 * Returns whether the first charge waits for a new authorization: the allowance was gone when it was made. Then the page of its
 * completed checkout prepares another one.
 */
export const needsReapproval = (charge: Charge | null): boolean =>
  charge?.status === 'failed' && recoveryActionOf(charge) === 'reapprove'

/** Returns the first charge as it is shown. `chain` is the chain of the charge, as `walletChainOf` names it. */
export const firstChargeOf = (charge: Charge, chain: string): FirstCharge => ({
  status: STATUS[charge.status],
  failureCode: charge.failureCode,
  failureMessage: charge.failureCode === null ? null : MESSAGES[charge.failureCode],
  recoveryAction: charge.status === 'canceled' ? 'none' : recoveryActionOf(charge),
  isGivenUp: charge.status === 'canceled',
  signature: charge.signature,
  explorerUrl: explorerUrlOf(charge.signature, chain),
})
