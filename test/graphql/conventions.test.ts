// Conventions of the public schema: docs/decisions/interfaces.md. The operator's schema shares the first two.
import {
  type GraphQLNamedType,
  type GraphQLSchema,
  getNamedType,
  getNullableType,
  isEnumType,
  isInputObjectType,
  isInterfaceType,
  isIntrospectionType,
  isListType,
  isObjectType,
  isSpecifiedScalarType,
} from 'graphql'
import { describe, expect, it } from 'vitest'
import { operatorSchema } from '#graphql/operator/schema.ts'
import { schema } from '#graphql/schema.ts'

const typesOf = (of: GraphQLSchema): GraphQLNamedType[] =>
  Object.values(of.getTypeMap()).filter((type) => !isIntrospectionType(type) && !isSpecifiedScalarType(type))
const types = typesOf(schema)

type Element = { readonly name: string; readonly description?: string | null | undefined }

/** The elements of a type, by place. */
function elementsOf(type: GraphQLNamedType): [place: string, element: Element][] {
  const within = (owner: string, elements: readonly Element[]): [string, Element][] =>
    elements.map((element) => [`${owner}.${element.name}`, element])
  const own: [string, Element] = [type.name, type]
  if (isEnumType(type)) return [own, ...within(type.name, type.getValues())]
  if (isInputObjectType(type)) return [own, ...within(type.name, Object.values(type.getFields()))]
  if (!isObjectType(type) && !isInterfaceType(type)) return [own]
  const fields = Object.values(type.getFields())
  const args = fields.flatMap((field) => within(`${type.name}.${field.name}`, field.args))
  return [own, ...within(type.name, fields), ...args]
}

const outputs = types.filter(isObjectType).flatMap((type) =>
  Object.values(type.getFields()).map((field) => ({
    place: `${type.name}.${field.name}`,
    name: field.name,
    type: getNamedType(field.type).name,
    isList: isListType(getNullableType(field.type)),
  })),
)
const placesOf = (found: readonly { place: string }[]) => found.map(({ place }) => place)

describe.each([
  ['the public schema', types],
  ['the operator’s schema', typesOf(operatorSchema)],
])('%s', (_name, types) => {
  it('describes every type, field, argument and enum value in sentences', () => {
    const undescribed = types
      .flatMap(elementsOf)
      .filter(([, { description }]) => !/^[A-Z`0].*\.$/s.test(description ?? ''))
    expect(undescribed.map(([place]) => place)).toEqual([])
  })

  it('has enum values in snake case, as REST shows them', () => {
    const values = types.filter(isEnumType).flatMap((type) => type.getValues())
    expect(values.map(({ name }) => name).filter((name) => !/^[a-z]+(_[a-z]+)*$/.test(name))).toEqual([])
  })
})

describe('the public schema', () => {
  it('names connections and edges for their node', () => {
    const connections = types.filter(isObjectType).filter(({ name }) => name.endsWith('Connection'))
    expect(connections.length).toBeGreaterThan(0)
    for (const { name } of connections) {
      const edge = name.replace(/Connection$/, 'Edge')
      const node = outputs.find(({ place }) => place === `${edge}.node`)
      expect([name, outputs.find(({ place }) => place === `${name}.edges`)?.type]).toEqual([name, edge])
      expect(name).toBe(`${node?.type}Connection`)
    }
  })

  it('has scalars for mints, addresses and signatures', () => {
    const mints = outputs.filter(({ name }) => /^mint$/i.test(name))
    const signatures = outputs.filter(({ name }) => /^signatures?$/i.test(name))
    const addresses = outputs.filter(
      ({ name, type }) => /^(address|destination|from|to|refundSender)$/.test(name) && type !== 'PostalAddress',
    )
    expect(placesOf(mints.filter(({ type }) => type !== 'Mint'))).toEqual([])
    expect(placesOf(signatures.filter(({ type }) => type !== 'Signature'))).toEqual([])
    expect(placesOf(addresses.filter(({ type }) => type !== 'SolanaAddress'))).toEqual([])
    expect(Math.min(mints.length, signatures.length, addresses.length)).toBeGreaterThan(0)
  })

  it('calls the display symbol of an asset its ticker', () => {
    expect(placesOf(outputs.filter(({ name }) => /symbol/i.test(name)))).toEqual([])
    expect(placesOf(outputs.filter(({ name, type }) => name === 'asset' && type !== 'Asset'))).toEqual([])
  })

  it('pages every list that grows; other lists of objects are bounded', () => {
    const lists = outputs.filter(({ type, isList, place }) => {
      const named = schema.getType(type)
      return isList && isObjectType(named) && !place.endsWith('Connection.edges')
    })
    expect(placesOf(lists).toSorted()).toEqual([
      'Business.payoutProblems',
      'Charge.businessRefunds',
      'Checkout.acceptedTokens',
      'Checkout.countedDeposits',
      'Checkout.held',
      'Checkout.heldTotals',
      'Checkout.latePayments',
      'Checkout.latePaymentsTotals',
      'Checkout.lineItems',
      'Checkout.namedTokens',
      'Checkout.refunds',
      'Checkout.tokenRefunds',
      'IntentTransfer.legs',
      'ListedMember.logins',
      'LogIn.businesses',
      'MarketplaceStats.byAsset',
      'MarketplaceStatsTimeseries.buckets',
      'Mutation.recoverPortalLinks',
      'PaymentIntent.businessRefunds',
      'PaymentIntent.held',
      'PaymentIntent.heldTotals',
      'PaymentIntent.latePayments',
      'PaymentIntent.latePaymentsTotals',
      'PaymentIntent.lineItems',
      'PaymentIntent.refunds',
      'PaymentIntent.settledLegs',
      'PaymentIntent.tokenRefunds',
      'PaymentIntent.unacceptedTokens',
      'Query.allowedTokens',
      'Query.apiKeys',
      'Query.chargeFailures',
      'Query.chargeForecast',
      'Query.members',
      'Query.sessions',
      'Query.subscriptionTimeseries',
      'Query.walletFunds',
      'Quote.quotes',
      'Quote.unquoted',
      'Settlement.legs',
      'Stats.byAsset',
      'StatsTimeseries.buckets',
      'SubscriptionPortal.charges',
      'SubscriptionPortal.offers',
      'SubscriptionPortal.options',
      'WebhookDelivery.attempts',
    ])
  })

  it('makes lookups and mutations nullable, so that one refusal does not remove other results', () => {
    const required = (name: string) => {
      const type = schema.getType(name)
      return isObjectType(type)
        ? Object.values(type.getFields()).filter((field) => getNullableType(field.type) !== field.type)
        : []
    }
    expect(required('Mutation').map(({ name }) => name)).toEqual([])
    expect(
      required('Query')
        .map(({ name }) => name)
        .toSorted(),
    ).toEqual(['allowedTokens', 'config', 'health', 'paymentIntents'])
  })
})
