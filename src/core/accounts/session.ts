// Sessions of members. docs/dashboard.md.

export type Session = {
  readonly id: string
  readonly memberId: string
  readonly createdAt: Date
  /** At most a minute old while the session is in use. */
  readonly lastSeenAt: Date
  /** When the member last proved to be there, by a passkey or a wallet. */
  readonly provedAt: Date
  readonly ip: string
  /** What the browser calls itself. */
  readonly userAgent: string
}

const HOUR_MS = 3_600_000
/** A session ends after this time without a request, and after this time in any case. */
export const IDLE_MS = 12 * HOUR_MS
export const LIFETIME_MS = 7 * 24 * HOUR_MS
/** How long a proof counts for what needs one. */
export const PROOF_MS = 5 * 60_000

/** The most sessions of a member at a time. A new one takes the place of the oldest. */
export const MAX_SESSIONS = 20

export const endOf = ({ createdAt, lastSeenAt }: Pick<Session, 'createdAt' | 'lastSeenAt'>): Date =>
  new Date(Math.min(createdAt.getTime() + LIFETIME_MS, lastSeenAt.getTime() + IDLE_MS))

export const isOver = (session: Pick<Session, 'createdAt' | 'lastSeenAt'>, now: Date): boolean => endOf(session) <= now

/** Returns whether the proof of a session counts for what needs one. */
export const isProven = ({ provedAt }: Pick<Session, 'provedAt'>, now: Date): boolean =>
  now.getTime() - provedAt.getTime() < PROOF_MS
