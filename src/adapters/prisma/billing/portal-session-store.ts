// Links to the portal of subscriptions.
import type { Database } from '#adapters/prisma/engine/database.ts'
import { type PortalSession, readPortalOrigin } from '#core/billing/portal-session.ts'
import type { PortalSessionStore } from '#ports/portal.ts'
import { storeUsed } from './challenge-store.ts'

export const createPortalSessionStore = ({
  prisma,
  query,
}: Pick<Database, 'prisma' | 'query'>): PortalSessionStore => ({
  async find(tokenHash) {
    const row = await prisma.portalSession.findUnique({ where: { tokenHash: Uint8Array.from(tokenHash) } })
    return row === null ? null : { ...row, origin: readPortalOrigin(row.origin, 'portal_sessions.origin') }
  },

  async create(sessions) {
    await prisma.portalSession.createMany({ data: sessions.map(rowOf) })
  },

  createFor: ({ challenge, proof }, sessions, most) =>
    prisma.$transaction(async (tx) => {
      if (!(await storeUsed(tx, challenge, proof))) return false
      const ids = sessions.map(({ subscriptionId }) => subscriptionId)
      await tx.$executeRawUnsafe(REMOVE_OLDER, ids, most - 1)
      await tx.portalSession.createMany({ data: sessions.map(rowOf) })
      return true
    }),

  async removeExpired(before, limit) {
    const rows = await query<{ one: number }>(REMOVE, [before, limit])
    return rows.length
  },
})

const rowOf = (session: PortalSession) => ({ ...session, tokenHash: Uint8Array.from(session.tokenHash) })

/** A link of the business is none of these. */
const REMOVE_OLDER = `
DELETE FROM portal_sessions WHERE token_hash IN (
  SELECT token_hash FROM (
    SELECT token_hash, row_number() OVER (PARTITION BY subscription_id ORDER BY created_at DESC, token_hash) AS place
    FROM portal_sessions WHERE subscription_id = ANY ($1::uuid[]) AND origin = 'recovery') link
  WHERE place > $2::int)`

const REMOVE = `
DELETE FROM portal_sessions WHERE token_hash = ANY (ARRAY(
  SELECT token_hash FROM portal_sessions WHERE expires_at < $1 ORDER BY expires_at LIMIT $2::int))
RETURNING 1 AS one`
