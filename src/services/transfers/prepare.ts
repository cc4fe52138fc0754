// The first half of an attempt: reads the chain, compiles, and stores the unsigned message. No transaction can land yet.
import { type AccountState, type Address, type Lifetime, type Network, type Signature, SOL } from '#core/chain/types.ts'
import { hasCode, ServiceError } from '#core/errors.ts'
import type { Lamports } from '#core/money/amounts.ts'
import { limitReached, type Spending } from '#core/transfers/budget.ts'
import {
  BELOW_BOOKS,
  balanceOf,
  type Delay,
  TOKEN_ACCOUNT_BYTES,
  TRY_AGAIN_MS,
  type TransferView,
  UNBOOKED,
} from '#core/transfers/preflight.ts'
import type { LeasedTransfer, Transfer } from '#core/transfers/transfer.ts'
import { forEachParallel } from '#lib/parallel.ts'
import type {
  BalanceReader,
  DepositKeys,
  HistoryEntry,
  HistoryReader,
  RentReader,
  Submitter,
  TransactionCompiler,
} from '#ports/chain.ts'
import type { Clock } from '#ports/clock.ts'
import type { Random } from '#ports/random.ts'
import type { BookedBalance, KnownTransaction, TransferStore } from '#ports/transfers.ts'
import type { MintGuard } from '#services/tokens/mint-guard.ts'
import type { AfterFailover, Aftermath } from './after-failover.ts'
import { planOf, sourceAccountOf } from './steps.ts'
import type { Check, Claimed, Subjects, TransferSubject } from './subject.ts'
import { createFindUnbooked, type FindUnbooked } from './unbooked.ts'

// A transaction that every provider must know, so that it is believed when it does not know an attempt. docs/money.md, "Proof of
// expiry".

type Lister = Pick<HistoryReader, 'signatures' | 'transaction'>

/** Providers may keep little more than two days of history. */
const RECENT_MS = 24 * 60 * 60_000

/** The places of the entries that are looked at, and the last: a fork that one provider believes may have many of the newest. */
const LOOKED_AT = [0, 1, 4, 16, 64]

/**
 * Returns the newest final transaction of the fee payer. A new fee payer has one when the first transaction to it is final;
 * until then, and when no provider lists one, it throws `chain_unavailable`.
 */
export async function newestSignature(chain: Lister, feePayer: Address): Promise<Signature> {
  const newest = await newestOf(chain, feePayer)
  if (newest === null)
    throw new ServiceError('chain_unavailable', {}, { cause: new Error('no final transaction of the fee payer') })
  return newest.signature
}

/**
 * Returns the transaction for an attempt that is prepared now. This is the newest of the ledger while it is recent. On a
 * network that was idle, providers may have pruned it: then it is the newest of the fee payer, when that is newer. An attempt keeps
 * its transaction, because only a transaction that is older than the attempt proves anything about it.
 */
export async function knownSignatureOf(
  chain: Lister,
  feePayer: Address,
  booked: KnownTransaction | null,
  now: Date,
): Promise<Signature> {
  if (booked === null) return await newestSignature(chain, feePayer)
  if (now.getTime() - booked.at.getTime() <= RECENT_MS) return booked.signature
  const newest = await newestOf(chain, feePayer)
  return newest !== null && newest.slot > booked.slot ? newest.signature : booked.signature
}

/**
 * Returns the newest entry that is in a final block also for a second provider: the list comes from one, which may call a block
 * final that the chain then leaves out, and a transaction that no provider knows would make every proof impossible.
 */
async function newestOf(chain: Lister, feePayer: Address): Promise<HistoryEntry | null> {
  const { entries } = await chain.signatures(feePayer, {})
  let failure: ServiceError | null = null
  for (const entry of new Set(LOOKED_AT.map((place) => entries[Math.min(place, entries.length - 1)]))) {
    if (entry === undefined) break
    try {
      if ((await chain.transaction(entry.signature)) !== null) return entry
    } catch (error) {
      if (!hasCode(error, 'chain_unavailable')) throw error
      failure ??= error
    }
  }
  if (failure !== null) throw failure
  return null
}

const HELD_TRY_AGAIN_MS = 15_000
const BUDGET_TRY_AGAIN_MS = 5 * 60_000

type PreparingChain = BalanceReader & RentReader & HistoryReader & Pick<Submitter, 'lifetime'> & TransactionCompiler

