// Mistakes about the life of a subscription: what is read of it, what is written, and what others take from its allowance.
import type { Charge } from '#core/billing/charge.ts'
import type { BillingChange } from '#core/billing/machine/change.ts'
import type { Slice } from '#core/billing/room.ts'
import type { BillingSubscription } from '#core/billing/subscription.ts'
import { ZERO } from '#core/money/amounts.ts'
import type { DelegationStore, StoredFacts } from '#ports/billing.ts'
import { replaced } from '../ports.ts'
import { type Above, type Below, changed, withBilling } from './billing-ports.ts'
import type { Plant } from './plant.ts'

const MINUTE_MS = 60_000

/** Facts are altered on their way from the store. */
const factsRead =
  (alter: (facts: StoredFacts) => StoredFacts): Above =>
  (ports) => {
    const altered = (facts: StoredFacts | null) => (facts === null ? null : alter(facts))
    return withBilling(ports, {
      facts: async (id) => altered(await ports.billing.facts(id)),
      factsOfCharge: async (id) => altered(await ports.billing.factsOfCharge(id)),
    })
  }

const both =
  (one: Above, other: Above): Above =>
  (ports, ground) =>
    other(one(ports, ground), ground)

const withSubscription = (facts: StoredFacts, patch: Partial<BillingSubscription>): StoredFacts => ({
  ...facts,
  subscription: { ...facts.subscription, ...patch },
})

const withAfter = (change: BillingChange, patch: Partial<BillingSubscription>): BillingChange => ({
  ...change,
  after: { ...change.after, ...patch },
})

/** Writes over whatever is stored. */
const overwritten: Below = (ports) =>
  withBilling(ports, {
    async apply(change, delegation, consent) {
      const stored = change.before === null ? null : await ports.billing.facts(change.after.id)
      if (stored === null || change.before === null) return await ports.billing.apply(change, delegation, consent)
      const { version } = stored.subscription
      const over = {
        ...change,
        before: { ...change.before, version },
        after: { ...change.after, version: version + 1 },
      }
      return await ports.billing.apply(over, stored.delegation, consent)
    },
  })

/** A pause leaves the charge as it is, and the worker that sends the charge reads the subscription as active. */
const sentWhilePaused: Above = both(
  factsRead((facts) =>
    facts.subscription.status === 'paused' ? withSubscription(facts, { status: 'active' }) : facts,
  ),
  changed((change) => {
    const isPause = change.events.some(({ type }) => type === 'subscription.paused')
    return isPause ? { ...change, charges: [], statusOverride: null } : change
  }),
)

/** A scheduled end is not read, and stays scheduled. */
function endForgotten(): Above {
  const scheduled = new Set<string>()
  return both(
    changed((change) => {
      const { id, cancelAtPeriodEnd } = change.after
      const isCleared = change.events.some(({ type }) => type === 'subscription.resumed')
      if (cancelAtPeriodEnd) scheduled.add(id)
      if (isCleared) scheduled.delete(id)
      return scheduled.has(id) ? withAfter(change, { cancelAtPeriodEnd: true }) : change
    }),
    factsRead((facts) => withSubscription(facts, { cancelAtPeriodEnd: false })),
  )
}

/** Every failure is the first. */
function firstFailureAgain(change: BillingChange): BillingChange {
  const failed = change.charges.find(({ status, nextAttemptAt }) => status === 'failed' && nextAttemptAt !== null)
  if (failed === undefined || change.after.dunningAttempts < 2) return change
  const nextAttemptAt = new Date(failed.updatedAt.getTime() + 5 * MINUTE_MS)
  const charges = change.charges.map((charge) => (charge === failed ? { ...charge, nextAttemptAt } : charge))
  const times = { nextChargeAt: nextAttemptAt, dueAt: nextAttemptAt }
  return withAfter({ ...change, charges }, { dunningAttempts: 1, pastDueSince: failed.updatedAt, ...times })
}

/** The first charge has two transfers. */
function armedTwice(change: BillingChange): BillingChange {
  if (change.before !== null) return change
  const again = change.transfers.map((transfer) => ({ ...transfer, key: `${transfer.key}:again`, round: 2 }))
  return { ...change, transfers: [...change.transfers, ...again] }
}

/** Slices that are gone still count, with what they had. */
function neverReleased(): Above {
  return (ports) => {
    const last = new Map<string, Map<string, Slice>>()
    const delegations = replaced<DelegationStore>(ports.delegations, {
      async slices(id) {
        const slices = await ports.delegations.slices(id)
        const seen = last.get(id) ?? new Map<string, Slice>()
        last.set(id, seen)
        const present = new Map(slices.map((slice) => [slice.subscriptionId, slice]))
        const gone = [...seen.values()].filter((slice) => !present.has(slice.subscriptionId))
        for (const slice of slices) if (slice.remaining > ZERO) seen.set(slice.subscriptionId, slice)
        return [...slices, ...gone.map((slice) => ({ ...slice, status: 'active' as const }))]
      },
    })
    return { ...ports, delegations }
  }
}

/** The next period is counted from the present one: after a short month, a subscription of the 31st stays on the 28th. */
const chained = (facts: StoredFacts): StoredFacts => {
  const { currentPeriodStart: anchor, periodIndex: anchorPeriod, nextChargePeriod } = facts.subscription
  // Periods that were missed are charged as they were.
  const isBehind = nextChargePeriod <= anchorPeriod
  return anchor === null || isBehind ? facts : withSubscription(facts, { anchor, anchorPeriod })
}

const withoutEvent =
  (type: string) =>
  (change: BillingChange): BillingChange => ({
    ...change,
    events: change.events.filter((event) => event.type !== type),
  })

const isPulled = ({ status }: Charge): boolean => status === 'succeeded'

const MISTAKES: readonly Omit<Plant, 'subscriptions'>[] = [
  {
    name: 'subscription-overwritten',
    mistake: 'A change is written whatever has happened to the subscription since it was read.',
    below: overwritten,
  },
  {
    name: 'paused-charge-sent',
    mistake: 'A charge that waits is sent although its subscription was paused.',
    above: sentWhilePaused,
  },
  {
    name: 'charged-after-the-end',
    mistake: 'A cancellation at the end of the period is forgotten when the period ends.',
    above: (ports, ground) => endForgotten()(ports, ground),
  },
  {
    name: 'dunning-begins-again',
    mistake: 'Every failure of a charge counts as the first.',
    above: changed(firstFailureAgain),
  },
  {
    name: 'first-charge-armed-twice',
    mistake: 'A checkout plans two transfers of its first charge.',
    above: changed(armedTwice),
  },
  {
    name: 'slice-not-released',
    mistake: 'The slice of a canceled subscription still counts in the next approve.',
    above: neverReleased(),
  },
  {
    name: 'spent-not-counted',
    mistake: 'A charge that succeeded is not counted against the authorization.',
    above: changed((change) =>
      change.before !== null && change.charges.some(isPulled)
        ? withAfter(change, { spentAmount: change.before.spentAmount })
        : change,
    ),
  },
  {
    name: 'period-chained',
    mistake: 'A period is counted from the one before it, and not from the first.',
    above: factsRead(chained),
  },
  {
    name: 'charge-event-dropped',
    mistake: 'No event is sent for a charge that failed.',
    above: changed(withoutEvent('charge.failed')),
  },
]

export const SUBSCRIPTION_PLANTS: readonly Plant[] = MISTAKES.map((plant) => ({ ...plant, subscriptions: true }))
