// A page of the payments that a search finds. A filter that leaves few payments is answered from these. Otherwise a text that many
// payments have is found among the payments next to the page, and any other by the index of parts. None of the three becomes
// slower as the payments grow in number.
import type { Prisma } from '#adapters/prisma/generated/client.ts'
import type { SearchedRange, TenantReads } from '#adapters/prisma/tenant-reads.ts'
import type { Search } from '#core/marketplace/search.ts'
import { literal } from '#lib/literal.ts'
import { padded } from '#lib/padded.ts'

/** Payments that pass the filter and are searched one by one, before and after the ways that know no filter. */
const FEW_FILTERED = 300
const MOST_FILTERED = 2_500

type Payments = Pick<TenantReads['paymentIntent'], 'nextMatches' | 'indexedMatches' | 'findMany'>
/** `isFiltered`: the page is of some sellers or statuses only. */
type Searched = { readonly search: Search; readonly range: SearchedRange; readonly isFiltered: boolean }
type Page = Prisma.PaymentIntentFindManyArgs & { readonly where: Prisma.PaymentIntentWhereInput; readonly take: number }

/** Reads the page as `findMany` does, of the payments that the search finds too. No payment of the page is outside the range. */
export async function findSearched(payments: Payments, page: Page, searched: Searched) {
  const { search, range } = searched
  if (searched.isFiltered) {
    const few = await amongFiltered(payments, page, searched, FEW_FILTERED)
    if (few !== null) return few
  }
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
  // The filter refuses too many of the first matches.
  const more = await amongFiltered(payments, page, searched, MOST_FILTERED)
  if (more !== null) return more
  const searchEntry = { is: { text: contains(search), parts: { hasEvery: [...search.parts] } } }
  return await payments.findMany({ ...page, where: { AND: [page.where, { searchEntry }] } })
}

/** Searches the first `most` payments that pass the filter. Returns null when others pass, and these do not fill the page. */
async function amongFiltered(payments: Payments, page: Page, { search, range }: Searched, most: number) {
  const { where, orderBy, take } = page
  const [last] = await payments.findMany({ where, orderBy, skip: most, take: 1 })
  const searchEntry = { is: { text: contains(search) } }
  const nearest = last === undefined ? {} : { createdAt: { [range.order === 'desc' ? 'gte' : 'lte']: last.createdAt } }
  const found = await payments.findMany({ ...page, where: { AND: [where, nearest, { searchEntry }] } })
  return last === undefined || found.length === take ? found : null
}

const contains = ({ text }: Search) => ({ contains: literal(text) })
