// Webhooks for the operator.
import { tenantOf } from '#core/accounts/account.ts'
import type { Actor } from '#core/accounts/audit.ts'
import { ServiceError } from '#core/errors.ts'
import type { Delivery } from '#core/events/delivery.ts'
import type { AccountStore } from '#ports/accounts.ts'
import type { Clock } from '#ports/clock.ts'
import type { DeliveryLogStore } from '#ports/events.ts'
import type { RotatedWebhookSecret, WebhookEndpointServices } from './endpoint-services.ts'

// The use cases of the operator for webhooks: deliveries, and the secret of the endpoint that it has set.

export type DeliverySummary = {
  readonly id: string
  /** The id of the event, which the header `webhook-id` carries. */
  readonly webhookId: string
  readonly accountId: string
  readonly url: string
  readonly type: string
  readonly status: 'pending' | 'succeeded' | 'failed'
  readonly attempts: number
  readonly nextAttemptAt: Date | null
  readonly lastStatusCode: number | null
  readonly lastError: string | null
  readonly createdAt: Date
}

type WebhookServices = {
  deliveries(filter: {
    accountId: string | null
    status: DeliverySummary['status'] | null
    limit: number
  }): Promise<readonly DeliverySummary[]>
  /**
   * Sends a `webhook.test` to every URL of the business, also to those that have chosen other types. Returns the deliveries: none
   * without a URL. Throws `account_not_found`.
   */
  test(accountId: string): Promise<readonly DeliverySummary[]>
  /** Sends a delivery again, now, in any status. Throws `delivery_not_found`. */
  redeliver(id: string): Promise<DeliverySummary>
  /**
   * Makes a new secret for the endpoint that the operator has set. Throws `account_not_found`, and as the rotation of a business
   * does: `webhook_endpoint_not_found` where the operator has set no URL.
   */
  rotateSecret(accountId: string, options: { revokeOld: boolean }, actor: Actor): Promise<RotatedWebhookSecret>
}

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
