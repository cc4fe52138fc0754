// Sessions of the operator's dashboard. Nothing is stored: a secret is the end of its session, signed with a key that derives
// from the operator's token. Another token ends every session.
import { createHmac, hkdfSync, timingSafeEqual } from 'node:crypto'

export const OPERATOR_SESSION_SECONDS = 12 * 3_600
/** The secret of a session: when it ends, in seconds, and the signature. */
export const OPERATOR_SESSION = /^os_(\d{10})_([\w-]{43})$/

export type OperatorSessions = {
  /** Returns the secret of a session that begins now, and its end. */
  begin(): { readonly secret: string; readonly expiresAt: Date }
  /** Returns whether a secret is that of a session that has not ended. */
  isValid(secret: string): boolean
}

export function createOperatorSessions(operatorToken: string, now: () => Date): OperatorSessions {
  const key = Buffer.from(hkdfSync('sha256', operatorToken, '', 'sessions of the operator', 32))
  // `end` is text, so that the secret of a sent end, such as one that begins with zeros, is as long as what was sent.
  const secretOf = (end: string): string => `os_${end}_${createHmac('sha256', key).update(end).digest('base64url')}`
  const seconds = (): number => Math.floor(now().getTime() / 1_000)
  return {
    begin() {
      const end = seconds() + OPERATOR_SESSION_SECONDS
      return { secret: secretOf(String(end)), expiresAt: new Date(end * 1_000) }
    },
    isValid(secret) {
      const [, end] = OPERATOR_SESSION.exec(secret) ?? []
      if (end === undefined || !timingSafeEqual(Buffer.from(secret), Buffer.from(secretOf(end)))) return false
      return Number(end) > seconds()
    },
  }
}
