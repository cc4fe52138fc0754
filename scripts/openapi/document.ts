// The OpenAPI document of the REST interface. docs/decisions/interfaces.md says what it derives from.
import { type GraphQLSchema, isInputObjectType } from 'graphql'
import { ACTOR_KINDS } from '#core/accounts/audit.ts'
import { PAYOUT_EVENTS } from '#core/accounts/payout-change.ts'
import { CHARGE_EVENTS, SUBSCRIPTION_EVENTS } from '#core/billing/payload.ts'
import { ACCOUNT_EVENTS, API_VERSION, type EventSubject } from '#core/events/subjects.ts'
import { CONTENT_TYPES } from '#core/images/image.ts'
import { PAYMENT_EVENTS } from '#core/payments/payload.ts'
import { REFUND_EVENTS } from '#core/refunds/refund.ts'
import { ERROR_MAP, isPublicCode } from '#graphql/error-map.ts'
import { Refused } from '#graphql/refused.ts'
import { schema as graphql } from '#graphql/schema.ts'
import type { Endpoint } from '#http/endpoint.ts'
import { ROUTES } from '#rest/routes.ts'
import { EVENT_SUBJECTS } from '#services/events/event-log.ts'
import { type InputSchema, inputOf } from './input.ts'
import {
  answerExampleIn,
  commandIn,
  generalRefusals,
  introductionOf,
  proseOf,
  refusalsIn,
  requestExampleIn,
  type Stated,
  sectionsOf,
  summaryOf,
  titleOf,
  withOther,
} from './page.ts'
import { repliesOf } from './reply.ts'
import { Components, objectSchema, type Schema } from './schema.ts'
import { operationOf } from './stand-in.ts'

/** The document says nothing of these: they are of the protocol, and no endpoint answers them. */
const OF_NO_ENDPOINT: ReadonlySet<string> = new Set(['not_found', 'method_not_allowed'])

const GENERAL = generalRefusals()
const KEY = { apiKey: [] }
const SESSION = { session: [] }
const JSON_TYPE = 'application/json'

