// The steps of an attempt: sign, broadcast, observe final, book, prove. docs/money.md, "The protocol".
import { didNotRun, type SignatureStatus } from '#core/chain/types.ts'
import { hasCode } from '#core/errors.ts'
import { type ChainProgress, nextStep } from '#core/transfers/attempt-machine.ts'
import type { Attempt, LeasedTransfer } from '#core/transfers/transfer.ts'
import type { BalanceReader, DepositKeys, ExpiryProver, HistoryReader, Submitter } from '#ports/chain.ts'
import type { Clock } from '#ports/clock.ts'
import type { Signer } from '#ports/signer.ts'
import type { TransferStore } from '#ports/transfers.ts'
import { abandonAttempt, doubtOf } from './abandon.ts'
import { planOf } from './plan.ts'
import type { SignedAttempt, Subjects } from './subject.ts'

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

/** `wait`: the round gives the lease back, for a check soon. `handled`: the step has ended the lease. */
export type Outcome = 'wait' | 'handled'

/** The signature status of the attempt and the progress of the chain, as of `now`. */
type Observed = { readonly status: SignatureStatus | null; readonly progress: ChainProgress; readonly now: Date }

/** Advances a transfer by one step: sign, broadcast, wait, book or prove. A transfer without an attempt waits. */
export async function advanceByStep(
  deps: StepDeps,
  chain: TransferChain,
  leased: LeasedTransfer,
  { status, progress, now }: Observed,
): Promise<Outcome> {
  const { live } = leased
  const step = nextStep(live, status, progress, now)
  if (live === null || step.do === 'prepare') return 'wait'
  if (step.do === 'sign') return await signAndSend(deps, chain, leased, live)
  if (!isSigned(live)) throw new Error('an attempt beyond prepared is signed')
  switch (step.do) {
    case 'broadcast':
      return await broadcast(deps, chain, leased, live)
    case 'wait':
      return status?.doubt == null ? 'wait' : await later(deps, leased, `${UNAGREED} ${status.doubt}.`)
    case 'book':
      return await book(deps, chain, leased, live)
    case 'prove':
      return await prove(deps, chain, leased, live)
  }
}

const record = (
  deps: StepDeps,
  { lease }: LeasedTransfer,
  attempt: Attempt,
  state: 'sent' | 'unknown',
  error: string | null = null,
) => deps.transfers.recordAttempt(lease, attempt.id, state, { now: deps.clock.now(), ...(error !== null && { error }) })

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
  return await broadcast(deps, chain, leased, { ...attempt, state: 'signed', wire, signature })
}

async function broadcast(
  deps: StepDeps,
  chain: Pick<Submitter, 'broadcast'>,
  leased: LeasedTransfer,
  attempt: SignedAttempt,
): Promise<Outcome> {
  let refusal: string | null = null
  try {
    await chain.broadcast(attempt.wire)
  } catch (error) {
    // Every provider refused the bytes. This is no proof: a provider may have forwarded them before.
    if (!hasCode(error, 'transaction_refused')) throw error
    refusal = String(error.context.reason)
  }
  await record(deps, leased, attempt, 'sent', refusal)
  return 'wait'
}

/**
 * Lets the subject book the final transaction, with ledger, attempt, event and notice in one database transaction. One that did
 * not run is nothing to book: its attempt is dead, and another follows.
 */
async function book(
  deps: StepDeps,
  chain: Pick<HistoryReader, 'transaction'>,
  leased: LeasedTransfer,
  attempt: SignedAttempt,
): Promise<Outcome> {
  const transaction = await chain.transaction(attempt.signature)
  // The provider that reported the status may not be the provider that was asked for the transaction.
  if (transaction === null) return 'wait'
  if (didNotRun(transaction)) return await abandon(deps, leased, attempt, DID_NOT_RUN)
  await deps.subjects.of(leased.transfer).book(leased, attempt, transaction)
  return 'handled'
}

/** Abandons the attempt after proof that it cannot land, and that the balance of its source shows no transfer. */
async function prove(
  deps: StepDeps,
  chain: TransferChain,
  leased: LeasedTransfer,
  attempt: SignedAttempt,
): Promise<Outcome> {
  const doubt = await doubtOf(deps, chain, leased.transfer, attempt, deps.subjects.of(leased.transfer))
  if (doubt?.because === 'landed') return await book(deps, chain, leased, attempt)
  if (doubt === null) return await abandon(deps, leased, attempt, NEVER_LANDED)
  if (doubt.because === 'unproven' && attempt.state !== 'unknown') await record(deps, leased, attempt, 'unknown')
  return await later(deps, leased, `Waiting for proof that ${attempt.signature} never landed: ${doubt.detail}`)
}

const UNAGREED = 'One provider reports the transaction as final, and two have to agree:'

const abandon = async (deps: StepDeps, leased: LeasedTransfer, attempt: Attempt, reason: string): Promise<Outcome> =>
  (await abandonAttempt(deps, leased, attempt, reason)) ? 'handled' : 'wait'

const DID_NOT_RUN = 'The transaction is in a block and did not run: the fee payer could not pay its fee.'
const NEVER_LANDED = 'No transaction of the transfer landed in time in any attempt.'

async function later(deps: StepDeps, { lease }: LeasedTransfer, reason: string): Promise<Outcome> {
  await deps.transfers.postpone([lease], reason, new Date(deps.clock.now().getTime() + LATER_MS))
  return 'handled'
}
