// An endpoint of webhooks: where a business receives its events, and what the audit log of the business says of it.
import {
  type BusinessAction,
  type Changes,
  changesBetween,
  type Fields,
  type NewAuditEntry,
} from '#core/accounts/audit.ts'
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

/** Leaves out all of the URL but its host, because a path can have a secret. */
const shown = ({ url, description, eventTypes, disabledAt, secretState }: WebhookEndpoint): Fields => ({
  host: new URL(url).host,
  description,
  event_types: [...eventTypes],
  enabled: disabledAt === null,
  secret_version: secretState.version,
})

function actionOf(before: WebhookEndpoint | null, after: WebhookEndpoint, changes: Changes): BusinessAction | null {
  if (before === null) return 'webhook.created'
  if (after.deletedAt !== null) return 'webhook.deleted'
  if (changes.secret_version !== undefined) return 'webhook.secret_rotated'
  return before.url === after.url && Object.keys(changes).length === 0 ? null : 'webhook.updated'
}

/** Returns the entries of a new or a changed endpoint: none when nothing has changed. */
export function endpointEntries(before: WebhookEndpoint | null, after: WebhookEndpoint): readonly NewAuditEntry[] {
  const changes = changesBetween(before === null ? {} : shown(before), shown(after))
  const action = actionOf(before, after, changes)
  const [{ id }, { host }] = [after, new URL(after.url)]
  return action === null ? [] : [{ action, sellerId: null, changes: { id: [id, id], host: [host, host], ...changes } }]
}
