// Accounts for a reading of a token account: what the ledger does not explain, the history does. Pulls that the ledger has lost are
// booked first. docs/billing.md, "Pulls that the ledger has lost".

import { CHARGE, chargeOfKey } from '#core/billing/charge-transfer.ts'
import type { Delegation } from '#core/billing/delegation.ts'
import { accountFor, afterPull, type LedgerLimits, type ReadAllowance } from '#core/billing/delegation-state.ts'
import { bookFound } from '#core/billing/machine/booking.ts'
import { isUnderWay, planFound } from '#core/billing/machine/charging.ts'
import { decideDue } from '#core/billing/machine/due.ts'
import type { ObservedTransaction } from '#core/chain/types.ts'
import { ServiceError } from '#core/errors.ts'
import { makeBaseUnits } from '#core/money/amounts.ts'
import { ledgerOf } from '#core/transfers/ledger.ts'
import type { DelegationStore } from '#ports/billing.ts'
import type { ApprovalStore } from '#ports/checkouts.ts'
import { contextOf, type DecideDeps, delegateOf, readFacts } from '#services/billing/decide.ts'
import { CHANGED_MEANWHILE, retryWhenChanged } from '#services/retry-when-changed.ts'
import type { FindPulls, Searched } from './find-pulls.ts'

export type AccountDeps = DecideDeps & {
  readonly delegations: Pick<DelegationStore, 'haltFor' | 'knownAs' | 'save'>
  readonly approvals: Pick<ApprovalStore, 'live'>
  readonly findPulls: FindPulls
}

/**
 * `expected`, `in_flight`: the reading counts. `accounted`: it counts, because it is the first, the owner has changed the allowance, or
 * no pull is lost. `behind`: a provider is. `later`: the history is not read to its end, or does not show what has changed the allowance.
 * `booked`: pulls were found and booked, so everything is read again.
 */
export type Accounted = 'expected' | 'in_flight' | 'accounted' | 'behind' | 'later' | 'booked'

/** Accounts for a reading of the allowance. */
export async function account(
  deps: AccountDeps,
  delegation: Delegation,
  reading: ReadAllowance,
  limits: LedgerLimits,
): Promise<Accounted> {
  const accounting = accountFor(delegation, reading, limits)
  if (accounting.is === 'first') return 'accounted'
  if (!('since' in accounting)) return accounting.is
  const { address: delegate } = delegateOf(deps, delegation.network)
  const slots = { since: accounting.since, upTo: reading.slot, whole: accounting.is === 'unsearched' }
  const searched = await deps.findPulls(delegation, slots, delegate).catch(unlessUnavailable)
  if (searched.is !== 'found') {
    const isExplained = searched.is === 'owner_acted' || (searched.is === 'nothing' && accounting.is === 'unsearched')
    return isExplained ? 'accounted' : 'later'
  }
  for (const pull of searched.pulls) if (!(await bookPull(deps, delegation, pull))) return 'later'
  return 'booked'
}

/** No provider has the history now: nothing is known, and the next reading asks again. */
function unlessUnavailable(error: unknown): Searched {
  if (error instanceof ServiceError && error.code === 'chain_unavailable') return { is: 'unfinished' }
  throw error
}

/** Books a pull to the charge that its memo names. Returns false when that is not known yet. */
function bookPull(deps: AccountDeps, delegation: Delegation, pull: ObservedTransaction): Promise<boolean> {
  const named = pull.memos.map(chargeOfKey).find((one) => one !== null) ?? null
  return retryWhenChanged(async () => {
    const facts = named === null ? null : await readFacts(deps, named.subscriptionId)
    // Two charges of one wallet find the same pulls at the same time.
    if ((await deps.delegations.knownAs([pull.signature])).size > 0) return true
    if (named === null || facts === null || facts.delegation.id !== delegation.id) {
      // An approve under way may bring the subscription back.
      if (named !== null && facts === null && (await deps.approvals.live(delegation.id)) !== null) return false
      return await halt(deps, delegation, pull)
    }
    const { charge: own } = facts
    const context = contextOf(deps)
    if (own?.charge.periodIndex === named.periodIndex && own.charge.status !== 'succeeded') {
      if (isUnderWay(own)) return false
      return (await deps.billing.apply(bookFound(facts, pull, context), facts.delegation)) || CHANGED_MEANWHILE
    }
    // The row of the charge is lost, too, and maybe the begin of its period.
    const due = decideDue(facts, context)
    const planned = planFound(facts, named.periodIndex, context) ?? (due.kind === 'moved' ? due.change : null)
    if (planned === null) return await halt(deps, facts.delegation, pull)
    await deps.billing.apply(planned, facts.delegation)
    return CHANGED_MEANWHILE
  })
}

/** Books a pull that no charge explains, and halts the wallet. Returns false when the delegation has changed. */
async function halt(deps: AccountDeps, delegation: Delegation, pull: ObservedTransaction): Promise<boolean> {
  const { network, tokenAccount, mint, version } = delegation
  const { signature, slot, feePayer, memos } = pull
  const now = deps.clock.now()
  const taken = pull.changes
    .filter((change) => change.account === tokenAccount)
    .reduce((sum, { before, after }) => sum + before - after, 0n)
  const ledger = ledgerOf(pull, new Set([feePayer]), { network, kind: CHARGE, subjectId: null, transferId: null })
  const reason =
    `Transaction ${signature} took ${taken} base units of ${mint} from ${tokenAccount}, and no charge explains it ` +
    `(memo: ${memos.join(', ') || 'none'}).`
  const after = afterPull(delegation, makeBaseUnits(taken), slot, now)
  return await deps.delegations.haltFor({ delegation: after, version, ledger, reason, at: now })
}
