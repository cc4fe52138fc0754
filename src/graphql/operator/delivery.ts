// Webhook deliveries and secrets of all businesses.
import { actorOf, builder, limitOf } from '#graphql/operator/builder.ts'
import type { RotatedWebhookSecret } from '#services/events/endpoint-services.ts'
import type { DeliverySummary } from '#services/events/webhooks.ts'

const DeliveryStatusEnum = builder.enumType('DeliveryStatus', {
  description: 'How far a delivery is.',
  values: {
    pending: { description: 'A request follows.' },
    succeeded: { description: 'The URL answered with a 2xx status.' },
    failed: { description: 'It used up its retries, or the URL answered 410.' },
  } satisfies Record<DeliverySummary['status'], { readonly description: string }>,
})

const DeliveryType = builder.objectRef<DeliverySummary>('WebhookDelivery').implement({
  description: 'One event on its way to one URL of a business.',
  fields: (t) => ({
    id: t.expose('id', { type: 'UUID', description: 'The id of the delivery.' }),
    webhookId: t.exposeString('webhookId', { description: "The event's id: what `webhook-id` carries." }),
    accountId: t.expose('accountId', { type: 'UUID', description: 'The business.' }),
    url: t.exposeString('url', { description: 'The URL that it is sent to.' }),
    type: t.exposeString('type', { description: 'The type of the event.' }),
    status: t.expose('status', { type: DeliveryStatusEnum, description: 'How far the delivery is.' }),
    attempts: t.exposeInt('attempts', { description: 'The number of requests that were sent.' }),
    nextAttemptAt: t.expose('nextAttemptAt', {
      type: 'DateTimeISO',
      nullable: true,
      description: 'The time of the next request. Null when none follows.',
    }),
    lastStatusCode: t.exposeInt('lastStatusCode', {
      nullable: true,
      description: 'The status of the last answer. Null while there is none.',
    }),
    lastError: t.exposeString('lastError', {
      nullable: true,
      description: 'What went wrong at the last request. Null when nothing did.',
    }),
    createdAt: t.expose('createdAt', { type: 'DateTimeISO', description: 'The time of its creation.' }),
  }),
})

const RotatedSecret = builder.objectRef<RotatedWebhookSecret>('RotatedWebhookSecret').implement({
  description: 'A new webhook secret, and how long older ones sign.',
  fields: (t) => ({
    webhookSecret: t.exposeString('webhookSecret', { description: 'Shown here and never again.' }),
    oldSecretsUntil: t.field({
      type: ['DateTimeISO'],
      description: 'When each older secret that still signs stops, the newest first.',
      resolve: ({ oldSecretsUntil }) => [...oldSecretsUntil],
    }),
  }),
})

builder.queryField('webhookDeliveries', (t) =>
  t.field({
    type: [DeliveryType],
    description: 'The newest first.',
    args: {
      accountId: t.arg({ type: 'UUID', description: 'Shows deliveries of this business only.' }),
      status: t.arg({ type: DeliveryStatusEnum, description: 'Shows deliveries with this status only.' }),
      limit: t.arg.int({ description: 'The most entries: 20 unless it is given, at most 100.' }),
    },
    resolve: async (_root, { accountId, status, limit }, context) => {
      const filter = { accountId: accountId ?? null, status: status ?? null, limit: limitOf(limit) }
      return [...(await context.services.webhooks.deliveries(filter))]
    },
  }),
)

builder.mutationFields((t) => ({
  testWebhook: t.field({
    type: [DeliveryType],
    description: 'Sends a `webhook.test` to every URL of a business. Answers its deliveries, before any was sent.',
    args: { accountId: t.arg({ type: 'UUID', required: true, description: 'The id of the account.' }) },
    resolve: async (_root, { accountId }, context) => [...(await context.services.webhooks.test(accountId))],
  }),
  redeliverWebhook: t.field({
    type: DeliveryType,
    description: 'Sends a delivery again, now, whatever became of it.',
    args: { id: t.arg({ type: 'UUID', required: true, description: 'The id of the delivery.' }) },
    resolve: (_root, { id }, context) => {
      return context.services.webhooks.redeliver(id)
    },
  }),
  rotateWebhookSecret: t.field({
    type: RotatedSecret,
    description: 'Makes a new secret. Each older one signs too, until 24 hours after it was replaced.',
    args: {
      accountId: t.arg({ type: 'UUID', required: true, description: 'The id of the account.' }),
      revokeOld: t.arg.boolean({ defaultValue: false, description: 'Ends all older secrets now: one of them leaked.' }),
    },
    resolve: (_root, { accountId, revokeOld }, context) => {
      const options = { revokeOld: revokeOld ?? false }
      return context.services.webhooks.rotateSecret(accountId, options, actorOf(context))
    },
  }),
}))
