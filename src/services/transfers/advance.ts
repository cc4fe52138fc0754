// Money out, one step at a time: claim, prepare, sign, broadcast, observe final, book. docs/money.md, "The protocol".
import type { Address, Blockhash, Commitment, Network, Signature, SignatureStatus } from '#core/chain/types.ts'
import { ServiceError } from '#core/errors.ts'
import { type ChainProgress, nextStep } from '#core/transfers/attempt-machine.ts'
import type { Attempt, LeasedTransfer } from '#core/transfers/transfer.ts'
import { inGroups } from '#lib/groups.ts'
import { forEachParallel } from '#lib/parallel.ts'
import type { BalanceReader, DepositKeys, ExpiryProver, HistoryReader, NonceReader, Submitter } from '#ports/chain.ts'
import type { Clock } from '#ports/clock.ts'
import type { Signer } from '#ports/signer.ts'
import type { TransferStore } from '#ports/transfers.ts'
import { abandonAttempt, doubtOf } from './abandon.ts'
import { planOf } from './plan.ts'
import type { PrepareAttempts } from './prepare.ts'
import type { SignedAttempt, Subjects } from './subject.ts'

const CONCURRENT = 16
/** Looked at in one call, and sent as soon as all of them are prepared. */
const PREPARED_TOGETHER = 24
const GROUPS_AT_ONCE = 2
/**
 * Longer than what is done under one lease, unless the chain answers late to everything; then the fence keeps two workers
 * apart. Short enough that what a worker held when it was killed goes on well within a minute.
 */
export const LEASE_MS = 45_000
/** How often an attempt that is not final is looked at, and sent again while it was not seen. */
const LOOK_AGAIN_MS = 2_000
const LATER_MS = 10_000
/** A blockhash lives for 150 blocks: the newest one's last valid height tells how high the chain is. */
const BLOCKHASH_LIFE = 150n

/** The same moment for all that wait, whenever they began to, so that one call asks for all of them. */
const nextLook = (now: Date): Date =>
  new Date(Math.ceil((now.getTime() + LOOK_AGAIN_MS / 2) / LOOK_AGAIN_MS) * LOOK_AGAIN_MS)

export type TransferChain = BalanceReader & HistoryReader & Submitter & ExpiryProver & NonceReader

export type AdvanceDeps = {
  readonly chainOf: (network: Network) => TransferChain
  readonly transfers: TransferStore
  readonly subjects: Subjects
  readonly signer: Signer
  readonly prepare: PrepareAttempts
  readonly keys: Pick<DepositKeys, 'tokenAccountOf'>
  /** What money acts on: finalized, but for a sandbox that cannot wait. */
  readonly commitment: Commitment
  readonly clock: Clock
  readonly onError: (error: unknown, transferId: string) => void
}

/**
 * One bounded round over a network's due obligations. Returns how many it claimed, and `again` when a queue had as many
 * as it may claim in one round: more may be due.
 */
export type AdvanceTransfers = (network: Network) => Promise<{ readonly claimed: number; readonly again: boolean }>

export function createTransferAdvancer(deps: AdvanceDeps): AdvanceTransfers {
  const { queues } = deps.subjects
  const limits = Object.entries(queues).map(([kind, { most }]) => ({ kind, most }))
  return async (network) => {
    const claimed = await deps.transfers.claim(network, { now: deps.clock.now(), leaseMs: LEASE_MS, queues: limits })
    if (claimed.length === 0) return { claimed: 0, again: false }
    const leases = new Map(claimed.map(({ transfer, lease }) => [transfer.id, lease]))
    try {
      await advanceAll(deps, network, claimed, (transferId) => leases.delete(transferId))
    } finally {
      // After a failure as well: a chain that is away for a moment must not cost a whole lease.
      await deps.transfers.giveBack([...leases.values()], nextLook(deps.clock.now()))
    }
    const ofKind = Map.groupBy(claimed, ({ transfer }) => transfer.kind)
    return { claimed: claimed.length, again: limits.some(({ kind, most }) => (ofKind.get(kind)?.length ?? 0) >= most) }
  }
}

