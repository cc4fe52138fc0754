// The answer of the API for each payment: the REST endpoint over the production GraphQL schema and the stores.
import { type Tenant, tenantOf } from '#core/accounts/account.ts'
import { ServiceError } from '#core/errors.ts'
import type { Edge } from '#graphql/context.ts'
import { createExecutor } from '#graphql/executor.ts'
import { createHeavyWork, HEAVY_WORK_LIMITS } from '#graphql/heavy-work.ts'
import { NO_LIMITS } from '#graphql/limits.ts'
import { createErrors } from '#graphql/public-error.ts'
import { schema } from '#graphql/schema.ts'
import type { IntentStore } from '#ports/payments.ts'
import { statusByIndex } from '#rest/payments/status-by-index.ts'
import { NETWORK } from '../instance-ports.ts'
import { type Reported, readReported } from './reported.ts'

export type ReadAnswer = (callerAccountId: string, index: number) => Promise<Reported>

export function createAnswers(intents: Pick<IntentStore, 'findByIndex'>): ReadAnswer {
  const findByIndex = async (tenant: Tenant, index: number) => {
    const found = await intents.findByIndex(tenant, index)
    if (found === null) throw new ServiceError('intent_not_found')
    return found
  }
  const errors = createErrors(
    () => null,
    () => {},
  )
  const heavyWork = createHeavyWork(HEAVY_WORK_LIMITS)
  // A status needs nothing else of the edge.
  const edge = { errors, heavyWork, limits: NO_LIMITS, services: { intents: { findByIndex } } } as unknown as Edge
  const endpoint = statusByIndex.prepare(createExecutor(schema, edge))
  return async (callerAccountId, index) => {
    const tenant = tenantOf({ id: callerAccountId, network: NETWORK })
    const key = { keyId: '', keyHint: '', marketplace: null, scopes: ['payments'] } as const
    const principal = { kind: 'business', tenant, ...key } as const
    const caller = { principal, authorization: null, address: '', requestId: '' }
    const image = async () => new Uint8Array()
    const request = { params: {}, query: { index: String(index) }, body: {}, image, header: () => undefined }
    const { body } = await endpoint(request, caller)
    return readReported(JSON.parse(JSON.stringify(body), withExactNumbers))
  }
}

const withExactNumbers = (_key: string, value: unknown, { source }: { source?: string } = {}): unknown =>
  typeof value === 'number' && source !== undefined && /^\d+$/.test(source) ? BigInt(source) : value
