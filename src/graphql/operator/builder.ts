// The builder of the operator's schema. The public schema has one of its own, so neither can name a type of the other.
import SchemaBuilder from '@pothos/core'
import { GraphQLDateTimeISO, GraphQLUUID } from 'graphql-scalars'
import { type Actor, operatorActor } from '#core/accounts/audit.ts'
import { ServiceError } from '#core/errors.ts'
import type { Caller } from '#graphql/caller.ts'
import type { Gate } from '#graphql/context.ts'
import { NETWORK_VALUES } from '#graphql/enum-values.ts'
import type { OperatorPrincipal } from '#graphql/principal.ts'
import {
  AssetScalar,
  BaseUnitsScalar,
  ImageDataScalar,
  LineScalar,
  type Scalars,
  SignedUnitsScalar,
  SolanaAddressScalar,
  TextScalar,
  UInt64Scalar,
} from '#graphql/scalars.ts'
import type { Services } from '#services/services.ts'
import type { OperatorSessions } from './sessions.ts'

/** All that no client secret is needed for. */
export type OperatorServices = Omit<Services, 'intents'>

/** Made once, shared by every request. */
export type OperatorEdge = Gate<OperatorPrincipal> & {
  readonly services: OperatorServices
  readonly sessions: OperatorSessions
}

/** What a resolver is given. The type proves who asks: no other caller has such a context. */
export type OperatorContext = Caller<OperatorPrincipal> & Pick<OperatorEdge, 'services' | 'sessions'>

export const builder = new SchemaBuilder<{
  Context: OperatorContext
  DefaultFieldNullability: false
  Scalars: Omit<Scalars, 'FormText' | 'JSONObject' | 'Mint' | 'Signature' | 'Sum' | 'UsdCents'>
}>({
  defaultFieldNullability: false,
  // Asked for by the types of the public builder's plugin. This builder does not load it: services alone read.
  prisma: {
    client: () => {
      throw new Error('the operator schema reads through services only')
    },
    dmmf: { datamodel: null },
  },
})

builder.addScalarType('Asset', AssetScalar)
builder.addScalarType('BaseUnits', BaseUnitsScalar)
builder.addScalarType('DateTimeISO', GraphQLDateTimeISO)
builder.addScalarType('ImageData', ImageDataScalar)
builder.addScalarType('Line', LineScalar)
builder.addScalarType('SignedUnits', SignedUnitsScalar)
builder.addScalarType('SolanaAddress', SolanaAddressScalar)
builder.addScalarType('Text', TextScalar)
builder.addScalarType('UInt64', UInt64Scalar)
builder.addScalarType('UUID', GraphQLUUID)

builder.queryType({ description: 'Everything that the operator can read.' })
builder.mutationType({ description: 'Everything that the operator can change.' })

export const NetworkEnum = builder.enumType('Network', {
  description: 'One of the two networks of a deployment. The mode of an account decides which one its payments use.',
  values: NETWORK_VALUES,
})

/** Returns the operator, as audit logs name it. */
export const actorOf = ({ address }: OperatorContext): Actor => operatorActor(address)

/** Reads the `limit` of a list, 20 by default. Throws `invalid_request` outside 1 to `most`. */
export function limitOf(limit: number | null | undefined, most = 100): number {
  if (limit === null || limit === undefined) return 20
  if (limit < 1 || limit > most)
    throw new ServiceError('invalid_request', { field: 'limit', rule: `must be an integer from 1 to ${most}` })
  return limit
}
