// An endpoint of webhooks: where a business receives its events, and what the audit log of the business says of it.
import {
  type BusinessAction,
  type Changes,
  changesBetween,
  type Fields,
  type NewAuditEntry,
} from '#core/accounts/audit.ts'

// The webhook secrets of a business that sign: the newest, and each older one until 24 hours after it was replaced.

/** Secrets have consecutive versions. */
export type WebhookSecretState = {
  /** The version of the newest secret. */
  readonly version: number
  /** When each version replaced the one before it, the newest first; empty for none. Older rotations may be left out. */
  readonly rotations: readonly Date[]
}

/** The version of the first secret of an endpoint. */
export const FIRST_SECRET = 1

/** How long an old secret still signs next to newer ones. */
export const ROTATION_OVERLAP_MS = 24 * 60 * 60 * 1_000

/** The most older secrets that sign: each makes the signature header longer. */
export const MAX_OLD_SECRETS = 3

/** Returns the secret versions that sign now, the newest first. */
export const signingVersions = (state: WebhookSecretState, now: Date): readonly number[] => [
  state.version,
  ...overlapping(state, now).map((_rotation, at) => state.version - 1 - at),
]

/** Returns when each older secret that still signs stops, the newest first. */
export const oldSecretsUntil = (state: WebhookSecretState, now: Date): readonly Date[] =>
  overlapping(state, now).map((rotation) => new Date(rotation.getTime() + ROTATION_OVERLAP_MS))

/** Returns the rotations whose older secret still signs. */
const overlapping = ({ version, rotations }: WebhookSecretState, now: Date): readonly Date[] =>
  rotations.filter((rotation, at) => at < version - 1 && now.getTime() - rotation.getTime() < ROTATION_OVERLAP_MS)

/**
 * Returns the state with a new secret. Every older one that signs goes on until its own time, unless `revokeOld` ends them
 * now. Refused while `MAX_OLD_SECRETS` sign already: to end one early could cut off the secret that is in use.
 */
export function rotate(
  state: WebhookSecretState,
  now: Date,
  revokeOld: boolean,
): WebhookSecretState | { readonly refused: 'too_many_rotations' } {
  const version = state.version + 1
  if (revokeOld) return { version, rotations: [] }
  const old = overlapping(state, now)
  if (old.length >= MAX_OLD_SECRETS) return { refused: 'too_many_rotations' }
  return { version, rotations: [now, ...old] }
}

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
