// Documents with every operation of both schemas, and arguments that are valid, wrong or invented.
import { readFileSync } from 'node:fs'
import {
  buildSchema,
  type GraphQLArgument,
  type GraphQLField,
  type GraphQLInputType,
  type GraphQLObjectType,
  type GraphQLOutputType,
  getNamedType,
  isEnumType,
  isInputObjectType,
  isInterfaceType,
  isListType,
  isNonNullType,
  isObjectType,
} from 'graphql'
import type { Dice } from '../simulator/dice.ts'
import { OPERATOR_PATH } from './judge.ts'
import type { Draft } from './request.ts'
import { bearer, credential, type World } from './rest-requests.ts'
import { anyId, anyIndex, anyPayment } from './tenants.ts'
import { mutated, strangeJson } from './values.ts'

/** These operations would revoke the keys, sessions and tokens of all tenants, or move the clock. */
const NEVER = new Set(['disallowToken', 'revokeAccountKey', 'logOut', 'advanceClock'])

type Field = GraphQLField<unknown, unknown>
type Operation = { readonly path: string; readonly kind: 'query' | 'mutation'; readonly field: Field }

function operationsOf(path: string, file: string): readonly Operation[] {
  const schema = buildSchema(readFileSync(new URL(`../../${file}`, import.meta.url), 'utf8'))
  const fields = (type: GraphQLObjectType | null | undefined) => Object.values(type?.getFields() ?? {})
  return [
    ...fields(schema.getQueryType()).map((field) => ({ path, kind: 'query', field }) as const),
    ...fields(schema.getMutationType()).map((field) => ({ path, kind: 'mutation', field }) as const),
  ].filter(({ field }) => !NEVER.has(field.name))
}

const OPERATIONS: readonly Operation[] = [
  ...operationsOf('/graphql', 'schema.graphql'),
  ...operationsOf(OPERATOR_PATH, 'operator.graphql'),
]

export const operationNames = (): readonly string[] => OPERATIONS.map(({ path, field }) => `${path} ${field.name}`)

export function graphqlRequest(dice: Dice, world: World): Draft {
  const { path, kind, field } = dice.pick(OPERATIONS)
  const variables: string[] = []
  const declared: string[] = []
  const given = (argument: GraphQLArgument): readonly string[] => {
    if (!isNonNullType(argument.type) && dice.chance(0.5)) return []
    if (dice.chance(0.5)) return [`${argument.name}: ${literal(dice, argument.type, argument.name, world)}`]
    declared.push(`$${argument.name}: ${String(argument.type)}`)
    variables.push(`${JSON.stringify(argument.name)}:${json(dice, argument.type, argument.name, world)}`)
    return [`${argument.name}: $${argument.name}`]
  }
  const parts = Array.from({ length: dice.chance(0.1) ? dice.between(2, 20) : 1 }, (_, at) => {
    // Each variable has one name, so only the first field uses variables.
    const args =
      at === 0
        ? field.args.flatMap(given)
        : field.args.map((one) => `${one.name}: ${literal(dice, one.type, one.name, world)}`)
    const alias = at === 0 ? '' : `a${at}: `
    return `${alias}${field.name}${args.length === 0 ? '' : `(${args.join(', ')})`} ${selection(dice, field.type, 3)}`
  })
  const head = declared.length === 0 ? kind : `${kind} Q(${declared.join(', ')})`
  const whole = `${head} { ${parts.join(' ')} }`
  const query = dice.chance(0.1) ? mutated(dice, Buffer.from(whole)).toString() : whole
  return transport(dice, world, path, query, `{${variables.join(',')}}`)
}

