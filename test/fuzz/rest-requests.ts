// Requests to every REST route, with the fields that openapi.json states: valid, wrong or missing; and with invented ones.
import { readFileSync } from 'node:fs'
import type { Endpoint } from '#http/endpoint.ts'
import { OPENAPI_FILE } from '#http/reply-check.ts'
import { ROUTES } from '#rest/routes.ts'
import type { Dice } from '../simulator/dice.ts'
import type { Draft } from './request.ts'
import { anyId, anyIndex, anyPayment, type Tenant } from './tenants.ts'
import { strangeJson, strangeText } from './values.ts'

export type World = {
  readonly host: string
  readonly tenants: readonly Tenant[]
  readonly operatorToken: string
  readonly mints: readonly string[]
  readonly known: readonly string[]
}

/** A valid value of each field, as JSON. */
type Fitting = (dice: Dice, world: World) => string

const text = (value: string): string => JSON.stringify(value)
const CUSTOMER = ['email', 'first_name', 'last_name', 'address', 'line1', 'city', 'country', 'postal_code'] as const

const FITTING: Readonly<Record<string, Fitting>> = {
  amount_usd_cents: (dice) => String(dice.between(1, 100_000)),
  accepted_tokens: (dice, { mints }) =>
    `[${[{ kind: 'sol' }, { kind: 'spl', mint: dice.pick(mints) }]
      .slice(0, dice.between(1, 2))
      .map((one) => JSON.stringify(one))
      .join(',')}]`,
  reference: (dice, { tenants }) => text(anyPayment(dice, tenants).reference),
  customer: (dice, world) =>
    `{"email":"a@example.com",${dice.pick(CUSTOMER).replace(/.*/, '"$&"')}:${strangeJson(dice, world.known)}}`,
  client_secret: (dice, { tenants }) => text(anyPayment(dice, tenants).clientSecret),
  index: (dice, { tenants }) => String(anyIndex(dice, tenants)),
  mint: (dice, { mints }) => dice.pick(['null', ...mints.map(text)]),
  email: () => text('a@example.com'),
  first_name: () => text('Ada'),
  customer_details: (dice, world) => `{"email":${strangeJson(dice, world.known)}}`,
  description: (dice, { known }) => strangeJson(dice, known),
  line_items: (dice, { known }) =>
    `[{"name":"a","quantity":${dice.between(0, 3)},"amount_usd_cents":${strangeJson(dice, known)}}]`,
  metadata: (dice, { known }) => `{"a":${strangeJson(dice, known)}}`,
  'metadata[a]': () => text('b'),
  success_url: () => text('https://shop.example/'),
  expected_lamports: () => '5',
  application_fee_bps: (dice) => String(dice.between(0, 6_000)),
  status: (dice) => text(dice.pick(['pending', 'swept,cancelled', 'PAID', ','])),
  limit: (dice) => String(dice.between(0, 101)),
  from: (dice) => text(`2026-11-${dice.between(10, 32)}T00:00:00Z`),
}
const FIELDS = Object.keys(FITTING)

type Schema = Readonly<Record<string, unknown>>

/** What openapi.json says that an endpoint reads: the schemas of its parameters, or of the fields of its body. */
type Read = { readonly fields: ReadonlyMap<string, Schema>; readonly required: readonly string[] }

const { paths } = JSON.parse(readFileSync(OPENAPI_FILE, 'utf8'))

function readBy({ method, path }: Pick<Endpoint, 'method' | 'path'>): Read {
  const operation = paths[path.replace(/:(\w+)/g, '{$1}')][method.toLowerCase()]
  const named: { name: string; in: string; required?: boolean; schema: Schema }[] = operation.parameters
  const body = operation.requestBody?.content['application/json']?.schema
  const inQuery = named.filter((one) => one.in === 'query')
  const fields =
    body === undefined ? inQuery.map(({ name, schema }) => [name, schema]) : Object.entries(body.properties)
  return {
    fields: new Map(fields as [string, Schema][]),
    required: body?.required ?? inQuery.filter(({ required }) => required).map(({ name }) => name),
  }
}

