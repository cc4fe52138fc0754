// The sellers and audit entries that an edge can read with Prisma: those of one marketplace, each decoded once.
import type { Prisma, PrismaClient } from '#adapters/prisma/generated/client.ts'
import { paymentsOfSellers, type ReadPayments } from '#adapters/prisma/marketplace/seller-payments.ts'
import { sellerFromRow } from '#adapters/prisma/marketplace/seller-row.ts'
import { found } from '#adapters/prisma/reading.ts'
import type { Tenant } from '#core/accounts/account.ts'
import { checked, isRecord, type Json, misread, oneOf, type Read, readList } from '#core/json.ts'
import { ACTOR_KINDS, AUDIT_ACTIONS, type AuditEntry, type Changes } from '#core/marketplace/audit.ts'
import type { Seller } from '#core/marketplace/seller.ts'
import type { PaymentIntent } from '#core/payments/payment-intent.ts'

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

const OMIT = {
  searchText: true,
  searchParts: true,
  webhookSecretVersion: true,
  webhookSecretRotations: true,
} as const satisfies Prisma.AccountOmit

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
          where: { AND: [{ marketplaceAccountId: accountId }, where ?? {}] },
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
