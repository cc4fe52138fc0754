// Rounds over due transfers: claim, prepare, and one step for each attempt. docs/money.md, "The protocol".
import { blockHeightOf } from '#core/chain/block-height.ts'
import type { Network, Signature, SignatureStatus } from '#core/chain/types.ts'
import {
  type ChainProgress,
  checkAfterFailure,
  isOverdue,
  type LeasedTransfer,
  nextCheck,
} from '#core/transfers/transfer.ts'
import { createSlots, forEachParallel } from '#lib/parallel.ts'
import { inGroups } from '#lib/values.ts'
import type { Submitter } from '#ports/chain.ts'
import { readStatuses } from './follow.ts'
import type { PrepareAttempts } from './prepare.ts'
import { advanceByStep, type StepDeps, type TransferChain } from './steps.ts'

/** Calls to the chain that one round has under way. */
const CALLS_AT_ONCE = 16
/** Transfers that take a step at the same time. The store writes together what they record together. */
const STEPS_AT_ONCE = 64
/** Transfers that one call checks. They are sent as soon as all of them are prepared. */
const PREPARED_TOGETHER = 64
const GROUPS_AT_ONCE = 2
/**
 * Longer than one round, unless the chain answers late to every call; then the fence stops the first of two workers. Short
 * enough that another worker continues the transfers of a killed worker within a minute.
 */
export const LEASE_MS = 45_000

export type AdvanceDeps = StepDeps & {
  readonly chainOf: (network: Network) => TransferChain
  readonly prepare: PrepareAttempts
  readonly onError: (error: unknown, transferId: string) => void
}

/**
 * Runs one bounded round over the due transfers of a network. Returns how many it claimed, `again` when a queue gave as many
 * as one round may claim, so that more may be due, and the time until those that wait for the chain are due; null for none.
 */
export type AdvanceTransfers = (
  network: Network,
) => Promise<{ readonly claimed: number; readonly again: boolean; readonly dueInMs: number | null }>

export function createTransferAdvancer(deps: AdvanceDeps): AdvanceTransfers {
  const { queues } = deps.subjects
  const limits = Object.entries(queues).map(([kind, { most }]) => ({ kind, most }))
  return async (network) => {
    const claimed = await deps.transfers.claim(network, { now: deps.clock.now(), leaseMs: LEASE_MS, queues: limits })
    if (claimed.length === 0) return { claimed: 0, again: false, dueInMs: null }
    const waiting = new Map(claimed.map((leased) => [leased.transfer.id, leased.lease]))
    const giveBack = async (): Promise<number | null> => {
      if (waiting.size === 0) return null
      const now = deps.clock.now()
      const due = nextCheck(now)
      await deps.transfers.giveBack([...waiting.values()], due)
      return due.getTime() - now.getTime()
    }
    try {
      const statusOf = await readStatuses(
        deps.chainOf(network),
        claimed.map(({ live }) => live?.signature ?? null),
      )
      await advanceAll(deps, network, { claimed, statusOf, onHandled: (transferId) => waiting.delete(transferId) })
    } catch (error) {
      // The transfers do not wait for the end of the lease when the chain was away for a moment.
      await giveBack()
      throw error
    }
    const ofKind = Map.groupBy(claimed, ({ transfer }) => transfer.kind)
    const again = limits.some(({ kind, most }) => (ofKind.get(kind)?.length ?? 0) >= most)
    return { claimed: claimed.length, again, dueInMs: await giveBack() }
  }
}

type Round = {
  readonly claimed: readonly LeasedTransfer[]
  /** By signature, at the begin of the round. */
  readonly statusOf: (signature: Signature | null) => SignatureStatus | null
  /** Called for each transfer whose lease a step has ended. */
  readonly onHandled: (transferId: string) => void
}

