// Links to the portal of subscriptions.
import type { PortalSession } from '#core/billing/portal-session.ts'

export type PortalSessionStore = {
  find(tokenHash: Uint8Array): Promise<PortalSession | null>
  create(sessions: readonly PortalSession[]): Promise<void>
  /** Deletes at most `limit` links that expired before a time, the oldest first. Returns how many there were. */
  removeExpired(before: Date, limit: number): Promise<number>
}
