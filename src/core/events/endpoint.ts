// An endpoint of webhooks: where a business receives its events.
import type { WebhookSecretState } from '#core/events/rotation.ts'

/** The most endpoints of a business. */
export const MAX_ENDPOINTS = 16

export type WebhookEndpoint = {
  readonly id: string
  readonly accountId: string
  readonly url: string
  /** For people. */
  readonly description: string | null
  /** The types of events that it receives; none for every type. */
  readonly eventTypes: readonly string[]
  /** The version of the payloads that it receives. */
  readonly apiVersion: string
  readonly secretState: WebhookSecretState
  readonly disabledAt: Date | null
  /** Why the service disabled it; null where a person did. */
  readonly disabledReason: string | null
  /** Set on one that is deleted: it names its past deliveries. */
  readonly deletedAt: Date | null
  readonly createdAt: Date
  readonly updatedAt: Date
}
