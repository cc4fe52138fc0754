// Deliveries as people see them, and the secret that signs them.
import { ServiceError } from '#core/errors.ts'
import type { Delivery } from '#core/webhooks/delivery.ts'
import type { Clock } from '#ports/clock.ts'
import type { AccountStore } from '#ports/stores.ts'
import type { DeliveryLogStore, WebhookSecrets } from '#ports/webhooks.ts'
import type { DeliverySummary, WebhookServices } from '#services/services.ts'
import { formatWebhookSecret } from '#services/webhooks/signature.ts'

export function createWebhookServices({
  deliveries,
  accounts,
  secrets,
  clock,
}: {
  deliveries: Pick<DeliveryLogStore, 'list' | 'rearm'>
  accounts: Pick<AccountStore, 'rotateWebhookSecret'>
  secrets: WebhookSecrets
  clock: Clock
}): WebhookServices {
  return {
    deliveries: async (filter) => (await deliveries.list(filter)).map(summarize),

    async redeliver(id) {
      const delivery = await deliveries.rearm(id, clock.now())
      if (delivery === null) throw new ServiceError('delivery_not_found', { id })
      return summarize(delivery)
    },

    async rotateSecret(accountId) {
      const account = await accounts.rotateWebhookSecret(accountId, clock.now())
      if (account === null) throw new ServiceError('account_not_found', { accountId })
      return { webhookSecret: formatWebhookSecret(secrets.secret(account.id, account.webhookSecretVersion)) }
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
