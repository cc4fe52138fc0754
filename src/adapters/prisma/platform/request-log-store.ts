// The requests of businesses: written many at once, read by a business, and removed when they are old.
import type { Database } from '#adapters/prisma/engine/engine.ts'
import type { Prisma, PrismaClient } from '#adapters/prisma/generated/client.ts'
import type { Without } from '#adapters/prisma/reading.ts'
import type { Tenant } from '#core/accounts/account.ts'
import type { ApiRequest } from '#core/accounts/api-request.ts'
import type { RequestLogStore } from '#ports/request-log.ts'

const REMOVE = `
DELETE FROM api_requests WHERE id IN (SELECT id FROM api_requests WHERE created_at < $1 ORDER BY created_at LIMIT $2::int)
RETURNING 1 AS one`

export const createRequestLogStore = (db: Pick<Database, 'query' | 'prisma'>): RequestLogStore => ({
  async insert(requests) {
    await db.prisma.apiRequest.createMany({ data: [...requests] })
  },
  removeExpired: async (before, limit) => (await db.query(REMOVE, [before, limit])).length,
})

export type ReadRequest = ApiRequest & { readonly id: string }

export type RequestReads = {
  findMany(args: Without<Prisma.ApiRequestFindManyArgs>): Promise<ReadRequest[]>
}

/** Reads the requests of one business. */
export const createRequestReads = (
  { apiRequest }: Pick<PrismaClient, 'apiRequest'>,
  { accountId }: Tenant,
): RequestReads => ({
  findMany: ({ where, ...args }) => apiRequest.findMany({ ...args, where: { AND: [{ accountId }, where ?? {}] } }),
})
