// Links to the portal of subscriptions.
import type { PortalSession } from '#core/billing/portal-session.ts'

export type PortalSessionStore = {
  create(sessions: readonly PortalSession[]): Promise<void>
}
