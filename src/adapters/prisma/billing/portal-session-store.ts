// Links to the portal of subscriptions.
import type { Database } from '#adapters/prisma/engine/database.ts'
import { readPortalOrigin } from '#core/billing/portal-session.ts'
import type { PortalSessionStore } from '#ports/portal-sessions.ts'

export const createPortalSessionStore = ({ prisma }: Pick<Database, 'prisma'>): PortalSessionStore => ({
  async find(tokenHash) {
    const row = await prisma.portalSession.findUnique({ where: { tokenHash: Uint8Array.from(tokenHash) } })
    return row === null ? null : { ...row, origin: readPortalOrigin(row.origin, 'portal_sessions.origin') }
  },

  async create(sessions) {
    const data = sessions.map((session) => ({ ...session, tokenHash: Uint8Array.from(session.tokenHash) }))
    await prisma.portalSession.createMany({ data })
  },
})
