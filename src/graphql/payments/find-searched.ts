// A page of the payments that a search finds. It is found among the payments next to the page, or by the index of parts.
// Neither becomes slower as the payments grow in number. A text that many payments have is found in the order of the list.
import type { Prisma } from '#adapters/prisma/generated/client.ts'
import type { TenantReads } from '#adapters/prisma/tenant-reads.ts'
import type { SearchedList } from '#core/marketplace/payment-search.ts'
import type { Search } from '#core/marketplace/search.ts'
import { literal, padded } from '#lib/values.ts'

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
  const searchEntry = { is: { text: { contains: literal(search.text) }, parts: { hasEvery: [...search.parts] } } }
  return await payments.findMany({ ...page, where: { AND: [page.where, { searchEntry }] } })
}
