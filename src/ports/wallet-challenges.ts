// Challenges that wallets sign. One that was used for charges is kept as the record of the consent.
import type { NewChallenge, ProofPlace, StoredChallenge, WalletProof } from '#core/billing/proof/challenge.ts'

/** How many challenges a wallet may get at one page since a time. */
export type ChallengeLimit = { readonly count: number; readonly since: Date }

export type ChallengeStore = {
  /**
   * Stores a challenge. Returns null, or with nothing stored the time of the oldest challenge that the limit counts, when
   * the wallet has as many challenges since then as it may have at this page. Two requests at the same time cannot both be the last.
   */
  issue(challenge: NewChallenge, limit: ChallengeLimit): Promise<Date | null>
  find(nonceHash: Uint8Array): Promise<StoredChallenge | null>
  /** Counts a wrong answer. */
  countFailure(nonceHash: Uint8Array): Promise<void>
  /** Keeps the signature of an answer that has no effect but to show that the owner of the wallet is there. */
  keepAnswer(proof: WalletProof): Promise<void>
  /** Returns when the newest answered challenge of the place was issued that has not expired; null when there is none. */
  answeredAt(place: ProofPlace, now: Date): Promise<Date | null>
  /** Removes challenges that expired before a time and are no record of a consent to charges, at most `limit`. Returns how many. */
  removeExpired(before: Date, limit: number): Promise<number>
}
