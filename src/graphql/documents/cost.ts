// What an operation costs: about how many fields its reply has, from its document, the schema and its variables.
import {
  type FieldNode,
  type GraphQLField,
  GraphQLInterfaceType,
  GraphQLObjectType,
  type GraphQLSchema,
  getNamedType,
  getNullableType,
  isCompositeType,
  isListType,
  Kind,
  type OperationDefinitionNode,
  type SelectionSetNode,
  type TypeNode,
  type ValueNode,
} from 'graphql'

/** A point of a rate limit pays for so many fields: a whole payment is one point, a page of 100 of them about 100. */
export const FIELDS_PER_POINT = 400
/** Entries that a list without a page size is taken to have. */
const LIST_SIZE = 3
/** Entries of a page whose size is left out, and the most that any list allows. */
const PAGE_SIZE = 20
const MAX_PAGE_SIZE = 200
const PAGE_ARGUMENTS: readonly string[] = ['first', 'last', 'limit']

export type Variables = Readonly<Record<string, unknown>>

/** Returns the points that an operation costs with these variables; at least 1. */
export type Cost = (variables: Variables) => number

/** Fields of one object: a fixed number, and lists whose size the variables decide. */
type Fields = { readonly fixed: number; readonly lists: readonly List[] }
type List = { readonly size: (variables: Variables) => number; readonly fields: Fields }
type Fragments = ReadonlyMap<string, { readonly typeCondition: TypeNode; readonly selectionSet: SelectionSetNode }>

/** Takes a valid operation: fragments must exist and make no cycle. */
export function costOf(schema: GraphQLSchema, operation: OperationDefinitionNode, fragments: Fragments): Cost {
  const root = schema.getRootType(operation.operation)
  if (!root) return () => 1
  const fields = new Planner(schema, operation, fragments).fieldsOf(root, operation.selectionSet)
  return (variables) => Math.max(1, Math.ceil(sum(fields, variables) / FIELDS_PER_POINT))
}

const sum = ({ fixed, lists }: Fields, variables: Variables): number =>
  lists.reduce((total, { size, fields }) => total + size(variables) * sum(fields, variables), fixed)

class Planner {
  readonly #schema: GraphQLSchema
  readonly #fragments: Fragments
  readonly #defaults: ReadonlyMap<string, number>

  constructor(schema: GraphQLSchema, { variableDefinitions = [] }: OperationDefinitionNode, fragments: Fragments) {
    this.#schema = schema
    this.#fragments = fragments
    this.#defaults = new Map(
      variableDefinitions.map(({ variable, defaultValue }) => [
        variable.name.value,
        defaultValue?.kind === Kind.INT ? Number(defaultValue.value) : PAGE_SIZE,
      ]),
    )
  }

  fieldsOf(parent: unknown, { selections }: SelectionSetNode): Fields {
    let fixed = 0
    const lists: List[] = []
    const include = (fields: Fields) => {
      fixed += fields.fixed
      lists.push(...fields.lists)
    }
    for (const selection of selections) {
      if (selection.kind === Kind.FIELD) include(this.#field(parent, selection))
      else if (selection.kind === Kind.INLINE_FRAGMENT) {
        const type = selection.typeCondition ? this.#schema.getType(selection.typeCondition.name.value) : parent
        include(this.fieldsOf(type, selection.selectionSet))
      } else include(this.#spread(selection.name.value))
    }
    return { fixed, lists }
  }

  #spread(name: string): Fields {
    const fragment = this.#fragments.get(name)
    if (fragment === undefined || fragment.typeCondition.kind !== Kind.NAMED_TYPE) return { fixed: 0, lists: [] }
    return this.fieldsOf(this.#schema.getType(fragment.typeCondition.name.value), fragment.selectionSet)
  }

  #field(parent: unknown, node: FieldNode): Fields {
    const field = fieldOf(parent, node.name.value)
    if (field === undefined || node.selectionSet === undefined) return { fixed: countOf(field), lists: [] }
    const { fixed, lists } = this.fieldsOf(getNamedType(field.type), node.selectionSet)
    const size = this.#sizeOf(parent, field, node)
    const own = countOf(field)
    if (size === null) return { fixed: fixed + own, lists }
    return { fixed: own, lists: [{ size, fields: { fixed: fixed + 1, lists } }] }
  }

  /** How many objects a field gives; null for one. */
  #sizeOf(parent: unknown, { args, type }: GraphQLField<unknown, unknown>, node: FieldNode): List['size'] | null {
    if (args.some(({ name }) => PAGE_ARGUMENTS.includes(name))) return this.#pageSize(node)
    // The edges of a page were counted with the page.
    const isPage = parent instanceof GraphQLObjectType && parent.name.endsWith('Connection')
    return isListType(getNullableType(type)) && isCompositeType(getNamedType(type)) && !isPage ? () => LIST_SIZE : null
  }

  #pageSize({ arguments: given = [] }: FieldNode): List['size'] {
    const sizes = given.filter(({ name }) => PAGE_ARGUMENTS.includes(name.value)).map(({ value }) => this.#read(value))
    return (variables) => (sizes.length === 0 ? PAGE_SIZE : Math.max(...sizes.map((size) => size(variables))))
  }

  #read(value: ValueNode): List['size'] {
    if (value.kind === Kind.INT) return () => pageSize(Number(value.value))
    if (value.kind === Kind.NULL) return () => PAGE_SIZE
    if (value.kind !== Kind.VARIABLE) return () => MAX_PAGE_SIZE
    const name = value.name.value
    return (variables) => pageSize(variables[name] ?? this.#defaults.get(name) ?? PAGE_SIZE)
  }
}

const COUNT = 'countsAsFields'

/**
 * Returns the extensions of a field that is as much work as so many fields, without the fields below it: a whole JSON object,
 * or a page of a list that is computed in full.
 */
export const countsAs = (fields: number) => ({ [COUNT]: fields })

function countOf(field: Pick<GraphQLField<unknown, unknown>, 'extensions'> | undefined): number {
  const count = field?.extensions[COUNT]
  return typeof count === 'number' ? count : 1
}

/** What a service would refuse counts as the largest page. */
const pageSize = (size: unknown): number =>
  typeof size === 'number' && size >= 1 && size <= MAX_PAGE_SIZE ? size : MAX_PAGE_SIZE

const fieldOf = (parent: unknown, name: string): GraphQLField<unknown, unknown> | undefined =>
  parent instanceof GraphQLObjectType || parent instanceof GraphQLInterfaceType ? parent.getFields()[name] : undefined
