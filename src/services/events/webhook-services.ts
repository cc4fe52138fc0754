// The use cases of webhook deliveries and of the secret that signs them.

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

export type RotatedWebhookSecret = {
  readonly webhookSecret: string
  /** The time at which each older secret stops signing, the newest secret first. */
  readonly oldSecretsUntil: readonly Date[]
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
   * Makes a new secret. Each older secret also signs until 24 hours after it was replaced, unless `revokeOld` ends all of
   * them now. Throws `account_not_found`, and `too_many_rotations` when too many older secrets sign already.
   */
  rotateSecret(accountId: string, options: { revokeOld: boolean }): Promise<RotatedWebhookSecret>
}
