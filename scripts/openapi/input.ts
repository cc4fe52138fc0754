// The schemas of inputs: what zod reads, with the descriptions of the GraphQL arguments and input fields of the same names.
import {
  type DocumentNode,
  type GraphQLInputType,
  type GraphQLSchema,
  getNamedType,
  isInputObjectType,
  Kind,
  type ValueNode,
} from 'graphql'
import { z } from 'zod'
import { snakeCase } from '#core/text.ts'
import type { Schema } from './schema.ts'
import { inRest, operationOf, rootTypeOf } from './stand-in.ts'

type Described = { readonly description: string; readonly type: GraphQLInputType }
type Names = ReadonlyMap<string, Described>

/** Names of lists in REST that Relay has other names for. */
const RELAY: Readonly<Record<string, string>> = { first: 'limit', after: 'cursor' }

export type InputSchema = {
  readonly properties: Readonly<Record<string, Schema>>
  readonly required: readonly string[]
  /** Whether any further field is read. */
  readonly isOpen: boolean
}

/** Returns the fields of an input. Throws for a field without a description. */
export function inputOf(
  { document, input }: { readonly document: DocumentNode; readonly input: z.ZodType },
  schema: GraphQLSchema,
): InputSchema {
  const read: Schema = z.toJSONSchema(input, { io: 'input', unrepresentable: 'any', override: shownInstead })
  const { properties = {}, required = [], additionalProperties } = withDescriptions(read, namesIn(document, schema))
  return {
    properties: Object(properties),
    required: Array.isArray(required) ? required : [],
    isOpen: additionalProperties !== undefined && additionalProperties !== false,
  }
}

/** What no field may be: it is refused, whatever it says. */
const NEVER = { not: {} }

/** A schema of zod can say how it is shown: `meta({ shown })`. */
function shownInstead({
  zodSchema,
  jsonSchema,
}: {
  zodSchema: { readonly _zod: { readonly def: { readonly type: string } } }
  jsonSchema: Record<string, unknown>
}): void {
  const replace = (by: object) => {
    for (const name of Object.keys(jsonSchema)) delete jsonSchema[name]
    Object.assign(jsonSchema, by)
  }
  if (zodSchema._zod.def.type === 'undefined') replace(NEVER)
  else if (jsonSchema.shown !== undefined) replace(Object(jsonSchema.shown))
  if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum
  if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum
}

/** Returns the arguments that the operation gives variables to, and the fields of its input objects, by their names in REST. */
function namesIn(document: DocumentNode, schema: GraphQLSchema): Names {
  const names = new Map<string, Described>()
  const root = rootTypeOf(schema, document)
  for (const selection of operationOf(document).selectionSet.selections) {
    if (selection.kind !== Kind.FIELD) continue
    const { args } = root.getFields()[selection.name.value] ?? { args: [] }
    for (const { name, value } of selection.arguments ?? []) {
      const arg = args.find((one) => one.name === name.value)
      if (arg === undefined) continue
      for (const variable of variablesIn(value)) {
        const shown = { description: inRest(arg.description), type: arg.type }
        names.set(snakeCase(variable), shown)
        const relay = RELAY[name.value]
        if (relay !== undefined) names.set(relay, shown)
        for (const [field, described] of fieldsOf(arg.type)) if (!names.has(field)) names.set(field, described)
      }
    }
  }
  return names
}

const variablesIn = (value: ValueNode): readonly string[] => (value.kind === Kind.VARIABLE ? [value.name.value] : [])

function fieldsOf(type: GraphQLInputType): Names {
  const named = getNamedType(type)
  if (!isInputObjectType(named)) return new Map()
  return new Map(
    Object.values(named.getFields()).map((field) => [
      snakeCase(field.name),
      { description: inRest(field.description), type: field.type },
    ]),
  )
}

function withDescriptions(schema: Schema, names: Names): Schema {
  const properties: Record<string, Schema> = {}
  for (const [name, field] of Object.entries(Object(schema.properties)) as [string, Schema][]) {
    if (field.not !== undefined) continue
    const described = names.get(name)
    const under = described === undefined ? new Map() : fieldsOf(described.type)
    const { description = described?.description, ...rest } = within(field, under)
    properties[name] = { ...(description !== undefined && { description }), ...rest }
  }
  const { $schema: _, ...rest } = schema
  return { ...rest, properties }
}

/** Adds the descriptions of fields at every depth of a list or a union. */
function within(schema: Schema, names: Names): Schema {
  if (schema.properties !== undefined) return withDescriptions(schema, names)
  if (schema.items !== undefined) return { ...schema, items: within(Object(schema.items), names) }
  if (Array.isArray(schema.anyOf)) return { ...schema, anyOf: schema.anyOf.map((one) => within(one, names)) }
  return schema
}
