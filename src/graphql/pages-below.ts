// A page of a list below an object, which is read together with all objects of a page: its query, and its cursors.
import type { Prisma } from '#adapters/prisma/generated/client.ts'
import { ServiceError } from '#core/errors.ts'
import type { Context } from '#graphql/context.ts'
import { openCursor } from '#graphql/cursor.ts'
import { askedPage, connectionOf, type PageArguments, requirePage } from '#graphql/page.ts'

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
