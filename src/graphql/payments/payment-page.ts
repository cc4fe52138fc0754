// Reads a page of payments, the newest first, as each list of payments gives it.

import { queryFromInfo } from '@pothos/plugin-prisma'
import type { GraphQLResolveInfo } from 'graphql'
import type { Prisma } from '#adapters/prisma/generated/client.ts'
import type { TenantReads } from '#adapters/prisma/tenant-reads.ts'
import type { Tenant } from '#core/accounts/account.ts'
import { ServiceError } from '#core/errors.ts'
import { readSearch, type Search } from '#core/marketplace/search.ts'
import { MAX_METADATA_KEYS, type MetadataEntry, metadataEntriesOf } from '#core/metadata.ts'
import { MAX_SEARCH, type Position, type SearchedList } from '#core/payments/payment-search.ts'
import { builder } from '#graphql/builder.ts'
import type { Context } from '#graphql/context.ts'
import { openCursor } from '#graphql/cursor.ts'
import { connectionNames, connectionOf, inSteps, type PageArguments, requirePage } from '#graphql/page.ts'
import { requireSinglePages, requireSmallPages } from '#graphql/pages-below.ts'
import { literal, padded } from '#lib/values.ts'
import { givenAsset } from './given-asset.ts'
import { PaymentIntentNode } from './payment-intent.ts'

// Pages of payments in the order of their creation: the place of a payment, and its cursor.

/** Opens and seals the cursors of a list. The scope is the caller and the filters that they were given for. */
const paymentPositions = ({ cursors }: Pick<Context, 'cursors'>, scope: string) => ({
  /** Throws `invalid_request` on a cursor of another scope. */
  positionOf(field: 'after' | 'before', cursor: string | undefined): Position | null {
    if (cursor === undefined) return null
    const [createdAt = '', id = ''] = openCursor(cursors, { scope, field, cursor }).split(' ')
    return { createdAt: new Date(createdAt), id }
  },
  toCursor: ({ createdAt, id }: Position): string => cursors.seal(scope, `${createdAt.toISOString()} ${id}`),
})

/** Selects the rows on one side of a position, in the order of (created_at, id). */
export function beyondPayment(side: 'lt' | 'gt', position: Position | null): Prisma.PaymentIntentWhereInput {
  if (position === null) return {}
  const { createdAt, id } = position
  // The first condition is implied. It is the one by which an index begins at the position.
  const bound = side === 'lt' ? { lte: createdAt } : { gte: createdAt }
  return { createdAt: bound, OR: [{ createdAt: { [side]: createdAt } }, { id: { [side]: id } }] }
}

/** Throws `invalid_request` on the bounds of a filter. PostgreSQL knows no year 0. */
export function requireRange(from: Date | null | undefined, to: Date | null | undefined): void {
  for (const [field, date] of Object.entries({ from, to }))
    if (date && date.getUTCFullYear() < 1)
      throw new ServiceError('invalid_request', { field, rule: 'is before year 1' })
  if (from && to && to < from)
    throw new ServiceError('invalid_request', { field: 'to', rule: 'must not be before from' })
}

/** The field of a filter. */
export const SEARCH = {
  type: 'FormText',
  description:
    'With this text in the reference, or in the name or email of the buyer. Upper and lower case are the same. ' +
    `At most ${MAX_SEARCH} characters; blank matches every payment.`,
} as const

/** The fields of a filter by what a business gave a payment. */
export const REFERENCE = { type: 'Text', description: 'This reference.' } as const
export const METADATA = {
  type: 'JSONObject',
  description:
    'With each of these keys in the metadata, and this value: a text, a number, true or false. `5` finds `"5"` too.',
} as const

export const ASSET = {
  type: 'Asset',
  description: 'With this selected asset. A payment without a selection has none.',
} as const
export const IS_HELD = { description: 'True finds the payments that have held money, and false the others.' } as const
export const HAS_PROPOSAL = {
  description:
    'True finds only payments whose buyer has proposed an address for held money, which waits for the business.',
} as const

type Having = Pick<SearchedList, 'asset' | 'isHeld' | 'hasProposal'>

/** Returns what a filter of any list of payments asks a payment to have. */
export const havingOf = ({
  asset,
  isHeld,
  hasProposal,
}: { readonly [Field in keyof Having]?: Having[Field] | null | undefined }): Having => ({
  asset: asset ? givenAsset(asset) : null,
  isHeld: isHeld ?? null,
  hasProposal: hasProposal ?? false,
})

/** Returns the same for a list that Prisma reads. */
export const conditionsOf = ({ asset, isHeld, hasProposal }: Having): Prisma.PaymentIntentWhereInput => ({
  ...(asset !== null && { asset }),
  ...(isHeld !== null && { held: isHeld ? { not: [] } : { equals: [] } }),
  ...(hasProposal && { refundAddress: { path: ['proposal', 'status'], equals: 'proposed' } }),
})

/** Returns the entries that a filter asks for. Throws `invalid_request`. */
export function requireMetadata(metadata: object | null | undefined): readonly MetadataEntry[] {
  const entries = metadataEntriesOf(metadata ?? {})
  const refuse = (rule: string): never => {
    throw new ServiceError('invalid_request', { field: 'metadata', rule })
  }
  if (entries.length < Object.keys(metadata ?? {}).length) refuse('must have texts, numbers, true or false as values')
  if (entries.length > MAX_METADATA_KEYS) refuse(`must have at most ${MAX_METADATA_KEYS} keys`)
  return entries
}

