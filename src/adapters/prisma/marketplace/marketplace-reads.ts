// The sellers and audit entries that an edge can read with Prisma: those of one marketplace, each decoded once.
import type { Prisma, PrismaClient } from '#adapters/prisma/generated/client.ts'
import { found } from '#adapters/prisma/reading.ts'
import type { Tenant } from '#core/accounts/account.ts'
import { ACTOR_KINDS, AUDIT_ACTIONS, type AuditEntry, type Changes } from '#core/accounts/audit.ts'
import { checked, isRecord, type Json, misread, oneOf, type Read, readList } from '#core/json.ts'
import type { Seller } from '#core/marketplace/seller.ts'
import type { PaymentIntent } from '#core/payments/payment-intent.ts'
import { padded } from '#lib/values.ts'
import { sellerFromRow } from './seller-store.ts'

// The payments of several sellers at once. Prisma reads a page below each of several rows by reading all that is below them,
// and a seller may have a million payments: so one statement finds the ids of each page by its index, and another reads them.

/** A page of each seller. With `where`, a page of the one seller that it names. */
export type SellerPaymentsArgs = Pick<Prisma.Account$intentsArgs, 'where' | 'orderBy' | 'take' | 'include'>

/** Reads payments of the tenant. */
type ReadPayments = (args: SellerPaymentsArgs) => Promise<readonly PaymentIntent[]>

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
async function paymentsOfSellers(
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

/** Columns are not selected: an object is read whole. */
type Without<Args> = Omit<Args, 'select' | 'omit'>

/** With a page of its payments where `include` names them. */
type ReadSeller = Seller & { readonly intents?: readonly PaymentIntent[] }

export type MarketplaceReads = {
  /** Sellers only: no other account is visible. */
  readonly account: {
    findMany(args: Without<Prisma.AccountFindManyArgs>): Promise<ReadSeller[]>
    findUnique(args: Without<Prisma.AccountFindUniqueArgs>): Promise<ReadSeller | null>
    /** Throws `seller_not_found`. */
    findUniqueOrThrow(args: Without<Prisma.AccountFindUniqueOrThrowArgs>): Promise<ReadSeller>
  }
  readonly auditEntry: {
    /** Reads entries, with the seller of each where `include` names it. */
    findMany(args: Without<Prisma.AuditEntryFindManyArgs>): Promise<AuditEntry[]>
  }
}

const OMIT = { searchText: true, searchParts: true } as const satisfies Prisma.AccountOmit

export function createMarketplaceReads(
  prisma: Pick<PrismaClient, 'account' | 'auditEntry' | '$queryRawUnsafe'>,
  tenant: Tenant,
  readPayments: ReadPayments,
): MarketplaceReads {
  const { accountId, network } = tenant
  const visible: Prisma.AccountWhereInput = { marketplaceAccountId: accountId, network }
  const withPayments = async (sellers: Seller[], include: Include): Promise<ReadSeller[]> => {
    const page = include?.intents
    if (typeof page !== 'object') return sellers
    const asked = { sellers: [...new Set(sellers.map(({ id }) => id))], page }
    const payments = await paymentsOfSellers(prisma, readPayments, tenant, asked)
    return sellers.map((seller) => ({ ...seller, intents: payments.get(seller.id) ?? [] }))
  }
  const findUnique: MarketplaceReads['account']['findUnique'] = async ({ where, include }) => {
    const row = await prisma.account.findFirst({ where: { AND: [visible, { id: where.id ?? '' }] }, omit: OMIT })
    const [seller] = row === null ? [] : await withPayments([sellerFromRow(row)], include)
    return seller ?? null
  }
  return {
    account: {
      async findMany({ where, include, ...args }) {
        const rows = await prisma.account.findMany({ ...args, omit: OMIT, where: { AND: [visible, where ?? {}] } })
        return await withPayments(rows.map(sellerFromRow), include)
      },
      findUnique,
      findUniqueOrThrow: async (args) => found(await findUnique(args), 'seller_not_found'),
    },
    auditEntry: {
      async findMany({ where, include, ...args }) {
        const rows = await prisma.auditEntry.findMany({
          ...args,
          include: { seller: include?.seller ? { omit: OMIT } : false },
          where: { AND: [{ accountId }, where ?? {}] },
        })
        const below = typeof include?.seller === 'object' ? include.seller.include : null
        const sellers = await withPayments(
          rows.flatMap(({ seller }) => (seller ? sellerFromRow(seller) : [])),
          below,
        )
        const byId = new Map(sellers.map((seller) => [seller.id, seller]))
        return rows.map((row) => ({
          ...entryFromRow(row),
          ...(row.seller !== undefined && { seller: byId.get(row.sellerAccountId ?? '') ?? null }),
        }))
      },
    },
  }
}

type Include = Prisma.AccountInclude | null | undefined
const entryFromRow = (row: Prisma.AuditEntryGetPayload<object>): AuditEntry => ({
  id: row.id,
  position: row.position,
  action: oneOf(AUDIT_ACTIONS)(row.action, 'action'),
  sellerId: row.sellerAccountId,
  actor: {
    kind: oneOf(ACTOR_KINDS)(row.actorKind, 'actor_kind'),
    credential: row.actorCredential,
    memberId: row.actorMemberId,
    ip: row.actorIp,
  },
  changes: changesOf(row.changes),
  createdAt: row.createdAt,
})

/** A JSON column has parts of JSON only. */
const isJson = (value: unknown): value is Json =>
  value === null || typeof value !== 'object' || Object.values(value).every(isJson)

const change: Read<Changes[string]> = (value, path) => {
  const [before, after] = readList(checked(isJson))(value, path)
  return before === undefined || after === undefined ? misread(path, value) : [before, after]
}

function changesOf(stored: unknown): Changes {
  const fields = isRecord(stored) ? stored : misread('changes', stored)
  return Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, change(value, name)]))
}
