// Whether the service can do its work, and why not.
import { HEALTH_STATUS_VALUES } from '#graphql/enum-values.ts'
import { builder } from '#graphql/operator/builder.ts'
import type { Health, HealthCheck } from '#services/platform/platform-services.ts'

const HealthStatusEnum = builder.enumType('HealthStatus', {
  description: 'Whether a part of the service works.',
  values: HEALTH_STATUS_VALUES,
})

const HealthCheckType = builder.objectRef<HealthCheck>('HealthCheck').implement({
  description: 'The health of one part of the service.',
  fields: (t) => ({
    status: t.expose('status', { type: HealthStatusEnum, description: 'Whether the part works.' }),
    detail: t.exposeString('detail', { nullable: true, description: 'Why it is not ok; null when it is.' }),
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
    description: 'What `GET /health` answers, with the reasons.',
    resolve: (_root, _args, { services }) => services.platform.health(),
  }),
)
