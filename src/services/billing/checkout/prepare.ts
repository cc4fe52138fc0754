// Prepares the transaction by which a wallet lets the service pull the charges of a subscription. docs/billing.md,
// "Authorization".
import { type Approval, type NewApproval, planOfApproval } from '#core/billing/approval.ts'
import type { ApprovePlan } from '#core/billing/approve.ts'
import type { Delegation } from '#core/billing/delegation.ts'
import { takeReading } from '#core/billing/delegation-state.ts'
import { approveTotal } from '#core/billing/room.ts'
import { isPublicKey } from '#core/chain/public-key.ts'
import type { Address } from '#core/chain/types.ts'
import { ServiceError } from '#core/errors.ts'
import { type BaseUnits, isBaseUnits, ZERO } from '#core/money/amounts.ts'
import type { StoredCheckout } from '#ports/checkouts.ts'

import type { PreparedCheckout } from '#services/billing/checkout/checkout-services.ts'
import { type CheckoutDeps, checkoutOf, requireOpen } from '#services/billing/checkout/deps.ts'
import { observeApprovals, settleApproval } from '#services/billing/checkout/settle-approval.ts'
import { delegateOf } from '#services/billing/decide.ts'
import { readAllowances } from '#services/billing/read-allowances.ts'
import { BILLING_NETWORK } from '#services/billing/terms.ts'
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
    if (live === null) return await prepareApprove(deps, checkout, delegation)
    const stillLive = await afterStep(deps, live)
    if (stillLive === null) return CHANGED_MEANWHILE
    if (stillLive.intentId !== checkout.intent.id) throw new ServiceError('authorization_pending')
    return await shown(deps, stillLive, delegation)
  })
}

/** Throws `invalid_subscriber_wallet`, and `wallet_not_permitted` where the business gave another wallet. */
function permitted({ intent }: StoredCheckout, wallet: string): Address {
  if (!isPublicKey(wallet)) throw new ServiceError('invalid_subscriber_wallet', { field: 'wallet' })
  if (intent.walletPinned && intent.subscriberWallet !== wallet) throw new ServiceError('wallet_not_permitted')
  return wallet
}

/** Returns the approve after a step of it; null when it has ended. */
async function afterStep(deps: CheckoutDeps, live: Approval): Promise<Approval | null> {
  const [observed] = await observeApprovals(deps.chainOf(live.network), [live])
  if (observed !== undefined) await settleApproval(deps, { approval: live }, observed)
  return await deps.approvals.live(live.delegationId)
}

async function delegationOf(deps: CheckoutDeps, { tier }: StoredCheckout, wallet: Address): Promise<Delegation> {
  const { mint, tokenProgram, decimals } = tier
  const now = deps.clock.now()
  return await deps.checkouts.delegationOf({
    id: deps.random.uuid(),
    network: BILLING_NETWORK,
    wallet,
    mint,
    tokenProgram,
    decimals,
    tokenAccount: await deps.keys.tokenAccountOf(wallet, mint, tokenProgram),
    status: 'pending',
    epoch: 0,
    authorizedTotal: ZERO,
    chainSlot: null,
    chainDelegate: null,
    chainAllowance: ZERO,
    chainCheckedAt: null,
    clearedAt: null,
    version: 1,
    createdAt: now,
    updatedAt: now,
  })
}

/** Decides by the token account as it is now. Everything that was read is judged again when one of it changes. */
async function prepareApprove(
  deps: CheckoutDeps,
  { intent, tier }: StoredCheckout,
  delegation: Delegation,
): Promise<PreparedCheckout | typeof CHANGED_MEANWHILE> {
  const { network, wallet } = delegation
  const limit = deps.subscriptionsPerWallet
  if ((await deps.checkouts.countOfWallet(network, wallet)) >= limit)
    throw new ServiceError('wallet_limit_reached', { limit })
  const read = await readAccount(deps, delegation)
  const total = totalOf(
    tier.unitBaseUnits * BigInt(tier.authorizationPeriods),
    await deps.delegations.slices(delegation.id),
  )
  const chain = deps.chainOf(network)
  const [lifetime, knownSignature] = await Promise.all([chain.lifetime(), deps.knownSignature(network)])
  const plan = planOfApproval({ network, total, lifetime }, delegation)
  const { message, fee } = chain.compileApprove(plan)
  const { signature, wire } = await sponsor(deps, plan, message)
  const now = deps.clock.now()
  const subscriptionId = intent.subscriptionId ?? deps.random.uuid()
  const approval: NewApproval = {
    id: deps.random.uuid(),
    network,
    delegationId: delegation.id,
    intentId: intent.id,
    subscriptionId,
    total,
    message,
    signature,
    lifetime,
    knownSignature,
    spendCost: fee,
    createdAt: now,
  }
  const after = { ...intent, subscriberWallet: wallet, subscriptionId, version: intent.version + 1, updatedAt: now }
  const outcome = await deps.approvals.prepare(approval, {
    delegation: read,
    version: delegation.version,
    checkout: { before: intent, after },
    perDay: deps.sponsorLamportsPerDay,
  })
  if (outcome === 'moved_on') return CHANGED_MEANWHILE
  if (outcome === 'over_budget') throw new ServiceError('rate_limited', { retry_after_seconds: BUDGET_WAIT_SECONDS })
  return preparedOf(deps, approval, wire)
}

/** Returns the delegation with a fresh reading. Throws `no_token_account` or `account_frozen`. */
async function readAccount(deps: CheckoutDeps, delegation: Delegation): Promise<Delegation> {
  const [reading] = await readAllowances(deps.chainOf(delegation.network), [delegation], deps.commitment)
  if (reading === undefined || reading.state.is === 'missing') throw new ServiceError('no_token_account')
  if (reading.state.frozen) throw new ServiceError('account_frozen')
  return takeReading(delegation, reading, deps.clock.now())
}

/** Throws `authorization_total_too_large`. */
function totalOf(slice: bigint, others: Parameters<typeof approveTotal>[1]): BaseUnits {
  const total = isBaseUnits(slice) ? approveTotal(slice, others) : null
  if (total === null || typeof total === 'object') throw new ServiceError('authorization_total_too_large')
  return total
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
  subscriptionId,
  transaction,
  amount: total,
  delegate: delegateOf(deps, network).address,
  expiresAt: new Date(createdAt.getTime() + LIFETIME_MS),
})