/** Throws `invalid_request`. */
export function searchOf(given: string | null | undefined): Search | null {
  const found = readSearch(given ?? '')
  if (found !== null && [...found.text].length > MAX_SEARCH)
    throw new ServiceError('invalid_request', {
      field: 'search',
      rule: `must have at most ${MAX_SEARCH} characters`,
    })
  return found
}

// A page of the payments that a search finds. It is found among the payments next to the page, or by the index of parts.
// Neither becomes slower as the payments grow in number. A text that many payments have is found in the order of the list.

type Payments<Row> = Pick<TenantReads['paymentIntent'], 'nearMatches' | 'indexedMatches' | 'orderedMatches'> & {
  findMany(page: Prisma.PaymentIntentFindManyArgs): PromiseLike<Row[]>
}
type Page = Prisma.PaymentIntentFindManyArgs & { readonly where: Prisma.PaymentIntentWhereInput; readonly take: number }

/** Reads the page as `findMany` does, of the payments of the list that the search finds. */
export async function findSearched<Row>(
  payments: Payments<Row>,
  page: Page,
  search: Search,
  list: SearchedList,
): Promise<Row[]> {
  const pageOf = async (ids: readonly string[]): Promise<Row[]> =>
    ids.length === 0
      ? []
      : await payments.findMany({ ...page, where: { AND: [page.where, { id: { in: padded(ids) } }] } })
  const near = await payments.nearMatches(search, list, page.take)
  const nearest = near.isAll || near.ids.length === page.take ? await pageOf(near.ids) : []
  // A payment that changes between the two statements may not match any more. The page is not the last one then.
  if (near.isAll || nearest.length === page.take) return nearest
  const found =
    (await payments.indexedMatches(search, list)) ?? (await payments.orderedMatches(search, list, page.take))
  const first = await pageOf(found.ids)
  if (found.isAll || first.length === page.take) return first
  // The filter leaves few of many matches, and the text few of many payments; or a payment changed between two statements.
  const unread = { OR: [{ parts: { hasEvery: [...search.parts] } }, { isIndexed: false }] }
  const searchEntry = { is: { text: { contains: literal(search.text) }, ...unread } }
  return await payments.findMany({ ...page, where: { AND: [page.where, { searchEntry }] } })
}

const [connection, edge] = connectionNames('PaymentIntent')

export const PaymentIntentEdge = builder.edgeObject({ type: PaymentIntentNode, ...edge })
export const PaymentIntentConnection = builder.connectionObject(
  { type: PaymentIntentNode, ...connection },
  PaymentIntentEdge,
)

type PaymentList = {
  readonly tenant: Tenant
  readonly args: PageArguments
  /** The list and its filter: a cursor serves no other list, filter or tenant. */
  readonly name: string
  readonly filter: object | null
  readonly where: Prisma.PaymentIntentWhereInput
  /** null when Prisma reads the payments of `where` by an index. */
  readonly search: PaymentSearch | null
}

/** A search, and the list that `where` says. Without a search, it is a list that Prisma does not read by an index. */
export type PaymentSearch = { readonly search: Search | null; readonly list: Omit<SearchedList, keyof Direction> }
type Direction = Pick<SearchedList, 'olderThan' | 'newerThan' | 'order'>

/** Throws `invalid_request` on the arguments of a page, and on pages below its payments that are too large. */
export async function readPaymentPage(
  context: Context,
  info: GraphQLResolveInfo,
  { tenant, args, name, filter, where, search }: PaymentList,
) {
  requirePage(args)
  requireSinglePages(info, ['edges', 'node'], 'payments')
  const scope = JSON.stringify([name, tenant.network, tenant.accountId, filter])
  const query = await queryFromInfo({ context, info, typeName: 'PaymentIntent', path: ['edges', 'node'] })
  requireSmallPages(query, 'payments')
  const { positionOf, toCursor } = paymentPositions(context, scope)
  const connection = await connectionOf(args, toCursor, async ({ after, before, limit, inverted }) => {
    const order: 'asc' | 'desc' = inverted ? 'asc' : 'desc'
    const [olderThan, newerThan] = [positionOf('after', after), positionOf('before', before)]
    const sides = [beyondPayment('lt', olderThan), beyondPayment('gt', newerThan)]
    const { paymentIntent } = context.reads(tenant)
    const orderBy = [{ createdAt: order }, { id: order }] as const
    const page = { ...query, where: { AND: [where, ...sides] }, orderBy: [...orderBy], take: limit }
    if (search === null) return paymentIntent.findMany(page)
    const list: SearchedList = { ...search.list, olderThan, newerThan, order }
    if (search.search !== null && list.metadata.length === 0)
      return findSearched(paymentIntent, page, search.search, list)
    const { ids } = await paymentIntent.orderedMatches(search.search, list, limit)
    // A payment that has changed since stays in the page, so that the page is not taken for the last one.
    return ids.length === 0 ? [] : paymentIntent.findMany({ ...page, where: { id: { in: padded(ids) } } })
  })
  return { ...connection, edges: inSteps(connection.edges) }
}
