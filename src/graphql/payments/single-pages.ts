// In a page of payments each list below them is read for all payments by one statement. A second page of the same list
// would be read by one statement for each payment, so it is refused.
import { type FieldNode, type GraphQLResolveInfo, Kind, print, type SelectionSetNode } from 'graphql'
import { ServiceError } from '#core/errors.ts'

type Info = Pick<GraphQLResolveInfo, 'fieldNodes' | 'fragments'>

/** Throws `invalid_request` when a field below `path` is selected with different arguments. */
export function requireSinglePages(info: Info, path: readonly string[]): void {
  const nodes = path.reduce<readonly FieldNode[]>(
    (fields, name) => below(fields, info).filter((field) => field.name.value === name),
    info.fieldNodes,
  )
  for (const [name, fields] of Map.groupBy(below(nodes, info), (field) => field.name.value)) {
    const pages = new Set(fields.map(argumentsOf))
    if (pages.size > 1)
      throw new ServiceError('invalid_request', { field: name, rule: 'can be read once in a page of payments' })
  }
}

const argumentsOf = ({ arguments: given = [] }: FieldNode): string => given.map(print).toSorted().join(', ')

const below = (fields: readonly FieldNode[], info: Info): FieldNode[] =>
  fields.flatMap(({ selectionSet }) => (selectionSet === undefined ? [] : fieldsOf(selectionSet, info)))

function fieldsOf({ selections }: SelectionSetNode, info: Info): FieldNode[] {
  return selections.flatMap((selection) => {
    if (selection.kind === Kind.FIELD) return [selection]
    if (selection.kind === Kind.INLINE_FRAGMENT) return fieldsOf(selection.selectionSet, info)
    const fragment = info.fragments[selection.name.value]
    return fragment === undefined ? [] : fieldsOf(fragment.selectionSet, info)
  })
}
