import { readFileSync } from 'node:fs'
import {
  buildSchema,
  type GraphQLNamedType,
  type GraphQLSchema,
  getNamedType,
  isInputObjectType,
  isInterfaceType,
  isObjectType,
  lexicographicSortSchema,
  printSchema,
} from 'graphql'
import { describe, expect, it } from 'vitest'
import { operatorSchema } from '#graphql/operator/schema.ts'
import { schema } from '#graphql/schema.ts'

/**
 * Inputs for which a blank text has a meaning of its own: a blank credential is invalid, and no cursor, seller, endpoint
 * or event has a blank id.
 */
const NOT_KEYS = new Set([
  'clientSecret',
  'onBehalfOf',
  'id',
  'sellerId',
  'endpointId',
  'eventId',
  'eventIds',
  'paymentId',
  'after',
  'before',
])

/** What is no text: an address, a code, a color or a URL, and everything else is refused as none. */
const JUDGED_EXACTLY = new Set([
  'idempotencyKey',
  'email',
  'country',
  'accentColor',
  'supportEmail',
  'supportUrl',
  'url',
  'website',
])

/**
 * Texts of recurring billing and of logins. The services judge them, because each refusal has an identifier of its own: a blank name, key,
 * host, wallet or URL is `invalid_…`, and nothing has a blank id or token. test/rest/billing states each.
 */
const JUDGED_BY_SERVICES = new Set([
  'name',
  'description',
  'externalId',
  'host',
  'wallet',
  'subscriberWallet',
  'delegationOfWallet',
  'successUrl',
  'cancelUrl',
  'productId',
  'tierId',
  'code',
  'coupon',
  'chargeId',
  'subscriptionId',
  'approvalId',
  'token',
  'transaction',
  'origin',
  'nonce',
  'signature',
  'signedMessage',
  'link',
  'businessId',
  'memberId',
  'idempotencyKey',
])

/** The types that GraphQL itself adds to every schema. */
const BUILT_IN = new Set(['Boolean', 'Float', 'ID', 'Int', 'String'])

/** The names of all types that an operation can reach. */
function reachable(of: GraphQLSchema): ReadonlySet<string> {
  const seen = new Set<string>()
  const visit = (type: GraphQLNamedType): void => {
    if (seen.has(type.name)) return
    seen.add(type.name)
    if (isInputObjectType(type))
      for (const { type: field } of Object.values(type.getFields())) visit(getNamedType(field))
    if (!isObjectType(type) && !isInterfaceType(type)) return
    for (const { type: field, args } of Object.values(type.getFields())) {
      visit(getNamedType(field))
      for (const arg of args) visit(getNamedType(arg.type))
    }
    for (const parent of type.getInterfaces()) visit(parent)
  }
  for (const root of [of.getQueryType(), of.getMutationType(), of.getSubscriptionType()]) if (root) visit(root)
  return seen
}

describe.each([
  ['schema.graphql', schema],
  ['operator.graphql', operatorSchema],
])('%s', (file, stated) => {
  it('is the current schema', () => {
    const committed = buildSchema(readFileSync(file, 'utf8'))
    expect(printSchema(lexicographicSortSchema(committed))).toBe(printSchema(lexicographicSortSchema(stated)))
  })

  it('has the type Text or Line, which are never blank, or FormText, which is no key, for every text of a caller', () => {
    const inputs = Object.values(stated.getTypeMap()).flatMap((type) => {
      if (type.name.startsWith('__')) return []
      if (isInputObjectType(type)) return Object.values(type.getFields())
      return isObjectType(type) ? Object.values(type.getFields()).flatMap(({ args }) => args) : []
    })
    const plain = inputs.filter(({ type }) => getNamedType(type).name === 'String').map(({ name }) => name)
    expect(
      plain.filter((name) => ![NOT_KEYS, JUDGED_EXACTLY, JUDGED_BY_SERVICES].some((names) => names.has(name))),
    ).toEqual([])
  })

  it('has only types that an operation reaches', () => {
    const used = reachable(stated)
    const unused = Object.keys(stated.getTypeMap()).filter((name) => !name.startsWith('__') && !BUILT_IN.has(name))
    expect(unused.filter((name) => !used.has(name))).toEqual([])
  })
})

it('no operation is in both schemas except health, which shows the operator more', () => {
  const names = (of: GraphQLSchema) =>
    [of.getQueryType(), of.getMutationType(), of.getSubscriptionType()].flatMap((type) =>
      Object.keys(type?.getFields() ?? {}),
    )
  const operators = new Set(names(operatorSchema))
  expect(names(schema).filter((name) => operators.has(name))).toEqual(['health'])
})
