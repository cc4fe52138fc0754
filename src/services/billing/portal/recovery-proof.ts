// Proofs for the recovery of links. Anyone can ask for a text of any wallet, so nothing is stored for it: its nonce has all parts of
// the text that are not known otherwise, and a mark that only the service can make. docs/billing.md, "Wallet proofs".
import { createHmac } from 'node:crypto'
import { CHALLENGE_MS, type NewChallenge, type WalletProof } from '#core/billing/proof/challenge.ts'
import type { RecoveryConsent } from '#core/billing/proof/consent.ts'
import {
  type Challenge,
  challengeOf,
  newChallenge,
  type ProofAnswer,
  type ProofFault,
  readSigned,
} from '#services/billing/wallet-proof.ts'
import type { PortalDeps } from './deps.ts'

/** The bytes of a nonce: the time of its issue in milliseconds, the id of the request, and the mark. */
const TIME_BYTES = 6
const ID_BYTES = 16
const MARK_BYTES = 16
const MARKED_BYTES = TIME_BYTES + ID_BYTES
const NONCE = /^[0-9a-f]{76}$/

/** A verified answer with the challenge that it answers, neither of them stored yet. */
export type RecoveryProof = { readonly challenge: NewChallenge; readonly proof: WalletProof }

/** Returns a text for the wallet. The answers for a wallet with subscriptions and for any other wallet have one form. */
export function issueRecovery(deps: PortalDeps, consent: RecoveryConsent): Promise<Challenge> {
  const now = deps.clock.now()
  const marked = Buffer.alloc(MARKED_BYTES)
  marked.writeUIntBE(now.getTime(), 0, TIME_BYTES)
  marked.set(deps.random.bytes(ID_BYTES), TIME_BYTES)
  return challengeOf(deps, consent, { nonce: nonceOf(deps, consent, marked), requestId: requestIdOf(marked), now })
}

/** Verifies an answer as `verifyAnswer` does. Writes nothing: the proof is used up together with its effect. */
export async function verifyRecovery(
  deps: PortalDeps,
  consent: RecoveryConsent,
  answer: ProofAnswer,
): Promise<RecoveryProof | { readonly refused: ProofFault }> {
  const marked = NONCE.test(answer.nonce) ? Buffer.from(answer.nonce, 'hex').subarray(0, MARKED_BYTES) : null
  if (marked === null || !isOurs(deps, consent, marked, answer.nonce)) return { refused: 'unknown' }
  const now = deps.clock.now()
  const issuedAt = new Date(marked.readUIntBE(0, TIME_BYTES))
  if (issuedAt.getTime() + CHALLENGE_MS <= now.getTime()) return { refused: 'expired' }
  const given = { nonce: answer.nonce, requestId: requestIdOf(marked), now: issuedAt }
  const challenge = await challengeOf(deps, consent, given)
  const signed = readSigned(deps.verify, { message: challenge.message, wallet: consent.wallet }, answer)
  if ('refused' in signed) return signed
  const place = { ...consent, subjectId: null, tokenHash: null }
  const stored = newChallenge(deps, place, consent, challenge)
  return { challenge: stored, proof: { ...signed, nonceHash: stored.nonceHash, at: now } }
}

function nonceOf({ recoveryKey }: Pick<PortalDeps, 'recoveryKey'>, consent: RecoveryConsent, marked: Buffer): string {
  const about = `${consent.network} ${consent.wallet} ${marked.toString('hex')}`
  const mark = createHmac('sha256', recoveryKey).update(about).digest().subarray(0, MARK_BYTES)
  return Buffer.concat([marked, mark]).toString('hex')
}

const isOurs = (deps: PortalDeps, consent: RecoveryConsent, marked: Buffer, nonce: string): boolean =>
  deps.secrets.equal(Buffer.from(nonceOf(deps, consent, marked)), Buffer.from(nonce))

/** Returns the id as a UUID of version 8. */
function requestIdOf(marked: Buffer): string {
  const hex = marked.subarray(TIME_BYTES).toString('hex')
  return [hex.slice(0, 8), hex.slice(8, 12), `8${hex.slice(13, 16)}`, `8${hex.slice(17, 20)}`, hex.slice(20)].join('-')
}
