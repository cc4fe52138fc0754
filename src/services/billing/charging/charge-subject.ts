// Charges as a subject of transfers: checked before each attempt, and booked with the state of their subscription.
// docs/billing.md, "Charges".

import { businessLimitAt, OVER_BUSINESS_BUDGET } from '#core/billing/business-budget.ts'
import { createsPayout, failureOfTransaction, judgeCharge } from '#core/billing/charge-preflight.ts'
import { CHARGE } from '#core/billing/charge-transfer.ts'
import { allowanceOf, allowanceState, takeAccounted } from '#core/billing/delegation-state.ts'
import { triableAt } from '#core/billing/dunning.ts'
import { bookCharge, bookUnlanded } from '#core/billing/machine/booking.ts'
import type { BillingChange, Decision } from '#core/billing/machine/change.ts'
import type { BillingContext, BillingFacts } from '#core/billing/machine/facts.ts'
import { isCovered } from '#core/billing/machine/revoking.ts'
import { decideFailed, decideSubmitted, decideUnsigned, submits } from '#core/billing/machine/submitting.ts'
import { type Network, SOL } from '#core/chain/types.ts'
import type { Lamports } from '#core/money/amounts.ts'
import { PAYOUT_PENDING } from '#core/transfers/payout-creation.ts'
import { type Delay, TRY_AGAIN_MS, type TransferView } from '#core/transfers/preflight.ts'
import type { Transfer } from '#core/transfers/transfer.ts'
import type { StoredFacts } from '#ports/billing.ts'
import type { BalanceReader, ChainClock } from '#ports/chain.ts'
import { type AccountDeps, account } from '#services/billing/charging/account-for.ts'
import { completeFacts, contextOf } from '#services/billing/decide.ts'
import { CHANGED_MEANWHILE, retryWhenChanged } from '#services/retry-when-changed.ts'
import { claimPayoutCreation, type PayoutCreationDeps } from '#services/transfers/payout-creation.ts'
import type { Check, Claimed, TransferSubject } from '#services/transfers/subject.ts'

const MOST_IN_A_ROUND = 128
/** The longest wait for the clock of the chain. */
const LONGEST_WAIT_MS = 10 * 60_000
/** Short, so that charges begin soon after billing is enabled again. */
const DISABLED_MS = 20_000
/** Longer: the charges of one business wait among those of all others. */
const ACCOUNT_DISABLED_MS = 10 * 60_000

export type ChargeSubjectDeps = AccountDeps &
  PayoutCreationDeps & {
    readonly chainOf: (network: Network) => BalanceReader & ChainClock
    /**
     * The most that the subscriptions of one business cost the fee payer in 24 hours. null while recurring billing is disabled: no
     * attempt begins, and those that may land still end.
     */
    readonly sponsorLamportsPerBusiness: Lamports | null
  }

export function createChargeSubject(deps: ChargeSubjectDeps): TransferSubject {
  return {
    kind: CHARGE,
    queues: { [CHARGE]: { most: MOST_IN_A_ROUND } },
    action: 'legs',
    // The balance of a subscriber moves for other reasons too, so it says nothing about a pull. The allowance does: it is read
    // before the next attempt, and a pull that landed after all is found then.
    isUntouched: () => true,
    overBudget: async () => 'go',

    async readChecks(network, claimed, lostBefore) {
      const { sponsorLamportsPerBusiness: limit, billing, clock } = deps
      if (limit === null) return async () => DISABLED
      const ids = claimed.map(({ transfer }) => transfer.subject.id)
      const [{ time: chainTime }, over, disabled] = await Promise.all([
        deps.chainOf(network).blockTime(),
        billing.overBudget(ids, businessLimitAt(limit, clock.now())),
        billing.ofDisabled(ids),
      ])
      return async (one, view) => {
        const { id } = one.transfer.subject
        if (disabled.has(id)) return ACCOUNT_DISABLED
        return over.has(id) ? OVER_BUSINESS_BUDGET : await check(deps, one, view, { chainTime, lostBefore })
      }
    },

    async recheck(network, one) {
      if (deps.sponsorLamportsPerBusiness === null) return DISABLED
      if ((await deps.billing.ofDisabled([one.transfer.subject.id])).size > 0) return ACCOUNT_DISABLED
      const { time } = await deps.chainOf(network).blockTime()
      return (await decideInTime(deps, one, time, decideUnsigned)) ?? 'go'
    },

    async book({ transfer }, attempt, transaction) {
      const failure =
        transaction.error === null
          ? null
          : failureOfTransaction(transaction.error, transfer, await viewNow(deps, transfer, transaction.slot))
      await write(deps, transfer, (facts) => bookCharge(facts, { attempt, transaction, failure }, contextOf(deps)))
    },

    async giveUp({ transfer }, attempt, reason) {
      await write(deps, transfer, (facts) => bookUnlanded(facts, attempt, reason, contextOf(deps)))
    },
  }
}

