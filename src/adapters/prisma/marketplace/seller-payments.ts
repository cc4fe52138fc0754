// The payments of several sellers at once. Prisma reads a page below each of several rows by reading all that is below them,
// and a seller may have a million payments: so one statement finds the ids of each page by its index, and another reads them.
import type { Prisma, PrismaClient } from '#adapters/prisma/generated/client.ts'
import type { Tenant } from '#core/accounts/account.ts'
import type { PaymentIntent } from '#core/payments/payment-intent.ts'
import { padded } from '#lib/values.ts'

/** A page of each seller. With `where`, a page of the one seller that it names. */
export type SellerPaymentsArgs = Pick<Prisma.Account$intentsArgs, 'where' | 'orderBy' | 'take' | 'include'>

/** Reads payments of the tenant. */
export type ReadPayments = (args: SellerPaymentsArgs) => Promise<readonly PaymentIntent[]>

type Asked = { readonly sellers: readonly string[]; readonly page: SellerPaymentsArgs }

/**
 * Returns the statement for a direction: $1 are the sellers, $2 the marketplace, $3 its network, $4 the size of a page. The
 * marketplace is compared as text, which no index serves: PostgreSQL would read all of its payments for a seller that has none.
 */
const idsIn = (order: 'asc' | 'desc'): string => `
SELECT payment.id::text AS id FROM unnest($1::uuid[]) seller (id) CROSS JOIN LATERAL (
  SELECT id FROM payment_intents
  WHERE account_id = seller.id AND caller_account_id::text = $2 AND network = $3::network_name AND marketplace_fee_bps IS NOT NULL
  ORDER BY created_at ${order}, id ${order} LIMIT $4::int
) payment`

/** Returns a page of the payments of each seller, in order, by the id of the seller. */
export async function paymentsOfSellers(
  prisma: Pick<PrismaClient, '$queryRawUnsafe'>,
  read: ReadPayments,
  tenant: Tenant,
  { sellers, page: { take = 0, where, ...page } }: Asked,
): Promise<ReadonlyMap<string, readonly PaymentIntent[]>> {
  if (take === 0 || sellers.length === 0) return new Map()
  const { accountId, network } = tenant
  if (where !== undefined) {
    const own = { accountId: { in: [...sellers] }, callerAccountId: accountId, marketplaceFeeBps: { not: null } }
    return bySeller(await read({ ...page, where: { AND: [own, where] }, take }))
  }
  const statement = idsIn(directionOf(page))
  const rows = await prisma.$queryRawUnsafe<{ id: string }[]>(statement, sellers, accountId, network, take)
  if (rows.length === 0) return new Map()
  return bySeller(await read({ ...page, where: { id: { in: padded(rows.map(({ id }) => id)) } } }))
}

const bySeller = (payments: readonly PaymentIntent[]) => Map.groupBy(payments, ({ accountId }) => accountId)

function directionOf({ orderBy = [] }: Pick<SellerPaymentsArgs, 'orderBy'>): 'asc' | 'desc' {
  const [first] = Array.isArray(orderBy) ? orderBy : [orderBy]
  return first?.createdAt === 'asc' ? 'asc' : 'desc'
}
