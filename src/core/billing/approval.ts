// A stored approve, or revocation: prepared for a wallet, signed by its owner, and watched until it is final or cannot land any more.
// docs/billing.md, "Sponsored transactions".

import type { Address, Lifetime, Network, ObservedTransaction, Signature } from '#core/chain/types.ts'
import type { BaseUnits, Lamports } from '#core/money/amounts.ts'
import { ledgerOf } from '#core/transfers/ledger.ts'
import type { TokenDetails } from '#core/transfers/plan.ts'
import type { AttemptOutcome, NewLedgerEntry, StoredTransaction } from '#core/transfers/transfer.ts'
import type { Delegation } from './delegation.ts'
import type { NewTerms, TermOrder } from './term-change.ts'

// A sponsored transaction: by an approve the owner of a token account lets the service pull from it, and by a revocation the
// owner ends that. The fee payer signs it first, so the owner needs no SOL. docs/billing.md, "Sponsored transactions".

/** What a sponsored transaction does to the associated token account of `owner`. */
export type SponsoredPlan = ApprovePlan | RevokePlan

type OwnersPlan = {
  readonly network: Network
  readonly owner: Address
  readonly token: TokenDetails
  readonly lifetime: Lifetime
}

/** Sets the allowance of the network's delegate. */
export type ApprovePlan = OwnersPlan & {
  readonly kind: 'approve'
  /** The new allowance, which replaces the old one. Base units. */
  readonly total: BaseUnits
}

/** Removes the delegate with its allowance. */
export type RevokePlan = OwnersPlan & { readonly kind: 'revoke' }

/** The stored message of a sponsored transaction, with its signature by the fee payer, which is the id of the transaction. */
export type SponsoredMessage = {
  readonly message: Uint8Array
  readonly owner: Address
  readonly feePayerSignature: Uint8Array
}

type OwnerSigned = { readonly wire: Uint8Array } | { readonly refused: string }

/** Returns whether `signature` is the wallet's Ed25519 signature of `message`. */
export type VerifySignature = (wallet: Address, message: Uint8Array, signature: Uint8Array) => boolean

const SIGNATURE_BYTES = 64
/** The fee payer and the owner. */
const SIGNERS = 2
const MESSAGE_AT = 1 + SIGNERS * SIGNATURE_BYTES

/**
 * Accepts the transaction that a wallet returns: the stored message, byte for byte, with the stored signature of the fee
 * payer and a valid signature of the owner, and nothing else. Then the transaction has the effect that was stored, whatever
 * the wallet did. Refuses with a reason for people.
 */
export function acceptOwnerSigned(
  { message, owner, feePayerSignature }: SponsoredMessage,
  wire: Uint8Array,
  verify: VerifySignature,
): OwnerSigned {
  if (wire[0] !== SIGNERS) return { refused: 'The transaction does not have two signatures.' }
  if (!isSame(wire.subarray(MESSAGE_AT), message))
    return { refused: 'The transaction is not the one that was prepared.' }
  if (!isSame(wire.subarray(1, 1 + SIGNATURE_BYTES), feePayerSignature))
    return { refused: 'The signature of the fee payer was changed.' }
  if (!verify(owner, message, wire.subarray(1 + SIGNATURE_BYTES, MESSAGE_AT)))
    return { refused: 'The wallet has not signed the transaction.' }
  return { wire }
}

/** Returns the message of a transaction with two signatures; no bytes when it is shorter than its signatures. */
export const messageOf = (wire: Uint8Array): Uint8Array => wire.subarray(MESSAGE_AT)

/** Returns the first signature of a transaction, which is that of the fee payer. */
export const feePayerSignatureOf = (wire: Uint8Array): Uint8Array => wire.subarray(1, 1 + SIGNATURE_BYTES)

const isSame = (a: Uint8Array, b: Uint8Array): boolean => a.length === b.length && a.every((byte, at) => byte === b[at])

/** The transaction for the wallet: it has the fee payer's signature, and 64 zero bytes in place of the owner's. */
export type SponsoredTransaction = { readonly wire: Uint8Array; readonly signature: Signature }

/** An approve in one of these states may still land. A delegation has at most one. */
export const LIVE_APPROVAL_STATES = ['prepared', 'sent'] as const
export const APPROVAL_STATES = [...LIVE_APPROVAL_STATES, 'final_ok', 'final_err', 'dead'] as const
/** `sent`: the service has the signature of the owner. A wallet can send a `prepared` one by itself. */
type ApprovalState = (typeof APPROVAL_STATES)[number]

export const isLiveApproval = ({ state }: Pick<Approval, 'state'>): boolean => state === 'prepared' || state === 'sent'

/** The kind of the ledger entries of an approve, and of its subject. */
export const APPROVAL = 'approval'

/**
 * What takes effect when an approve is final: a checkout is completed, or the terms of a running subscription change. A
 * revocation is stored in the same way, and ends the allowance.
 */
export type ApprovalPurpose = CheckoutPurpose | TermChangePurpose | { readonly kind: 'revoke' }

/** `trialDays`: the trial that the wallet agreed to; 0 without one. */
export type CheckoutPurpose = { readonly kind: 'checkout'; readonly intentId: string; readonly trialDays: number }

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
const APPROVAL_ENDS = ['landed', 'failed', 'expired', 'unsigned'] as const
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
