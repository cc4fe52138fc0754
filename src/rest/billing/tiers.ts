// The tiers of a product.
import { z } from 'zod'
import type { Endpoint } from '#http/endpoint.ts'
import { body, sent } from '#http/input.ts'
import { billingEndpoint } from '#rest/billing/endpoints.ts'
import { catalogueStatus, count, description, immutable, metadata, name, pageParameters } from '#rest/billing/fields.ts'
import {
  RestArchiveSubscriptionTierDocument,
  RestCreateSubscriptionTierDocument,
  RestFindSubscriptionTierDocument,
  RestSubscriptionTiersDocument,
  RestUpdateSubscriptionTierDocument,
} from '#rest/documents.generated.ts'
import { BY_ID, nextCursor, nodesOf } from '#rest/endpoints.ts'

const ofProduct = z.string().describe('The id of the product.')
const frozen = immutable('tier_field_immutable')

export const tierEndpoints: readonly Endpoint[] = [
  billingEndpoint({
    method: 'POST',
    path: '/subscription-products/:id/tiers',
    document: RestCreateSubscriptionTierDocument,
    input: body({
      id: ofProduct,
      name,
      description,
      price_usd_cents: z.int('invalid_price').positive('invalid_price'),
      interval: z.enum(['day', 'week', 'month', 'year'], 'invalid_interval'),
      interval_count: count('invalid_interval_count').nullish(),
      authorization_periods: count('invalid_authorization_periods').nullish(),
      trial_days: count('invalid_trial_days').nullish(),
      metadata,
    }),
    variables: ({ id, price_usd_cents, interval_count, authorization_periods, trial_days, ...input }) => ({
      productId: id,
      input: {
        ...input,
        priceUsdCents: price_usd_cents,
        intervalCount: interval_count,
        authorizationPeriods: authorization_periods,
        trialDays: trial_days,
      },
    }),
    reply: ({ tier }) => ({ status: 201, body: tier }),
  }),
  billingEndpoint({
    method: 'GET',
    path: '/subscription-products/:id/tiers',
    document: RestSubscriptionTiersDocument,
    input: z.object({ ...pageParameters, id: ofProduct }),
    variables: ({ id, limit, cursor }) => ({ productId: id, first: limit, after: cursor ?? null }),
    reply: ({ tiers }) => ({
      body: { tiers: nodesOf(tiers), next_cursor: nextCursor(tiers), product_id: tiers.product_id },
    }),
  }),
  billingEndpoint({
    method: 'GET',
    path: '/subscription-tiers/:id',
    document: RestFindSubscriptionTierDocument,
    ...BY_ID,
    reply: ({ tier }) => ({ body: tier }),
  }),
  billingEndpoint({
    method: 'PATCH',
    path: '/subscription-tiers/:id',
    document: RestUpdateSubscriptionTierDocument,
    input: body({
      product_id: frozen,
      price_usd_cents: frozen,
      interval: frozen,
      interval_count: frozen,
      authorization_periods: frozen,
      trial_days: frozen,
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
    variables: ({ id, name, description, status, metadata }) => ({
      id,
      input: sent({ name, description, status, metadata }),
    }),
    reply: ({ tier }) => ({ body: tier }),
  }),
  billingEndpoint({
    method: 'POST',
    path: '/subscription-tiers/:id/archive',
    document: RestArchiveSubscriptionTierDocument,
    ...BY_ID,
    reply: ({ tier }) => ({ body: tier }),
  }),
]
