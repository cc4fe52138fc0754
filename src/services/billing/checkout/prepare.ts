// Prepares the authorization of a checkout: a text for the wallet to sign where its allowance has room, otherwise the
// transaction that gives a larger one. docs/billing.md, "Authorization".
import { type Approval, type NewApproval, planOfApproval } from '#core/billing/approval.ts'
import type { ApprovePlan } from '#core/billing/approve.ts'
import type { Delegation } from '#core/billing/delegation.ts'
import { approveTotal } from '#core/billing/room.ts'
import { ServiceError } from '#core/errors.ts'
import {
  afterStep,
  type Basis,
  consentOf,
  coversSlice,
  delegationOf,
  permitted,
  preparedFor,
  readBasis,
} from '#services/billing/checkout/basis.ts'
import type { PreparedCheckout } from '#services/billing/checkout/checkout-services.ts'
import { type CheckoutDeps, checkoutOf, requireOpen } from '#services/billing/checkout/deps.ts'
import { delegateOf } from '#services/billing/decide.ts'
import { issueChallenge } from '#services/billing/wallet-proof.ts'
import { CHANGED_MEANWHILE, retryWhenChanged } from '#services/retry-when-changed.ts'

/** A blockhash lives for 150 blocks, of at least 0.4 seconds each. */
const LIFETIME_MS = 60_000
/** The budget is that of 24 hours: some of it becomes free all the time. */
const BUDGET_WAIT_SECONDS = 600

/** Implements `CheckoutServices.prepareCheckout`. */
export function prepareCheckout(deps: CheckoutDeps, token: string, wallet: string): Promise<PreparedCheckout> {
  return retryWhenChanged(async () => {
    const checkout = await checkoutOf(deps, token)
    requireOpen(checkout, deps.clock.now())
    const owner = permitted(checkout, wallet)
    const delegation = await delegationOf(deps, checkout, owner)
    const live = await deps.approvals.live(delegation.id)
    if (live === null) {
      const basis = await readBasis(deps, checkout, delegation)
      return coversSlice(deps, basis) ? await prepareProof(deps, token, basis) : await prepareApprove(deps, basis)
    }
    const stillLive = await afterStep(deps, live)
    if (stillLive === null) return CHANGED_MEANWHILE
    if (stillLive.intentId !== checkout.intent.id) throw new ServiceError('authorization_pending')
    return await shown(deps, stillLive, delegation)
  })
}

/** Asks for a signed text. The room is judged again when it is confirmed. */
async function prepareProof(
  deps: CheckoutDeps,
  token: string,
  { checkout, delegation, read }: Basis,
): Promise<PreparedCheckout | typeof CHANGED_MEANWHILE> {
  const { wallet, version } = delegation
  const { subscriptionId, checkout: prepared } = preparedFor(deps, checkout, wallet)
  if (!(await deps.checkouts.reserve({ delegation: read, version, checkout: prepared }))) return CHANGED_MEANWHILE
  const page = { token, subjectId: checkout.intent.id }
  const challenge = await issueChallenge(deps, page, consentOf(checkout, wallet, subscriptionId))
  return { requiresSignature: false, subscriptionId, challenge }
}

/** Decides by the token account as it is now. Everything that was read is judged again when one of it changes. */
async function prepareApprove(
  deps: CheckoutDeps,
  { checkout, delegation, read, others, slice }: Basis,
): Promise<PreparedCheckout | typeof CHANGED_MEANWHILE> {
  const { network, wallet } = delegation
  const total = approveTotal(slice, others)
  if (typeof total === 'object') throw new ServiceError('authorization_total_too_large')
  const chain = deps.chainOf(network)
  const [lifetime, knownSignature] = await Promise.all([chain.lifetime(), deps.knownSignature(network)])
  const plan = planOfApproval({ network, total, lifetime }, delegation)
  const { message, fee } = chain.compileApprove(plan)
  const { signature, wire } = await sponsor(deps, plan, message)
  const { subscriptionId, checkout: prepared } = preparedFor(deps, checkout, wallet)
  const approval: NewApproval = {
    id: deps.random.uuid(),
    network,
    delegationId: delegation.id,
    intentId: checkout.intent.id,
    subscriptionId,
    total,
    message,
    signature,
    lifetime,
    knownSignature,
    spendCost: fee,
    createdAt: deps.clock.now(),
  }
  const outcome = await deps.approvals.prepare(approval, {
    delegation: read,
    version: delegation.version,
    checkout: prepared,
    perDay: deps.sponsorLamportsPerDay,
  })
  if (outcome === 'moved_on') return CHANGED_MEANWHILE
  if (outcome === 'over_budget') throw new ServiceError('rate_limited', { retry_after_seconds: BUDGET_WAIT_SECONDS })
  return preparedOf(deps, approval, wire)
}

/** The same message gives the same bytes. */
async function sponsor({ signer }: Pick<CheckoutDeps, 'signer'>, plan: ApprovePlan, message: Uint8Array) {
  const signing = await signer.sponsor(plan, message)
  if ('refused' in signing) throw new Error(`the sponsor refused an approve: ${signing.refused}`)
  return signing
}

async function shown(deps: CheckoutDeps, approval: Approval, delegation: Delegation): Promise<PreparedCheckout> {
  const { wire } = await sponsor(deps, planOfApproval(approval, delegation), approval.message)
  return preparedOf(deps, approval, wire)
}

const preparedOf = (
  deps: Pick<CheckoutDeps, 'keys'>,
  { subscriptionId, network, total, createdAt }: NewApproval,
  transaction: Uint8Array,
): PreparedCheckout => ({
  requiresSignature: true,
  subscriptionId,
  transaction,
  amount: total,
  delegate: delegateOf(deps, network).address,
  expiresAt: new Date(createdAt.getTime() + LIFETIME_MS),
})
