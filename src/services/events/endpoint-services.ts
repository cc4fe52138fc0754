// The use cases of a business for its endpoints of webhooks.
import type { Tenant } from '#core/accounts/account.ts'
import type { Delivery } from '#core/events/delivery.ts'
import type { WebhookEndpoint } from '#core/events/endpoint.ts'
import type { DeliveryPart } from '#ports/events.ts'
import type { Manager } from '#services/accounts/manager.ts'

export type RotatedWebhookSecret = {
  readonly webhookSecret: string
  /** The time at which each older secret stops signing, the newest secret first. */
  readonly oldSecretsUntil: readonly Date[]
}

export type WebhookEndpointInput = {
  readonly url: string
  /** `*` alone chooses every type. */
  readonly eventTypes: readonly string[]
  readonly description: string | null
  readonly isEnabled: boolean
}

/** An endpoint with the secret that it was created with. */
export type CreatedWebhookEndpoint = { readonly endpoint: WebhookEndpoint; readonly secret: string }

/** Who changes endpoints of a business. */
export type EndpointManager = Pick<Manager, 'tenant' | 'actor'>

export type WebhookEndpointServices = {
  /**
   * Adds an endpoint. Its secret is returned here and never again. Throws `invalid_request`, and `too_many_webhook_endpoints`
   * when the business has 16 already.
   */
  create(caller: EndpointManager, input: WebhookEndpointInput, id?: string): Promise<CreatedWebhookEndpoint>
  /** Returns an endpoint as its creation did, also one that is deleted since. */
  findCreated(tenant: Tenant, id: string): Promise<CreatedWebhookEndpoint>
  /** Each use case throws `webhook_endpoint_not_found` for an endpoint that the business does not have, or has deleted. */
  find(tenant: Tenant, id: string): Promise<WebhookEndpoint>
  /** Changes what is given. Throws `invalid_request`. */
  update(caller: EndpointManager, id: string, patch: Partial<WebhookEndpointInput>): Promise<WebhookEndpoint>
  /** Deletes an endpoint: nothing more is sent to it. Its deliveries stay. */
  delete(caller: EndpointManager, id: string): Promise<WebhookEndpoint>
  /**
   * Makes a new secret. Each older secret also signs until 24 hours after it was replaced, unless `revokeOld` ends all of
   * them now. Throws `too_many_rotations` when too many older secrets sign already.
   */
  rotateSecret(caller: EndpointManager, id: string, options: { revokeOld: boolean }): Promise<RotatedWebhookSecret>
  /** Sends a `webhook.test` to this endpoint alone, whatever types it has chosen. Throws `webhook_endpoint_disabled`. */
  test(tenant: Tenant, id: string): Promise<Delivery>
  /** Sends a delivery again, now, in any status. Throws `delivery_not_found` and `webhook_endpoint_disabled`. */
  redeliver(tenant: Tenant, deliveryId: string): Promise<Delivery>
  /**
   * Sends deliveries to an endpoint again, the oldest 10,000 of a part. Returns their number. Throws
   * `webhook_endpoint_disabled`, and `invalid_request` for a range that ends before it begins.
   */
  redeliverAll(tenant: Tenant, part: DeliveryPart): Promise<number>
}
