// The builder of the operator's schema. The public schema has one of its own, so neither can name a type of the other.
import SchemaBuilder from '@pothos/core'
import { GraphQLDateTimeISO, GraphQLUUID } from 'graphql-scalars'
import type { OperatorContext } from '#graphql/operator/context.ts'
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
