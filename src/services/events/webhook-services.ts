// The use cases of the operator for webhooks: deliveries, and the secret of the endpoint that it has set.
import type { Actor } from '#core/accounts/audit.ts'
import type { RotatedWebhookSecret } from '#services/events/endpoint-services.ts'

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

export type WebhookServices = {
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
