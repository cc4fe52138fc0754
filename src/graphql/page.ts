// Pages of a list: the arguments that every connection takes, and the cursors that it gives.
import { parseCursorConnectionArgs, type ResolveCursorConnectionArgs } from '@pothos/plugin-relay'
import { ServiceError } from '#core/errors.ts'
import { isBlank } from '#core/text.ts'
import { nextTurn } from '#lib/steps.ts'

export const DEFAULT_PAGE = 20
export const MAX_PAGE = 100
/** Entries of a list below each entry of another page, which multiplies them. */
export const MAX_PAGE_BELOW = 20
export const PAGE_SIZES = `A page has ${DEFAULT_PAGE} entries unless \`first\` or \`last\` is given, and at most ${MAX_PAGE}.`

/** Returns the names of a connection and of its edges, after the type of their nodes. */
export const connectionNames = (node: string) =>
  [
    { name: `${node}Connection`, description: 'A page of a list.' },
    { name: `${node}Edge`, description: 'An entry of a page.' },
  ] as const

export type PageArguments = {
  readonly first?: number | null | undefined
  readonly last?: number | null | undefined
  readonly after?: string | null | undefined
  readonly before?: string | null | undefined
}

/** `limit` is one more than the page size, to learn whether more entries follow. */
export type AskedPage = ResolveCursorConnectionArgs

const SIZES = { defaultSize: DEFAULT_PAGE, maxSize: MAX_PAGE }

/** Throws `invalid_request` on a page size outside 1 to 100, and on a blank cursor. */
export function requirePage({ first, last, after, before }: PageArguments): void {
  if (typeof last === 'number') requireSize('last', last)
  if (typeof first === 'number') requireSize('first', first)
  requireCursor('after', after)
  requireCursor('before', before)
}

function requireSize(field: 'first' | 'last', size: number): void {
  if (size < 1 || size > MAX_PAGE)
    throw new ServiceError('invalid_request', { field, rule: `must be 1 to ${MAX_PAGE}` })
}

/** The plugin takes an empty cursor for none, and would answer the first page again. */
function requireCursor(field: 'after' | 'before', cursor: string | null | undefined): void {
  if (typeof cursor === 'string' && isBlank(cursor)) throw new ServiceError('invalid_request', { field })
}

/** Returns the page that valid arguments ask for. */
export function askedPage(args: PageArguments): AskedPage {
  const { before, after, limit, inverted } = parseCursorConnectionArgs({ args, ...SIZES })
  return { ...(before !== undefined && { before }), ...(after !== undefined && { after }), limit, inverted }
}

/**
 * Reads a page by `read` and makes it a connection. The cursors of an empty page are null. A cursor is sealed when it is asked for:
 * a page of a hundred payments has a thousand of them with the lists below, and most clients read two.
 */
export async function connectionOf<Row>(
  args: PageArguments,
  toCursor: (row: Row) => string,
  read: (page: AskedPage) => Promise<readonly Row[]> | readonly Row[],
) {
  const { expectedSize, hasPreviousPage, hasNextPage } = parseCursorConnectionArgs({ args, ...SIZES })
  const page = askedPage(args)
  const rows = await read(page)
  const shown = rows.slice(0, expectedSize)
  const edges = (page.inverted ? shown.reverse() : shown).map((node) => ({
    node,
    get cursor() {
      return toCursor(node)
    },
  }))
  return {
    edges,
    pageInfo: {
      hasPreviousPage: hasPreviousPage(rows.length),
      hasNextPage: hasNextPage(rows.length),
      get startCursor() {
        return edges[0]?.cursor ?? null
      },
      get endCursor() {
        return edges.at(-1)?.cursor ?? null
      },
    },
  }
}

/** Items of a long list that are completed before the process answers others. */
const STEP = 2

/** Returns each item as a promise, so many at a time. The executor completes what is below an item when it has it. */
export function inSteps<T>(items: readonly T[]): Promise<T>[] {
  let turn = Promise.resolve()
  return items.map(async (item, at) => {
    if (at > 0 && at % STEP === 0) turn = turn.then(nextTurn)
    await turn
    return item
  })
}