/** Advances each transfer by one step. */
async function advanceAll(
  deps: AdvanceDeps,
  network: Network,
  { claimed, statusOf: of, onHandled }: Round,
): Promise<void> {
  const statusOf = ({ live }: LeasedTransfer) => of(live?.signature ?? null)
  const chain = deps.chainOf(network)
  const now = deps.clock.now()
  const overdue = claimed.filter(({ live }) => live?.signature != null && isOverdue(live, of(live.signature), now))
  const progress = await readProgress(chain, overdue)
  const limited = withLimit(chain)
  const stepEach = (some: readonly LeasedTransfer[], permits?: Permits): Promise<void> =>
    forEachParallel(some, STEPS_AT_ONCE, async (leased) => {
      try {
        if (permits !== undefined && !(await permits(leased))) {
          onHandled(leased.transfer.id)
          return
        }
        if ((await advanceByStep(deps, limited, leased, { status: statusOf(leased), progress, now })) === 'handled')
          onHandled(leased.transfer.id)
      } catch (error) {
        deps.onError(error, leased.transfer.id)
        if (leased.live === null) return
        await deps.transfers.giveBack([leased.lease], checkAfterFailure(leased.live, deps.clock.now()))
        onHandled(leased.transfer.id)
      }
    })

  const fresh = inTurns(claimed.filter(({ live }) => live === null))
  const beginSome = async (some: readonly LeasedTransfer[]): Promise<void> => {
    const prepared = await deps.prepare(network, some)
    const ready = new Set(prepared.map(({ transfer }) => transfer.id))
    for (const { transfer } of some) if (!ready.has(transfer.id)) onHandled(transfer.id)
    await stepEach(prepared)
  }
  // One group after the other: the first transactions are sent before the last are prepared.
  const begin = (): Promise<void> => forEachParallel(inGroups(fresh, PREPARED_TOGETHER), GROUPS_AT_ONCE, beginSome)
  // At the same time: a failure that stops new attempts does not stop attempts that are under way.
  const goOn = (): Promise<void> => {
    const underWay = claimed.filter(({ live }) => live !== null)
    return stepEach(underWay, (leased) => mayGoOn(deps, network, leased))
  }
  await forEachParallel([goOn, begin], 2, (part) => part())
}

type Permits = (leased: LeasedTransfer) => Promise<boolean>

/**
 * Returns whether a step may follow. An attempt that was stored by a worker that died before it signed is checked again, because
 * time has passed; the transfer is given back when it has to wait.
 */
async function mayGoOn(
  deps: AdvanceDeps,
  network: Network,
  { transfer, lease, live }: LeasedTransfer,
): Promise<boolean> {
  const { recheck } = deps.subjects.of(transfer)
  if (live?.state !== 'prepared' || recheck === undefined) return true
  const check = await recheck(network, { transfer, lease })
  if (typeof check !== 'object') return check === 'go'
  await deps.transfers.postpone([lease], check.reason, new Date(deps.clock.now().getTime() + check.afterMs))
  return false
}

/** Returns the chain with a limit of calls for single transfers at the same time. */
function withLimit(chain: TransferChain): TransferChain {
  const slots = createSlots(CALLS_AT_ONCE)
  return {
    ...chain,
    broadcast: (wire) => slots(() => chain.broadcast(wire)),
    transaction: (...args) => slots(() => chain.transaction(...args)),
    proveExpired: (attempt) => slots(() => chain.proveExpired(attempt)),
  }
}

/** Returns the oldest of every kind, then the second of every kind, and so on: a burst of one kind delays no other. */
function inTurns(claimed: readonly LeasedTransfer[]): readonly LeasedTransfer[] {
  const queues = [...Map.groupBy(claimed, ({ transfer }) => transfer.kind).values()]
  const longest = Math.max(0, ...queues.map(({ length }) => length))
  return Array.from({ length: longest }, (_, turn) => queues.flatMap((queue) => queue[turn] ?? [])).flat()
}

/** Reads how far the chain is for the overdue attempts. Without any, nothing is asked. */
async function readProgress(
  chain: Pick<Submitter, 'lifetime'>,
  overdue: readonly LeasedTransfer[],
): Promise<ChainProgress> {
  return { blockHeight: overdue.length === 0 ? null : blockHeightOf(await chain.lifetime()) }
}
