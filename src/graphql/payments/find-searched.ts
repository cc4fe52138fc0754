// A page of the payments that a search finds. A text that many payments have is found among the payments next to the page,
// and any other by the index of parts. Neither becomes slower as the payments grow in number.
import type { Prisma } from '#adapters/prisma/generated/client.ts'
import type { SearchedRange, TenantReads } from '#adapters/prisma/tenant-reads.ts'
import type { Search } from '#core/marketplace/search.ts'
import { literal } from '#lib/literal.ts'
import { padded } from '#lib/padded.ts'

type Payments = Pick<TenantReads['paymentIntent'], 'nextMatches' | 'indexedMatches' | 'findMany'>
type Page = Prisma.PaymentIntentFindManyArgs & { readonly where: Prisma.PaymentIntentWhereInput; readonly take: number }

/** Reads the page as `findMany` does, of the payments that the search finds too. No payment of the page is outside the range. */
export async function findSearched(
  payments: Payments,
  page: Page,
  { search, range }: { readonly search: Search; readonly range: SearchedRange },
) {
  const pageOf = (ids: readonly string[]) =>
    payments.findMany({ ...page, where: { AND: [page.where, { id: { in: padded(ids) } }] } })
  const next = await payments.nextMatches(search, range)
  if (next.length >= page.take) {
    const first = await pageOf(next)
    if (first.length === page.take) return first
  } else {
    const { ids, isAll } = await payments.indexedMatches(search, range)
    if (ids.length === 0) return []
    const first = await pageOf(ids)
    if (isAll || first.length === page.take) return first
  }
  // A filter refuses too many of the first matches.
  const searchEntry = { is: { text: { contains: literal(search.text) }, parts: { hasEvery: [...search.parts] } } }
  return await payments.findMany({ ...page, where: { AND: [page.where, { searchEntry }] } })
}
