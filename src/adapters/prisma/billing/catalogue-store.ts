// The catalogue of a business: products, tiers and domains of redirects, and the checkouts that it creates and cancels.
import { writeAudit } from '#adapters/prisma/accounts/audit-writes.ts'
import type { Database } from '#adapters/prisma/engine/database.ts'
import type { Prisma } from '#adapters/prisma/generated/client.ts'
import type { Tx } from '#adapters/prisma/transaction.ts'
import type { Tenant } from '#core/accounts/account.ts'
import { domainEntry, type RedirectDomain } from '#core/billing/catalogue.ts'
import type { Product } from '#core/billing/product.ts'
import type { Tier } from '#core/billing/tier.ts'
import { searchPartsOf, searchTextOf } from '#core/marketplace/search.ts'
import type {
  DomainAuthorship,
  RedirectDomainStore,
  SubscriptionIntentStore,
  SubscriptionProductStore,
  SubscriptionTierStore,
} from '#ports/catalogue.ts'
import { PRODUCTS, REDIRECT_DOMAINS, SUBSCRIPTION_INTENTS, TIERS } from './tables.ts'
import { noticeOfCheckout } from './writes.ts'

// A product as its row.

export const PRODUCT_OMIT = {
  searchText: true,
  searchParts: true,
} as const satisfies Prisma.SubscriptionProductOmit

/** Returns the columns of a product, with those by which a search finds it. A search finds words across the lines of a text. */
function productColumns(product: Product) {
  const { name, description, externalId } = product
  const searchText = searchTextOf([name, description?.replace(/\s/g, ' ') ?? null, externalId])
  return { ...product, searchText, searchParts: [...searchPartsOf(searchText)] }
}

export function createSubscriptionProductStore({ prisma }: Pick<Database, 'prisma'>): SubscriptionProductStore {
  return {
    find: (tenant, id) => findProduct(prisma, tenant, { id }),
    findByExternalId: (tenant, externalId) => findProduct(prisma, tenant, { externalId }),

    async create(tenant, product) {
      const { count } = await prisma.subscriptionProduct.createMany({
        data: [productColumns(product)],
        skipDuplicates: true,
      })
      if (count === 1) return { product, created: true }
      const { id, externalId } = product
      const stored = await findProduct(prisma, tenant, externalId === null ? { id } : { externalId })
      if (stored === null) throw new Error('an insert that does nothing has met a stored product')
      // The same request at the same moment has the same id.
      return { product: stored, created: stored.id === id }
    },

    change: (tenant, id, decide) =>
      prisma.$transaction(async (tx) => {
        await tx.$queryRaw`SELECT id FROM subscription_products WHERE id = ${id}::uuid FOR NO KEY UPDATE`
        const product = await findProduct(tx, tenant, { id })
        if (product === null) return null
        const next = decide(product)
        if (next === product) return product
        await tx.subscriptionProduct.update({ where: { id }, data: productColumns(next) })
        await changeTiers(tx, product, next)
        return next
      }),
  }
}

async function findProduct(
  prisma: Pick<Tx, 'subscriptionProduct'>,
  { accountId }: Tenant,
  by: Prisma.SubscriptionProductWhereInput,
): Promise<Product | null> {
  const row = await prisma.subscriptionProduct.findFirst({ where: { ...by, accountId }, omit: PRODUCT_OMIT })
  return row === null ? null : PRODUCTS.fromRow(row)
}

/**
 * Archives the active tiers of a product with it, and makes those tiers active again with it. The tiers that were archived
 * with their product have its time; a tier that was archived by itself stays archived.
 */
async function changeTiers(tx: Tx, before: Product, after: Product): Promise<void> {
  if (before.archivedAt === after.archivedAt) return
  await tx.subscriptionTier.updateMany({
    where: { productId: after.id, archivedAt: before.archivedAt },
    data: { archivedAt: after.archivedAt, updatedAt: after.updatedAt },
  })
}

// Tiers. Every write locks the row of the product first, as a change of the product does.

export function createSubscriptionTierStore({ prisma }: Pick<Database, 'prisma'>): SubscriptionTierStore {
  return {
    find: (tenant, id) => findTier(prisma, tenant, id),

    create: ({ accountId }, tier) =>
      prisma.$transaction(async (tx) => {
        if (await lockProduct(tx, tier.productId)) return false
        await tx.subscriptionTier.create({ data: { ...tierColumns(tier), accountId } })
        return true
      }),

    change: (tenant, id, decide) =>
      prisma.$transaction(async (tx) => {
        const found = await findTier(tx, tenant, id)
        if (found === null) return null
        const isProductArchived = await lockProduct(tx, found.productId)
        await tx.$queryRaw`SELECT id FROM subscription_tiers WHERE id = ${id}::uuid FOR NO KEY UPDATE`
        const tier = (await findTier(tx, tenant, id)) ?? found
        const next = decide({ tier, isProductArchived })
        if (next !== tier) await tx.subscriptionTier.update({ where: { id }, data: tierColumns(next) })
        return next
      }),
  }
}

