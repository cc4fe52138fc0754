// Links to the portal of subscriptions.
import type { PortalSession } from '#core/billing/portal-session.ts'
import type { NewChallenge, WalletProof } from '#core/billing/proof/challenge.ts'

export type PortalSessionStore = {
  find(tokenHash: Uint8Array): Promise<PortalSession | null>
  create(sessions: readonly PortalSession[]): Promise<void>
  /**
   * Creates a recovered link to each of some subscriptions, and stores the challenge as used up by the proof for which they are given.
   * Each subscription keeps `most` of such links, the newest. Returns false, with nothing changed, when the proof is used up already.
   */
  createFor(
    recovery: { readonly challenge: NewChallenge; readonly proof: WalletProof },
    sessions: readonly PortalSession[],
    most: number,
  ): Promise<boolean>
  /** Deletes at most `limit` links that expired before a time, the oldest first. Returns how many there were. */
  removeExpired(before: Date, limit: number): Promise<number>
}