/** One step for each. `onSettled` hears of each transfer whose lease has ended otherwise. */
async function advanceAll(
  deps: AdvanceDeps,
  network: Network,
  claimed: readonly LeasedTransfer[],
  onHandled: (transferId: string) => void,
): Promise<void> {
  const chain = deps.chainOf(network)
  const statuses = await readStatuses(chain, claimed)
  const progress = await readProgress(deps, chain, claimed)
  const step = createStepper(deps, chain)
  const stepEach = (some: readonly LeasedTransfer[]): Promise<void> =>
    forEachParallel(some, CONCURRENT, async (leased) => {
      try {
        const status = leased.live?.signature == null ? null : (statuses.get(leased.live.signature) ?? null)
        if ((await step(leased, status, progress)) === 'handled') onHandled(leased.transfer.id)
      } catch (error) {
        deps.onError(error, leased.transfer.id)
      }
    })

  const fresh = inTurns(claimed.filter(({ live }) => live === null))
  const beginSome = async (some: readonly LeasedTransfer[]): Promise<void> => {
    const prepared = await deps.prepare(network, some)
    const ready = new Set(prepared.map(({ transfer }) => transfer.id))
    for (const { transfer } of some) if (!ready.has(transfer.id)) onHandled(transfer.id)
    await stepEach(prepared)
  }
  // A group at a time, so that the first are on their way before the last are prepared.
  const begin = (): Promise<void> => forEachParallel(inGroups(fresh, PREPARED_TOGETHER), GROUPS_AT_ONCE, beginSome)
  // Both at once: what keeps new attempts from being made must not keep those under way from being seen through.
  const goOn = (): Promise<void> => stepEach(claimed.filter(({ live }) => live !== null))
  await forEachParallel([goOn, begin], 2, (part) => part())
}

/** The oldest of every kind, then the second of every kind, and so on: a burst of one kind delays no other. */
function inTurns(claimed: readonly LeasedTransfer[]): readonly LeasedTransfer[] {
  const queues = [...Map.groupBy(claimed, ({ transfer }) => transfer.kind).values()]
  const longest = Math.max(0, ...queues.map(({ length }) => length))
  return Array.from({ length: longest }, (_, turn) => queues.flatMap((queue) => queue[turn] ?? [])).flat()
}

async function readStatuses(
  chain: Pick<Submitter, 'signatureStatuses'>,
  claimed: readonly LeasedTransfer[],
): Promise<ReadonlyMap<Signature, SignatureStatus | null>> {
  const signatures = claimed.flatMap(({ live }) => live?.signature ?? [])
  if (signatures.length === 0) return new Map()
  const statuses = await chain.signatureStatuses(signatures)
  return new Map(signatures.map((signature, at) => [signature, statuses[at] ?? null]))
}

async function readProgress(
  { commitment }: Pick<AdvanceDeps, 'commitment'>,
  chain: Pick<Submitter, 'lifetime'> & NonceReader,
  claimed: readonly LeasedTransfer[],
): Promise<ChainProgress> {
  const accounts = claimed.flatMap(({ live }) => (live?.lifetime.kind === 'nonce' ? [live.lifetime.account] : []))
  const [{ lastValidBlockHeight }, nonces] = await Promise.all([chain.lifetime(), readNonces(chain, accounts)])
  return { blockHeight: lastValidBlockHeight - BLOCKHASH_LIFE, nonces, commitment }
}

async function readNonces(
  chain: NonceReader,
  accounts: readonly Address[],
): Promise<ReadonlyMap<Address, Blockhash | null>> {
  if (accounts.length === 0) return new Map()
  const { values } = await chain.nonces(accounts, 'confirmed')
  return new Map(accounts.map((account, at) => [account, values[at] ?? null]))
}

const isSigned = (attempt: Attempt): attempt is SignedAttempt => attempt.signature !== null && attempt.wire !== null

