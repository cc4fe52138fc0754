// The endpoints of a business: judged, stored, and given their secrets.
import type { Tenant } from '#core/accounts/account.ts'
import { ServiceError } from '#core/errors.ts'
import { FIRST_SECRET, oldSecretsUntil, rotate, type WebhookEndpoint } from '#core/events/endpoint.ts'
import { judgeWebhookUrl, type WebhookUrlRefusal } from '#core/events/url.ts'
import { cleanedText, isShortText, MAX_TEXT } from '#core/text.ts'
import type { Clock } from '#ports/clock.ts'
import type { DeliveryLogStore, WebhookEndpointPatch, WebhookEndpointStore, WebhookSecrets } from '#ports/events.ts'
import type { Random } from '#ports/random.ts'
import type { WebhookEndpointInput, WebhookEndpointServices } from '#services/events/endpoint-services.ts'
import { EVENT_SUBJECTS } from '#services/events/event-log.ts'
import { formatWebhookSecret } from '#services/events/signature.ts'
import { isUuid } from '#services/requests.ts'
import { CHANGED_MEANWHILE, retryWhenChanged } from '#services/retry-when-changed.ts'

export type WebhookEndpointDeps = {
  readonly webhookEndpoints: WebhookEndpointStore
  readonly deliveryLog: Pick<DeliveryLogStore, 'stageTest' | 'rearmOf' | 'rearmAll'>
  readonly webhookSecrets: WebhookSecrets
  readonly random: Pick<Random, 'uuid'>
  readonly clock: Clock
  readonly allowPrivateWebhooks: boolean
}

export function createWebhookEndpointServices(deps: WebhookEndpointDeps): WebhookEndpointServices {
  const { webhookEndpoints: endpoints, deliveryLog, clock } = deps
  const secretOf = (id: string, version: number) => formatWebhookSecret(deps.webhookSecrets.secret(id, version))
  const find: WebhookEndpointServices['find'] = async (tenant, id) => {
    const endpoint = isUuid(id) ? await endpoints.find(tenant, id) : null
    return found(endpoint?.deletedAt === null ? endpoint : null, id)
  }
  const shown = (endpoint: WebhookEndpoint) => ({ endpoint, secret: secretOf(endpoint.id, FIRST_SECRET) })

  async function enabled(tenant: Tenant, id: string): Promise<void> {
    const { disabledAt } = await find(tenant, id)
    if (disabledAt !== null) throw new ServiceError('webhook_endpoint_disabled', { id })
  }

  return {
    async create({ tenant, actor }, { isEnabled, ...input }, id = deps.random.uuid()) {
      const at = clock.now()
      const created = {
        url: readWebhookUrl(deps, 'url', input.url),
        eventTypes: readEventTypes('event_types', input.eventTypes),
        description: readDescription(input.description),
        id,
        disabledAt: isEnabled ? null : at,
      }
      const endpoint = await endpoints.create(tenant, created, { actor, at })
      if (endpoint === null) throw new ServiceError('too_many_webhook_endpoints')
      return shown(endpoint)
    },

    findCreated: async (tenant, id) => shown(found(await endpoints.find(tenant, id), id)),

    find,

    async update({ tenant, actor }, id, given) {
      const patch = readPatch(deps, given)
      const by = { actor, at: clock.now() }
      return found(isUuid(id) ? await endpoints.update(tenant, id, patch, by) : null, id)
    },

    async delete({ tenant, actor }, id) {
      const by = { actor, at: clock.now() }
      return found(isUuid(id) ? await endpoints.delete(tenant, id, by) : null, id)
    },

    rotateSecret: ({ tenant, actor }, id, { revokeOld }) =>
      retryWhenChanged(async () => {
        const { secretState } = await find(tenant, id)
        const now = clock.now()
        const rotated = rotate(secretState, now, revokeOld)
        if ('refused' in rotated) throw new ServiceError(rotated.refused, { id })
        const by = { actor, at: now }
        if (!(await endpoints.setSecret(tenant, id, secretState, rotated, by))) return CHANGED_MEANWHILE
        return { webhookSecret: secretOf(id, rotated.version), oldSecretsUntil: oldSecretsUntil(rotated, now) }
      }),

    async test(tenant, id) {
      await enabled(tenant, id)
      const test = { ...tenant, endpointId: id, at: clock.now() }
      // Disabled in the meantime: nothing was staged for it.
      const [delivery] = await deliveryLog.stageTest(test)
      if (delivery === undefined) throw new ServiceError('webhook_endpoint_disabled', { id })
      return delivery
    },

    async redeliver(tenant, id) {
      const delivery = isUuid(id) ? await deliveryLog.rearmOf(tenant, id, clock.now()) : null
      if (delivery === null) throw new ServiceError('delivery_not_found', { id })
      if (delivery.isDisabled) throw new ServiceError('webhook_endpoint_disabled', { id: delivery.endpointId })
      return delivery
    },

    async redeliverAll(tenant, part) {
      if (part.until !== null && part.until < part.since) throw invalid('until', 'must not be before since')
      await enabled(tenant, part.endpointId)
      return await deliveryLog.rearmAll(tenant, part, { now: clock.now(), limit: MAX_REDELIVERED })
    },
  }
}