export function openApiDocument(): Schema {
  const components = new Components('schemas')
  const responses = new Components('responses')
  components.add('Error', ERROR)
  const tags = new Map<string, string>()
  const paths: Record<string, Record<string, unknown>> = {}
  for (const endpoint of ROUTES) {
    const { group } = sectionsOf(nameOf(endpoint))
    tags.set(titleOf(group), proseOf(group))
    const path = pathOf(endpoint)
    paths[path] = { ...paths[path], [endpoint.method.toLowerCase()]: operation(endpoint, components, responses) }
  }
  const subjects = addEvents(components)
  return {
    openapi: '3.1.1',
    info: {
      title: 'Solana payments',
      version: API_VERSION,
      description: introductionOf(),
      contact: { name: 'The operator of the service' },
      license: { name: 'Apache 2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: '/', description: 'The service that has this document.' }],
    tags: [...tags].map(([name, description]) => ({ name, description })),
    paths,
    webhooks: Object.fromEntries(
      subjects.flatMap(({ types, component }) => types.map((type) => [type, webhook(type, component)])),
    ),
    components: {
      securitySchemes: SECURITY,
      parameters: { IdempotencyKey: IDEMPOTENCY_KEY, OnBehalfOf: ON_BEHALF_OF },
      headers: HEADERS,
      responses: responses.all(),
      schemas: components.all(),
    },
  }
}

const upper = (_all: string, letter: string): string => letter.toUpperCase()
const nameOf = ({ method, path }: Pick<Endpoint, 'method' | 'path'>): string => `${method} ${path}`
const pathOf = ({ path }: Pick<Endpoint, 'path'>): string => path.replace(/:(\w+)/g, '{$1}')
const namesInPath = ({ path }: Pick<Endpoint, 'path'>): readonly string[] =>
  [...path.matchAll(/:(\w+)/g)].map(([, name = '']) => name)

/** `RestCreateIntent` is the operation `createIntent`. */
function operationIdOf({ sources }: Pick<Endpoint, 'sources'>): string {
  const name = operationOf(sources.document).name?.value ?? ''
  return name.replace(/^Rest(.)/, (_all, first: string) => first.toLowerCase())
}

function operation(endpoint: Endpoint, components: Components, responses: Components): Schema {
  const { section, group } = sectionsOf(nameOf(endpoint))
  const prose = proseOf(section)
  const input = inputOf(endpoint.sources, graphql)
  const body = bodyOf(endpoint, input, section)
  return {
    operationId: operationIdOf(endpoint),
    summary: summaryOf(prose),
    description: prose,
    tags: [titleOf(group)],
    security: securityOf(endpoint, input),
    parameters: parametersOf(endpoint, input),
    ...(body !== null && { requestBody: body }),
    responses: withBoth(
      successes(endpoint, section, components),
      refusals(endpoint, input, { section, group, responses }),
    ),
    'x-codeSamples': [{ lang: 'Shell', label: 'curl', source: commandIn(section) }],
  }
}

function securityOf({ credential, takes }: Endpoint, { properties }: InputSchema): readonly Schema[] {
  if (credential === 'key') return [KEY]
  if (credential === 'key_or_session') return [KEY, SESSION]
  if (credential === 'optional_key' || credential === 'counted_key') return [{}, KEY]
  // OpenAPI has no scheme for a field of a body.
  const hasScheme = properties.client_secret !== undefined && takes === 'nothing'
  return hasScheme ? [{ clientSecret: [] }] : []
}

function parametersOf(endpoint: Endpoint, { properties, required, isOpen }: InputSchema): readonly Schema[] {
  const inPath = namesInPath(endpoint)
  const parameter = (name: string, place: 'path' | 'query'): Schema => {
    const { description, ...schema } = properties[name] ?? {}
    if (description === undefined) throw new Error(`${nameOf(endpoint)} does not describe ${name}`)
    const isList = schema.type === 'array'
    return {
      name,
      in: place,
      description,
      required: place === 'path' || name === 'client_secret' || required.includes(name),
      ...(isList && { style: 'form', explode: false }),
      schema,
    }
  }
  const inQuery = endpoint.takes === 'nothing' ? Object.keys(properties).filter((name) => !inPath.includes(name)) : []
  return [
    ...inPath.map((name) => parameter(name, 'path')),
    ...inQuery.map((name) => parameter(name, 'query')),
    ...(isOpen && endpoint.takes === 'nothing' && inQuery.length > 0 ? [METADATA] : []),
    ...(takesVariable(endpoint, 'idempotencyKey') ? [{ $ref: '#/components/parameters/IdempotencyKey' }] : []),
    ...(takesSeller(endpoint, graphql) ? [{ $ref: '#/components/parameters/OnBehalfOf' }] : []),
  ]
}

const METADATA = {
  name: 'metadata',
  in: 'query',
  description: 'Payments whose metadata has each of these keys with its value: `metadata[key]=value`.',
  style: 'deepObject',
  explode: true,
  schema: { type: 'object', additionalProperties: { type: 'string' } },
}

const IDEMPOTENCY_KEY = {
  name: 'Idempotency-Key',
  in: 'header',
  description: 'A repeat with the same key and the same request answers as the first request.',
  schema: { type: 'string' },
}

const ON_BEHALF_OF = {
  name: 'X-Platform-On-Behalf-Of',
  in: 'header',
  description: 'The id of the seller for which a marketplace acts.',
  schema: { type: 'string', format: 'uuid' },
}

const takesVariable = ({ sources }: Endpoint, name: string): boolean =>
  operationOf(sources.document).variableDefinitions?.some(({ variable }) => variable.name.value === name) === true

/** Returns whether the document of an endpoint takes the seller of the header, by a variable or in its input. */
function takesSeller({ sources, path }: Endpoint, schema: GraphQLSchema): boolean {
  if (path.startsWith('/exports/')) return false
  const { variableDefinitions = [] } = operationOf(sources.document)
  return variableDefinitions.some(({ variable, type }) => {
    const named = type.kind === 'NonNullType' ? type.type : type
    const input = named.kind === 'NamedType' ? schema.getType(named.name.value) : undefined
    return variable.name.value === 'onBehalfOf' || (isInputObjectType(input) && 'onBehalfOf' in input.getFields())
  })
}

function bodyOf(endpoint: Endpoint, { properties, required }: InputSchema, section: string): Schema | null {
  if (endpoint.takes === 'nothing') return null
  if (endpoint.takes === 'image') {
    const types = Object.values(CONTENT_TYPES)
    return { required: true, content: Object.fromEntries(types.map((type) => [type, {}])) }
  }
  const inPath = namesInPath(endpoint)
  const fields = Object.entries(properties).filter(([name]) => !inPath.includes(name))
  // Without fields the body can be left out, or be `{}`, which many clients send with a POST.
  const example = requestExampleIn(section)
  const schema = objectSchema(fields.map(([name, field]) => [name, field, required.includes(name)] as const))
  return {
    required: required.some((name) => !inPath.includes(name)) || endpoint.method === 'PATCH',
    content: { [JSON_TYPE]: { schema, ...(example !== undefined && { example }) } },
  }
}

function successes(endpoint: Endpoint, section: string, components: Components): Readonly<Record<string, Schema>> {
  const replies = repliesOf(endpoint, graphql, components)
  const example = answerExampleIn(section)
  return Object.fromEntries(
    replies.map(({ status, headers, body, type }, at) => {
      const shown = example !== undefined && at === replies.length - 1 && replies.length === 1
      return [
        status,
        {
          description: DESCRIPTIONS[status] ?? '',
          headers: Object.fromEntries(
            [
              ...headers,
              ...(takesVariable(endpoint, 'idempotencyKey') ? ['Idempotent-Replayed'] : []),
              ...(endpoint.takes === 'json' ? ['Ignored-Fields'] : []),
            ].map((name) => [name, headerRef(name)]),
          ),
          content: {
            [type]: body === null ? { schema: { type: 'string' } } : { schema: body, ...(shown && { example }) },
          },
        },
      ]
    }),
  )
}

/** The health of a service that is down is a reply and a refusal. */
function withBoth(replies: Readonly<Record<string, Schema>>, refused: Readonly<Record<string, Schema>>): Schema {
  const both = Object.entries(replies).flatMap(([status, reply]) => {
    const other = refused[status]
    return other === undefined
      ? []
      : [[status, { ...other, headers: reply.headers, content: anyOf(reply.content, other.content) }]]
  })
  return { ...replies, ...refused, ...Object.fromEntries(both) }
}

const anyOf = (...contents: readonly unknown[]): Schema => ({
  [JSON_TYPE]: { schema: { anyOf: contents.map((content) => Object(content)[JSON_TYPE].schema) } },
})

const DESCRIPTIONS: Readonly<Record<number, string>> = {
  200: 'Done.',
  201: 'Created.',
  202: 'Accepted: it goes on after this answer.',
  503: 'The service is down.',
}

/** Returns the refusals of an endpoint, by status: those of every endpoint, and those that its section and its group state. */
function refusals(
  endpoint: Endpoint,
  { properties }: InputSchema,
  { section, group, responses }: ReturnType<typeof sectionsOf> & { readonly responses: Components },
): Readonly<Record<string, Schema>> {
  const applies = ({ status, code }: Stated): boolean => {
    if (OF_NO_ENDPOINT.has(code)) return false
    const needsBusiness = endpoint.credential === 'key' || endpoint.credential === 'key_or_session'
    if (code === 'unauthenticated') return needsBusiness || endpoint.credential === 'optional_key'
    if (code === 'forbidden') return needsBusiness
    if (code === 'invalid_client_secret') return properties.client_secret !== undefined
    return (status !== 413 && status !== 415) || endpoint.takes !== 'nothing'
  }
  const own = refusalsIn(section)
  const others = [...GENERAL.filter(applies), ...refusalsIn(withOther(group))]
  return Object.fromEntries(
    [...Map.groupBy([...own, ...others], ({ status }) => status)]
      .sort(([a], [b]) => a - b)
      .map(([status]) => {
        const of = (stated: readonly Stated[]) => stated.filter((one) => one.status === status)
        const response = refusal(status, of(own), of(others), shownOf(endpoint, status))
        const words = [...new Set([...of(others).map(({ code }) => code), ...shownOf(endpoint, status)])]
        const name = words.map((word) => `_${word}`.replace(/_(.)/g, upper)).join('Or')
        return [status, of(own).length === 0 ? responses.add(name, response) : response]
      }),
  )
}

/** Returns what the endpoint adds to a refusal with the status, of which the table of errors knows nothing. */
function shownOf({ shownAs = (error) => error }: Endpoint, status: number): readonly string[] {
  const code = status === 429 ? 'rate_limited' : 'invalid_request'
  const refused = new Refused({ code, status, message: '', shown: {}, retryAfter: 1, unexpected: false })
  const shown = shownAs(refused)
  if (!(shown instanceof Refused)) return []
  const isOfBilling = shown.shown.message === code
  return [...Object.keys(shown.shown.shown), ...(isOfBilling && status === 400 ? ['field'] : [])]
}

function refusal(status: number, own: readonly Stated[], others: readonly Stated[], added: readonly string[]): Schema {
  const meaningOf = (code: string): string =>
    isPublicCode(code) ? ERROR_MAP[code].meaning.replace(/\[([^\]]*)\]\([^)]*\)/g, '$1') : ''
  const codes = new Set([...own, ...others].map(({ code }) => code))
  const further = [...codes].filter((code) => !own.some((one) => one.code === code))
  const shown = [...added, ...[...codes].flatMap((code) => (isPublicCode(code) ? (ERROR_MAP[code].shows ?? []) : []))]
  const waits = status === 429 || status === 502 || status === 503
  return {
    description: [
      ...own.map(({ code, note }) => `- \`${code}\`: ${note ?? meaningOf(code)}`),
      ...further.map((code) => `- \`${code}\``),
    ].join('\n'),
    headers: {
      'Error-Code': { ...HEADERS['Error-Code'], schema: { type: 'string', enum: [...codes] } },
      ...(waits && { 'Retry-After': headerRef('Retry-After') }),
    },
    content: {
      [JSON_TYPE]: {
        schema:
          shown.length === 0
            ? ERROR_REFERENCE
            : {
                allOf: [
                  ERROR_REFERENCE,
                  objectSchema([...new Set(shown)].map((name) => [name, shownSchema(name), false])),
                ],
              },
      },
    },
  }
}

