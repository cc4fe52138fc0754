// A page of the payments that a search finds. A text that many payments have is found among the payments next to the page,
// and any other by the index of parts. Neither becomes slower as the payments grow in number.
import type { Prisma } from '#adapters/prisma/generated/client.ts'
import type { SearchedRange, TenantReads } from '#adapters/prisma/tenant-reads.ts'
import type { Search } from '#core/marketplace/search.ts'
import { literal } from '#lib/literal.ts'
import { padded } from '#lib/padded.ts'

/** Payments that pass a filter and are read one by one for a text that many have. */
const READ_FILTERED = 2_500

type Payments = Pick<TenantReads['paymentIntent'], 'nextMatches' | 'indexedMatches' | 'findMany'>
type Searched = { readonly search: Search; readonly range: SearchedRange }
type Page = Prisma.PaymentIntentFindManyArgs & { readonly where: Prisma.PaymentIntentWhereInput; readonly take: number }

/** Reads the page as `findMany` does, of the payments that the search finds too. No payment of the page is outside the range. */
export async function findSearched(payments: Payments, page: Page, { search, range }: Searched) {
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
  const { found, isAll } = await amongFiltered(payments, page, { search, range })
  if (isAll || found.length === page.take) return found
  const searchEntry = { is: { text: contains(search), parts: { hasEvery: [...search.parts] } } }
  return await payments.findMany({ ...page, where: { AND: [page.where, { searchEntry }] } })
}

/** Searches the first payments that pass the filter of the page. `isAll`: no others pass. */
async function amongFiltered(payments: Payments, page: Page, { search, range }: Searched) {
  const { where, orderBy } = page
  const [last] = await payments.findMany({ where, orderBy, skip: READ_FILTERED, take: 1 })
  const searchEntry = { is: { text: contains(search) } }
  const nearest = last === undefined ? {} : { createdAt: { [range.order === 'desc' ? 'gte' : 'lte']: last.createdAt } }
  const found = await payments.findMany({ ...page, where: { AND: [where, nearest, { searchEntry }] } })
  return { found, isAll: last === undefined }
}

const contains = ({ text }: Search) => ({ contains: literal(text) })