const DISABLED: Delay = { reason: 'Recurring billing is disabled.', afterMs: DISABLED_MS }
const ACCOUNT_DISABLED: Delay = { reason: 'The account is disabled.', afterMs: ACCOUNT_DISABLED_MS }

/** The lease is lost, or it is too early. With a lost lease, giving back changes nothing. */
const NOT_NOW = { reason: 'The charge is not due.', afterMs: TRY_AGAIN_MS }

/**
 * Marks the charge as submitted, or lets it fail without a transaction, before the attempt is prepared. `chainTime`: the time of
 * the newest final block.
 */
async function check(
  deps: ChargeSubjectDeps,
  one: Claimed,
  view: TransferView,
  { chainTime, lostBefore }: { readonly chainTime: Date; readonly lostBefore: bigint | null },
): Promise<Check> {
  const { transfer, lease } = one
  const judged = judgeCharge(transfer, view, true)
  const decided = await decideInTime(deps, one, chainTime, async (facts, context) => {
    const due = decideUnsigned(facts, context)
    if (due.kind === 'moved') return due
    const waits = await unaccounted(deps, view, facts, lostBefore)
    if (waits !== null) return waits
    if (judged.is === 'go' && !isCovered(facts, readingOf(view, facts), context.now))
      return decideFailed(facts, lease, 'allowance_insufficient', context)
    const creates = judged.is === 'go' && createsPayout(transfer, view)
    const creation = creates ? await claimPayoutCreation(deps, transfer, { isCharge: true }) : 'allowed'
    if (creation === 'pending') return PAYOUT_PENDING
    const verdict = creation === 'spent' ? judgeCharge(transfer, view, false) : judged
    if (verdict.is === 'later') return verdict.delay
    if (verdict.is === 'go') return decideSubmitted(facts, lease, context)
    return decideFailed(facts, lease, verdict.code, context)
  })
  return decided ?? NOT_NOW
}

const readingOf = ({ slot, source }: TransferView, { delegation }: BillingFacts) => ({
  slot,
  state: allowanceState(source, delegation),
})

/**
 * Returns why no decision may rest on the reading: a provider is behind, or the ledger may lack a pull.
 * Pulls that the ledger has lost are booked first. null when the reading is accounted for.
 */
async function unaccounted(
  deps: ChargeSubjectDeps,
  view: TransferView,
  facts: BillingFacts,
  lostBefore: bigint | null,
): Promise<Delay | typeof CHANGED_MEANWHILE | null> {
  const { delegation, terms } = facts
  const { slot, state } = readingOf(view, facts)
  if (delegation.chainSlot !== null && slot < delegation.chainSlot) return OUT_OF_DATE
  const allowance = { slot, allowance: allowanceOf(state, terms.delegate.address) }
  switch (await account(deps, delegation, allowance, { inFlight: 0n, lostBefore })) {
    case 'expected':
    case 'in_flight':
      return null
    case 'behind':
      return OUT_OF_DATE
    case 'later':
      return UNACCOUNTED
    case 'accounted':
      await deps.delegations.save(takeAccounted(delegation, allowance), delegation.version)
      return CHANGED_MEANWHILE
    case 'booked':
      return READ_AGAIN
  }
}

/** The accounts were read by a provider that has not seen yet what the delegation is known to have. */
const OUT_OF_DATE: Delay = { reason: 'A provider is behind: the accounts are read again.', afterMs: TRY_AGAIN_MS }