/** Draws a value that the schema allows, as JSON. */
function allowedBy(schema: Schema, dice: Dice, known: readonly string[]): string {
  const { type, enum: names, anyOf, oneOf, items, properties, format } = schema
  if (schema.const !== undefined) return JSON.stringify(schema.const)
  if (Array.isArray(names)) return JSON.stringify(dice.pick(names))
  for (const several of [anyOf, oneOf]) if (Array.isArray(several)) return allowedBy(dice.pick(several), dice, known)
  const kind = Array.isArray(type) ? dice.pick(type) : type
  switch (kind) {
    case 'string':
      return text(format === 'date-time' ? `2026-11-${dice.between(10, 30)}T00:00:00Z` : strangeText(dice, known))
    case 'integer':
      return String(dice.between(Number(schema.minimum ?? 1), Math.min(Number(schema.maximum ?? 100_000), 100_000)))
    case 'boolean':
      return dice.pick(['true', 'false'])
    case 'array':
      return `[${allowedBy(Object(items), dice, known)}]`
    case 'object':
      return `{${Object.entries(Object(properties))
        .map(([name, field]) => `${JSON.stringify(name)}:${allowedBy(Object(field), dice, known)}`)
        .join(',')}}`
    default:
      return 'null'
  }
}

/** A picture of one pixel. */
const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwCAAAAC0lEQVR42mNk+A8AAQUBAScY42YAAAAASUVORK5CYII=',
  'base64',
)

export const routeNames = (): readonly string[] => ROUTES.map(nameOf)

const nameOf = ({ method, path }: Pick<Endpoint, 'method' | 'path'>): string => `${method} ${path}`

export function restRequest(dice: Dice, world: World): Draft {
  const route = dice.pick(ROUTES)
  const { method } = route
  const path = route.path.replace(/:\w+/g, () =>
    encodeURIComponent(
      dice.chance(0.7) ? anyId(dice, world.tenants) : strangeText(dice, world.known).toWellFormed(),
    ).replace(/^\.+$|^$/, 'x'),
  )
  const { fields: stated, required } = readBy(route)
  const names = [
    ...required.filter(() => dice.chance(0.93)),
    ...[...stated.keys()].filter((name) => !required.includes(name) && dice.chance(0.2)),
    ...(dice.chance(0.2) ? [dice.pick(FIELDS)] : []),
  ]
  const fields = names.map((name) => [name, fieldValue(dice, name, stated.get(name), world)] as const)
  const headers = [
    ['Host', world.host],
    ...(dice.chance(route.credential === 'none' ? 0.2 : 0.9) ? credential(dice, world) : []),
    ...(method === 'POST' && dice.chance(0.2) ? [['Idempotency-Key', `key-${dice.between(0, 9)}`] as const] : []),
  ] as const
  if (method === 'GET') {
    const query = fields.map(([name, value]) => `${name}=${encode(unquoted(value))}`)
    return { method, target: query.length === 0 ? path : `${path}?${query.join('&')}`, headers, body: null }
  }
  if (route.takes === 'image') {
    const body = Buffer.from(dice.chance(0.5) ? PNG : strangeText(dice, world.known))
    return { method, target: path, headers: [...headers, ['Content-Type', 'image/png']], body }
  }
  return {
    method,
    target: path,
    headers: [...headers, ['Content-Type', 'application/json']],
    body: Buffer.from(bodyOf(dice, fields, world)),
  }
}

export const bearer = (dice: Dice, { tenants, operatorToken, known }: World): string =>
  dice.chance(0.9)
    ? dice.pick(tenants).apiKey
    : dice.pick([operatorToken, strangeText(dice, known).replace(/[^!-~]/g, ''), 'sk_live_0'])

/** Draws what a request is sent with: a session of a browser sometimes, and a key or a token mostly. */
export function credential(
  dice: Dice,
  world: World,
  token = bearer(dice, world),
): readonly (readonly [name: string, value: string])[] {
  if (dice.chance(0.85)) return [['Authorization', `Bearer ${token}`]]
  const origin = dice.chance(0.9) ? originOf(world) : 'https://other.example'
  return [
    ['Cookie', dice.pick(world.tenants).session],
    ['Origin', origin],
  ]
}

export const originOf = ({ host }: Pick<World, 'host'>): string => `http://${host}`

function fieldValue(dice: Dice, name: string, schema: Schema | undefined, world: World): string {
  if (dice.chance(0.25)) return strangeJson(dice, world.known)
  const fits = FITTING[name]
  if (fits !== undefined && (schema === undefined || dice.chance(0.7))) return fits(dice, world)
  return schema === undefined ? 'null' : allowedBy(schema, dice, world.known)
}

function bodyOf(dice: Dice, fields: readonly (readonly [string, string])[], { known }: World): string {
  if (dice.chance(0.03)) return strangeJson(dice, known)
  if (dice.chance(0.02)) return dice.pick(['', '{', '{"a":', '\ufeff{}', '{"a":1}}', 'NaN', "{'a':1}", '\0'])
  return `{${fields.map(([name, value]) => `${JSON.stringify(name)}:${value}`).join(',')}}`
}

const unquoted = (json: string): string => (json.startsWith('"') ? String(JSON.parse(json)) : json)

const encode = (value: string): string => encodeURIComponent(value.toWellFormed()).slice(0, 8_000)
