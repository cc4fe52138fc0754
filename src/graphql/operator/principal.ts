// The operator's token: the one credential of the operator's API, and a credential nowhere else. On the page of the dashboard, the
// cookie of a session takes its place.
import { createHash, timingSafeEqual } from 'node:crypto'
import { ServiceError } from '#core/errors.ts'
import type { Limits } from '#graphql/limits.ts'
import type { Identify, OperatorPrincipal } from '#graphql/principal.ts'
import { bearerOf, SessionSecret } from '#graphql/principal.ts'
import type { OperatorSessions } from './sessions.ts'

const OPERATOR: OperatorPrincipal = { kind: 'operator' }

const digest = (token: string): Buffer => createHash('sha256').update(token).digest()

const refusal = () => new ServiceError('unauthenticated', { credential: 'operator token' })

/** Returns an `Identify` that throws on anything but this token and a session, a missing header included. */
export function createIdentifyOperator(
  operatorToken: string,
  sessions: Pick<OperatorSessions, 'isValid'>,
  limits: Pick<Limits, 'wrongCredential'>,
): Identify<OperatorPrincipal> {
  const operatorDigest = digest(operatorToken)
  return async (sent, address) => {
    const isSession = sent instanceof SessionSecret
    const token = isSession ? null : bearerOf(sent)
    if (!isSession && token === null) throw refusal()
    if (isSession && sessions.isValid(sent.secret)) return OPERATOR
    // Digests have one length, so the comparison takes as long for a wrong token as for a nearly right one.
    if (token !== null && timingSafeEqual(digest(token), operatorDigest)) return OPERATOR
    await limits.wrongCredential(address)
    throw refusal()
  }
}