/** Stores an attempt for each transfer. Returns these transfers; gives the others back, each with a reason. */
export type PrepareAttempts = (
  network: Network,
  leased: readonly LeasedTransfer[],
) => Promise<readonly LeasedTransfer[]>

type PrepareDeps = {
  readonly chainOf: (network: Network) => PreparingChain
  readonly transfers: Pick<
    TransferStore,
    'prepareAttempt' | 'spendOf' | 'haltsOn' | 'postpone' | 'booked' | 'bookedOf' | 'knownTransactions'
  >
  readonly subjects: Subjects
  readonly keys: Pick<DepositKeys, 'tokenAccountOf'>
  readonly feePayerOf: (network: Network) => Address
  readonly random: Pick<Random, 'uuid'>
  readonly clock: Clock
  readonly afterFailover: AfterFailover
  readonly mintGuard: Pick<MintGuard, 'holdOf'>
  readonly onError: (error: unknown, transferId: string) => void
}

export function createAttemptPreparer(deps: PrepareDeps): PrepareAttempts {
  const findUnbooked = createFindUnbooked(deps)
  return async (network, claimed) => {
    if (claimed.length === 0) return []
    const aftermath = await deps.afterFailover(network)
    if (aftermath.waits !== null) return await postponeAll(deps, claimed, aftermath.waits)
    const leased = await withoutHeld(deps, await withoutHalted(deps, claimed))
    if (leased.length === 0) return []
    const chain = deps.chainOf(network)
    const [snapshot, checks] = await Promise.all([
      readSnapshot(deps, network, chain, leased),
      readChecks(deps, network, leased, aftermath),
    ])
    const prepared: LeasedTransfer[] = []
    // All at once: the store writes together what is prepared together.
    await forEachParallel(leased, leased.length, async (one) => {
      try {
        const attempt = await prepareOne({ ...deps, findUnbooked }, chain, one, { ...snapshot, ...aftermath }, checks)
        if (attempt !== null) prepared.push(attempt)
      } catch (error) {
        await giveBackFailed(deps, one, error)
      }
    })
    return prepared
  }
}

/** Gives all of the transfers back. */
async function postponeAll(
  { transfers, clock }: PrepareDeps,
  claimed: readonly LeasedTransfer[],
  { reason, afterMs }: Delay,
): Promise<readonly LeasedTransfer[]> {
  const leases = claimed.map(({ lease }) => lease)
  await transfers.postpone(leases, reason, new Date(clock.now().getTime() + afterMs))
  return []
}

/** Returns the transfers whose source is not halted. Gives the others back, each with the reason of the halt. */
async function withoutHalted(deps: PrepareDeps, leased: readonly LeasedTransfer[]): Promise<readonly LeasedTransfer[]> {
  const halts = await deps.transfers.haltsOn([...new Set(leased.map(({ transfer }) => transfer.source))])
  if (halts.size === 0) return leased
  for (const one of leased) {
    const halt = halts.get(one.transfer.source)
    const reason = `Nothing is sent from its address for now. ${halt}`
    if (halt !== undefined) await giveBack(deps, one, { reason, afterMs: HELD_TRY_AGAIN_MS })
  }
  return leased.filter(({ transfer }) => !halts.has(transfer.source))
}

/** Returns the transfers that no change of their mint holds. Gives the others back, each with the reason. */
async function withoutHeld(deps: PrepareDeps, leased: readonly LeasedTransfer[]): Promise<readonly LeasedTransfer[]> {
  const held = new Set<LeasedTransfer>()
  await forEachParallel(leased, leased.length, async (one) => {
    if (deps.subjects.of(one.transfer).action !== 'legs') return
    try {
      const reason = await deps.mintGuard.holdOf(one.transfer)
      if (reason === null) return
      held.add(one)
      await giveBack(deps, one, { reason, afterMs: HELD_TRY_AGAIN_MS })
    } catch (error) {
      held.add(one)
      await giveBackFailed(deps, one, error)
    }
  })
  return leased.filter((one) => !held.has(one))
}

/** The accounts that the transfers touch, read in one call, the known signature of each transfer, and the newest lifetime. */
type ChainSnapshot = {
  readonly seen: ReadonlyMap<Address, AccountState | null>
  readonly lifetime: Lifetime
  viewOf(transfer: Transfer): TransferView
  /** By transfer. */
  readonly sources: ReadonlyMap<string, Address>
  /** By transfer: what the ledger has on its source account, in base units. */
  readonly booked: ReadonlyMap<string, BookedBalance>
  /** By transfer: the newest final transaction in the ledger of its network. */
  readonly knownTransactions: ReadonlyMap<string, KnownTransaction>
}