function transport(dice: Dice, world: World, path: string, query: string, variables: string): Draft {
  // Uses the operator's token mostly, so that requests reach the services, and other credentials sometimes.
  const token = path === OPERATOR_PATH && dice.chance(0.7) ? world.operatorToken : bearer(dice, world)
  const headers = [['Host', world.host], ...(dice.chance(0.85) ? credential(dice, world, token) : [])] as const
  if (dice.chance(0.15)) {
    const target = `${path}?query=${encodeURIComponent(query.toWellFormed())}&variables=${encodeURIComponent(variables)}`
    return { method: 'GET', target, headers, body: null }
  }
  const extra = dice.chance(0.1)
    ? `,${JSON.stringify(dice.pick(['operationName', 'extensions', 'id', 'variables', 'query']))}:${strangeJson(dice, world.known)}`
    : ''
  const document = dice.chance(0.03) ? strangeJson(dice, world.known) : JSON.stringify(query)
  return {
    method: 'POST',
    target: path,
    headers: [...headers, ['Content-Type', 'application/json']],
    body: Buffer.from(`{"query":${document},"variables":${variables}${extra}}`),
  }
}

function selection(dice: Dice, type: GraphQLOutputType, depth: number): string {
  const named = getNamedType(type)
  if (!isObjectType(named) && !isInterfaceType(named)) return ''
  const fields = Object.values(named.getFields()).filter((one) => depth > 0 || isLeaf(one))
  const chosen = fields.filter(() => dice.chance(0.35))
  const inner = chosen.map((one) => `${one.name} ${selection(dice, one.type, depth - 1)}`)
  return `{ __typename ${inner.join(' ')} }`
}

function isLeaf({ type }: Field): boolean {
  const named = getNamedType(type)
  return !isObjectType(named) && !isInterfaceType(named)
}

/** Writes a value as a literal of a document. */
function literal(dice: Dice, type: GraphQLInputType, name: string, world: World): string {
  const named = getNamedType(type)
  if (isEnumType(named) && dice.chance(0.8)) return dice.pick(named.getValues()).name
  if (isInputObjectType(named)) {
    const fields = Object.values(named.getFields()).filter((one) => isNonNullType(one.type) || dice.chance(0.4))
    return `{ ${fields.map((one) => `${one.name}: ${literal(dice, one.type, one.name, world)}`).join(', ')} }`
  }
  const value = json(dice, type, name, world)
  // Keys of objects have no quotes in a document.
  return value.startsWith('{') ? '{}' : value
}

/** Writes a value as JSON. */
function json(dice: Dice, type: GraphQLInputType, name: string, world: World): string {
  if (dice.chance(0.15)) return strangeJson(dice, world.known)
  if (isNonNullType(type)) return json(dice, type.ofType, name, world)
  if (isListType(type))
    return `[${Array.from({ length: dice.between(0, 3) }, () => json(dice, type.ofType, name, world)).join(',')}]`
  const named = getNamedType(type)
  if (isEnumType(named)) return JSON.stringify(dice.pick(named.getValues()).name)
  if (isInputObjectType(named)) {
    const fields = Object.values(named.getFields()).filter((one) => isNonNullType(one.type) || dice.chance(0.4))
    return `{${fields.map((one) => `${JSON.stringify(one.name)}:${json(dice, one.type, one.name, world)}`).join(',')}}`
  }
  return scalar(dice, named.name, name, world)
}

function scalar(dice: Dice, type: string, name: string, { tenants, mints, known }: World): string {
  const payment = anyPayment(dice, tenants)
  const texts: Readonly<Record<string, string>> = {
    UUID: anyId(dice, tenants),
    Asset: dice.pick(['SOL', ...mints]),
    SolanaAddress: payment.address,
    DateTimeISO: '2026-11-20T12:00:00.000Z',
    BaseUnits: String(dice.between(0, 1_000_000)),
    ID: Buffer.from(`PaymentIntent:${dice.pick([payment, ...dice.pick(tenants).hidden]).uuid}`).toString('base64'),
  }
  if (type === 'Boolean') return dice.pick(['true', 'false'])
  if (type === 'Int' || type === 'Float') return String(dice.pick([anyIndex(dice, tenants), dice.between(-1, 250)]))
  if (type === 'UsdCents') return String(dice.between(1, 100_000))
  if (name === 'clientSecret') return JSON.stringify(payment.clientSecret)
  return JSON.stringify(texts[type] ?? dice.pick([payment.reference, ...known]))
}
