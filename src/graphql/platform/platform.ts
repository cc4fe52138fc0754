// Facts of the platform, for every caller. Spec: GET /config.
import { CHECKOUT_WINDOW_SECONDS } from '#core/payments/payment-intent.ts'
import { SubscriptionLimits } from '#graphql/billing/limits.ts'
import { builder } from '#graphql/builder.ts'
import { countPublic } from '#graphql/context.ts'
import { HEALTH_STATUS_VALUES } from '#graphql/enum-values.ts'
import { checkFields, checksFields, HEALTH_STATUS, healthFields } from '#graphql/health-fields.ts'
import type { Health, HealthCheck, PlatformFacts } from '#services/platform/platform-services.ts'

const ConfigType = builder.objectRef<PlatformFacts>('Config').implement({
  description: 'Facts of the platform.',
  fields: (t) => ({
    cluster: t.exposeString('cluster', { description: 'The Solana cluster on which live accounts settle.' }),
    checkoutWindowSeconds: t.exposeInt('checkoutWindowSeconds', {
      description: `How long a payment can be paid, in seconds. It is always ${CHECKOUT_WINDOW_SECONDS}.`,
    }),
    networkFeeLamports: t.expose('networkFeeLamports', {
      type: 'BaseUnits',
      description: 'The network fee of a SOL settlement, in lamports.',
    }),
    platformFeeBps: t.exposeInt('platformFeeBps', {
      description: 'The fee of the platform in basis points. It applies to payments for sellers.',
    }),
    maxMarketplaceFeeBps: t.exposeInt('maxMarketplaceFeeBps', {
      description: 'The highest share of a marketplace, in basis points.',
    }),
    webhookEventTypes: t.stringList({
      description: 'The types of the events that webhooks deliver.',
      resolve: (facts) => [...facts.webhookEventTypes],
    }),
    apiVersion: t.exposeString('apiVersion', { description: 'The version of the webhook payloads.' }),
    subscriptions: t.field({
      type: SubscriptionLimits,
      nullable: true,
      description: 'The terms and limits of recurring billing. Null while it is disabled.',
      resolve: (_facts, _args, { services }) => services.billing.facts(),
    }),
  }),
})

builder.queryField('config', (t) =>
  t.field({
    type: ConfigType,
    description: 'Facts of the platform. It needs no credential.',
    resolve: async (_root, _args, context) => {
      await countPublic(context)
      return context.services.platform.facts()
    },
  }),
)

// Whether the service can do its work. Not rate limited: a monitor asks often, and a refusal would read as down.

const HealthStatusEnum = builder.enumType('HealthStatus', {
  description: HEALTH_STATUS,
  values: HEALTH_STATUS_VALUES,
})

const HealthCheckType = builder.objectRef<HealthCheck>('HealthCheck').implement({
  description: 'The health of one part of the service.',
  fields: (t) => checkFields(t, HealthStatusEnum),
})

const HealthChecks = builder.objectRef<Health['checks']>('HealthChecks').implement({
  description: 'The health of each part of the service.',
  fields: (t) => checksFields(t, HealthCheckType),
})

const HealthType = builder.objectRef<Health>('Health').implement({
  description: 'The health of the service.',
  fields: (t) => healthFields(t, { status: HealthStatusEnum, checks: HealthChecks }),
})

builder.queryField('health', (t) =>
  t.field({
    type: HealthType,
    description: 'The health of the service. It needs no credential.',
    resolve: (_root, _args, { services }) => services.platform.health(),
  }),
)
