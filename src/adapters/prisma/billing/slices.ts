// The slices of a delegation, as JSON that one statement reads with other facts.
import type { Slice } from '#core/billing/room.ts'
import { SUBSCRIPTION_STATUSES } from '#core/billing/subscription.ts'
import { unitsCodec } from '#core/chain/codecs.ts'
import { time } from '#core/codec.ts'
import { oneOf } from '#core/json.ts'
import { ENDED_STATUSES } from './tables.ts'

export type SliceJson = {
  readonly subscriptionId: string
  readonly status: string
  readonly remaining: string
  readonly inFlight: string
  readonly createdAt: string
}

const readStatus = oneOf(SUBSCRIPTION_STATUSES)

export const sliceFromJson = ({ subscriptionId, status, remaining, inFlight, createdAt }: SliceJson): Slice => ({
  subscriptionId,
  status: readStatus(status, 'slice.status'),
  remaining: unitsCodec.read(remaining, 'slice.remaining'),
  inFlight: unitsCodec.read(inFlight, 'slice.inFlight'),
  createdAt: time.read(createdAt, 'slice.createdAt'),
})

/**
 * Returns an expression for the slices that fulfil a condition on `slice`, the oldest first. An ended subscription is among them
 * only while a charge of it may still land.
 */
export const slicesWhere = (condition: string): string => `
  (SELECT coalesce(jsonb_agg(jsonb_build_object('subscriptionId', slice.id, 'status', slice.status,
      'remaining', (slice.authorized_amount - slice.spent_amount)::text,
      'inFlight', coalesce(submitted.amount, 0)::text, 'createdAt', slice.created_at)
      ORDER BY slice.created_at, slice.id), '[]')
    FROM billing_subscriptions slice
    LEFT JOIN charges submitted ON submitted.subscription_id = slice.id AND submitted.status = 'submitted'
    WHERE ${condition} AND (slice.status NOT IN ${ENDED_STATUSES} OR submitted.id IS NOT NULL))`
