// Links to the portal of subscriptions.
import type { Database } from '#adapters/prisma/engine/database.ts'
import type { PortalSessionStore } from '#ports/portal-sessions.ts'

export const createPortalSessionStore = ({ prisma }: Pick<Database, 'prisma'>): PortalSessionStore => ({
  async create(sessions) {
    const data = sessions.map((session) => ({ ...session, tokenHash: Uint8Array.from(session.tokenHash) }))
    await prisma.portalSession.createMany({ data })
  },
})