async function readSnapshot(
  deps: PrepareDeps,
  network: Network,
  chain: PreparingChain,
  leased: readonly LeasedTransfer[],
): Promise<ChainSnapshot> {
  const feePayer = deps.feePayerOf(network)
  const sources = new Map<string, Address>()
  for (const { transfer } of leased) sources.set(transfer.id, await sourceAccountOf(deps.keys, transfer))
  const destinations = leased.flatMap(({ transfer }) => transfer.legs.map(({ destination }) => destination))
  const receivers = await receiversOf(deps.keys, leased)
  const accounts = [...new Set([feePayer, ...sources.values(), ...destinations, ...receivers.values()])]
  // Read before the chain: what is booked is final.
  const booked = await deps.transfers.booked(sources)
  const [{ slot, states }, wallet, tokenAccount, knownTransactions, lifetime] = await Promise.all([
    chain.readAccounts(accounts),
    chain.minimumBalance(0),
    chain.minimumBalance(TOKEN_ACCOUNT_BYTES),
    deps.transfers.knownTransactions(leased.map(({ transfer }) => transfer.id)),
    chain.lifetime(),
  ])
  const seen = new Map(accounts.map((account, at) => [account, states[at] ?? null]))
  const stateOf = (account: Address | undefined) => (account === undefined ? null : (seen.get(account) ?? null))
  return {
    seen,
    lifetime,
    sources,
    booked,
    knownTransactions,
    viewOf({ id, source, asset, legs }) {
      const wallets = legs.map(({ destination }) => destination)
      return {
        slot,
        source: stateOf(sources.get(id) ?? source),
        destinations: new Map(wallets.map((one) => [one, stateOf(one)])),
        receivers: new Map(wallets.map((one) => [one, stateOf(receivers.get(`${asset} ${one}`))])),
        feePayerLamports: stateOf(feePayer)?.lamports ?? 0n,
        rent: { wallet, tokenAccount },
      }
    },
  }
}

/** Returns the receiving token accounts of the legs, by asset and wallet. */
async function receiversOf(
  keys: PrepareDeps['keys'],
  leased: readonly LeasedTransfer[],
): Promise<ReadonlyMap<string, Address>> {
  const receivers = new Map<string, Address>()
  for (const { transfer } of leased) {
    const { asset, tokenProgram, legs } = transfer
    if (asset === SOL || tokenProgram === null) continue
    for (const { destination } of legs) {
      receivers.set(`${asset} ${destination}`, await keys.tokenAccountOf(destination, asset, tokenProgram))
    }
  }
  return receivers
}

type Checks = ReadonlyMap<TransferSubject, Awaited<ReturnType<TransferSubject['readChecks']>>>

/** Lets each subject read the facts for the checks of its transfers, in one batch. */
async function readChecks(
  { subjects }: PrepareDeps,
  network: Network,
  leased: readonly Claimed[],
  { lostBefore }: Aftermath,
): Promise<Checks> {
  const bySubject = Map.groupBy(leased, ({ transfer }) => subjects.of(transfer))
  return new Map(
    await Promise.all(
      [...bySubject].map(
        async ([subject, own]) => [subject, await subject.readChecks(network, own, lostBefore)] as const,
      ),
    ),
  )
}

