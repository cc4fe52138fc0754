// The fields of the health that both schemas show. Each schema has a builder of its own: a function takes what it needs
// of the builder of fields, and gives the fields to either schema.
import type { Health, HealthCheck } from '#services/platform/platform-services.ts'

type Exposes<Shape, Type, Field> = {
  expose(name: keyof Shape & string, options: { type: Type; description: string }): Field
}

export const HEALTH_STATUS = 'Whether a part of the service works.'

export const checkFields = <Type, Field>(t: Exposes<Pick<HealthCheck, 'status'>, Type, Field>, status: Type) => ({
  status: t.expose('status', { type: status, description: 'Whether the part works.' }),
})

export const checksFields = <Type, Field>(t: Exposes<Health['checks'], Type, Field>, check: Type) => ({
  database: t.expose('database', { type: check, description: 'The database.' }),
  chain: t.expose('chain', { type: check, description: 'The RPC providers of the chain.' }),
  priceFeed: t.expose('priceFeed', { type: check, description: 'The price feeds.' }),
  workers: t.expose('workers', { type: check, description: 'The processes that move money.' }),
})

type HealthFields<Status, Checks, StatusField, ChecksField, TextField> = {
  expose(name: 'status', options: { type: Status; description: string }): StatusField
  expose(name: 'checks', options: { type: Checks; description: string }): ChecksField
  exposeString(name: 'version', options: { description: string }): TextField
}

export const healthFields = <Status, Checks, StatusField, ChecksField, TextField>(
  t: HealthFields<Status, Checks, StatusField, ChecksField, TextField>,
  { status, checks }: { status: Status; checks: Checks },
) => ({
  status: t.expose('status', {
    type: status,
    description: 'Down when the database or the chain is down, ok when every check is ok, degraded otherwise.',
  }),
  version: t.exposeString('version', { description: 'The version of the service.' }),
  checks: t.expose('checks', { type: checks, description: 'The health of each part.' }),
})
