// Lists that show the newest first, in pages, in the order of (created_at, id).
import type { Tenant } from '#core/accounts/account.ts'
import type { Context } from '#graphql/context.ts'
import { openCursor } from '#graphql/cursor.ts'
import { connectionOf, inSteps, type PageArguments, requirePage } from '#graphql/page.ts'

export type Position = { readonly createdAt: Date; readonly id: string }
type Order = 'asc' | 'desc'

/** The rows on one side of a position. */
type Beyond =
  | { readonly createdAt?: never }
  | {
      readonly createdAt: { readonly lte: Date } | { readonly gte: Date }
      readonly OR: [{ createdAt: { lt?: Date; gt?: Date } }, { id: { lt?: string; gt?: string } }]
    }

/** What a list reads for a page: the conditions of its place, which are joined with the filters by AND. */
export type PageQuery = {
  readonly sides: [Beyond, Beyond]
  readonly orderBy: [{ createdAt: Order }, { id: Order }]
  readonly take: number
}

/** What a cursor of a list serves, and the page that is asked for. */
export type PagedList = { readonly name: string; readonly filter: object; readonly args: PageArguments }

/** Returns a page of a list of a business. Throws `invalid_request`. */
export async function newestFirst<Row extends Position>(
  { cursors }: Pick<Context, 'cursors'>,
  tenant: Tenant,
  list: PagedList,
  read: (query: PageQuery) => Promise<readonly Row[]>,
) {
  const scope = JSON.stringify([list.name, tenant.network, tenant.accountId, list.filter])
  const position = (field: 'after' | 'before', cursor: string | undefined) =>
    cursor === undefined ? undefined : positionOf(openCursor(cursors, { scope, field, cursor }))
  const toCursor = ({ createdAt, id }: Position) => cursors.seal(scope, `${createdAt.toISOString()} ${id}`)
  requirePage(list.args)
  const connection = await connectionOf(list.args, toCursor, ({ after, before, limit, inverted }) => {
    const order = inverted ? 'asc' : 'desc'
    return read({
      sides: [beyond('lt', position('after', after)), beyond('gt', position('before', before))],
      orderBy: [{ createdAt: order }, { id: order }],
      take: limit,
    })
  })
  return { ...connection, edges: inSteps(connection.edges) }
}

function beyond(side: 'lt' | 'gt', position: Position | undefined): Beyond {
  if (position === undefined) return {}
  const { createdAt, id } = position
  // The first condition is implied. It is the one by which an index begins at the position.
  const bound = side === 'lt' ? { lte: createdAt } : { gte: createdAt }
  return { createdAt: bound, OR: [{ createdAt: { [side]: createdAt } }, { id: { [side]: id } }] }
}

function positionOf(position: string): Position {
  const [createdAt = '', id = ''] = position.split(' ')
  return { createdAt: new Date(createdAt), id }
}
