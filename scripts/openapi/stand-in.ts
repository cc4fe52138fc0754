// What stands for a result of a GraphQL document: each value is its schema.
import {
  type DocumentNode,
  type FragmentDefinitionNode,
  type GraphQLEnumType,
  type GraphQLField,
  type GraphQLObjectType,
  type GraphQLOutputType,
  type GraphQLSchema,
  isEnumType,
  isInterfaceType,
  isListType,
  isNonNullType,
  isObjectType,
  isScalarType,
  Kind,
  type OperationDefinitionNode,
  type SelectionNode,
  type SelectionSetNode,
} from 'graphql'
import { snakeCase } from '#core/text.ts'
import type { Schema } from './schema.ts'

type EnumValue = { readonly value: string; readonly description: string }

/** Stands for a value that is no object and no list. A text that is made of it stands for that text. */
export class StandIn {
  readonly schema: Schema
  /** The values of an enum, and the name of its type. */
  readonly named: { readonly name: string; readonly description: string; readonly values: readonly EnumValue[] } | null

  constructor(schema: Schema, named: StandIn['named'] = null) {
    this.schema = schema
    this.named = named
  }

  replace(from: string, to: string): StandIn {
    return this.#mapped((value) => value.replace(from, to))
  }

  replaceAll(from: string, to: string): StandIn {
    return this.#mapped((value) => value.replaceAll(from, to))
  }

  #mapped(change: (value: string) => string): StandIn {
    const { named } = this
    if (named === null) return new StandIn(this.schema)
    const values = named.values.map(({ value, description }) => ({ value: change(value), description }))
    return new StandIn(this.schema, { ...named, values })
  }
}

/** What the schema says of the field that has a value. */
export type FieldFacts = {
  readonly description: string
  readonly isNullable: boolean
  /** Its place in the result. */
  readonly path: string
  /** The object that has the field. */
  readonly parent: object
}

/** A place in the result at which a reply may decide, with the values to try there. */
export type Place = {
  readonly path: string
  readonly name: string
  readonly description: string
  readonly values: readonly unknown[]
  /** `absent`: null or an empty list. `switch`: each value of a boolean or an enum. */
  readonly kind: 'absent' | 'switch'
}

export type Result = {
  readonly root: object
  readonly places: readonly Place[]
  /** What the schema says of the field of an object, a list or a stand-in. */
  readonly facts: WeakMap<object, FieldFacts>
  /** The only fragment in the selection of an object, and its fields. */
  readonly fragments: WeakMap<object, { readonly name: string; readonly fields: readonly string[] }>
}

const INTEGER = { type: 'integer' } as const
const AMOUNT = { type: 'integer', format: 'uint64', minimum: 0 } as const
/** A sum of amounts has no bound. */
const SUM = { type: 'integer', format: 'uint', minimum: 0 } as const
const TEXT = { type: 'string' } as const

/** Scalars as they leave in JSON. */
const SCALARS: Readonly<Record<string, Schema>> = {
  Asset: TEXT,
  BaseUnits: AMOUNT,
  Boolean: { type: 'boolean' },
  DateTimeISO: { type: 'string', format: 'date-time' },
  Float: { type: 'number', format: 'double' },
  FormText: TEXT,
  ID: TEXT,
  Int: INTEGER,
  JSONObject: { type: 'object', additionalProperties: true },
  Line: TEXT,
  Mint: TEXT,
  Signature: TEXT,
  SolanaAddress: TEXT,
  String: TEXT,
  Sum: SUM,
  Text: TEXT,
  UInt64: AMOUNT,
  UUID: { type: 'string', format: 'uuid' },
  UsdCents: { type: 'integer', format: 'int64', minimum: 1 },
}

export const operationOf = ({ definitions }: DocumentNode): OperationDefinitionNode => {
  const found = definitions.find((one) => one.kind === Kind.OPERATION_DEFINITION)
  if (found === undefined) throw new Error('a document has no operation')
  return found
}

/** Returns the type whose fields the operation of a document asks for. */
export function rootTypeOf(schema: GraphQLSchema, document: DocumentNode): GraphQLObjectType {
  const type = schema.getRootType(operationOf(document).operation)
  if (!type) throw new Error('the schema has no such operation')
  return type
}

