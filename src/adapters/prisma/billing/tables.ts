// The tables of recurring billing, from the fields of their aggregates.
import { readTable, sqlList } from '#adapters/prisma/sql.ts'
import { tableOf } from '#adapters/prisma/table.ts'
import { REDIRECT_DOMAIN_FIELDS } from '#core/billing/catalogue.ts'
import { CHARGE_FIELDS } from '#core/billing/charge.ts'
import { COUPON_FIELDS } from '#core/billing/coupon.ts'
import { DELEGATION_FIELDS } from '#core/billing/delegation.ts'
import { PRODUCT_FIELDS } from '#core/billing/product.ts'
import { SUBSCRIPTION_FIELDS, SUBSCRIPTION_POLICY, SUBSCRIPTION_STATUSES } from '#core/billing/subscription.ts'
import { SUBSCRIPTION_INTENT_FIELDS } from '#core/billing/subscription-intent.ts'
import { TIER_FIELDS } from '#core/billing/tier.ts'

export const SUBSCRIPTIONS = tableOf('billing_subscriptions', SUBSCRIPTION_FIELDS)
export const CHARGES = tableOf('charges', CHARGE_FIELDS)
export const DELEGATIONS = tableOf('delegations', DELEGATION_FIELDS)
export const SUBSCRIPTION_INTENTS = tableOf('subscription_intents', SUBSCRIPTION_INTENT_FIELDS)
export const TIERS = readTable('subscription_tiers', TIER_FIELDS)
export const PRODUCTS = readTable('subscription_products', PRODUCT_FIELDS)
export const COUPONS = readTable('subscription_coupons', COUPON_FIELDS)
export const REDIRECT_DOMAINS = readTable('redirect_domains', REDIRECT_DOMAIN_FIELDS)

// The statuses that end a subscription, as SQL.

const ENDED = SUBSCRIPTION_STATUSES.filter((status) => SUBSCRIPTION_POLICY[status].isFinal)

/** The list for IN. Every other status is live: it counts against the limit of a wallet. */
export const ENDED_STATUSES = sqlList(ENDED)

/** Returns a condition: the account that a subscription is for, and its marketplace, are not disabled. The argument is a table. */
export const isEnabled = (subscription: string): string => `
  NOT EXISTS (SELECT FROM accounts disabled WHERE disabled.disabled_at IS NOT NULL
    AND disabled.id IN (${subscription}.account_id, ${subscription}.receiver_account_id))`
