// The table of every transition that a subscription and a charge may make. A pair that is missing here cannot happen.
import type { ChargeStatus } from '#core/billing/charge.ts'
import type { SubscriptionStatus } from '#core/billing/subscription.ts'

/** Whether the interface documents the transition (`spec`) or docs/billing.md adds it (`ours`). */
type Origin = 'spec' | 'ours'

type Table<Status extends string> = Readonly<Record<Status, Readonly<Partial<Record<Status, Origin>>>>>

export const SUBSCRIPTION_TRANSITIONS: Table<SubscriptionStatus> = {
  incomplete: { active: 'spec', failed: 'ours' },
  // To exhausted only when nothing is authorized for a period that has begun.
  active: {
    renewal_required: 'ours',
    past_due: 'ours',
    paused: 'ours',
    revoked: 'ours',
    exhausted: 'ours',
    canceled: 'spec',
  },
  // Back to active by a renewal, or when a period was passed over.
  renewal_required: {
    active: 'ours',
    past_due: 'ours',
    paused: 'ours',
    revoked: 'ours',
    exhausted: 'ours',
    canceled: 'spec',
  },
  past_due: { active: 'ours', paused: 'ours', revoked: 'ours', exhausted: 'ours', canceled: 'spec' },
  // To exhausted when it is resumed with nothing authorized for the present period.
  paused: { active: 'ours', exhausted: 'ours', canceled: 'spec' },
  revoked: { active: 'ours', canceled: 'spec' },
  exhausted: { active: 'ours', canceled: 'spec' },
  canceled: {},
  failed: {},
}

export const CHARGE_TRANSITIONS: Table<ChargeStatus> = {
  // Without a transaction to failed or canceled. To succeeded from another status than submitted only by a pull that was found in
  // the history, because the ledger had lost it.
  pending: { submitted: 'ours', succeeded: 'ours', failed: 'spec', canceled: 'ours' },
  // Only a proof that its transaction cannot land ends it without success.
  submitted: { submitted: 'ours', succeeded: 'spec', failed: 'spec', canceled: 'ours' },
  failed: { pending: 'ours', succeeded: 'ours', canceled: 'ours' },
  succeeded: {},
  // When billing goes on within the period.
  canceled: { pending: 'ours', succeeded: 'ours' },
}

export const isDocumented = <Status extends string>(table: Table<Status>, from: Status, to: Status): boolean =>
  table[from][to] !== undefined
