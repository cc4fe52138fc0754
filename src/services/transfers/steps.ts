// The steps of an attempt: sign, broadcast, observe final, book, prove. docs/money.md, "The protocol".

import { type Address, type Lifetime, SOL } from '#core/chain/types.ts'
import type { TransactionPlan } from '#core/transfers/plan.ts'
import type { Attempt, LeasedTransfer, Transfer } from '#core/transfers/transfer.ts'
import type { BalanceReader, DepositKeys, ExpiryProver, HistoryReader, Submitter } from '#ports/chain.ts'
import type { Clock } from '#ports/clock.ts'
import type { Signer } from '#ports/transactions.ts'
import type { TransferStore } from '#ports/transfers.ts'
import { broadcast, type Doubt, follow, type Observed, type Outcome } from './follow.ts'
import type { SignedAttempt, Subjects, TransferSubject } from './subject.ts'

// The plan of a transfer, which the compiler and the signer read.

/** Returns the account that the asset leaves: the source itself for SOL, its token account for a token. */
export const sourceAccountOf = async (
  keys: Pick<DepositKeys, 'tokenAccountOf'>,
  { source, sourceAccount, asset, tokenProgram }: Pick<Transfer, 'source' | 'sourceAccount' | 'asset' | 'tokenProgram'>,
): Promise<Address> => {
  if (asset === SOL || tokenProgram === null) return source
  return sourceAccount ?? (await keys.tokenAccountOf(source, asset, tokenProgram))
}

/** Returns the plan of an attempt, from the stored transfer and never from its message. */
export function planOf(
  transfer: Transfer,
  { harvestWithheld, lifetime }: Pick<Attempt, 'harvestWithheld'> & { readonly lifetime: Lifetime },
  { action }: Pick<TransferSubject, 'action'>,
): TransactionPlan {
  const { key, network, source, sourceAccount, authority, asset, decimals, tokenProgram, legs } = transfer
  const from = { network, source, ...(sourceAccount !== null && { sourceAccount }), authority, lifetime }
  const token = asset === SOL || tokenProgram === null ? null : { mint: asset, tokenProgram, decimals }
  const isPull = authority.address !== source
  if (action === 'legs') return { ...from, kind: 'legs', asset, token, legs, ...(isPull && { memo: key }) }
  if (token === null) throw new Error('only a token account has rent to collect')
  return { ...from, kind: 'close', token, harvestWithheld }
}

// The end of an attempt that did not land, and the consequence for its transfer. docs/money.md, "Proof of expiry".

/** The number of abandoned attempts after which a person has to decide. */
export const MAX_ATTEMPTS = 8

/** Returns whether no further attempt follows. A retry by a person permits as many attempts again. */
export const isLast = ({ number }: Pick<Attempt, 'number'>): boolean => number % MAX_ATTEMPTS === 0

type AbandonDeps = {
  readonly transfers: Pick<TransferStore, 'recordAttempt'>
  readonly subjects: Subjects
  readonly clock: Clock
}

/**
 * Abandons an attempt that cannot land, so that another may follow. Returns true when it was the last, and the subject gives
 * the transfer up with the reason.
 */
async function abandonAttempt(
  { transfers, subjects, clock }: AbandonDeps,
  leased: LeasedTransfer,
  attempt: Attempt,
  reason: string,
): Promise<boolean> {
  if (isLast(attempt)) {
    await subjects.of(leased.transfer).giveUp(leased, attempt, reason)
    return true
  }
  await transfers.recordAttempt(leased.lease, attempt.id, 'dead', { now: clock.now(), error: reason })
  return false
}

/** The delay after a step that waits for a change outside the service. */
const LATER_MS = 10_000

export type TransferChain = BalanceReader & HistoryReader & Submitter & ExpiryProver

export type StepDeps = {
  readonly transfers: TransferStore
  readonly subjects: Subjects
  readonly signer: Signer
  readonly keys: Pick<DepositKeys, 'tokenAccountOf'>
  readonly clock: Clock
}

const isSigned = (attempt: Attempt): attempt is SignedAttempt => attempt.signature !== null && attempt.wire !== null