/** Makes what stands for a result. `fixed` has the values of some places, by their paths. */
export function standInFor(
  schema: GraphQLSchema,
  document: DocumentNode,
  fixed: ReadonlyMap<string, unknown> = new Map(),
): Result {
  const fragments = new Map(
    document.definitions.flatMap((one): [string, FragmentDefinitionNode][] =>
      one.kind === Kind.FRAGMENT_DEFINITION ? [[one.name.value, one]] : [],
    ),
  )
  const places: Place[] = []
  const result: Result = { root: {}, places, facts: new WeakMap(), fragments: new WeakMap() }

  const objectOf = (type: GraphQLOutputType, sets: readonly SelectionSetNode[], path: string): object => {
    const object: Record<string, unknown> = {}
    for (const [name, { field, under }] of fieldsOf(type, sets)) {
      const own = `${path}/${name}`
      const isNullable = !isNonNullType(field.type) && path !== ''
      const description = inRest(field.description)
      const place = (values: readonly unknown[], kind: Place['kind']) =>
        places.push({ path: own, name, description, values, kind })
      if (isNullable) place([null], 'absent')
      const bare = isNonNullType(field.type) ? field.type.ofType : field.type
      if (isListType(bare)) place([[]], 'absent')
      const values = switchValuesOf(bare)
      if (values !== null) place(values, 'switch')
      const value = fixed.has(own) ? fixed.get(own) : standingFor(bare, under, own)
      object[name] = value
      if (typeof value === 'object' && value !== null)
        result.facts.set(value, { description, isNullable, path: own, parent: object })
    }
    const [only, ...others] = sets.flatMap(({ selections }) => selections.filter(isSpread))
    const fragment = fragments.get(only?.name.value ?? '')
    if (fragment !== undefined && others.length === 0) {
      const fields = [...fieldsOf(type, [fragment.selectionSet]).keys()]
      result.fragments.set(object, { name: fragment.name.value, fields })
    }
    return object
  }

  const standingFor = (type: GraphQLOutputType, under: readonly SelectionSetNode[], path: string): unknown => {
    if (isNonNullType(type)) return standingFor(type.ofType, under, path)
    if (isListType(type)) return [standingFor(type.ofType, under, `${path}/*`)]
    if (isEnumType(type)) return new StandIn(TEXT, enumOf(type))
    if (!isScalarType(type)) return objectOf(type, under, path)
    const scalar = SCALARS[type.name]
    if (scalar === undefined) throw new Error(`no schema is known for the scalar ${type.name}`)
    return new StandIn(scalar)
  }

  const fieldsOf = (type: GraphQLOutputType, sets: readonly SelectionSetNode[]) => {
    const fields = new Map<string, { field: GraphQLField<unknown, unknown>; under: readonly SelectionSetNode[] }>()
    const collect = (set: SelectionSetNode): void => {
      for (const selection of set.selections) {
        if (selection.kind === Kind.FIELD) {
          if (!isObjectType(type) && !isInterfaceType(type)) throw new Error(`no fields are known at ${String(type)}`)
          const field = type.getFields()[selection.name.value]
          if (field === undefined) throw new Error(`${type.name} has no field ${selection.name.value}`)
          const name = (selection.alias ?? selection.name).value
          const under = [
            ...(fields.get(name)?.under ?? []),
            ...(selection.selectionSet ? [selection.selectionSet] : []),
          ]
          fields.set(name, { field, under })
        } else if (selection.kind === Kind.FRAGMENT_SPREAD) {
          const fragment = fragments.get(selection.name.value)
          if (fragment !== undefined) collect(fragment.selectionSet)
        } else collect(selection.selectionSet)
      }
    }
    for (const set of sets) collect(set)
    return fields
  }

  return { ...result, root: objectOf(rootTypeOf(schema, document), [operationOf(document).selectionSet], '') }
}

const isSpread = (selection: SelectionNode) => selection.kind === Kind.FRAGMENT_SPREAD

function switchValuesOf(type: GraphQLOutputType): readonly unknown[] | null {
  if (isEnumType(type)) return type.getValues().map(({ name }) => name)
  return isScalarType(type) && type.name === 'Boolean' ? [true, false] : null
}

const enumOf = (type: GraphQLEnumType) => ({
  name: type.name,
  description: inRest(type.description),
  values: type.getValues().map(({ name, description }) => ({ value: name, description: inRest(description) })),
})

/** Returns a description in the words of REST: a `uuid` is the `id`, and names have underscores. */
export const inRest = (description: string | null | undefined): string =>
  (description ?? '')
    .replace(/, as REST shows it/g, '')
    .replace(/`uuid`/g, '`id`')
    .replace(/`[a-z]+[A-Z]\w*`/g, snakeCase)
