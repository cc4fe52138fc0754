// Webhook deliveries and secrets of all businesses.

import { limitOf } from '#graphql/limit-argument.ts'
import { builder } from '#graphql/operator/builder.ts'
import type { DeliverySummary, RotatedWebhookSecret } from '#services/services.ts'

const DeliveryStatusEnum = builder.enumType('DeliveryStatus', { values: ['pending', 'succeeded', 'failed'] })

const DeliveryType = builder.objectRef<DeliverySummary>('WebhookDelivery').implement({
  fields: (t) => ({
    id: t.expose('id', { type: 'UUID' }),
    webhookId: t.exposeString('webhookId', { description: "The event's id: what `webhook-id` carries." }),
    accountId: t.expose('accountId', { type: 'UUID' }),
    url: t.exposeString('url'),
    type: t.exposeString('type'),
    status: t.expose('status', { type: DeliveryStatusEnum }),
    attempts: t.exposeInt('attempts'),
    nextAttemptAt: t.expose('nextAttemptAt', { type: 'DateTimeISO', nullable: true }),
    lastStatusCode: t.exposeInt('lastStatusCode', { nullable: true }),
    lastError: t.exposeString('lastError', { nullable: true }),
    createdAt: t.expose('createdAt', { type: 'DateTimeISO' }),
  }),
})

const RotatedSecret = builder.objectRef<RotatedWebhookSecret>('RotatedWebhookSecret').implement({
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
    args: { accountId: t.arg({ type: 'UUID' }), status: t.arg({ type: DeliveryStatusEnum }), limit: t.arg.int() },
    resolve: async (_root, { accountId, status, limit }, context) => {
      const filter = { accountId: accountId ?? null, status: status ?? null, limit: limitOf(limit) }
      return [...(await context.services.webhooks.deliveries(filter))]
    },
  }),
)

builder.mutationFields((t) => ({
  redeliverWebhook: t.field({
    type: DeliveryType,
    description: 'Sends a delivery again, now, whatever became of it.',
    args: { id: t.arg({ type: 'UUID', required: true }) },
    resolve: (_root, { id }, context) => {
      return context.services.webhooks.redeliver(id)
    },
  }),
  rotateWebhookSecret: t.field({
    type: RotatedSecret,
    description: 'Makes a new secret. Each older one signs too, until 24 hours after it was replaced.',
    args: {
      accountId: t.arg({ type: 'UUID', required: true }),
      revokeOld: t.arg.boolean({ defaultValue: false, description: 'Ends all older secrets now: one of them leaked.' }),
    },
    resolve: (_root, { accountId, revokeOld }, context) => {
      return context.services.webhooks.rotateSecret(accountId, { revokeOld: revokeOld ?? false })
    },
  }),
}))
