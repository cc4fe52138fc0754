// What a page of objects may include. Each list below them is read for all objects of the page at once. A second page of the
// same list would be read by one statement for each object, so it is refused.
import { type FieldNode, type GraphQLResolveInfo, Kind, print, type SelectionSetNode } from 'graphql'
import { ServiceError } from '#core/errors.ts'
import { MAX_PAGE_BELOW } from '#graphql/page.ts'

type Info = Pick<GraphQLResolveInfo, 'fieldNodes' | 'fragments'>

/** What a page is of, in the words of a refusal. */
type Objects = 'payments' | 'sellers'

/** Throws `invalid_request` when a field below `path` is selected with different arguments. */
export function requireSinglePages(info: Info, path: readonly string[], objects: Objects): void {
  const nodes = path.reduce<readonly FieldNode[]>(
    (fields, name) => below(fields, info).filter((field) => field.name.value === name),
    info.fieldNodes,
  )
  for (const [name, fields] of Map.groupBy(below(nodes, info), (field) => field.name.value)) {
    const pages = new Set(fields.map(argumentsOf))
    if (pages.size > 1)
      throw new ServiceError('invalid_request', { field: name, rule: `can be read once in a page of ${objects}` })
  }
}

/** What plugin-prisma reads of each object. */
type Selection = { readonly select?: object | null; readonly include?: object | null }

/** Throws `invalid_request` on a page below each object that is too large: the page of objects multiplies it. */
export function requireSmallPages({ select, include }: Selection, objects: Objects): void {
  for (const below of Object.values({ ...select, ...include })) {
    // A page is read with one entry more.
    const isLarge =
      typeof below === 'object' && below !== null && 'take' in below && Number(below.take) > MAX_PAGE_BELOW + 1
    if (isLarge)
      throw new ServiceError('invalid_request', {
        field: 'first',
        rule: `of a list below ${objects} must be 1 to ${MAX_PAGE_BELOW} in a page of ${objects}`,
      })
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
