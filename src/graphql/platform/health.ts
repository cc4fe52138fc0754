// Whether the service can do its work. Not rate limited: a monitor asks often, and a refusal would read as down.
import { builder } from '#graphql/builder.ts'
import { HEALTH_STATUS_VALUES } from '#graphql/enum-values.ts'
import { checkFields, checksFields, HEALTH_STATUS, healthFields } from '#graphql/health-fields.ts'
import type { Health, HealthCheck } from '#services/platform/platform-services.ts'

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