/** What becomes of an obligation in one round: `wait` gives it back for a look soon, `handled` has given it back itself. */
type Outcome = 'wait' | 'handled'

function createStepper(deps: AdvanceDeps, chain: TransferChain) {
  return async function advance(
    leased: LeasedTransfer,
    status: SignatureStatus | null,
    progress: ChainProgress,
  ): Promise<Outcome> {
    const { live } = leased
    const step = nextStep(live, status, progress)
    if (live === null || step.do === 'prepare') return 'wait'
    if (step.do === 'sign') return await signAndSend(deps, chain, leased, live)
    if (!isSigned(live)) throw new Error('an attempt beyond prepared is signed')
    switch (step.do) {
      case 'broadcast':
        return await broadcast(deps, chain, leased, live)
      case 'wait':
        if (live.state !== 'seen') await record(deps, leased, live, 'seen')
        return 'wait'
      case 'book':
        return await book(deps, chain, leased, live)
      case 'prove':
        return await prove(deps, chain, leased, live)
    }
  }
}

const record = (
  deps: AdvanceDeps,
  { lease }: LeasedTransfer,
  attempt: Attempt,
  state: 'sent' | 'seen' | 'unknown',
  error: string | null = null,
) => deps.transfers.recordAttempt(lease, attempt.id, state, { now: deps.clock.now(), ...(error !== null && { error }) })

/**
 * Signs what stands in the database and stores the bytes before anybody outside sees them. What the signer refuses was
 * never signed and never will be, so that it is dead without further proof; the next attempt is made from the start.
 */
async function signAndSend(
  deps: AdvanceDeps,
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
  deps: AdvanceDeps,
  chain: Pick<Submitter, 'broadcast'>,
  leased: LeasedTransfer,
  attempt: SignedAttempt,
): Promise<Outcome> {
  let refusal: string | null = null
  try {
    await chain.broadcast(attempt.wire)
  } catch (error) {
    // Every provider refused the bytes. That is an opinion, not evidence: one of them may have taken them before.
    if (!(error instanceof ServiceError && error.code === 'transaction_refused')) throw error
    refusal = String(error.context.reason)
  }
  if (attempt.state === 'signed' || refusal !== null) await record(deps, leased, attempt, 'sent', refusal)
  return 'wait'
}

/** Final: ledger, attempt, obligation, subject, event and notice in one transaction, which is the subject's to make. */
async function book(
  deps: AdvanceDeps,
  chain: Pick<HistoryReader, 'transaction'>,
  leased: LeasedTransfer,
  attempt: SignedAttempt,
): Promise<Outcome> {
  const transaction = await chain.transaction(attempt.signature, deps.commitment)
  // The provider that said "final" may not be the one that was asked for the transaction.
  if (transaction === null) return 'wait'
  await deps.subjects.of(leased.transfer).book(leased, attempt, transaction)
  return 'handled'
}

/** Another attempt only after proof that this one can never land, and a balance that says it never did. */
async function prove(
  deps: AdvanceDeps,
  chain: TransferChain,
  leased: LeasedTransfer,
  attempt: SignedAttempt,
): Promise<Outcome> {
  const doubt = await doubtOf(deps, chain, leased.transfer, attempt, deps.subjects.of(leased.transfer))
  if (doubt?.because === 'landed') return await book(deps, chain, leased, attempt)
  if (doubt === null) return (await abandonAttempt(deps, leased, attempt, NEVER_LANDED)) ? 'handled' : 'wait'
  if (doubt.because === 'unproven' && attempt.state !== 'unknown') await record(deps, leased, attempt, 'unknown')
  return await later(deps, leased, `Waiting for proof that ${attempt.signature} never landed: ${doubt.detail}`)
}

const NEVER_LANDED = 'No transaction of it landed in time, however often it was tried.'

async function later(deps: AdvanceDeps, { lease }: LeasedTransfer, reason: string): Promise<Outcome> {
  await deps.transfers.postpone(lease, reason, new Date(deps.clock.now().getTime() + LATER_MS))
  return 'handled'
}
