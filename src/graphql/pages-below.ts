// A page of a list below an object, which is read together with all objects of a page: its query, and its cursors.
import { type FieldNode, type GraphQLResolveInfo, Kind, print, type SelectionSetNode } from 'graphql'
import type { Prisma } from '#adapters/prisma/generated/client.ts'
import { ServiceError } from '#core/errors.ts'
import type { Context } from './context.ts'
import { openCursor } from './cursor.ts'
import { askedPage, connectionOf, MAX_PAGE_BELOW, type PageArguments, requirePage } from './page.ts'

// What a page of objects may include. Each list below them is read for all objects of the page at once. A second page of the
// same list would be read by one statement for each object, so it is refused.

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

export type Side = 'lt' | 'gt'
/** Words of a row's place in the order of its list. */
export type Place = readonly string[]

/** What Prisma reads for a page; nothing for arguments that the resolver refuses. */
type PageQuery<Where> = { readonly take: number; readonly where?: { readonly AND: Where[] } }

/** The path from a connection to its objects. */
export const NODES = ['edges', 'node']

/** A cursor serves one list of one caller. It names its parent, which is not known when a page of parents is read. */
function scopeOf(name: string, { principal }: Context): string {
  if (principal.kind !== 'business') throw new ServiceError('unauthenticated')
  return JSON.stringify([name, principal.tenant.network, principal.tenant.accountId])
}

type Cursor = 'after' | 'before'
type Opened = { readonly parentId: string; readonly place: Place }

function opened(name: string, context: Context, field: Cursor, cursor: string): Opened {
  const text = openCursor(context.cursors, { scope: scopeOf(name, context), field, cursor })
  const [parentId = '', ...place] = text.split(' ')
  return { parentId, place }
}

/** Refuses what cannot be read, with `invalid_request`: also a cursor of another parent. */
function requireOwn(name: string, parentId: string, args: PageArguments, context: Context): void {
  requirePage(args)
  for (const field of ['after', 'before'] as const) {
    const cursor = args[field]
    if (typeof cursor === 'string' && opened(name, context, field, cursor).parentId !== parentId)
      throw new ServiceError('invalid_request', { field })
  }
}

/** Returns the query of a page. `beyond` gives the rows on one side of a place, below the parent that its cursor names. */
export function queryOf<Where>(
  name: string,
  args: PageArguments,
  context: Context,
  beyond: (side: Side, place: Place, parentId: string) => Where,
): PageQuery<Where> & { inverted: boolean } {
  try {
    requirePage(args)
    const { after, before, limit, inverted } = askedPage(args)
    const where = (side: Side, field: Cursor, cursor: string | undefined) => {
      if (cursor === undefined) return []
      const { place, parentId } = opened(name, context, field, cursor)
      return [beyond(side, place, parentId)]
    }
    return { take: limit, where: { AND: [...where('lt', 'after', after), ...where('gt', 'before', before)] }, inverted }
  } catch (error) {
    // The resolver throws it, at its own place in the reply.
    if (error instanceof ServiceError) return { take: 0, inverted: false }
    throw error
  }
}

export const orderOf = (inverted: boolean): Prisma.SortOrder => (inverted ? 'asc' : 'desc')

/** Makes the connection of rows that were read with their parent. */
export function pageOf<Row>(
  name: string,
  { id, rows, args }: { readonly id: string; readonly rows: readonly Row[]; readonly args: PageArguments },
  context: Context,
  placeOf: (row: Row) => Place,
) {
  requireOwn(name, id, args, context)
  const scope = scopeOf(name, context)
  return connectionOf(
    args,
    (row: Row) => context.cursors.seal(scope, [id, ...placeOf(row)].join(' ')),
    () => rows,
  )
}
