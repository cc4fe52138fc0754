// The answers of the API for a payment: the REST endpoints over the production GraphQL schema.
import { execute, parse } from 'graphql'
import type { Database } from '#adapters/prisma/engine/database.ts'
import { createTenantReads } from '#adapters/prisma/tenant-reads.ts'
import { type Tenant, tenantOf } from '#core/accounts/account.ts'
import { withParts } from '#core/accounts/permissions.ts'
import { type Address, type Asset, SOL } from '#core/chain/types.ts'
import { ServiceError } from '#core/errors.ts'
import type { Caller } from '#graphql/caller.ts'
import { contextFor, type Edge } from '#graphql/context.ts'
import { createCursors } from '#graphql/cursor.ts'
import { createExecutor } from '#graphql/executor.ts'
import { createHeavyWork, HEAVY_WORK_LIMITS } from '#graphql/heavy-work.ts'
import { NO_LIMITS } from '#graphql/limits.ts'
import type { Proofs } from '#graphql/proofs.ts'
import { createErrors } from '#graphql/public-error.ts'
import { Refused } from '#graphql/refused.ts'
import { schema } from '#graphql/schema.ts'
import type { IntentStore } from '#ports/payments.ts'
import { ROUTES } from '#rest/routes.ts'
import type { IntentServices, SweepResult } from '#services/payments/intent-services.ts'
import { NETWORK } from '../instance-ports.ts'
import type { Outflow } from './evidence.ts'
import { type Figures, sum } from './figures.ts'
import { readRecords, type ShownRecords } from './records.ts'
import { type Reported, readReported, readSweepAnswer, type SweepAnswer } from './reported.ts'

export type ReadAnswer = (callerAccountId: string, index: number) => Promise<Reported>

/** Returns the answer of `GET /status` for the payment as it is stored. */
export function createAnswers(intents: Pick<IntentStore, 'findByIndex'>): ReadAnswer {
  const reply = prepared('GET /status', { findByIndex: finder(intents) })
  return async (callerAccountId, index) =>
    readReported(await reply(callerOf(callerAccountId), { query: { index: String(index) } }))
}

/** The answers of an instance to the business of a payment, and to its buyer. */
type Statuses = {
  ofBusiness(callerAccountId: string, index: number): Promise<Reported>
  ofBuyer(clientSecret: string): Promise<Reported>
}

const statuses = new WeakMap<IntentServices, Statuses>()

/** Returns `GET /status` and `GET /intents/status` of an instance. */
export function statusesOf(intents: IntentServices): Statuses {
  const known = statuses.get(intents)
  if (known !== undefined) return known
  const [byIndex, bySecret] = [prepared('GET /status', intents), prepared('GET /intents/status', intents)]
  const made: Statuses = {
    ofBusiness: async (callerAccountId, index) =>
      readReported(await byIndex(callerOf(callerAccountId), { query: { index: String(index) } })),
    ofBuyer: async (secret) => readReported(await bySecret(ANONYMOUS, { query: { client_secret: secret } })),
  }
  statuses.set(intents, made)
  return made
}

export type ReadRecords = (callerAccountId: string, index: number) => Promise<ShownRecords>

/** Returns what GraphQL shows below a payment: the money that arrived, and the money that was sent. */
export function createRecordAnswers(
  db: Pick<Database, 'prisma'>,
  intents: Pick<IntentStore, 'findByIndex'>,
): ReadRecords {
  const edge = {
    ...edgeOf({ findByIndex: finder(intents) }),
    reads: createTenantReads(db.prisma),
    cursors: createCursors(NO_SECRET),
  }
  return async (callerAccountId, index) => {
    const contextValue = contextFor(edge, callerOf(callerAccountId))
    const { data, errors } = await execute({ schema, document: RECORDS, variableValues: { index }, contextValue })
    if (errors !== undefined) throw new AggregateError(errors, 'the records of a payment are not answered')
    return readRecords(data)
  }
}

const NO_SECRET = new Uint8Array(32)
const RECORDS = parse(`query Records($index: Int!) {
  paymentIntent(index: $index) {
    deposits(first: 100) { edges { node { asset amount signature } } }
    transfers(first: 100) { edges { node { kind status asset signature legs { destination movedAmount } } } }
  }
}`)

/** Returns the answer of `POST /sweep` for a result of the service. */
type ReadSweepAnswer = (callerAccountId: string, index: number, result: SweepResult) => Promise<SweepAnswer>

