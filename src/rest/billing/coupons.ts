// The coupons of a business.
import { z } from 'zod'
import type { Endpoint } from '#http/endpoint.ts'
import { body } from '#http/input.ts'
import { billingEndpoint } from '#rest/billing/endpoints.ts'
import { catalogueStatus, count, pageParameters } from '#rest/billing/fields.ts'
import {
  RestArchiveSubscriptionCouponDocument,
  RestCreateSubscriptionCouponDocument,
  RestFindSubscriptionCouponDocument,
  RestSubscriptionCouponsDocument,
} from '#rest/documents.generated.ts'
import { BY_ID, nextCursor, nodesOf } from '#rest/endpoints.ts'

const INVALID = 'invalid_coupon'
const limit = count(INVALID).nullish()

export const couponEndpoints: readonly Endpoint[] = [
  billingEndpoint({
    method: 'POST',
    path: '/subscription-coupons',
    document: RestCreateSubscriptionCouponDocument,
    input: body({
      code: z.string(INVALID),
      percent_off: limit,
      amount_off_usd_cents: z.int(INVALID).positive(INVALID).nullish(),
      periods: limit,
      max_uses: limit,
      max_uses_per_wallet: limit,
      ends_at: z.iso.datetime({ offset: true, error: INVALID }).nullish(),
      product_id: z.string(INVALID).nullish(),
    }),
    variables: ({ code, percent_off, amount_off_usd_cents, periods, ...limits }) => ({
      input: {
        code,
        percentOff: percent_off,
        amountOffUsdCents: amount_off_usd_cents,
        periods,
        maxUses: limits.max_uses,
        maxUsesPerWallet: limits.max_uses_per_wallet,
        endsAt: limits.ends_at,
        productId: limits.product_id,
      },
    }),
    reply: ({ coupon }) => ({ status: 201, body: coupon }),
  }),
  billingEndpoint({
    method: 'GET',
    path: '/subscription-coupons',
    document: RestSubscriptionCouponsDocument,
    input: z.object({ ...pageParameters, status: catalogueStatus.optional(), code: z.string().optional() }),
    variables: ({ limit, cursor, status, code }) => ({
      first: limit,
      after: cursor ?? null,
      filter: { status: status ?? null, code: code ?? null },
    }),
    reply: ({ coupons }) => ({ body: { coupons: nodesOf(coupons), next_cursor: nextCursor(coupons) } }),
  }),
  billingEndpoint({
    method: 'GET',
    path: '/subscription-coupons/:id',
    document: RestFindSubscriptionCouponDocument,
    ...BY_ID,
    reply: ({ coupon }) => ({ body: coupon }),
  }),
  billingEndpoint({
    method: 'POST',
    path: '/subscription-coupons/:id/archive',
    document: RestArchiveSubscriptionCouponDocument,
    ...BY_ID,
    reply: ({ coupon }) => ({ body: coupon }),
  }),
]
