// Webhooks for the operator.
import { tenantOf } from '#core/accounts/account.ts'
import { ServiceError } from '#core/errors.ts'
import type { Delivery } from '#core/events/delivery.ts'
import type { AccountStore } from '#ports/accounts.ts'
import type { Clock } from '#ports/clock.ts'
import type { DeliveryLogStore } from '#ports/events.ts'
import type { WebhookEndpointServices } from '#services/events/endpoint-services.ts'
import type { DeliverySummary, WebhookServices } from '#services/events/webhook-services.ts'

export type WebhookDeps = {
  readonly deliveryLog: Pick<DeliveryLogStore, 'list' | 'rearm' | 'stageTest'>
  readonly accounts: Pick<AccountStore, 'find'>
  readonly rotateSecret: WebhookEndpointServices['rotateSecret']
  readonly clock: Clock
}

export function createWebhookServices({
  deliveryLog: deliveries,
  accounts,
  rotateSecret,
  clock,
}: WebhookDeps): WebhookServices {
  return {
    deliveries: async (filter) => (await deliveries.list(filter)).map(summarize),

    async test(accountId) {
      const account = await accounts.find(accountId)
      if (account === null) throw new ServiceError('account_not_found', { accountId })
      const { network } = account
      return (await deliveries.stageTest({ accountId, endpointId: null, network, at: clock.now() })).map(summarize)
    },

    async redeliver(id) {
      const delivery = await deliveries.rearm(id, clock.now())
      if (delivery === null) throw new ServiceError('delivery_not_found', { id })
      return summarize(delivery)
    },

    async rotateSecret(accountId, options, actor) {
      const account = await accounts.find(accountId)
      if (account === null) throw new ServiceError('account_not_found', { accountId })
      return await rotateSecret({ tenant: tenantOf(account), actor }, accountId, options)
    },
  }
}

const summarize = (delivery: Delivery): DeliverySummary => ({
  id: delivery.id,
  webhookId: delivery.eventId,
  accountId: delivery.accountId,
  url: delivery.url,
  type: delivery.type,
  status: delivery.status,
  attempts: delivery.attempts,
  nextAttemptAt: delivery.status === 'pending' ? delivery.nextAttemptAt : null,
  lastStatusCode: delivery.lastStatusCode,
  lastError: delivery.lastError,
  createdAt: delivery.createdAt,
})