async function prepareOne(
  deps: PrepareDeps & { readonly findUnbooked: FindUnbooked },
  chain: PreparingChain,
  { transfer, lease }: LeasedTransfer,
  snapshot: ChainSnapshot & Pick<Aftermath, 'lostBefore'>,
  checks: Checks,
): Promise<LeasedTransfer | null> {
  const subject = deps.subjects.of(transfer)
  const one = { transfer, lease }
  const view = snapshot.viewOf(transfer)
  if (!(await passes(deps, one, await checks.get(subject)?.(one, view)))) return null
  const offBooks = await compareBooks(deps, chain, snapshot, transfer)
  if (offBooks !== null) {
    await giveBack(deps, one, offBooks)
    return null
  }
  const booked = snapshot.knownTransactions.get(transfer.id) ?? null
  const knownSignature = await knownSignatureOf(chain, deps.feePayerOf(transfer.network), booked, deps.clock.now())
  const harvestWithheld = (view.source?.token?.withheld ?? 0n) > 0n
  const { lifetime } = snapshot
  const plan = planOf(transfer, { harvestWithheld, lifetime }, subject)
  const { message, fee } = await chain.compile(plan, snapshot.seen)
  const spending = spendingOf(deps, transfer, fee)
  const isWithinBudget = async () =>
    spending === null || (await passes(deps, one, await checkBudget(deps, one, subject, spending)))
  if (!(await isWithinBudget())) return null
  const live = await deps.transfers.prepareAttempt(lease, {
    id: deps.random.uuid(),
    transferId: transfer.id,
    number: transfer.attemptCount + 1,
    source: transfer.source,
    message,
    harvestWithheld,
    lifetime,
    knownSignature,
    createdAt: deps.clock.now(),
    ...(spending !== null && { spending }),
  })
  if (live !== null) return { transfer, lease, live }
  // Attempts that were stored meanwhile may have used the budget up. When the lease is lost, this writes nothing.
  if (await isWithinBudget())
    await giveBack(deps, one, {
      reason: 'Another transaction from this address may still land.',
      afterMs: TRY_AGAIN_MS,
    })
  return null
}

/**
 * Returns why nothing leaves a source. An address that had money when the database was replaced may have lost the row of a transfer,
 * and what has arrived since would hide that in the balance.
 */
async function compareBooks(
  { findUnbooked, feePayerOf }: Pick<PrepareDeps, 'feePayerOf'> & { readonly findUnbooked: FindUnbooked },
  chain: HistoryReader,
  { booked, viewOf, sources, lostBefore }: ChainSnapshot & Pick<Aftermath, 'lostBefore'>,
  transfer: Transfer,
): Promise<Delay | null> {
  const [own, account] = [booked.get(transfer.id), sources.get(transfer.id)]
  if (own === undefined || account === undefined) return null
  const { asset, network } = transfer
  const { source, slot } = viewOf(transfer)
  const balance = balanceOf(source, asset)
  if (balance < own.amount) return BELOW_BOOKS
  if (lostBefore === null || own.since >= lostBefore) return null
  const searched = { account, asset, feePayer: feePayerOf(network), booked: own, balance, slot, lostBefore }
  return (await findUnbooked(chain, searched)) ? UNBOOKED : null
}

/** Returns whether an attempt follows. Gives the transfer back when it has to wait. */
async function passes(deps: PrepareDeps, one: Claimed, check: Check | undefined): Promise<boolean> {
  if (typeof check === 'object') await giveBack(deps, one, check)
  return check === 'go'
}

/** Returns the most that the attempt may cost the fee payer; null for a kind without a budget. */
function spendingOf(deps: PrepareDeps, transfer: Transfer, cost: Lamports): Spending | null {
  const { network, kind, subject } = transfer
  const budget = deps.subjects.queues[kind]?.budget
  if (budget === undefined) return null
  const feePayer = deps.feePayerOf(network)
  const spender = { network, kind, feePayer, subjectId: subject.id, before: transfer.createdAt, now: deps.clock.now() }
  return { ...spender, cost, budget }
}

/**
 * Delays a transfer over the limit of an hour or a day. It keeps its place: the budget that becomes free is reserved for it before later
 * transfers. The subject decides on a transfer over its own limit.
 */
async function checkBudget(
  deps: PrepareDeps,
  one: Claimed,
  subject: TransferSubject,
  { cost, budget, ...spender }: Spending,
): Promise<Check> {
  const limit = limitReached(budget, await deps.transfers.spendOf(spender), cost)
  if (limit === null) return 'go'
  if (limit === 'subject') return await subject.overBudget(one)
  const reason = `All ${spender.kind} transfers together have cost the fee payer as much as they may in one ${limit}: they continue when less of the budget is used.`
  return { reason, afterMs: BUDGET_TRY_AGAIN_MS, budgetWaitCost: cost }
}

const giveBack = (
  { transfers, clock }: PrepareDeps,
  { lease }: Pick<Claimed, 'lease'>,
  { reason, afterMs, budgetWaitCost = null }: Delay,
): Promise<void> => transfers.postpone([lease], reason, new Date(clock.now().getTime() + afterMs), budgetWaitCost)

async function giveBackFailed(deps: PrepareDeps, one: Claimed, error: unknown): Promise<void> {
  await giveBack(deps, one, { reason: 'The transaction could not be prepared; see the log.', afterMs: TRY_AGAIN_MS })
  deps.onError(error, one.transfer.id)
}
