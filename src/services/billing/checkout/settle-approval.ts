// One step of an approve that may still land: send it again, complete its checkout when it is final, or prove that it cannot
// land. docs/billing.md, "Sponsored transactions".
import { type Approval, endOfTransaction, isLiveApproval, ledgerOfApproval } from '#core/billing/approval.ts'
import { beginEpoch } from '#core/billing/delegation-state.ts'
import { withDelegation } from '#core/billing/machine/change.ts'
import { decideCompletion } from '#core/billing/machine/completion.ts'
import { hasReached, type ObservedTransaction, type SignatureStatus } from '#core/chain/types.ts'
import { ServiceError } from '#core/errors.ts'
import type { DelegatedApproval } from '#ports/approvals.ts'
import { contextOf, termsOf } from '#services/billing/decide.ts'
import { CHANGED_MEANWHILE, retryWhenChanged } from '#services/retry-when-changed.ts'
import type { SettleDeps } from './deps.ts'

/** `blockHeight`: the newest known. */
export type Observed = { readonly status: SignatureStatus | null; readonly blockHeight: bigint }

/** A blockhash lives for 150 blocks, so the height of the chain follows from the newest blockhash. */
const BLOCKHASH_LIFE = 150n

/** Reads the status of each approve, and the height of the chain. */
export async function observeApprovals(
  chain: Pick<ReturnType<SettleDeps['chainOf']>, 'signatureStatuses' | 'lifetime'>,
  approvals: readonly Pick<Approval, 'signature'>[],
): Promise<readonly Observed[]> {
  const [statuses, { lastValidBlockHeight }] = await Promise.all([
    chain.signatureStatuses(approvals.map(({ signature }) => signature)),
    chain.lifetime(),
  ])
  const blockHeight = lastValidBlockHeight - BLOCKHASH_LIFE
  return approvals.map((_, at) => ({ status: statuses[at] ?? null, blockHeight }))
}

/** Advances a live approve by one step. A wallet may send a transaction that the service has not got back. */
export async function settleApproval(
  deps: SettleDeps,
  { approval }: Pick<DelegatedApproval, 'approval'>,
  { status, blockHeight }: Observed,
): Promise<void> {
  if (status !== null && hasReached(status.level, deps.commitment)) return await finish(deps, approval)
  if (status?.level === 'confirmed') return
  if (blockHeight > approval.lifetime.lastValidBlockHeight) return await prove(deps, approval)
  if (approval.wire !== null) await sendApproval(deps, approval, approval.wire)
}

/** Sends the stored bytes. A refusal by the providers is no evidence: only the chain shows the outcome. */
export async function sendApproval(
  { chainOf }: Pick<SettleDeps, 'chainOf'>,
  { network }: Pick<Approval, 'network'>,
  wire: Uint8Array,
): Promise<void> {
  try {
    await chainOf(network).broadcast(wire)
  } catch (error) {
    if (!(error instanceof ServiceError && error.code === 'transaction_refused')) throw error
  }
}

/** Ends an approve that has not landed and cannot land any more. */
async function prove(deps: SettleDeps, approval: Approval): Promise<void> {
  const proof = await deps.chainOf(approval.network).proveExpired(approval)
  if (!proof.expired) return proof.because === 'landed' ? await finish(deps, approval) : undefined
  const end = { approvalId: approval.id, state: 'dead', slot: null, error: null, at: deps.clock.now() } as const
  await deps.approvals.end(end, { ledger: [], delegation: null })
}

async function finish(deps: SettleDeps, approval: Approval): Promise<void> {
  const transaction = await deps.chainOf(approval.network).transaction(approval.signature, deps.commitment)
  // The provider that reported the status may not be the provider that was asked for the transaction.
  if (transaction === null) return
  await retryWhenChanged(() => book(deps, approval.id, transaction))
}

/** Books the final transaction of an approve, and with it the completion of its checkout, in one database transaction. */
async function book(
  deps: SettleDeps,
  approvalId: string,
  transaction: ObservedTransaction,
): Promise<undefined | typeof CHANGED_MEANWHILE> {
  const found = await deps.approvals.find(approvalId)
  if (found === null || !isLiveApproval(found.approval)) return undefined
  const { approval, delegation } = found
  const context = contextOf(deps)
  const end = endOfTransaction(approval, transaction, context.now)
  const ledger = ledgerOfApproval(approval, transaction)
  if (end.state === 'final_err') return done(await deps.approvals.end(end, { ledger, delegation: null }))
  const checkout = await deps.checkouts.find(approval.intentId)
  if (checkout === null) throw new Error(`approval ${approval.id} has no checkout`)
  const terms = await termsOf(deps, approval.network, checkout.tier)
  const approve = { delegate: terms.delegate.address, total: approval.total, slot: transaction.slot }
  const begun = beginEpoch(delegation, approve, context.now)
  const decision = decideCompletion(
    {
      checkout: checkout.intent,
      subscriptionId: approval.subscriptionId,
      receiverAccountId: checkout.receiverAccountId,
      wallet: delegation.wallet,
      terms,
      delegation,
      others: await deps.delegations.slices(delegation.id),
      consent: { by: 'approve', signature: approval.signature, epoch: begun.epoch },
    },
    context,
  )
  // The checkout was canceled, or completed by another wallet: the wallet gave an allowance of which nothing is used.
  if (decision.kind !== 'moved')
    return done(await deps.approvals.end(end, { ledger, delegation: { before: delegation, after: begun } }))
  const change = withDelegation({ ...decision.change, ledger }, delegation, begun)
  return done(await deps.billing.apply(change, delegation, { by: 'approve', end }))
}

const done = (applied: boolean): undefined | typeof CHANGED_MEANWHILE => (applied ? undefined : CHANGED_MEANWHILE)