function createSweepAnswers(): ReadSweepAnswer {
  const results = new Map<number, SweepResult>()
  const swept = async (_tenant: Tenant, index: number) => {
    const result = results.get(index)
    if (result === undefined) throw new ServiceError('nothing_to_sweep')
    return result
  }
  const reply = prepared('POST /sweep', { sweep: swept })
  return async (callerAccountId, index, result) => {
    results.set(index, result)
    return readSweepAnswer(await reply(callerOf(callerAccountId), { body: { index } }))
  }
}

const finder =
  (intents: Pick<IntentStore, 'findByIndex'>): IntentServices['findByIndex'] =>
  async (tenant, index) => {
    const found = await intents.findByIndex(tenant, index)
    if (found === null) throw new ServiceError('intent_not_found')
    return found
  }

/** The edge needs nothing else than these services. */
function edgeOf(intents: Partial<IntentServices>): Edge {
  const errors = createErrors(
    () => null,
    () => {},
  )
  const heavyWork = createHeavyWork(HEAVY_WORK_LIMITS)
  const proofs: Pick<Proofs, 'prove'> = { prove: (_kind, _credential, _asker, ask) => ask() }
  // The operator of the simulator disables no business.
  const standing = { requireEnabled: async () => {} }
  return { errors, heavyWork, limits: NO_LIMITS, proofs, services: { intents, standing } } as unknown as Edge
}

const ANONYMOUS: Caller = { principal: { kind: 'anonymous' }, sent: null, address: '', requestId: '' }

function callerOf(accountId: string): Caller {
  const tenant = tenantOf({ id: accountId, network: NETWORK })
  const principal = {
    kind: 'business',
    tenant,
    credential: { kind: 'key', id: '', hint: '' },
    marketplace: null,
    permissions: withParts(['payments']),
  } as const
  return { ...ANONYMOUS, principal }
}

/** Returns a function that requests an endpoint, named by its method and path. */
function prepared(name: string, intents: Partial<IntentServices>) {
  const endpoint = ROUTES.find(({ method, path }) => `${method} ${path}` === name)
  if (endpoint === undefined) throw new Error(`there is no ${name}`)
  const answer = endpoint.prepare(createExecutor(schema, edgeOf(intents)))
  return async (caller: Caller, given: { readonly query?: object; readonly body?: object }): Promise<unknown> => {
    const image = async () => new Uint8Array()
    const request = { params: {}, query: {}, body: {}, ...given, image, header: () => undefined, setHeader: () => {} }
    try {
      const { body } = await answer(request, caller)
      return JSON.parse(JSON.stringify(body), withExactNumbers)
    } catch (error) {
      throw error instanceof Refused ? error.cause : error
    }
  }
}

const withExactNumbers = (_key: string, value: unknown, { source }: { source?: string } = {}): unknown =>
  typeof value === 'number' && source !== undefined && /^\d+$/.test(source) ? BigInt(source) : value

// Checks the answer of a sweep that a business requests, against the transaction that it names.

/** The swept payment. */
type Swept = {
  readonly index: number
  readonly address: Address
  readonly accountId: string
  readonly callerAccountId: string
}

export type CheckSweepAnswer = (swept: Swept, result: SweepResult) => Promise<void>

export function watchSweepAnswers({ evidence, findings, partiesOf, stage }: Figures): CheckSweepAnswer {
  const answerOf = createSweepAnswers()
  const assets: readonly Asset[] = [SOL, ...stage.mints.keys()]
  return async ({ index, address, accountId, callerAccountId }, result) => {
    const answer = await answerOf(callerAccountId, index, result)
    const check = (holds: boolean, what: () => string): void =>
      findings.check('the answer of a sweep agrees with the chain', holds, () => `intent ${index}: ${what()}`)
    const outflows = assets.flatMap((asset) => {
      const outflow = evidence.outflow(address, asset, answer.signature)
      return outflow !== null && outflow.left > 0n ? [outflow] : []
    })
    const [outflow] = outflows
    check(outflows.length === 1 && answer.from === address, () => `${answer.signature} from ${answer.from}`)
    if (outflow === undefined) return
    const { business, platform } = partiesOf(accountId)
    const swept = arrivedAt(outflow, business)
    check(answer.swept === swept, () => `${answer.swept} swept, and ${swept} arrived`)
    const fee = arrivedAt(outflow, platform)
    check(answer.platformFee === fee, () => `a platform fee of ${answer.platformFee}, and ${fee} arrived`)
    check(business.has(answer.to) && outflow.arrived.has(answer.to), () => `to ${answer.to}`)
  }
}

const arrivedAt = ({ arrived }: Outflow, wallets: ReadonlySet<Address>): bigint =>
  sum([...arrived].flatMap(([wallet, amount]) => (wallets.has(wallet) ? [amount] : [])))
