// Completes a checkout by a text that the wallet has signed: its allowance has room, so nothing is sent to the chain.
// docs/billing.md, "Wallet proofs".
import { judgeDelegation } from '#core/billing/delegation-state.ts'
import { needsReapproval } from '#core/billing/first-charge.ts'
import { type Decision, moved, refused, withDelegation } from '#core/billing/machine/change.ts'
import { decideCompletion } from '#core/billing/machine/completion.ts'
import { decideReapproved } from '#core/billing/machine/manage.ts'
import type { WalletProof } from '#core/billing/proof/challenge.ts'
import { hasRoom } from '#core/billing/room.ts'
import type { Address } from '#core/chain/types.ts'
import { ServiceError } from '#core/errors.ts'
import type { StoredCheckout } from '#ports/checkouts.ts'
import { afterStep } from '#services/billing/approvals/live.ts'
import {
  type Basis,
  consentOf,
  delegationOf,
  permitted,
  readBasis,
  trialDaysOf,
} from '#services/billing/checkout/basis.ts'
import type { ActivatedCheckout } from '#services/billing/checkout/checkout-services.ts'
import { type CheckoutDeps, checkoutOf, requirePreparable } from '#services/billing/checkout/deps.ts'
import { completionContextOf, requireFacts, termsOf } from '#services/billing/decide.ts'
import {
  answerOf,
  type GivenAnswer,
  isUsedHere,
  type ProofAnswer,
  verifyAnswer,
} from '#services/billing/wallet-proof.ts'
import { CHANGED_MEANWHILE, retryWhenChanged } from '#services/retry-when-changed.ts'

/** Implements `CheckoutServices.confirmCheckout`. Every try verifies the answer again: it may have been used or burned. */
export function confirmCheckout(
  deps: CheckoutDeps,
  token: string,
  { wallet, ...given }: GivenAnswer & { readonly wallet: string },
): Promise<ActivatedCheckout> {
  return retryWhenChanged(async () => {
    const checkout = await checkoutOf(deps, token)
    const owner = permitted(deps, checkout, wallet)
    const answer = answerOf(given)
    if (answer === null) throw new ServiceError('incomplete_proof')
    const repeated = await repeatOf(deps, token, checkout, answer)
    if (repeated !== null) return repeated
    requirePreparable(checkout, deps.clock.now())
    const { subscriptionId } = checkout.intent
    if (subscriptionId === null) throw new ServiceError('invalid_signature', { rule: 'nothing was prepared' })
    const proof = await verified(deps, token, checkout, { owner, subscriptionId, answer })
    if (proof === CHANGED_MEANWHILE) return proof
    const basis = await basisOf(deps, checkout, owner)
    return basis === CHANGED_MEANWHILE ? basis : await complete(deps, basis, subscriptionId, proof)
  })
}

/** Returns the answer of the request that has completed the checkout with the same nonce; null when there was none. */
async function repeatOf(
  deps: CheckoutDeps,
  token: string,
  { intent: { id, status, subscriptionId } }: StoredCheckout,
  { nonce }: ProofAnswer,
): Promise<ActivatedCheckout | null> {
  if (status !== 'completed' || subscriptionId === null) return null
  const isRepeat = await isUsedHere(deps, { token, subjectId: id }, nonce)
  return isRepeat ? { status: 'completed', subscriptionId } : null
}

/** Throws `invalid_signature`. */
async function verified(
  deps: CheckoutDeps,
  token: string,
  checkout: StoredCheckout,
  { owner, subscriptionId, answer }: { owner: Address; subscriptionId: string; answer: ProofAnswer },
): Promise<WalletProof | typeof CHANGED_MEANWHILE> {
  const page = { token, subjectId: checkout.intent.id }
  const trialDays = await trialDaysOf(deps, checkout, owner)
  const consent = consentOf(checkout, { wallet: owner, subscriptionId, trialDays })
  const proof = await verifyAnswer(deps, page, consent, answer)
  if (!('refused' in proof)) return proof
  // Another request with the same answer has completed the checkout since it was read.
  if (proof.refused === 'used' && (await isUsedHere(deps, page, answer.nonce))) return CHANGED_MEANWHILE
  throw new ServiceError('invalid_signature', { rule: proof.refused })
}

/** Throws `authorization_pending` while an approve of the delegation may still land: it would replace the allowance. */
async function basisOf(
  deps: CheckoutDeps,
  checkout: StoredCheckout,
  owner: Address,
): Promise<Basis | typeof CHANGED_MEANWHILE> {
  const delegation = await delegationOf(deps, checkout, owner)
  const live = await deps.approvals.live(delegation.id)
  if (live === null) return await readBasis(deps, checkout, delegation)
  if ((await afterStep(deps, live)) !== null) throw new ServiceError('authorization_pending')
  return CHANGED_MEANWHILE
}

/** Decides on the checkout, or on the first charge of its subscription when that needs another authorization. */
async function decide(
  deps: CheckoutDeps,
  { checkout, delegation, read, others, slice, trialDays }: Basis,
  subscriptionId: string,
): Promise<Decision> {
  const context = await completionContextOf(deps, delegation.network, trialDays)
  const terms = await termsOf(deps, delegation.network, checkout.tier)
  if (!needsReapproval(checkout.firstCharge)) {
    return decideCompletion(
      {
        checkout: checkout.intent,
        subscriptionId,
        receiverAccountId: checkout.receiverAccountId,
        wallet: delegation.wallet,
        terms,
        coupon: checkout.coupon,
        delegation: read,
        others,
        trialDays,
        consent: { by: 'proof' },
      },
      context,
    )
  }
  if (!hasRoom(slice, others, read, terms.delegate.address)) return refused('authorization_required')
  const facts = await requireFacts(deps, subscriptionId)
  const decision = decideReapproved(facts, { signature: null, epoch: delegation.epoch }, context)
  if (decision.kind !== 'moved') return decision
  const { delegation: judged } = judgeDelegation(
    { delegation: read, slices: others, delegate: terms.delegate.address },
    context.now,
  )
  return moved(withDelegation(decision.change, delegation, judged))
}

/** Completes the checkout and uses the proof up in one transaction, under the lock of the delegation. */
async function complete(
  deps: CheckoutDeps,
  basis: Basis,
  subscriptionId: string,
  proof: WalletProof,
): Promise<ActivatedCheckout | typeof CHANGED_MEANWHILE> {
  const decision = await decide(deps, basis, subscriptionId)
  if (decision.kind === 'refused') {
    // The owner is there, so the approve that is prepared next is not a stranger's.
    if (decision.code === 'authorization_required') await deps.challenges.keepAnswer(proof)
    throw new ServiceError(decision.code, decision.context)
  }
  // The subscription has ended, or its charge was made, since the checkout was read.
  if (decision.kind === 'unchanged') return CHANGED_MEANWHILE
  const applied = await deps.billing.apply(decision.change, basis.delegation, { by: 'proof', proof })
  return applied ? { status: 'completed', subscriptionId } : CHANGED_MEANWHILE
}
