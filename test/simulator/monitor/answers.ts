// The answers of the API for a payment: the REST endpoints over the production GraphQL schema.
import { type Tenant, tenantOf } from '#core/accounts/account.ts'
import { ServiceError } from '#core/errors.ts'
import type { Edge } from '#graphql/context.ts'
import { createExecutor } from '#graphql/executor.ts'
import { createHeavyWork, HEAVY_WORK_LIMITS } from '#graphql/heavy-work.ts'
import { NO_LIMITS } from '#graphql/limits.ts'
import { createErrors } from '#graphql/public-error.ts'
import { schema } from '#graphql/schema.ts'
import type { Endpoint } from '#http/endpoint.ts'
import type { IntentStore } from '#ports/payments.ts'
import { statusByIndex } from '#rest/payments/status-by-index.ts'
import { sweep } from '#rest/payments/sweep.ts'
import type { IntentServices, SweepResult } from '#services/payments/intent-services.ts'
import { NETWORK } from '../instance-ports.ts'
import { type Reported, readReported, readSweepAnswer, type SweepAnswer } from './reported.ts'

export type ReadAnswer = (callerAccountId: string, index: number) => Promise<Reported>

export function createAnswers(intents: Pick<IntentStore, 'findByIndex'>): ReadAnswer {
  const findByIndex = async (tenant: Tenant, index: number) => {
    const found = await intents.findByIndex(tenant, index)
    if (found === null) throw new ServiceError('intent_not_found')
    return found
  }
  const reply = prepared(statusByIndex, { findByIndex })
  return async (callerAccountId, index) =>
    readReported(await reply(callerAccountId, { query: { index: String(index) } }))
}

/** Returns the answer of `POST /sweep` for a result of the service. */
export type ReadSweepAnswer = (callerAccountId: string, index: number, result: SweepResult) => Promise<SweepAnswer>

export function createSweepAnswers(): ReadSweepAnswer {
  const results = new Map<number, SweepResult>()
  const swept = async (_tenant: Tenant, index: number) => {
    const result = results.get(index)
    if (result === undefined) throw new ServiceError('nothing_to_sweep')
    return result
  }
  const reply = prepared(sweep, { sweep: swept })
  return async (callerAccountId, index, result) => {
    results.set(index, result)
    return readSweepAnswer(await reply(callerAccountId, { body: { index } }))
  }
}

/** Returns a function that requests an endpoint. It needs nothing else of the edge than these services. */
function prepared(endpoint: Endpoint, intents: Partial<IntentServices>) {
  const errors = createErrors(
    () => null,
    () => {},
  )
  const heavyWork = createHeavyWork(HEAVY_WORK_LIMITS)
  const edge = { errors, heavyWork, limits: NO_LIMITS, services: { intents } } as unknown as Edge
  const answer = endpoint.prepare(createExecutor(schema, edge))
  return async (
    callerAccountId: string,
    given: { readonly query?: object; readonly body?: object },
  ): Promise<unknown> => {
    const tenant = tenantOf({ id: callerAccountId, network: NETWORK })
    const key = { keyId: '', keyHint: '', marketplace: null, scopes: ['payments'] } as const
    const principal = { kind: 'business', tenant, ...key } as const
    const caller = { principal, authorization: null, address: '', requestId: '' }
    const image = async () => new Uint8Array()
    const request = { params: {}, query: {}, body: {}, ...given, image, header: () => undefined }
    const { body } = await answer(request, caller)
    return JSON.parse(JSON.stringify(body), withExactNumbers)
  }
}

const withExactNumbers = (_key: string, value: unknown, { source }: { source?: string } = {}): unknown =>
  typeof value === 'number' && source !== undefined && /^\d+$/.test(source) ? BigInt(source) : value
