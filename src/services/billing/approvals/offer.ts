// Offers an approve to a wallet: stores it, and returns the transaction with the signature of the fee payer. docs/billing.md,
// "Sponsored transactions".
import { type ApprovalPurpose, type NewApproval, planOfApproval, type SponsoredPlan } from '#core/billing/approval.ts'
import type { Delegation } from '#core/billing/delegation.ts'
import type { SponsoringLimit } from '#core/billing/sponsoring.ts'
import { blockHeightOf, blocksLeft } from '#core/chain/block-height.ts'
import type { Address } from '#core/chain/types.ts'
import { ServiceError } from '#core/errors.ts'
import type { BaseUnits } from '#core/money/amounts.ts'
import type { DecidedCheckout } from '#ports/checkouts.ts'
import type { CheckoutDeps } from '#services/billing/checkout/deps.ts'
import { delegateOf } from '#services/billing/decide.ts'
import { CHANGED_MEANWHILE } from '#services/retry-when-changed.ts'

/** A transaction for the wallet: it sets or ends the allowance, and has the signature of the fee payer. */
export type OfferedApprove = {
  readonly approvalId: string
  readonly subscriptionId: string
  readonly transaction: Uint8Array
  /** The new allowance of the wallet's token account. */
  readonly amount: BaseUnits
  readonly delegate: Address
  /**
   * The delegate that the token account has now, where it is not the key of the service: the approve takes its permission away. null
   * where the account has no other delegate.
   */
  readonly replacesDelegate: Address | null
  /** About when the transaction can no longer land, by the blocks that are left and the measured slot time. */
  readonly expiresAt: Date
}

export type WantedApprove = {
  readonly purpose: ApprovalPurpose
  readonly subscriptionId: string
  /** The business that it is for; for a seller, its marketplace. */
  readonly businessId: string
  /** The new allowance. */
  readonly total: BaseUnits
  /** The delegation as it is stored, or a new one; `decided` has it with a reading of this moment. */
  readonly delegation: Delegation
  readonly decided: DecidedCheckout
  /** When the owner got the text or the link by whose proof the approve is asked for; null without a proof. */
  readonly provenAt: Date | null
}

/** Stores what was decided with the approve. Throws `rate_limited` beyond the limits of sponsoring, and as `offerAgain` does. */
export async function offerApprove(
  deps: CheckoutDeps,
  wanted: WantedApprove,
): Promise<OfferedApprove | typeof CHANGED_MEANWHILE> {
  const offer = await offerWithinLimits(deps, wanted)
  if (isLimit(offer)) throw limited(deps, offer)
  return offer
}

export const isLimit = (offer: OfferedApprove | typeof CHANGED_MEANWHILE | SponsoringLimit): offer is SponsoringLimit =>
  offer !== CHANGED_MEANWHILE && 'until' in offer

/** Returns the error of a limit of sponsoring. */
export function limited({ clock }: Pick<CheckoutDeps, 'clock'>, { until }: SponsoringLimit): ServiceError {
  const waitMs = until.getTime() - clock.now().getTime()
  return new ServiceError('rate_limited', { retry_after_seconds: Math.max(1, Math.ceil(waitMs / 1_000)) })
}

/** Offers an approve as `offerApprove` does, and returns the limit of sponsoring that refuses the approve. */
export async function offerWithinLimits(
  deps: CheckoutDeps,
  { purpose, subscriptionId, businessId, total, delegation, decided, provenAt }: WantedApprove,
): Promise<OfferedApprove | typeof CHANGED_MEANWHILE | SponsoringLimit> {
  const { network } = delegation
  const chain = deps.chainOf(network)
  const [lifetime, knownSignature] = await Promise.all([chain.lifetime(), deps.knownSignature(network)])
  const plan = planOfApproval({ network, purpose, total, lifetime }, delegation)
  const { message, fee } = chain.compileSponsored(plan)
  const approval: NewApproval = {
    id: deps.random.uuid(),
    network,
    delegationId: delegation.id,
    purpose,
    subscriptionId,
    businessId,
    total,
    message,
    lifetime,
    knownSignature,
    spendCost: fee,
    createdAt: deps.clock.now(),
  }
  const outcome = await deps.approvals.prepare(approval, { ...decided, perDay: deps.sponsorLamportsPerDay, provenAt })
  if (outcome === 'moved_on') return CHANGED_MEANWHILE
  return outcome === 'stored' ? await offerAgain(deps, approval, decided.delegation, blockHeightOf(lifetime)) : outcome
}

/**
 * Returns a stored approve that may still land, with the signature of the fee payer, once that is stored as well: a process
 * that is killed in between leaves no transaction that the service does not look for. Throws `authorization_pending` when
 * an earlier approve is the same transaction. `blockHeight`: the newest known.
 */
export async function offerAgain(
  deps: CheckoutDeps,
  approval: NewApproval,
  delegation: Delegation,
  blockHeight: bigint,
): Promise<OfferedApprove | typeof CHANGED_MEANWHILE> {
  const { signature, wire } = await sponsor(deps, planOfApproval(approval, delegation), approval.message)
  const outcome = await deps.approvals.recordSponsored(approval.id, signature)
  if (outcome === 'recorded') return offered(deps, approval, delegation, wire, blockHeight)
  if (outcome === 'ended') return CHANGED_MEANWHILE
  // A later blockhash makes another transaction.
  await deps.approvals.endUnsponsored(approval.id, deps.clock.now())
  throw new ServiceError('authorization_pending')
}

/** The same message gives the same bytes. */
export async function sponsor({ signer }: Pick<CheckoutDeps, 'signer'>, plan: SponsoredPlan, message: Uint8Array) {
  const signing = await signer.sponsor(plan, message)
  if ('refused' in signing) throw new Error(`the sponsor refused its own transaction: ${signing.refused}`)
  return signing
}

const offered = (
  deps: Pick<CheckoutDeps, 'keys' | 'clock' | 'chainOf'>,
  { id, subscriptionId, network, total, lifetime }: NewApproval,
  { chainDelegate }: Pick<Delegation, 'chainDelegate'>,
  transaction: Uint8Array,
  blockHeight: bigint,
): OfferedApprove => {
  const delegate = delegateOf(deps, network).address
  return {
    approvalId: id,
    subscriptionId,
    transaction,
    amount: total,
    delegate,
    replacesDelegate: chainDelegate === delegate ? null : chainDelegate,
    expiresAt: new Date(
      deps.clock.now().getTime() + Number(blocksLeft(lifetime, blockHeight)) * deps.chainOf(network).slotMs(),
    ),
  }
}
