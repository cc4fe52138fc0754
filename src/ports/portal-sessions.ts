// Links to the portal of subscriptions.
import type { PortalSession } from '#core/billing/portal-session.ts'
import type { WalletProof } from '#core/billing/proof/challenge.ts'

export type PortalSessionStore = {
  find(tokenHash: Uint8Array): Promise<PortalSession | null>
  create(sessions: readonly PortalSession[]): Promise<void>
  /** Creates links, and uses the proof up for which they are given. Returns false, with nothing stored, when it is used up already. */
  createFor(proof: WalletProof, sessions: readonly PortalSession[]): Promise<boolean>
  /** Deletes at most `limit` links that expired before a time, the oldest first. Returns how many there were. */
  removeExpired(before: Date, limit: number): Promise<number>
}