const tierColumns = ({ unitBaseUnits, ...tier }: Tier) => ({ ...tier, unitBaseUnits: unitBaseUnits.toString() })

async function findTier(prisma: Pick<Tx, 'subscriptionTier'>, { accountId }: Tenant, id: string): Promise<Tier | null> {
  const row = await prisma.subscriptionTier.findFirst({ where: { id, accountId } })
  return row === null ? null : TIERS.fromRow(row)
}

/** Keeps the product as it is until the transaction ends. Returns whether it is archived. */
async function lockProduct(tx: Tx, id: string): Promise<boolean> {
  const rows = await tx.$queryRaw<{ is_archived: boolean }[]>`
    SELECT archived_at IS NOT NULL AS is_archived FROM subscription_products WHERE id = ${id}::uuid FOR SHARE`
  return rows[0]?.is_archived !== false
}

export function createRedirectDomainStore({ prisma }: Pick<Database, 'prisma'>): RedirectDomainStore {
  const find = async (
    tx: Pick<Tx, 'redirectDomain'>,
    { accountId }: Tenant,
    by: Prisma.RedirectDomainWhereInput,
  ): Promise<RedirectDomain | null> => {
    const row = await tx.redirectDomain.findFirst({ where: { ...by, accountId } })
    return row === null ? null : REDIRECT_DOMAINS.fromRow(row)
  }
  /** Writes the entry when a domain was `changed`. */
  const log = async (tx: Tx, changed: number, domain: RedirectDomain, by: DomainAuthorship): Promise<void> => {
    if (changed > 0) await writeAudit(tx, by.logOf, by, [domainEntry(domain, by.logOf)])
  }
  const set = async (
    tx: Tx,
    tenant: Tenant,
    by: Prisma.RedirectDomainWhereInput,
    active: boolean,
    author: DomainAuthorship,
  ): Promise<RedirectDomain | null> => {
    const { count } = await tx.redirectDomain.updateMany({
      where: { ...by, accountId: tenant.accountId, active: !active },
      data: { active, updatedAt: author.at },
    })
    const domain = await find(tx, tenant, by)
    if (domain !== null) await log(tx, count, domain, author)
    return domain
  }
  return {
    find: (tenant, id) => find(prisma, tenant, { id }),

    create: (tenant, domain, by) =>
      prisma.$transaction(async (tx) => {
        const { count } = await tx.redirectDomain.createMany({ data: [domain], skipDuplicates: true })
        await log(tx, count, domain, by)
        if (count === 1) return { domain, created: true }
        const stored = await set(tx, tenant, { host: domain.host }, true, by)
        if (stored === null) throw new Error('an insert that does nothing has met a stored domain')
        // The same request at the same moment has the same id.
        return { domain: stored, created: stored.id === domain.id }
      }),

    archive: (tenant, id, by) => prisma.$transaction((tx) => set(tx, tenant, { id }, false, by)),

    async active({ accountId }, hosts) {
      const rows = await prisma.redirectDomain.findMany({
        where: { accountId, active: true, host: { in: [...hosts] } },
        select: { host: true },
      })
      return new Set(rows.map(({ host }) => host))
    },
  }
}

// Checkouts of subscriptions, as businesses create and cancel them.

/** The hash of the token is never read: a checkout is found by it. */
export const INTENT_OMIT = { tokenHash: true } as const

export function createSubscriptionIntentStore({ prisma }: Pick<Database, 'prisma'>): SubscriptionIntentStore {
  return {
    async find({ accountId }, id) {
      const row = await prisma.subscriptionIntent.findFirst({ where: { id, accountId }, omit: INTENT_OMIT })
      return row === null ? null : SUBSCRIPTION_INTENTS.fromRow(row)
    },

    create: ({ accountId }, intent, tokenHash) =>
      prisma.$transaction(async (tx) => {
        // An archive of the tier, of its product or of the seller waits for this transaction, or this one sees it.
        const [sold] = await tx.$queryRaw<{ tier_archived: boolean; seller_archived: boolean }[]>`
          SELECT tier.archived_at IS NOT NULL AS tier_archived, account.archived_at IS NOT NULL AS seller_archived
          FROM subscription_tiers tier JOIN accounts account ON account.id = tier.account_id
          WHERE tier.id = ${intent.tierId}::uuid FOR SHARE`
        if (sold?.seller_archived === true) return 'seller_archived'
        if (sold?.tier_archived !== false) return 'tier_archived'
        await tx.subscriptionIntent.create({
          data: { ...intent, accountId, tokenHash: Uint8Array.from(tokenHash) },
        })
        return 'created'
      }),

    replace: ({ accountId }, { id, status, canceledAt, updatedAt, version: next }, version) =>
      prisma.$transaction(async (tx) => {
        const { count } = await tx.subscriptionIntent.updateMany({
          where: { id, accountId, version },
          data: { status, canceledAt, updatedAt, version: next },
        })
        if (count === 1) await noticeOfCheckout(tx, id)
        return count === 1
      }),
  }
}
