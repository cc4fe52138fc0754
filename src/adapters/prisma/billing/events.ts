// The events of subscriptions and charges, as the outbox takes them.
import type { StagedEvent } from '#adapters/prisma/events/outbox.ts'
import { CHARGE_FIELDS } from '#core/billing/charge.ts'
import { CHARGE } from '#core/billing/charge-transfer.ts'
import type { BillingEvent } from '#core/billing/machine/change.ts'
import { type BillingSubscription, SUBSCRIPTION_FIELDS, SUBSCRIPTION_SUBJECT } from '#core/billing/subscription.ts'
import { record } from '#core/codec.ts'

const subscriptionCodec = record(SUBSCRIPTION_FIELDS)
const chargeCodec = record(CHARGE_FIELDS)

/** An event goes to the business, or to the marketplace of a seller, as the subscription says. */
export const stagedBillingEvent = (
  event: BillingEvent,
  { receiverAccountId }: Pick<BillingSubscription, 'receiverAccountId'>,
): StagedEvent => {
  const [kind, subject, data] =
    'charge' in event
      ? [CHARGE, event.charge, chargeCodec.write(event.charge)]
      : [SUBSCRIPTION_SUBJECT, event.subscription, subscriptionCodec.write(event.subscription)]
  return {
    network: subject.network,
    accountId: subject.accountId,
    receiverAccountId,
    type: event.type,
    subject: { kind, id: subject.id },
    version: subject.version,
    data,
    at: subject.updatedAt,
  }
}