/** Advances a transfer by one step: sign, broadcast, wait, book or prove. A transfer without an attempt waits. */
export async function advanceByStep(
  deps: StepDeps,
  chain: TransferChain,
  leased: LeasedTransfer,
  observed: Observed,
): Promise<Outcome> {
  const { live } = leased
  if (live === null) return 'wait'
  if (live.state === 'prepared') return await signAndSend(deps, chain, leased, live)
  if (!isSigned(live)) throw new Error('an attempt beyond prepared is signed')
  return await follow(chain, live, observed, {
    sent: (refusal) => noteSent(deps, leased, live, refusal),
    async book(transaction) {
      await deps.subjects.of(leased.transfer).book(leased, live, transaction)
      return 'handled'
    },
    async dead(because) {
      if (because === 'did_not_run') return await abandon(deps, leased, live, DID_NOT_RUN)
      return (await isUntouched(deps, chain, leased))
        ? await abandon(deps, leased, live, NEVER_LANDED)
        : await doubted(deps, leased, live, TOUCHED)
    },
    doubted: (doubt) => doubted(deps, leased, live, doubt),
  })
}

/**
 * Signs the stored message and stores the bytes before it sends them. A message that the signer refuses is never signed,
 * so its attempt is abandoned without further proof, and the next attempt begins from the start.
 */
async function signAndSend(
  deps: StepDeps,
  chain: Pick<Submitter, 'broadcast'>,
  leased: LeasedTransfer,
  attempt: Attempt,
): Promise<Outcome> {
  const plan = planOf(leased.transfer, attempt, deps.subjects.of(leased.transfer))
  const signed = await deps.signer.sign(plan, attempt.message)
  if ('refused' in signed) {
    if (await abandonAttempt(deps, leased, attempt, signed.refused)) return 'handled'
    return await later(deps, leased, signed.refused)
  }
  const { wire, signature } = signed
  if (!(await deps.transfers.recordSigned(leased.lease, attempt.id, wire, signature))) return 'handled'
  return await noteSent(deps, leased, attempt, await broadcast(chain, wire))
}

async function noteSent(
  { transfers, clock }: StepDeps,
  { lease }: LeasedTransfer,
  { id }: Attempt,
  refusal: string | null,
): Promise<Outcome> {
  await transfers.recordAttempt(lease, id, 'sent', { now: clock.now(), ...(refusal !== null && { error: refusal }) })
  return 'wait'
}

/** Providers that dropped a transaction from their history do not know it. The balance shows whether it moved the money. */
async function isUntouched(
  { keys, subjects }: StepDeps,
  chain: BalanceReader,
  { transfer }: LeasedTransfer,
): Promise<boolean> {
  const { states } = await chain.readAccounts([await sourceAccountOf(keys, transfer)])
  return subjects.of(transfer).isUntouched(states[0] ?? null, transfer)
}

const TOUCHED: Doubt = {
  because: 'unproven',
  detail: 'no provider knows it, but the money is no longer at its source',
}

/** While an attempt is in doubt, no other follows. */
async function doubted(
  deps: StepDeps,
  leased: LeasedTransfer,
  { id, state, signature }: SignedAttempt,
  { because, detail }: Doubt,
): Promise<Outcome> {
  if (because === 'unagreed')
    return await later(deps, leased, `One provider reports the transaction as final, and two have to agree: ${detail}.`)
  if (because === 'unproven' && state !== 'unknown')
    await deps.transfers.recordAttempt(leased.lease, id, 'unknown', { now: deps.clock.now() })
  return await later(deps, leased, `Waiting for proof that ${signature} never landed: ${detail}`)
}

const abandon = async (deps: StepDeps, leased: LeasedTransfer, attempt: Attempt, reason: string): Promise<Outcome> =>
  (await abandonAttempt(deps, leased, attempt, reason)) ? 'handled' : 'wait'

const DID_NOT_RUN = 'The transaction is in a block and did not run: the fee payer could not pay its fee.'
const NEVER_LANDED = 'No transaction of the transfer landed in time in any attempt.'

async function later(deps: StepDeps, { lease }: LeasedTransfer, reason: string): Promise<Outcome> {
  await deps.transfers.postpone([lease], reason, new Date(deps.clock.now().getTime() + LATER_MS))
  return 'handled'
}
