// Compares the books of all addresses with the chain, round after round, and halts an address when they differ. A
// difference counts only when a second check confirms it: a payment that was not seen yet is observed first, and an address
// whose money moves is checked again.
import type { AuditedFlow } from '#core/audit/audit.ts'
import { describeFaults, type Fault, faultsOf, judgeFaults, type Suspicion } from '#core/audit/faults.ts'
import { ACCOUNTS_PER_CALL } from '#core/chain/full-calls.ts'
import { type Address, type Asset, type Network, SOL } from '#core/chain/types.ts'
import { isRecord } from '#core/json.ts'
import { makeBaseUnits } from '#core/money/amounts.ts'
import { msSince } from '#lib/time.ts'
import type { AuditStore, IssuedAddress } from '#ports/audit.ts'
import type { BalanceReader, DepositKeys } from '#ports/chain.ts'
import type { Clock } from '#ports/clock.ts'
import type { Halt, HaltOfPayment, HaltStore } from '#ports/halts.ts'
import type { SettingStore } from '#ports/platform.ts'
import type { Directory } from '#services/accounts/directory.ts'
import type { ObserveDeposits } from '#services/detection/observe.ts'
import type { ChangedAccount } from '#services/detection/polling/inbound-reading.ts'
import { accountsOf } from '#services/detection/polling/watch-list.ts'
import { type Audited, auditAddresses } from './audit.ts'

// The position of the reconciliation, for the next leader and for the operator.

type Position = {
  /** Every address up to this intent index is judged in this round, halted, or has a surplus that is undecided. */
  readonly afterIndex: number
  /** When the last run ended; null before the first. */
  readonly ranAt: Date | null
}

const keyOf = (network: Network): string => `reconciler:${network}`

export async function readPosition(settings: Pick<SettingStore, 'read'>, network: Network): Promise<Position> {
  const stored = await settings.read(keyOf(network))
  const { afterIndex, ranAt } = isRecord(stored) ? stored : {}
  const isIndex = typeof afterIndex === 'number' && Number.isSafeInteger(afterIndex) && afterIndex > 0
  const at = new Date(typeof ranAt === 'string' ? ranAt : Number.NaN)
  return { afterIndex: isIndex ? afterIndex : 0, ranAt: Number.isNaN(at.getTime()) ? null : at }
}

const writePosition = (
  settings: Pick<SettingStore, 'write'>,
  network: Network,
  { afterIndex, ranAt }: Position,
): Promise<void> => settings.write(keyOf(network), { afterIndex, ranAt: ranAt?.toISOString() ?? null })

/** Addresses in one run: few, so that other work does not wait, and enough for full calls. */
const PAGE = 100
/** Suspected and halted addresses that are checked again in one run. */
const MAX_RECHECKED = 50
/** How many of them are halted addresses at least, so that no number of suspects delays the end of a halt. */
const MIN_HALTS_RECHECKED = 10
/** With differences at this many addresses, no new page is read before they are judged. */
const MAX_SUSPECTS = 500

export type ReconcilerDeps = {
  readonly network: Network
  readonly chain: BalanceReader
  readonly feePayer: Address
  readonly audit: AuditStore
  readonly halts: Pick<HaltStore, 'halt' | 'open' | 'clear'>
  readonly settings: SettingStore
  readonly keys: DepositKeys
  readonly directory: Pick<Directory, 'tokens'>
  readonly observe: ObserveDeposits
  /** Most `getMultipleAccounts` calls a minute: more addresses make longer rounds. */
  readonly callsPerMinute: number
  /** The shortest time between the beginnings of two rounds. */
  readonly minRoundMs: number
  /** Real time. */
  readonly clock: Clock
  readonly onHalt: (halt: Pick<HaltOfPayment, 'network' | 'address' | 'intentId' | 'reason'>) => void
  readonly onError: (error: unknown, intentId: string) => void
}

/** Checks addresses in doubt again, and the next page, in one bounded run. Returns how many addresses were checked. */
export type Reconcile = () => Promise<{ readonly checked: number }>

type Suspect = { readonly intentIndex: number; readonly suspicion: Suspicion }

type Memory = {
  /** The intent index up to which this round has read. */
  reached: number
  /** The suspect that was checked longest ago is the first. */
  readonly suspects: Map<string, Suspect>
  /** The intent index of the halted address that was checked last. */
  haltReached: number
  /** null until this instance has begun a round. */
  roundBeganAt: Date | null
}

export function createReconciler(deps: ReconcilerDeps): Reconcile {
  const reconciler = new Reconciler(deps)
  return () => reconciler.runOnce()
}

