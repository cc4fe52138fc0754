// The alerts of `operator status` about recurring billing.
import { withoutReserve } from '#core/billing/sponsoring.ts'
import { SIGNATURE_FEES } from '#core/transfers/plan.ts'
import type { BillingStatus } from '#services/billing/status.ts'
import { inMinutes, inSol, isNearly, plural, when, withReason } from './alert-text.ts'

/** A charge is taken within seconds of its time; the proof that a transaction is dead takes some minutes. */
const CHARGES_WAIT_MS = 900_000
/** The cost of the cheapest approve: a rest below this is no budget. */
const MIN_APPROVE = SIGNATURE_FEES

export const billingAlerts = (status: BillingStatus | null): readonly string[] =>
  status === null
    ? []
    : [
        ...status.problems,
        ...keyAlerts(status),
        ...chargeAlerts(status),
        ...differingAlerts(status),
        ...waitingChargeAlerts(status),
        ...sponsorAlerts(status),
        ...businessAlerts(status),
      ]

const keyAlerts = ({ key, delegate }: BillingStatus): readonly string[] => [
  ...when(
    key.otherKeys > 0,
    `${plural(key.otherKeys, 'charge names', 'charges name')} another delegate key than ${delegate}, which the master seed ` +
      'gives. The service cannot sign for it. Restore the seed with which these subscriptions were made.',
  ),
  ...when(
    key.otherDelegations > key.ownDelegations,
    `${key.otherDelegations} token accounts of subscribers name another delegate than ${delegate}, and only ` +
      `${key.ownDelegations} name it. Compare the master seed with its backup, and read \`subscription show ID\`.`,
  ),
  ...when(
    key.unsigned > 0,
    `The signer has refused ${plural(key.unsigned, 'charge', 'charges')}, which the delegate key ${delegate} must sign. Read ` +
      "the reason in `charge list --status failed`, and the cause in the workers' log, then use `charge retry ID`.",
  ),
]

const chargeAlerts = ({ unpayable, broken, key }: BillingStatus): readonly string[] => [
  ...when(
    unpayable > 0,
    `${plural(unpayable, 'charge', 'charges')} cannot be paid out, because the token account of the business cannot receive. ` +
      'Each is tried again every hour for a day, and then daily until its period ends. `charge list --status failed` shows ' +
      'them; when the business can receive again, use `charge retry ID`.',
  ),
  ...when(
    broken > key.unsigned,
    `${plural(broken - key.unsigned, 'charge', 'charges')} failed for a reason that the service does not know. Read it in ` +
      '`charge list --status failed`, remove the cause, then use `charge retry ID`.',
  ),
]

const differingAlerts = ({ differing: { count, newest } }: BillingStatus): readonly string[] =>
  newest === null
    ? []
    : [
        `${plural(count, 'charge', 'charges')} of the last 7 days moved another amount than the legs of the transfer name. The ` +
          `newest is ${newest}. Compare its transaction with \`charge show ID\`; the mint may take a fee now.`,
      ]

function waitingChargeAlerts({ oldest, oldestForMs, due, inFlight }: BillingStatus): readonly string[] {
  if (oldest === null || oldestForMs === null || oldestForMs < CHARGES_WAIT_MS) return []
  return [
    `The charge of subscription ${oldest.subscriptionId} has waited for ${inMinutes(oldestForMs)}` +
      `${withReason(oldest.reason)} Charges that are due: ${due}, in flight: ${inFlight}. Find the cause in the workers' log, ` +
      'and check the fee payer and the providers.',
  ]
}

/** Checkouts are refused first: the rest of the budget is for subscriptions that have paid. */
function sponsorAlerts({ sponsorSpent, sponsorBudget }: BillingStatus): readonly string[] {
  const forCheckouts = withoutReserve(sponsorBudget)
  if (!isNearly(sponsorSpent, forCheckouts)) return []
  const [noCheckouts, nothing] = [forCheckouts, sponsorBudget].map((budget) => sponsorSpent + MIN_APPROVE > budget)
  const refused = nothing ? 'Checkouts, renewals and changes of terms' : 'Checkouts'
  return [
    `Approve transactions of subscribers have cost the fee payer ${inSol(sponsorSpent)} in the last 24 hours, of at most ` +
      `${inSol(sponsorBudget)}. ${refused} that need one are refused ${noCheckouts ? 'now' : `from ${inSol(forCheckouts)} on`}; ` +
      'charges continue. If the checkouts are real, raise SPONSOR_LAMPORTS_PER_DAY.',
  ]
}

/** The last quarter of the budget is for first charges, and for charges that have failed before. */
function businessAlerts({ costliest, businessBudget }: BillingStatus): readonly string[] {
  const forPeriods = withoutReserve(businessBudget)
  if (costliest === null || !isNearly(costliest.cost, forPeriods)) return []
  const from = costliest.cost >= forPeriods ? 'now' : `from ${inSol(forPeriods)} on`
  return [
    `The subscriptions of business ${costliest.accountId} have cost the fee payer ${inSol(costliest.cost)} in the last 24 hours, of ` +
      `at most ${inSol(businessBudget)}. Its checkouts are refused and its next periods wait ${from}; nothing is lost, and no other ` +
      'business waits. If its subscribers are real, raise SPONSOR_LAMPORTS_PER_BUSINESS.',
  ]
}
