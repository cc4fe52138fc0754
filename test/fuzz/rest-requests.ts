// Requests to every REST route, with fields that are valid, wrong, missing or invented.
import type { Endpoint } from '#http/endpoint.ts'
import { ROUTES } from '#rest/routes.ts'
import type { Dice } from '../simulator/dice.ts'
import type { Draft } from './request.ts'
import { anyIndex, anyPayment, type Tenant } from './tenants.ts'
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

/** The required fields of a route; others are added sometimes. */
const NEEDED: Readonly<Record<string, readonly string[]>> = {
  'POST /intents': ['amount_usd_cents', 'accepted_tokens'],
  'GET /intents': ['reference'],
  'GET /status': ['index'],
  'POST /sweep': ['index'],
  'POST /cancel': ['index'],
  'GET /intents/quote': ['client_secret'],
  'POST /intents/select-token': ['client_secret', 'mint'],
  'GET /intents/status': ['client_secret'],
  'POST /intents/details': ['client_secret', 'email', 'first_name'],
  'POST /intents/cancel': ['client_secret'],
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
  const path = route.path === '/payments/:id' ? `/payments/${anyPayment(dice, world.tenants).uuid}` : route.path
  const names = [
    ...(NEEDED[nameOf(route)] ?? []).filter(() => dice.chance(0.93)),
    ...(dice.chance(0.4) ? [dice.pick(FIELDS)] : []),
  ]
  const fields = names.map((name) => [name, fieldValue(dice, name, world)] as const)
  const headers = [
    ['Host', world.host],
    ...(dice.chance(route.credential === 'none' ? 0.2 : 0.9)
      ? [['Authorization', `Bearer ${bearer(dice, world)}`] as const]
      : []),
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

const fieldValue = (dice: Dice, name: string, world: World): string =>
  dice.chance(0.75) ? (FITTING[name]?.(dice, world) ?? 'null') : strangeJson(dice, world.known)

function bodyOf(dice: Dice, fields: readonly (readonly [string, string])[], { known }: World): string {
  if (dice.chance(0.03)) return strangeJson(dice, known)
  if (dice.chance(0.02)) return dice.pick(['', '{', '{"a":', '\ufeff{}', '{"a":1}}', 'NaN', "{'a':1}", '\0'])
  return `{${fields.map(([name, value]) => `${JSON.stringify(name)}:${value}`).join(',')}}`
}

const unquoted = (json: string): string => (json.startsWith('"') ? String(JSON.parse(json)) : json)

const encode = (value: string): string => encodeURIComponent(value.toWellFormed()).slice(0, 8_000)