class Reconciler {
  readonly #deps: ReconcilerDeps
  #memory: Memory | null = null
  #lastRan: Date | null = null
  /** After a run it rests for as long as the calls of the run use up of the budget. */
  #rest = { from: 0, ms: 0 }

  constructor(deps: ReconcilerDeps) {
    this.#deps = deps
  }

  async runOnce(): Promise<{ readonly checked: number }> {
    const now = this.#deps.clock.now()
    if (msSince(this.#rest.from, now.getTime()) < this.#rest.ms) return { checked: 0 }
    const memory = await this.#recall()
    this.#memory = memory
    const { chain, callsMade } = counted(this.#deps.chain)
    try {
      const { checked, isFull, halted } = await run({ ...this.#deps, chain }, memory, now)
      // A run that may read no page compares no new address: without a record, the operator gets an alert if this lasts.
      if (!isFull) await this.#store(judgedUpTo(memory, halted), now)
      return { checked }
    } finally {
      this.#rest = { from: now.getTime(), ms: (callsMade() * 60_000) / this.#deps.callsPerMinute }
    }
  }

  /** Returns the memory of this instance; the stored position when another instance has led since. */
  async #recall(): Promise<Memory> {
    const stored = await readPosition(this.#deps.settings, this.#deps.network)
    if (this.#memory !== null && stored.ranAt?.getTime() === this.#lastRan?.getTime()) return this.#memory
    return { reached: stored.afterIndex, suspects: new Map(), haltReached: 0, roundBeganAt: null }
  }

  async #store(afterIndex: number, now: Date): Promise<void> {
    const { settings, network } = this.#deps
    await writePosition(settings, network, { afterIndex, ranAt: now })
    this.#lastRan = now
  }
}

type Ran = { readonly checked: number; readonly isFull: boolean; readonly halted: ReadonlyMap<string, HaltOfPayment> }

async function run(deps: ReconcilerDeps, memory: Memory, now: Date): Promise<Ran> {
  const { network, audit } = deps
  const halts = new Map((await deps.halts.open(network)).map((halt) => [halt.intentId, halt]))
  const suspects = [...memory.suspects].flatMap(([intentId, suspect]) => (halts.has(intentId) ? [] : [suspect]))
  const again = await findAgain(deps, memory, suspects, [...halts.values()])
  const isFull = suspects.filter(hasDifference).length >= MAX_SUSPECTS
  const isFirstPage = memory.reached === 0
  const reads = !isFull && (!isFirstPage || isRoundDue(memory, now, deps.minRoundMs))
  const page = reads ? await audit.issued(network, { afterIndex: memory.reached, limit: PAGE }) : []
  const issued = new Map([...again, ...page].map((one) => [one.intentId, one]))
  const audited = await auditAddresses(deps, deps, [...issued.values()])
  for (const one of audited) await conclude(deps, memory, one, halts.get(one.issued.intentId) ?? null, now)
  if (reads && isFirstPage) memory.roundBeganAt = now
  if (reads) memory.reached = page.length < PAGE ? 0 : (page.at(-1)?.intentIndex ?? 0)
  return { checked: audited.length, isFull, halted: halts }
}

/** An undecided surplus may last, and is no difference. */
const hasDifference = ({ suspicion }: Suspect): boolean => suspicion.size > 0

/** A clock that was put back does not stop the reconciliation. */
const isRoundDue = ({ roundBeganAt }: Memory, now: Date, minRoundMs: number): boolean =>
  roundBeganAt === null || msSince(roundBeganAt.getTime(), now.getTime()) >= minRoundMs

/** Returns suspects and halted addresses, each in turn. */
async function findAgain(
  { audit, network }: ReconcilerDeps,
  memory: Memory,
  suspects: readonly Suspect[],
  halts: readonly HaltOfPayment[],
): Promise<readonly IssuedAddress[]> {
  const haltCount = Math.min(halts.length, Math.max(MIN_HALTS_RECHECKED, MAX_RECHECKED - suspects.length))
  const inTurn = [...suspects.slice(0, MAX_RECHECKED - haltCount), ...nextHalts(memory, halts, haltCount)]
  const found = await Promise.all(
    inTurn.map(({ intentIndex }) => audit.issued(network, { afterIndex: intentIndex - 1, limit: 1 })),
  )
  return found.flat()
}

/** Returns the halts after those of the last run, in the order of their intent index. */
function nextHalts(memory: Memory, halts: readonly HaltOfPayment[], count: number): readonly HaltOfPayment[] {
  const inOrder = halts.toSorted((a, b) => a.intentIndex - b.intentIndex)
  const { before = [], after = [] } = Object.groupBy(inOrder, ({ intentIndex }) =>
    intentIndex > memory.haltReached ? 'after' : 'before',
  )
  const next = [...after, ...before].slice(0, count)
  memory.haltReached = next.at(-1)?.intentIndex ?? 0
  return next
}

async function conclude(
  deps: ReconcilerDeps,
  { suspects }: Memory,
  { issued, shown }: Pick<Audited, 'issued' | 'shown'>,
  halt: Halt | null,
  now: Date,
): Promise<void> {
  const { intentId, intentIndex, address } = issued
  const all = faultsOf(shown)
  if (all.length === 0) {
    suspects.delete(intentId)
    if (halt !== null) await deps.halts.clear(halt.id, { by: 'reconciled', reason: null, at: now })
    return
  }
  const { faults, undecided } = await observeSurplus(deps, { issued, shown }, all)
  const { suspicion, proven } = judgeFaults(suspects.get(intentId)?.suspicion ?? new Map(), faults, now)
  // The suspect moves to the end, so that suspects take turns.
  suspects.delete(intentId)
  if (proven.length === 0) {
    // The next round finds an undecided surplus again, so the number of those that are kept is limited.
    const isKept = faults.length > 0 || (undecided && suspects.size < MAX_SUSPECTS)
    if (isKept) suspects.set(intentId, { intentIndex, suspicion })
    return
  }
  const found = { network: deps.network, address, intentId, reason: describeFaults(proven) }
  if (await deps.halts.halt({ ...found, faults: proven, haltedAt: now })) deps.onHalt(found)
}

/**
 * Observes a surplus at once, and returns the faults that remain. A surplus is no fault in an account that transfers do not
 * draw from: anyone may open such an account for the address. `undecided` while the surplus cannot be taken in, because a
 * price is missing for example.
 */
async function observeSurplus(
  { keys, directory, network, observe, onError }: ReconcilerDeps,
  { issued: { intentId, acceptedAssets }, shown }: Pick<Audited, 'issued' | 'shown'>,
  all: readonly Fault[],
): Promise<{ faults: readonly Fault[]; undecided: boolean }> {
  const usual = await accountsOf(
    { address: shown.derivedAddress, acceptedAssets },
    keys,
    await directory.tokens(network),
  )
  const changed = shown.balances.flatMap(({ account, asset, chain, difference }): ChangedAccount[] => {
    const place = usual.find((one) => one.account === account && one.asset === asset)
    // A token may have arrived before it was allowed: the ledger may have an entry, and there is no deposit.
    const isUntaken = !acceptedAssets.includes(asset) && shown.flows.some((flow) => exceedsArrivals(flow, asset))
    return (difference > 0n || isUntaken) && place !== undefined ? [{ ...place, balance: makeBaseUnits(chain) }] : []
  })
  const others = all.filter(({ kind }) => kind !== 'chain_has_more')
  if (changed.length === 0) return { faults: others, undecided: false }
  const isChanged = ({ account, asset }: Fault) => changed.some((one) => one.account === account && one.asset === asset)
  try {
    // The rest of a long history may explain it.
    if ((await observe(intentId, changed)).unfinished) return { faults: others, undecided: true }
    return { faults: all.filter((fault) => others.includes(fault) || isChanged(fault)), undecided: false }
  } catch (error) {
    onError(error, intentId)
    return { faults: others, undecided: true }
  }
}

const exceedsArrivals = (flow: AuditedFlow, asset: Asset): boolean =>
  asset !== SOL && flow.asset === asset && flow.difference < 0n

/**
 * Returns the intent index up to which every address is judged. Another instance that takes over continues after it. It
 * knows the halted addresses, and finds an undecided surplus again in the next round: both may last.
 */
function judgedUpTo({ reached, suspects }: Memory, halted: ReadonlyMap<string, HaltOfPayment>): number {
  const inDoubt = [...suspects].filter(([intentId, suspect]) => !halted.has(intentId) && hasDifference(suspect))
  return Math.min(reached, ...inDoubt.map(([, { intentIndex }]) => intentIndex - 1))
}

function counted(chain: BalanceReader): { chain: BalanceReader; callsMade: () => number } {
  let calls = 0
  return {
    callsMade: () => calls,
    chain: {
      readAccounts(accounts) {
        calls += Math.ceil(accounts.length / ACCOUNTS_PER_CALL)
        return chain.readAccounts(accounts)
      },
    },
  }
}
