// Whether the service can do its work, and why not.
import { HEALTH_STATUS_VALUES } from '#graphql/enum-values.ts'
import { builder } from '#graphql/operator/builder.ts'
import type { Health, HealthCheck } from '#services/services.ts'

const HealthStatusEnum = builder.enumType('HealthStatus', {
  description: 'Whether a part of the service works.',
  values: HEALTH_STATUS_VALUES,
})

const HealthCheckType = builder.objectRef<HealthCheck>('HealthCheck').implement({
  fields: (t) => ({
    status: t.expose('status', { type: HealthStatusEnum }),
    detail: t.exposeString('detail', { nullable: true, description: 'Why it is not ok; null when it is.' }),
  }),
})

const HealthChecks = builder.objectRef<Health['checks']>('HealthChecks').implement({
  fields: (t) => ({
    database: t.expose('database', { type: HealthCheckType }),
    chain: t.expose('chain', { type: HealthCheckType }),
    priceFeed: t.expose('priceFeed', { type: HealthCheckType }),
    workers: t.expose('workers', { type: HealthCheckType }),
  }),
})

const HealthType = builder.objectRef<Health>('Health').implement({
  fields: (t) => ({
    status: t.expose('status', { type: HealthStatusEnum }),
    version: t.exposeString('version'),
    checks: t.expose('checks', { type: HealthChecks }),
  }),
})

builder.queryField('health', (t) =>
  t.field({
    type: HealthType,
    description: 'What `GET /health` answers, with the reasons.',
    resolve: (_root, _args, { services }) => services.platform.health(),
  }),
)