function shownSchema(name: string): Schema {
  const schema = SHOWN[name]
  if (schema === undefined) throw new Error(`no schema is known for ${name} of a refusal`)
  return schema
}

const ERROR_REFERENCE = { $ref: '#/components/schemas/Error' }
const ERROR = {
  description: 'A refusal. Branch on the status or on the header `Error-Code`.',
  ...objectSchema([
    [
      'error',
      { description: 'A message for people, which may change. For recurring billing it is the code.', type: 'string' },
      true,
    ],
  ]),
}

const texts = { type: 'array', items: { type: 'string' } }
/** What a refusal can show next to its message. */
const SHOWN: Readonly<Record<string, Schema>> = {
  field: { description: 'The field that is wrong.', type: 'string' },
  intent_ids: { description: 'Payments whose money is in flight.', ...texts },
  subscription_ids: { description: 'Subscriptions that are running.', ...texts },
  subscription_intent_ids: { description: 'Checkouts that are open.', ...texts },
  retry_after_secs: { description: 'Seconds until a repeat can succeed.', type: 'integer' },
  retry_after_seconds: { description: 'Seconds until a repeat can succeed.', type: 'integer' },
  status: { description: 'The state that is in the way.', type: 'string' },
  charge_id: { description: 'The charge that is in the way.', type: 'string' },
  next_charge_at: { description: 'When it is charged next.', type: ['string', 'null'], format: 'date-time' },
  tier_mint: { description: 'The mint of the tier.', type: 'string' },
  platform_mint: { description: 'The mint in which the platform charges.', type: 'string' },
  limit: { description: 'The limit that is reached.', type: 'integer' },
  min_expires_in: { description: 'The shortest time in seconds.', type: 'integer' },
  max_expires_in: { description: 'The longest time in seconds.', type: 'integer' },
  subscription_id: { description: 'The subscription of the checkout.', type: ['string', 'null'] },
  recovery_url: { description: 'The page that gives another link.', type: 'string' },
  max_price_usd_cents: { description: 'The highest price.', type: 'integer' },
  max_trial_days: { description: 'The longest trial.', type: 'integer' },
  marketplace_fee_bps: { description: 'The fee that is not supported.', type: 'integer' },
}

