// The tables of recurring billing, from the fields of their aggregates.
import { readTable } from '#adapters/prisma/columns.ts'
import { CHARGE_FIELDS } from '#core/billing/charge.ts'
import { DELEGATION_FIELDS } from '#core/billing/delegation.ts'
import { PRODUCT_FIELDS } from '#core/billing/product.ts'
import { REDIRECT_DOMAIN_FIELDS } from '#core/billing/redirect-domain.ts'
import { SUBSCRIPTION_FIELDS } from '#core/billing/subscription.ts'
import { SUBSCRIPTION_INTENT_FIELDS } from '#core/billing/subscription-intent.ts'
import { TIER_FIELDS } from '#core/billing/tier.ts'
import { tableOf } from './table.ts'

export const SUBSCRIPTIONS = tableOf('billing_subscriptions', SUBSCRIPTION_FIELDS)
export const CHARGES = tableOf('charges', CHARGE_FIELDS)
export const DELEGATIONS = tableOf('delegations', DELEGATION_FIELDS)
export const SUBSCRIPTION_INTENTS = tableOf('subscription_intents', SUBSCRIPTION_INTENT_FIELDS)
export const TIERS = readTable('subscription_tiers', TIER_FIELDS)
export const PRODUCTS = readTable('subscription_products', PRODUCT_FIELDS)
export const REDIRECT_DOMAINS = readTable('redirect_domains', REDIRECT_DOMAIN_FIELDS)
