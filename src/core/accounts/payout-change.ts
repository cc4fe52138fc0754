// Changes of the wallet that receives the money of a business: now, or after a delay in which it can be canceled. docs/dashboard.md.
import { ACTOR_KINDS, type Actor, type NewAuditEntry } from '#core/accounts/audit.ts'
import type { Address } from '#core/chain/types.ts'
import type { EventSubject } from '#core/events/subjects.ts'
import { fieldsOf, oneOf, readNullable, readString } from '#core/json.ts'

/** A change that waits. A business has one at most: a newer one takes its place. */
export type PayoutChange = {
  readonly accountId: string
  /** Null clears the wallet. */
  readonly destination: Address | null
  readonly requestedBy: Actor
  readonly requestedAt: Date
  readonly effectiveAt: Date
}

export const payoutRequested = (
  before: Address | null,
  { destination, effectiveAt }: Pick<PayoutChange, 'destination' | 'effectiveAt'>,
): NewAuditEntry => ({
  action: 'business.payout_change_requested',
  sellerId: null,
  changes: { sweep_destination: [before, destination], effective_at: [null, effectiveAt.toISOString()] },
})

export const payoutCanceled = ({ destination, effectiveAt }: PayoutChange): NewAuditEntry => ({
  action: 'business.payout_change_canceled',
  sellerId: null,
  changes: { sweep_destination: [destination, null], effective_at: [effectiveAt.toISOString(), null] },
})

export const PAYOUT_CHANGED = 'business.payout_changed'
/** A change waits: who did not want it can still cancel it. */
export const PAYOUT_CHANGE_REQUESTED = 'business.payout_change_requested'
/** It was canceled, or another one took its place. */
export const PAYOUT_CHANGE_CANCELED = 'business.payout_change_canceled'

/** What an event of a wallet keeps. */
export type PayoutSnapshot = {
  readonly before: string | null
  readonly after: string | null
  /** When a change that waits, or waited, takes effect, in ISO 8601; null for one that has. */
  readonly effectiveAt: string | null
  readonly actor: Pick<Actor, 'kind' | 'credential' | 'ip'>
}

/** Events about the wallet of a business. */
export const PAYOUT_EVENTS: EventSubject = {
  kind: 'payout',
  types: [PAYOUT_CHANGED, PAYOUT_CHANGE_REQUESTED, PAYOUT_CHANGE_CANCELED],
  render(data) {
    const field = fieldsOf(data, 'payout')
    const actor = fieldsOf(
      field('actor', (value) => value),
      'payout.actor',
    )
    const text = readNullable(readString)
    const effectiveAt = field('effectiveAt', text)
    return {
      sweep_destination: field('after', text),
      previous_sweep_destination: field('before', text),
      ...(effectiveAt !== null && { effective_at: effectiveAt }),
      changed_by: {
        kind: actor('kind', oneOf(ACTOR_KINDS)),
        credential: actor('credential', text),
        ip: actor('ip', text),
      },
    }
  },
}
