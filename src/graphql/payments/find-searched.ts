// A page of the payments that a search finds. It is found among the payments next to the page, or by the index of parts.
// Neither becomes slower as the payments grow in number.
import type { Prisma } from '#adapters/prisma/generated/client.ts'
import type { TenantReads } from '#adapters/prisma/tenant-reads.ts'
import type { SearchedList } from '#core/marketplace/payment-search.ts'
import type { Search } from '#core/marketplace/search.ts'
import { literal } from '#lib/literal.ts'
import { padded } from '#lib/padded.ts'

type Payments = Pick<TenantReads['paymentIntent'], 'nearMatches' | 'indexedMatches' | 'findMany'>
type Page = Prisma.PaymentIntentFindManyArgs & { readonly where: Prisma.PaymentIntentWhereInput; readonly take: number }

/** Reads the page as `findMany` does, of the payments of the list that the search finds. */
export async function findSearched(payments: Payments, page: Page, search: Search, list: SearchedList) {
  const pageOf = (ids: readonly string[]) =>
    ids.length === 0 ? [] : payments.findMany({ ...page, where: { AND: [page.where, { id: { in: padded(ids) } }] } })
  const near = await payments.nearMatches(search, list, page.take)
  if (near.isAll || near.ids.length === page.take) return await pageOf(near.ids)
  const indexed = await payments.indexedMatches(search, list)
  const first = await pageOf(indexed.ids)
  if (indexed.isAll || first.length === page.take) return first
  // The filter leaves few of many matches, and the text few of many payments.
  const searchEntry = { is: { text: { contains: literal(search.text) }, parts: { hasEvery: [...search.parts] } } }
  return await payments.findMany({ ...page, where: { AND: [page.where, { searchEntry }] } })
}