const header = (description: string, schema: Schema = { type: 'string' }) => ({ description, schema })
const headerRef = (name: string): Schema => {
  if (!Object.hasOwn(HEADERS, name)) throw new Error(`the header ${name} is not described`)
  return { $ref: `#/components/headers/${name}` }
}
const HEADERS: Readonly<Record<string, Schema>> = {
  'Error-Code': header('The code of the refusal.'),
  'Retry-After': header('Seconds until a repeat can succeed.', { type: 'integer' }),
  'Idempotent-Replayed': header('`true`: the answer is that of an earlier request.', {
    type: 'string',
    const: 'true',
  }),
  'Ignored-Fields': header('The fields of the body that are not read.'),
  'Content-Disposition': header('The name of the file.'),
}

const SECURITY = {
  apiKey: {
    type: 'http',
    scheme: 'bearer',
    description: 'An API key of a business, `sk_live_…` or `sk_test_…`. It stays on its backend.',
  },
  session: {
    type: 'apiKey',
    in: 'cookie',
    name: '__Host-session',
    description: 'The session of a member, on the pages of the service only.',
  },
  clientSecret: {
    type: 'apiKey',
    in: 'query',
    name: 'client_secret',
    description: 'The client secret of one payment, `cs_…`. A POST has it as a field of its body.',
  },
}

// Events. The data of one is a REST object with every amount as an exact decimal string, and a version.

