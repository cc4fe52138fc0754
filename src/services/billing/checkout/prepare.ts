// Prepares the authorization of a checkout: a text for the wallet to sign where its allowance has room, otherwise the
// transaction that gives a larger one. docs/billing.md, "Authorization".
import type { Approval } from '#core/billing/approval.ts'
import { approveTotal } from '#core/billing/room.ts'
import { ServiceError } from '#core/errors.ts'
import type { StoredCheckout } from '#ports/checkouts.ts'
import { offerLive } from '#services/billing/approvals/live.ts'
import { isLimit, limited, type OfferedApprove, offerWithinLimits } from '#services/billing/approvals/offer.ts'
import {
  type Basis,
  consentOf,
  coversSlice,
  delegationOf,
  permitted,
  preparedFor,
  readBasis,
  totalAuthorizationOf,
  trialDaysOf,
} from '#services/billing/checkout/basis.ts'
import type { PreparedCheckout } from '#services/billing/checkout/checkout-services.ts'
import { type CheckoutDeps, checkoutOf, requirePreparable } from '#services/billing/checkout/deps.ts'
import { issueChallenge, provenAt } from '#services/billing/wallet-proof.ts'
import { CHANGED_MEANWHILE, retryWhenChanged } from '#services/retry-when-changed.ts'

/** Implements `CheckoutServices.prepareCheckout`. */
export function prepareCheckout(deps: CheckoutDeps, token: string, wallet: string): Promise<PreparedCheckout> {
  return retryWhenChanged(async () => {
    const checkout = await checkoutOf(deps, token)
    requirePreparable(checkout, deps.clock.now())
    const owner = permitted(deps, checkout, wallet)
    const delegation = await delegationOf(deps, checkout, owner)
    const trialDays = await trialDaysOf(deps, checkout, owner)
    const again = await offerLive(deps, delegation, (live) => isFor(live, checkout, trialDays))
    if (again !== null) return asPrepared(again, checkout, trialDays)
    const basis = await readBasis(deps, checkout, delegation)
    if (basis === CHANGED_MEANWHILE) return basis
    return coversSlice(deps, basis) ? await prepareProof(deps, token, basis) : await prepareApprove(deps, token, basis)
  })
}

/** Asks for a signed text. The room is judged again when it is confirmed. */
async function prepareProof(
  deps: CheckoutDeps,
  token: string,
  { checkout, delegation, read, trialDays }: Basis,
): Promise<PreparedCheckout | typeof CHANGED_MEANWHILE> {
  const { wallet, version } = delegation
  const { subscriptionId, checkout: prepared } = preparedFor(deps, checkout, wallet)
  if (!(await deps.checkouts.reserve({ delegation: read, version, checkout: prepared }))) return CHANGED_MEANWHILE
  const page = { token, subjectId: checkout.intent.id }
  const challenge = await issueChallenge(deps, page, consentOf(checkout, { wallet, subscriptionId, trialDays }))
  return {
    requiresSignature: false,
    subscriptionId,
    trialDays,
    totalAuthorization: totalAuthorizationOf(checkout),
    challenge,
  }
}

/**
 * Decides by the token account as it is now. Everything that was read is judged again when one of it changes. A wallet for
 * which too many approves were left unsigned signs a text first: then its owner is there, and gets the approve after it.
 */
async function prepareApprove(
  deps: CheckoutDeps,
  token: string,
  basis: Basis,
): Promise<PreparedCheckout | typeof CHANGED_MEANWHILE> {
  const { checkout, delegation, read, others, slice, trialDays } = basis
  const { wallet } = delegation
  const total = approveTotal(slice, others)
  if (typeof total === 'object') throw new ServiceError('authorization_total_too_large')
  const { subscriptionId, checkout: prepared } = preparedFor(deps, checkout, wallet)
  const page = { token, subjectId: checkout.intent.id }
  const offer = await offerWithinLimits(deps, {
    purpose: { kind: 'checkout', intentId: checkout.intent.id, trialDays },
    subscriptionId,
    businessId: checkout.receiverAccountId,
    total,
    delegation,
    decided: { delegation: read, version: delegation.version, checkout: prepared },
    provenAt: await provenAt(deps, page, consentOf(checkout, { wallet, subscriptionId, trialDays })),
  })
  if (!isLimit(offer)) return asPrepared(offer, checkout, trialDays)
  if (offer.isLiftedByProof) return await prepareProof(deps, token, basis)
  throw limited(deps, offer)
}

const asPrepared = (
  offer: OfferedApprove | typeof CHANGED_MEANWHILE,
  checkout: StoredCheckout,
  trialDays: number,
): PreparedCheckout | typeof CHANGED_MEANWHILE =>
  offer === CHANGED_MEANWHILE
    ? offer
    : { requiresSignature: true, trialDays, totalAuthorization: totalAuthorizationOf(checkout), ...offer }

/** An approve for a trial that was used meanwhile completes nothing, so it is not offered again. */
const isFor = ({ purpose }: Approval, { intent }: StoredCheckout, trialDays: number): boolean =>
  purpose.kind === 'checkout' && purpose.intentId === intent.id && purpose.trialDays === trialDays
