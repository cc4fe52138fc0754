import { writeAudit } from '#adapters/prisma/accounts/audit-writes.ts'
import type { Database } from '#adapters/prisma/engine/database.ts'
import type { Prisma } from '#adapters/prisma/generated/client.ts'
import { accountFromRow, memberFromRow } from '#adapters/prisma/rows.ts'
import { sessionEnded } from '#core/accounts/member.ts'
import { IDLE_MS, LIFETIME_MS, type Session } from '#core/accounts/session.ts'
import type { SessionStore } from '#ports/members.ts'

/** A session that has sent nothing for this long is marked at its next request. */
const MARKED_FOR_MS = 60_000

export const createSessionStore = ({ prisma, query }: Pick<Database, 'prisma' | 'query'>): SessionStore => ({
  async findByHash(tokenHash) {
    const row = await prisma.session.findUnique({
      where: { tokenHash: Uint8Array.from(tokenHash) },
      include: { member: { include: { account: { include: { marketplace: { select: { status: true } } } } } } },
    })
    if (row === null) return null
    const { account, ...member } = row.member
    return {
      session: sessionFromRow(row),
      member: memberFromRow(member),
      account: accountFromRow(account),
      marketplace: account.marketplace?.status ?? null,
    }
  },

  async markSeen(id, at) {
    const before = new Date(at.getTime() - MARKED_FOR_MS)
    await prisma.session.updateMany({ where: { id, lastSeenAt: { lt: before } }, data: { lastSeenAt: at } })
  },

  async list(accountId, memberId, limit) {
    const rows = await prisma.session.findMany({
      where: { member: { accountId }, ...(memberId !== null && { memberId }) },
      orderBy: [{ lastSeenAt: 'desc' }, { id: 'desc' }],
      take: limit,
    })
    return rows.map(sessionFromRow)
  },

  end: ({ accountId }, id, memberId, by) =>
    prisma.$transaction(async (tx) => {
      const where = { id, member: { accountId }, ...(memberId !== null && { memberId }) }
      const row = await tx.session.findFirst({ where, include: { member: true } })
      if (row === null || (await tx.session.deleteMany({ where: { id } })).count === 0) return null
      await writeAudit(tx, accountId, by, [sessionEnded(row.member, id)])
      return sessionFromRow(row)
    }),

  async removeExpired(before, limit) {
    const idle = new Date(before.getTime() - IDLE_MS)
    const rows = await query<{ one: number }>(REMOVE, [before, idle, new Date(before.getTime() - LIFETIME_MS), limit])
    return rows.length
  },
})

const sessionFromRow = ({
  id,
  memberId,
  createdAt,
  lastSeenAt,
  provedAt,
  ip,
  userAgent,
}: Prisma.SessionGetPayload<object>): Session => ({ id, memberId, createdAt, lastSeenAt, provedAt, ip, userAgent })

const REMOVE = `
WITH sessions_over AS (
  DELETE FROM sessions WHERE id = ANY (ARRAY(
    SELECT id FROM sessions WHERE last_seen_at < $2 OR created_at < $3 LIMIT $4::int)) RETURNING 1 AS one
), links_over AS (
  DELETE FROM login_links WHERE token_hash = ANY (ARRAY(
    SELECT token_hash FROM login_links WHERE expires_at < $1 LIMIT $4::int)) RETURNING 1 AS one
), challenges_over AS (
  DELETE FROM used_login_challenges WHERE hash = ANY (ARRAY(
    SELECT hash FROM used_login_challenges WHERE expires_at < $1 LIMIT $4::int)) RETURNING 1 AS one
)
SELECT one FROM sessions_over UNION ALL SELECT one FROM links_over UNION ALL SELECT one FROM challenges_over`
