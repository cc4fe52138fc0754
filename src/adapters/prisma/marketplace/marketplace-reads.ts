// The sellers and audit entries that an edge can read with Prisma: those of one marketplace, each decoded once.
import type { Prisma, PrismaClient } from '#adapters/prisma/generated/client.ts'
import { type SellerRow, sellerFromRow } from '#adapters/prisma/marketplace/seller-row.ts'
import type { Tenant } from '#core/accounts/account.ts'
import { ServiceError } from '#core/errors.ts'
import { checked, isRecord, type Json, listOf, misread, oneOf, type Read } from '#core/json.ts'
import { ACTOR_KINDS, AUDIT_ACTIONS, type AuditEntry, type Changes } from '#core/marketplace/audit.ts'
import type { Seller } from '#core/marketplace/seller.ts'

/** Columns are not selected: an object is read whole. */
type Without<Args> = Omit<Args, 'select' | 'omit' | 'include'>

export type MarketplaceReads = {
  /** Sellers only: no other account is visible. */
  readonly account: {
    findMany(args: Without<Prisma.AccountFindManyArgs>): Promise<Seller[]>
    findUnique(args: Without<Prisma.AccountFindUniqueArgs>): Promise<Seller | null>
    /** Throws `seller_not_found`. */
    findUniqueOrThrow(args: Without<Prisma.AccountFindUniqueOrThrowArgs>): Promise<Seller>
  }
  readonly auditEntry: {
    /** With the seller of each entry where `include` names it. */
    findMany(args: Omit<Prisma.AuditEntryFindManyArgs, 'select' | 'omit'>): Promise<AuditEntry[]>
  }
}

const OMIT = {
  searchText: true,
  searchParts: true,
  webhookSecretVersion: true,
  webhookSecretRotations: true,
} as const satisfies Prisma.AccountOmit

export function createMarketplaceReads(
  prisma: Pick<PrismaClient, 'account' | 'auditEntry'>,
  { accountId, network }: Tenant,
): MarketplaceReads {
  const visible: Prisma.AccountWhereInput = { marketplaceAccountId: accountId, network }
  const findUnique: MarketplaceReads['account']['findUnique'] = async ({ where }) => {
    const row = await prisma.account.findFirst({ where: { AND: [visible, { id: where.id ?? '' }] }, omit: OMIT })
    return row === null ? null : sellerFromRow(row)
  }
  return {
    account: {
      async findMany({ where, ...args }) {
        const rows = await prisma.account.findMany({ ...args, omit: OMIT, where: { AND: [visible, where ?? {}] } })
        return rows.map(sellerFromRow)
      },
      findUnique,
      async findUniqueOrThrow(args) {
        const seller = await findUnique(args)
        if (seller === null) throw new ServiceError('seller_not_found')
        return seller
      },
    },
    auditEntry: {
      async findMany({ where, include, ...args }) {
        const rows = await prisma.auditEntry.findMany({
          ...args,
          ...(include?.seller && { include: { seller: { omit: OMIT } } }),
          where: { AND: [{ marketplaceAccountId: accountId }, where ?? {}] },
        })
        return rows.map(entryFromRow)
      },
    },
  }
}

type EntryRow = Prisma.AuditEntryGetPayload<object> & { readonly seller?: SellerRow | null }

const entryFromRow = ({ seller, ...row }: EntryRow): AuditEntry => ({
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
  ...(seller !== undefined && { seller: seller && sellerFromRow(seller) }),
})

/** A JSON column has parts of JSON only. */
const isJson = (value: unknown): value is Json =>
  value === null || typeof value !== 'object' || Object.values(value).every(isJson)

const change: Read<Changes[string]> = (value, path) => {
  const [before, after] = listOf(checked(isJson))(value, path)
  return before === undefined || after === undefined ? misread(path, value) : [before, after]
}

function changesOf(stored: unknown): Changes {
  const fields = isRecord(stored) ? stored : misread('changes', stored)
  return Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, change(value, name)]))
}
