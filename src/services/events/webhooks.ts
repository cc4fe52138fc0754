// Deliveries for people, and the rotation of the secret that signs them.
import { ServiceError } from '#core/errors.ts'
import type { Delivery } from '#core/events/delivery.ts'
import { oldSecretsUntil, rotate } from '#core/events/rotation.ts'
import type { AccountStore } from '#ports/accounts.ts'
import type { Clock } from '#ports/clock.ts'
import type { DeliveryLogStore, WebhookSecrets } from '#ports/events.ts'
import { formatWebhookSecret } from '#services/events/signature.ts'
import type { DeliverySummary, WebhookServices } from '#services/events/webhook-services.ts'
import { CHANGED_MEANWHILE, retryWhenChanged } from '#services/retry-when-changed.ts'

export type WebhookDeps = {
  readonly deliveryLog: Pick<DeliveryLogStore, 'list' | 'rearm' | 'stageTest'>
  readonly accounts: Pick<AccountStore, 'find' | 'setWebhookSecret'>
  readonly webhookSecrets: WebhookSecrets
  readonly clock: Clock
}

export function createWebhookServices({
  deliveryLog: deliveries,
  accounts,
  webhookSecrets: secrets,
  clock,
}: WebhookDeps): WebhookServices {
  return {
    deliveries: async (filter) => (await deliveries.list(filter)).map(summarize),

    async test(accountId) {
      const account = await accounts.find(accountId)
      if (account === null) throw new ServiceError('account_not_found', { accountId })
      const { network } = account
      return (await deliveries.stageTest({ accountId, network, at: clock.now() })).map(summarize)
    },

    async redeliver(id) {
      const delivery = await deliveries.rearm(id, clock.now())
      if (delivery === null) throw new ServiceError('delivery_not_found', { id })
      return summarize(delivery)
    },

    rotateSecret: (accountId, { revokeOld }) =>
      retryWhenChanged(async () => {
        const account = await accounts.find(accountId)
        if (account === null) throw new ServiceError('account_not_found', { accountId })
        const now = clock.now()
        const rotated = rotate(account.webhookSecretState, now, revokeOld)
        if ('refused' in rotated) throw new ServiceError(rotated.refused, { accountId })
        if (!(await accounts.setWebhookSecret(accountId, account.webhookSecretState, rotated))) return CHANGED_MEANWHILE
        return {
          webhookSecret: formatWebhookSecret(secrets.secret(accountId, rotated.version)),
          oldSecretsUntil: oldSecretsUntil(rotated, now),
        }
      }),
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
