// A stored approve, or revocation: prepared for a wallet, signed by its owner, and watched until it is final or cannot land any more.
// docs/billing.md, "Sponsored transactions".
import type { SponsoredPlan } from '#core/billing/approve.ts'
import type { Delegation } from '#core/billing/delegation.ts'
import type { NewTerms, TermOrder } from '#core/billing/term-change.ts'
import type { Network, ObservedTransaction, Signature } from '#core/chain/types.ts'
import type { BaseUnits, Lamports } from '#core/money/amounts.ts'
import { ledgerOf } from '#core/transfers/ledger.ts'
import type { AttemptOutcome, NewLedgerEntry, StoredTransaction } from '#core/transfers/transfer.ts'

/** An approve in one of these states may still land. A delegation has at most one. */
export const LIVE_APPROVAL_STATES = ['prepared', 'sent'] as const
export const APPROVAL_STATES = [...LIVE_APPROVAL_STATES, 'final_ok', 'final_err', 'dead'] as const
/** `sent`: the service has the signature of the owner. A wallet can send a `prepared` one by itself. */
export type ApprovalState = (typeof APPROVAL_STATES)[number]

export const isLiveApproval = ({ state }: Pick<Approval, 'state'>): boolean => state === 'prepared' || state === 'sent'

/** The kind of the ledger entries of an approve, and of its subject. */
export const APPROVAL = 'approval'

/**
 * What takes effect when an approve is final: a checkout is completed, or the terms of a running subscription change. A
 * revocation is stored in the same way, and ends the allowance.
 */
export type ApprovalPurpose =
  | { readonly kind: 'checkout'; readonly intentId: string }
  | TermChangePurpose
  | { readonly kind: 'revoke' }

export type TermChangePurpose = {
  readonly kind: TermOrder['kind']
  /** The version of the subscription that the change was judged by. */
  readonly subscriptionVersion: number
  readonly agreed: NewTerms
}

export type Approval = StoredTransaction & {
  readonly id: string
  readonly network: Network
  readonly delegationId: string
  readonly purpose: ApprovalPurpose
  /** The subscription, also when a checkout has only reserved its id. */
  readonly subscriptionId: string
  /** The business that it is for; for a seller, its marketplace. */
  readonly businessId: string
  /** The new allowance in base units; zero for a revocation. */
  readonly total: BaseUnits
  readonly state: ApprovalState
  /** The most that it costs the fee payer. */
  readonly spendCost: Lamports
}

export type NewApproval = Omit<Approval, 'wire' | 'state' | 'signature'>

/** An approve that the fee payer has signed: a wallet may have it. */
export type SponsoredApproval = Approval & { readonly signature: Signature }
export const isSponsored = (approval: Approval): approval is SponsoredApproval => approval.signature !== null

/** The end of an approve. `dead` only after proof that it cannot land. */
export type ApprovalEnd = Pick<AttemptOutcome, 'slot' | 'at'> & {
  readonly approvalId: string
  readonly state: AttemptOutcome['attemptState']
  readonly error: string | null
}

/**
 * How approves end. `expired`: the owner has signed, and the transaction has not landed in time, or the signature came after its end.
 * `unsigned`: the service got no signature.
 */
export const APPROVAL_ENDS = ['landed', 'failed', 'expired', 'unsigned'] as const
export type ApprovalEnds = Readonly<Record<(typeof APPROVAL_ENDS)[number], number>>

/** Returns what the transaction does, as it was signed by the fee payer. */
export function planOfApproval(
  { network, purpose, total, lifetime }: Pick<Approval, 'network' | 'purpose' | 'total' | 'lifetime'>,
  { wallet, mint, tokenProgram, decimals }: Pick<Delegation, 'wallet' | 'mint' | 'tokenProgram' | 'decimals'>,
): SponsoredPlan {
  const plan = { network, owner: wallet, token: { mint, tokenProgram, decimals }, lifetime }
  return purpose.kind === 'revoke' ? { kind: 'revoke', ...plan } : { kind: 'approve', ...plan, total }
}

/** Returns the end of an approve whose transaction is final. */
export const endOfTransaction = (
  { id }: Pick<Approval, 'id'>,
  transaction: ObservedTransaction,
  at: Date,
): ApprovalEnd => ({
  approvalId: id,
  state: transaction.error === null ? 'final_ok' : 'final_err',
  slot: transaction.slot,
  error: transaction.error,
  at,
})

/** Returns the entry of the fee that the final transaction of an approve took. */
export const ledgerOfApproval = (
  { id, network, businessId }: Pick<Approval, 'id' | 'network' | 'businessId'>,
  transaction: ObservedTransaction,
): readonly NewLedgerEntry[] =>
  ledgerOf(transaction, new Set([transaction.feePayer]), {
    network,
    kind: APPROVAL,
    subjectId: id,
    transferId: null,
    sponsoredId: businessId,
  })
