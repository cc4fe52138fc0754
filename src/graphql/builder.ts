// The builder of the public schema. It knows no nouns: each noun's file declares its type next to its queries and
// mutations. The operator's schema has a builder of its own.
import SchemaBuilder from '@pothos/core'
import PrismaPlugin from '@pothos/plugin-prisma'
import RelayPlugin, { decodeGlobalID } from '@pothos/plugin-relay'
import { type GraphQLSchema, isObjectType } from 'graphql'
import { GraphQLDateTimeISO, GraphQLUUID } from 'graphql-scalars'
import { getDatamodel } from '#adapters/prisma/generated/pothos-types.ts'
import type { Models } from '#adapters/prisma/tenant-reads.ts'
import { businessOf, type Context, readsOf } from '#graphql/context.ts'
import {
  AssetScalar,
  BaseUnitsScalar,
  FormTextScalar,
  ImageDataScalar,
  JSONObjectScalar,
  LineScalar,
  MintScalar,
  type Scalars,
  SignatureScalar,
  SolanaAddressScalar,
  SumScalar,
  TextScalar,
  UInt64Scalar,
  UsdCentsScalar,
} from '#graphql/scalars.ts'
import { isUuid } from '#services/requests.ts'

/** Admits a caller to the nodes of a type. */
type NodeGuard = (context: Context) => Promise<unknown>

const NODE_GUARDS = new Map<string, NodeGuard>()

const viewsPayments: NodeGuard = (context) => businessOf(context, 'payments-view')

/** Sets who can find a type by a global id; a business that may read payments where a type sets nothing. */
export const guardNode = (typename: string, guard: NodeGuard): void => void NODE_GUARDS.set(typename, guard)

const NO_NODE = { typename: '', id: '' }

function decoded(id: string): { typename: string; id: string } {
  try {
    return decodeGlobalID(id)
  } catch {
    return NO_NODE
  }
}

function isNode(schema: GraphQLSchema, typename: string): boolean {
  const type = schema.getType(typename)
  return isObjectType(type) && type.getInterfaces().some(({ name }) => name === 'Node')
}

export const builder = new SchemaBuilder<{
  Context: Context
  PrismaTypes: Models
  DefaultFieldNullability: false
  DefaultEdgesNullability: false
  DefaultNodeNullability: false
  Scalars: Omit<Scalars, 'SignedUnits'>
}>({
  plugins: [RelayPlugin, PrismaPlugin],
  defaultFieldNullability: false,
  relay: {
    clientMutationId: 'omit',
    cursorType: 'String',
    nodeTypeOptions: { description: 'An object that `node` finds by its global id.' },
    idFieldOptions: { description: 'The global id of the object.' },
    pageInfoTypeOptions: { description: 'The place of a page in its list.' },
    hasNextPageFieldOptions: { description: 'Whether entries follow the page. Reliable when reading forward.' },
    hasPreviousPageFieldOptions: { description: 'Whether entries precede the page. Reliable when reading backward.' },
    startCursorFieldOptions: { description: 'The cursor of the first entry. Null for an empty page.' },
    endCursorFieldOptions: { description: 'The cursor of the last entry. Null for an empty page.' },
    pageInfoFieldOptions: { description: 'The place of the page in its list.' },
    edgesFieldOptions: { nullable: false, description: 'The entries of the page.' },
    nodeFieldOptions: { nullable: false, description: 'The object.' },
    cursorFieldOptions: { description: 'The place of the entry, for `after` and `before`. Opaque.' },
    firstArgOptions: { description: 'The page size, reading forward.' },
    lastArgOptions: { description: 'The page size, reading backward.' },
    afterArgOptions: { description: 'Shows entries after this cursor.' },
    beforeArgOptions: { description: 'Shows entries before this cursor.' },
    // An id that names nothing is answered like an id of another business.
    decodeGlobalID: (id) => decoded(id),
    nodeQueryOptions: {
      description: 'Finds an object of the business by its global id. Null when there is none.',
      args: { id: { description: 'The global id.' } },
      async resolve(_root, { id }, context, { schema }, resolveNode) {
        await (NODE_GUARDS.get(id.typename) ?? viewsPayments)(context)
        return isNode(schema, id.typename) ? await resolveNode(id) : null
      },
    },
    nodesQueryOptions: false,
  },
  prisma: {
    client: readsOf,
    dmmf: getDatamodel(),
    defaultConnectionSize: 20,
    maxConnectionSize: 100,
    onUnusedQuery: 'error',
  },
})

builder.addScalarType('Asset', AssetScalar)
builder.addScalarType('BaseUnits', BaseUnitsScalar)
builder.addScalarType('DateTimeISO', GraphQLDateTimeISO, {
  description: 'A time in UTC, in the format of RFC 3339, such as `2026-11-20T12:00:00.000Z`.',
})
builder.addScalarType('FormText', FormTextScalar)
builder.addScalarType('ImageData', ImageDataScalar)
builder.addScalarType('JSONObject', JSONObjectScalar)
builder.addScalarType('Line', LineScalar)
builder.addScalarType('Mint', MintScalar)
builder.addScalarType('Signature', SignatureScalar)
builder.addScalarType('SolanaAddress', SolanaAddressScalar)
builder.addScalarType('Sum', SumScalar)
builder.addScalarType('Text', TextScalar)
builder.addScalarType('UInt64', UInt64Scalar)
builder.addScalarType('UUID', GraphQLUUID, { description: 'A UUID, in lower case with hyphens.' })
builder.addScalarType('UsdCents', UsdCentsScalar)

/** Declare the fields of an object, or of an interface, whose resolvers are given `Shape`. */
export type FieldsOf<Shape> = PothosSchemaTypes.ObjectFieldBuilder<typeof builder.$inferSchemaTypes, Shape>
export type InterfaceFieldsOf<Shape> = PothosSchemaTypes.InterfaceFieldBuilder<typeof builder.$inferSchemaTypes, Shape>

builder.queryType({ description: 'Everything that can be read.' })
builder.mutationType({ description: 'Everything that can be changed.' })
builder.subscriptionType({ description: 'Everything that can be followed, by websocket or server-sent events.' })

const UNUSED_ID = '00000000-0000-0000-0000-000000000000'

/** Returns the condition that finds a row by its id. PostgreSQL fails on a value that is no UUID; nothing has this one. */
export const nodeKey = (id: string): { readonly id: string } => ({ id: isUuid(id) ? id : UNUSED_ID })

/** Ends the description of a field that can be refused. It is nullable, so that one refusal does not take the results of the other fields with it. */
export const REFUSED = 'Null when it is refused: `errors` has the reason.'
