// Whether the service can do its work. Not rate limited: a monitor asks often, and a refusal would read as down.
import { builder } from '#graphql/builder.ts'
import { HEALTH_STATUS_VALUES } from '#graphql/enum-values.ts'
import type { Health, HealthCheck } from '#services/platform/platform-services.ts'

const HealthStatusEnum = builder.enumType('HealthStatus', {
  description: 'Whether a part of the service works.',
  values: HEALTH_STATUS_VALUES,
})

const HealthCheckType = builder.objectRef<HealthCheck>('HealthCheck').implement({
  description: 'The health of one part of the service.',
  fields: (t) => ({
    status: t.expose('status', { type: HealthStatusEnum, description: 'Whether the part works.' }),
  }),
})

const HealthChecks = builder.objectRef<Health['checks']>('HealthChecks').implement({
  description: 'The health of each part of the service.',
  fields: (t) => ({
    database: t.expose('database', { type: HealthCheckType, description: 'The database.' }),
    chain: t.expose('chain', { type: HealthCheckType, description: 'The RPC providers of the chain.' }),
    priceFeed: t.expose('priceFeed', { type: HealthCheckType, description: 'The price feeds.' }),
    workers: t.expose('workers', { type: HealthCheckType, description: 'The processes that move money.' }),
  }),
})

const HealthType = builder.objectRef<Health>('Health').implement({
  description: 'The health of the service.',
  fields: (t) => ({
    status: t.expose('status', {
      type: HealthStatusEnum,
      description: 'Down when the database or the chain is down, ok when every check is ok, degraded otherwise.',
    }),
    version: t.exposeString('version', { description: 'The version of the service.' }),
    checks: t.expose('checks', { type: HealthChecks, description: 'The health of each part.' }),
  }),
})

builder.queryField('health', (t) =>
  t.field({
    type: HealthType,
    description: 'The health of the service. It needs no credential.',
    resolve: (_root, _args, { services }) => services.platform.health(),
  }),
)