const UNACCOUNTED: Delay = {
  reason:
    'The ledger may lack a pull: the history of the token account does not show yet what has changed the allowance.',
  afterMs: TRY_AGAIN_MS,
}

const READ_AGAIN: Delay = { reason: 'A pull was found in the history, and is booked now.', afterMs: TRY_AGAIN_MS }

/**
 * Decides by the time of the chain, and applies what is decided. Decides again while time moves the subscription on. Returns
 * null when nothing changes.
 */
function decideInTime(
  deps: ChargeSubjectDeps,
  { transfer }: Claimed,
  chainTime: Date,
  decide: (
    facts: BillingFacts,
    context: BillingContext,
  ) => Decision | Promise<Decision | Delay | typeof CHANGED_MEANWHILE>,
): Promise<Check | null> {
  return retryWhenChanged(async () => {
    const stored = await deps.billing.factsOfCharge(transfer.subject.id)
    if (stored === null) throw new Error(`no subscription has the charge ${transfer.subject.id}`)
    const early = earlyBy(stored, chainTime, deps.clock.now())
    if (early > 0) return { ...NOT_NOW, afterMs: Math.min(early, LONGEST_WAIT_MS) }
    const facts = await completeFacts(deps, stored)
    const context = contextOf(deps)
    const decision = await decide(facts, { ...context, now: chainTime < context.now ? chainTime : context.now })
    if (decision === CHANGED_MEANWHILE || 'afterMs' in decision) return decision
    if (decision.kind !== 'moved') return null
    if (!(await deps.billing.apply(decision.change, facts.delegation))) return CHANGED_MEANWHILE
    if (submits(decision)) return 'go'
    return decision.change.statusOverride === null ? CHANGED_MEANWHILE : 'handled'
  })
}

/**
 * Returns how many milliseconds an attempt is early; 0 or less when it is not. The period of the charge begins by the chain:
 * the clock of this machine may be ahead, and nothing is charged early. The first charge begins its period itself. After a
 * failure on the chain the charge waits, whatever planned it again.
 */
function earlyBy({ charge: own }: StoredFacts, chainTime: Date, now: Date): number {
  if (own === null) return 0
  const { periodStart, periodEnd } = own.charge
  const untilPeriod = periodEnd === null ? 0 : periodStart.getTime() - chainTime.getTime()
  return Math.max(untilPeriod, triableAt(own.charge, now).getTime() - now.getTime())
}

/** Applies a change that follows from what the chain did. Another worker may have booked it already. */
function write(
  deps: ChargeSubjectDeps,
  { id, subject }: Transfer,
  decide: (facts: BillingFacts) => BillingChange,
): Promise<void> {
  return retryWhenChanged(async () => {
    const stored = await deps.billing.factsOfCharge(subject.id)
    if (stored === null) throw new Error(`no subscription has the charge ${subject.id}`)
    if (!mayBook(stored, id)) return undefined
    const facts = await completeFacts(deps, stored)
    return (await deps.billing.apply(decide(facts), facts.delegation)) ? undefined : CHANGED_MEANWHILE
  })
}

/** A charge that is not the latest of its subscription has ended: another worker booked it. */
const mayBook = ({ charge }: StoredFacts, transferId: string): boolean =>
  charge?.transfer.id === transferId && charge.transfer.status === 'in_progress' && charge.live !== null

/** Returns the accounts of the pull; null when the provider does not know them as they were in the slot of the failure. */
async function viewNow({ chainOf, keys }: ChargeSubjectDeps, transfer: Transfer, failedIn: bigint) {
  const { network, source, asset, tokenProgram, legs } = transfer
  if (asset === SOL || tokenProgram === null) return null
  const wallets = [source, ...legs.map(({ destination }) => destination)]
  const accounts = await Promise.all(wallets.map((wallet) => keys.tokenAccountOf(wallet, asset, tokenProgram)))
  const { slot, states } = await chainOf(network).readAccounts(accounts)
  if (slot < failedIn) return null
  const receivers = new Map(legs.map(({ destination }, at) => [destination, states[at + 1] ?? null]))
  return { source: states[0] ?? null, receivers }
}
