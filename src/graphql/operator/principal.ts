// The operator's token: the one credential of the operator's API, and a credential nowhere else.
import { createHash, timingSafeEqual } from 'node:crypto'
import { ServiceError } from '#core/errors.ts'
import type { Limits } from '#graphql/limits.ts'
import type { Identify, OperatorPrincipal } from '#graphql/principal.ts'
import { bearerOf } from '#graphql/principal.ts'

const OPERATOR: OperatorPrincipal = { kind: 'operator' }

const digest = (token: string): Buffer => createHash('sha256').update(token).digest()

const refusal = () => new ServiceError('unauthenticated', { credential: 'operator token' })

/** Returns an `Identify` that throws on anything but this token, a missing header included. */
export function createIdentifyOperator(
  operatorToken: string,
  limits: Pick<Limits, 'wrongCredential'>,
): Identify<OperatorPrincipal> {
  const operatorDigest = digest(operatorToken)
  return async (sent, address) => {
    const token = bearerOf(sent)
    if (token === null) throw refusal()
    // Digests have one length, so the comparison takes as long for a wrong token as for a nearly right one.
    if (timingSafeEqual(digest(token), operatorDigest)) return OPERATOR
    await limits.wrongCredential(address)
    throw refusal()
  }
}