/** The most deliveries that one call sends again. */
const MAX_REDELIVERED = 10_000

function found(endpoint: WebhookEndpoint | null, id: string): WebhookEndpoint {
  if (endpoint === null) throw new ServiceError('webhook_endpoint_not_found', { id })
  return endpoint
}

const invalid = (field: string, rule: string): ServiceError => new ServiceError('invalid_request', { field, rule })

const readPatch = (
  deps: Pick<WebhookEndpointDeps, 'allowPrivateWebhooks'>,
  { url, eventTypes, description, isEnabled }: Partial<WebhookEndpointInput>,
): WebhookEndpointPatch => ({
  ...(url !== undefined && { url: readWebhookUrl(deps, 'url', url) }),
  ...(eventTypes !== undefined && { eventTypes: readEventTypes('event_types', eventTypes) }),
  ...(description !== undefined && { description: readDescription(description) }),
  ...(isEnabled !== undefined && { isEnabled }),
})

const WEBHOOK_RULES: Readonly<Record<WebhookUrlRefusal, string>> = {
  not_a_url: 'must be a URL, for example https://shop.example.com/webhooks',
  too_long: 'is too long',
  not_https: 'must be an https address',
  has_credentials: 'must not hold a user name or password',
  private_address: 'must not lead to a private address',
}

/** Returns a URL in the form in which it is stored. Throws `invalid_request` naming the field. */
export function readWebhookUrl(
  { allowPrivateWebhooks }: Pick<WebhookEndpointDeps, 'allowPrivateWebhooks'>,
  field: string,
  text: string,
): string {
  const judged = judgeWebhookUrl(text.trim(), { allowPrivate: allowPrivateWebhooks })
  if ('refused' in judged) throw invalid(field, WEBHOOK_RULES[judged.refused])
  return judged.url.href
}

/** Returns each type once; none for `*`, which is every type. Throws `invalid_request` on a type that no event has. */
export function readEventTypes(field: string, types: readonly string[]): readonly string[] {
  if (types.length === 1 && types[0] === '*') return []
  if (types.length === 0) throw invalid(field, 'must name a type of event, or be *')
  const unknown = types.find((type) => !EVENT_SUBJECTS.types.includes(type))
  if (unknown !== undefined) throw invalid(field, `has an unknown type: ${unknown}`)
  return [...new Set(types)]
}

/** Returns null for an empty text. */
function readDescription(text: string | null): string | null {
  const description = cleanedText(text ?? '').trim()
  if (!isShortText(description)) throw invalid('description', `must have at most ${MAX_TEXT} characters`)
  return description === '' ? null : description
}
