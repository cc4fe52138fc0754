// Everything that has happened to a subscription, the oldest first: its events and those of its charges, with their webhooks.
import { useRead } from '#dashboard/browser/data.ts'
import { usePermission } from '#dashboard/browser/me.ts'
import { amountOf } from '#dashboard/browser/parts/billing.tsx'
import { type Moment, Timeline, webhooksIn } from '#dashboard/browser/parts/timeline.tsx'
import { isText, useWords, type Words } from '#dashboard/browser/say.tsx'
import {
  DashboardDeliveriesOfEventsDocument,
  type DashboardSubscriptionDetailQuery,
  DashboardSubscriptionEventsDocument,
  type DashboardSubscriptionEventsQuery,
} from '#dashboard/documents.generated.ts'

type Subscription = NonNullable<DashboardSubscriptionDetailQuery['subscription']>
type Event = NonNullable<DashboardSubscriptionEventsQuery['events']>['edges'][number]['node']
/** The data of a webhook, whose fields an older event may lack. */
type Data = Readonly<Record<string, unknown>>

/** What happens at once, in the order in which one leads to the other. */
const PLACES: Readonly<Record<string, number>> = {
  'subscription.created': 0,
  'charge.created': 2,
  'charge.succeeded': 3,
  'charge.failed': 3,
}
/** A period begins before its charge, and any other change of a subscription follows from that. */
const placeOf = ({ type }: Event, isBegin: boolean): number => PLACES[type] ?? (isBegin ? 1 : 4)

export function SubscriptionTimeline({ subscription }: { subscription: Subscription }) {
  const words = useWords()
  const { say } = words
  const { uuid: id, createdAt, authorizedAmount, approveSignature, tier } = subscription
  const { data, fault } = useRead(DashboardSubscriptionEventsDocument, { id })
  const events = data?.events.edges.map(({ node }) => node) ?? []
  const ids = events.map((event) => event.id)
  const seesWebhooks = usePermission('webhooks-manage')
  const sent = useRead(DashboardDeliveriesOfEventsDocument, { ids }, { pause: !seesWebhooks || ids.length === 0 })
  const webhooksOf = webhooksIn(sent.data?.deliveries)
  if (data === null && fault === null) return null

  const happened = events.map((event, at): Moment => {
    const before = events.slice(0, at).findLast(isOfSubscription)
    const isBegin = event.type === 'subscription.updated' && differs(event.data, before?.data ?? null, ['period_index'])
    return {
      key: event.id,
      at: event.timestamp,
      place: placeOf(event, isBegin),
      what: isOfSubscription(event)
        ? subscriptionEvent(words, event, before?.data ?? null, tier)
        : chargeEvent(words, event, tier),
      signature: signatureOf(event),
      more: webhooksOf(event.id),
    }
  })
  const isWhole = events.some(({ type }) => type === 'subscription.created')
  const begin: Moment = {
    key: 'begin',
    at: createdAt,
    place: 0,
    what: say('tl_created', { amount: amountOf(words, authorizedAmount, tier) }),
    signature: approveSignature,
    more: null,
  }
  return (
    <Timeline moments={isWhole ? happened : [begin, ...happened]} fault={fault ?? sent.fault}>
      {!isWhole && <p class="hint">{say('tl_older')}</p>}
    </Timeline>
  )
}

const isOfSubscription = ({ type }: Event): boolean => type.startsWith('subscription.')

const textIn = (data: Data, name: string): string => String(data[name] ?? '')

/** Whether fields of a snapshot have changed. Nothing is known of a change without the snapshot before it. */
const differs = (after: Data, before: Data | null, names: readonly string[]): boolean =>
  before !== null && names.some((name) => textIn(after, name) !== textIn(before, name))

function signatureOf({ type, data }: Event): string | null {
  const field = type === 'subscription.created' ? 'approve_signature' : 'signature'
  return textIn(data, field) || null
}

type Token = Parameters<typeof amountOf>[2]

/** Returns an event in words; that of a newer service keeps its type. */
function subscriptionEvent(words: Words, { type, data }: Event, before: Data | null, token: Token): string {
  const { say, formats } = words
  const amount = (name: string, of: Data = data) => amountOf(words, textIn(of, name), token)
  const by = textIn(data, 'stopped_by')
  switch (type) {
    case 'subscription.created':
      return say('tl_created', { amount: amount('authorized_amount') })
    case 'subscription.paused':
      return say(by === 'business' || by === 'subscriber' ? `tl_paused_${by}` : 'tl_paused_unpaid')
    case 'subscription.cancel_scheduled':
      return say(by === 'subscriber' ? 'tl_cancel_scheduled_subscriber' : 'tl_cancel_scheduled_business')
    case 'subscription.resumed':
      return say(differs(data, before, ['cancel_at_period_end']) ? 'tl_kept' : 'tl_resumed')
    case 'subscription.updated':
      if (before !== null && differs(data, before, ['tier_id', 'unit_amount']))
        return say('tl_terms', { before: amount('unit_amount', before), after: amount('unit_amount') })
      if (differs(data, before, ['authorized_amount', 'delegation_epoch', 'approve_signature']))
        return say('tl_renewed', { amount: amount('authorized_amount') })
      if (differs(data, before, ['period_index']))
        return say('tl_period', { period: formats.number(Number(data.period_index) + 1) })
      return say('tl_updated')
  }
  const key = type.replace('subscription.', 'tl_')
  return isText(key) ? say(key) : type
}

function chargeEvent(words: Words, { type, data }: Event, token: Token): string {
  const { say, formats } = words
  const period = formats.number(Number(data.period_index) + 1)
  const amount = amountOf(words, textIn(data, 'amount'), token)
  const code = textIn(data, 'failure_code')
  switch (type) {
    case 'charge.created':
      return say('tl_charge_created', { period, amount })
    case 'charge.succeeded':
      return say('tl_charge_succeeded', { period, amount })
    case 'charge.failed': {
      const reason = isText(code) ? say(code) : code
      const tries = formats.number(Number(data.attempts))
      return say('tl_charge_failed', { period, reason, tries })
    }
  }
  return type
}
