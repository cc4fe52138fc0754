import { z } from 'zod'
import { body, sent } from '#http/input.ts'
import { catalogueStatus, description, immutable, metadata, name } from '#rest/billing/fields.ts'
import { subscriptionEndpoint } from '#rest/billing/subscription-endpoint.ts'
import { RestUpdateSubscriptionTierDocument } from '#rest/documents.generated.ts'

const frozen = immutable('tier_field_immutable')

export const updateTier = subscriptionEndpoint({
  method: 'PATCH',
  path: '/subscription-tiers/:id',
  document: RestUpdateSubscriptionTierDocument,
  input: body({
    product_id: frozen,
    price_usd_cents: frozen,
    interval: frozen,
    interval_count: frozen,
    authorization_periods: frozen,
    total_authorization_usd_cents: frozen,
    total_authorization_base_units: frozen,
    mint: frozen,
    token_program: frozen,
    decimals: frozen,
    unit_base_units: frozen,
    payout_owner: frozen,
    payout_ata: frozen,
    platform_fee_bps: frozen,
    platform_wallet: frozen,
    id: z.string(),
    name: name.optional(),
    description,
    status: catalogueStatus.optional(),
    metadata,
  }),
  variables: ({ id, name, description, status, metadata }, seller) => ({
    ...seller,
    id,
    input: sent({ name, description, status, metadata }),
  }),
  reply: ({ tier }) => ({ body: tier }),
})