const WALLET: Schema = { type: ['string', 'null'], description: 'The address of a wallet.' }
const PAYOUT_DATA = objectSchema([
  ['sweep_destination', WALLET, true],
  ['previous_sweep_destination', WALLET, true],
  [
    'effective_at',
    { description: 'When a change that waits takes effect.', type: 'string', format: 'date-time' },
    false,
  ],
  [
    'changed_by',
    objectSchema([
      ['kind', { type: 'string', enum: ACTOR_KINDS }, true],
      ['credential', { type: ['string', 'null'] }, true],
      ['ip', { type: ['string', 'null'] }, true],
    ]),
    true,
  ],
])

type DescribedSubject = Pick<EventSubject, 'types'> & { readonly component: string }

function addEvents(components: Components): readonly DescribedSubject[] {
  const base = components.get('Event')
  const exactly = (name: string): Schema => {
    const { properties, required } = inDigits({ ...components.get(name) }, components)
    return {
      ...objectSchema([]),
      properties: { ...Object(properties), version: { description: 'Grows with every change.', type: 'integer' } },
      required: [...new Set([...[required].flat(), 'version'])],
    }
  }
  const data: readonly (readonly [EventSubject, string, Schema])[] = [
    [PAYMENT_EVENTS, 'Payment', exactly('PaymentIntentStatus')],
    [SUBSCRIPTION_EVENTS, 'Subscription', exactly('BillingSubscription')],
    [CHARGE_EVENTS, 'Charge', exactly('Charge')],
    [REFUND_EVENTS, 'BusinessRefund', exactly('BusinessRefund')],
    [PAYOUT_EVENTS, 'Payout', PAYOUT_DATA],
    [ACCOUNT_EVENTS, 'Test', objectSchema([['message', { type: 'string' }, true]])],
  ]
  const missing = EVENT_SUBJECTS.types.filter((type) => !data.some(([{ types }]) => types.includes(type)))
  if (missing.length > 0) throw new Error(`no schema is known for the events ${missing.join(', ')}`)
  const subjects = data.map(([{ types }, name, schema]) => {
    const component = `${name}Event`
    components.add(component, {
      ...base,
      properties: { ...Object(base.properties), type: { type: 'string', enum: types }, data: schema },
    })
    return { types, component }
  })
  components.replace('Event', {
    oneOf: subjects.map(({ component }) => ({ $ref: `#/components/schemas/${component}` })),
  })
  return subjects
}

const DIGITS = { type: 'string', pattern: '^\\d+$' }
const DECIMAL = { type: 'string', pattern: '^-?\\d+(\\.\\d+)?$' }

/** Returns a schema with amounts as decimal strings, and with the schemas that it refers to inside. */
function inDigits(schema: Schema, components: Components): Schema {
  const { $ref, format, minimum, ...rest } = schema
  if (typeof $ref === 'string') {
    const target = components.get($ref.replace(/^.*\//, ''))
    if (target.enum !== undefined) return schema
    const { description: _, ...inner } = inDigits(target, components)
    return { ...rest, ...inner }
  }
  if (format === 'uint64' || format === 'double') {
    const isNullable = Array.isArray(rest.type)
    const digits = format === 'double' ? DECIMAL : { ...DIGITS, format }
    return { ...rest, ...digits, ...(isNullable && { type: ['string', 'null'] }) }
  }
  return Object.fromEntries(
    Object.entries(schema).map(([name, value]) => {
      if (name === 'properties')
        return [
          name,
          Object.fromEntries(
            Object.entries(Object(value)).map(([field, one]) => [field, inDigits(Object(one), components)]),
          ),
        ]
      if (name === 'items') return [name, inDigits(Object(value), components)]
      if (name === 'anyOf' && Array.isArray(value)) return [name, value.map((one) => inDigits(one, components))]
      return [name, value]
    }),
  )
}

const webhook = (type: string, component: string): Schema => ({
  post: {
    operationId: `on ${type}`.replace(/[ ._](.)/g, upper),
    summary: type,
    description: `A webhook of the type \`${type}\`.`,
    tags: ['Webhooks'],
    security: [],
    parameters: ['webhook-id', 'webhook-timestamp', 'webhook-signature'].map((name) => ({
      name,
      in: 'header',
      description: 'See Standard Webhooks.',
      required: true,
      schema: { type: 'string' },
    })),
    requestBody: {
      required: true,
      content: { [JSON_TYPE]: { schema: { $ref: `#/components/schemas/${component}` } } },
    },
    responses: { '2XX': { description: 'Received.' }, '4XX': { description: 'Not received: it is sent again.' } },
  },
})
