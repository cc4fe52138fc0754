// A page of the payments that a search finds. A text that few payments have is found by the index of parts, and a text that
// many have among the newest payments. Neither becomes slower as the payments grow in number.
import type { Prisma } from '#adapters/prisma/generated/client.ts'
import type { TenantReads } from '#adapters/prisma/tenant-reads.ts'
import type { Search } from '#core/marketplace/search.ts'
import { literal } from '#lib/literal.ts'

/** Matches that are sorted rather than read in the order of the page. */
const FEW = 200
/** Payments that are read one by one, in the order of the page, for a text that more have. */
const READ_FIRST = 2_500
/** A shorter text, in characters, is in the texts of many: the index would be read in vain. */
const OFTEN_RARE = 4

type Payments = Pick<TenantReads['paymentIntent'], 'hasMoreMatches' | 'findMany'>
type Page = Prisma.PaymentIntentFindManyArgs & { readonly where: Prisma.PaymentIntentWhereInput; readonly take: number }

/** Reads the page as `findMany` does, of the payments that the search finds too. */
export async function findSearched(
  payments: Payments,
  page: Page,
  { search, order }: { readonly search: Search; readonly order: 'asc' | 'desc' },
) {
  const text = { contains: literal(search.text) }
  const matching = (searchEntry: Prisma.PaymentSearchWhereInput, createdAt: Prisma.DateTimeFilter = {}) => ({
    AND: [page.where, { createdAt, searchEntry: { is: searchEntry } }],
  })
  const byParts = matching({ text, parts: { hasEvery: [...search.parts] } })
  const isRare = [...search.text].length >= OFTEN_RARE && !(await payments.hasMoreMatches(search, FEW))
  if (isRare) return await payments.findMany({ ...page, where: byParts })

  const { where, orderBy } = page
  const [beyond] = await payments.findMany({ where, ...(orderBy && { orderBy }), skip: READ_FIRST, take: 1 })
  const range = beyond && (order === 'desc' ? { gte: beyond.createdAt } : { lte: beyond.createdAt })
  const first = await payments.findMany({ ...page, where: matching({ text }, range) })
  return beyond === undefined || first.length === page.take
    ? first
    : await payments.findMany({ ...page, where: byParts })
}
