// Gives a wallet new links to its subscriptions. The proof of the wallet is the credential.

import type { NewChallenge, WalletProof } from '#core/billing/proof/challenge.ts'
import type { RecoveryConsent } from '#core/billing/proof/consent.ts'
import { isSubscriberWallet } from '#core/billing/subscription-intent.ts'
import { ServiceError } from '#core/errors.ts'
import { serviceKeysOf } from '#services/billing/decide.ts'
import { BILLING_NETWORK } from '#services/billing/terms.ts'
import {
  answerOf,
  type Challenge,
  challengeOf,
  type GivenAnswer,
  newChallenge,
  type ProofAnswer,
  type ProofFault,
  readSigned,
} from '#services/billing/wallet-proof.ts'
import { issueNonce, readNonce } from '#services/marked-nonce.ts'
import type { PortalDeps } from './deps.ts'
import { newLinks } from './links.ts'
import type { RecoveredLink } from './portal-services.ts'

// Proofs for the recovery of links. Anyone can ask for a text of any wallet, so nothing is stored for it. docs/billing.md, "Wallet
// proofs".

/** A verified answer with the challenge that it answers, neither of them stored yet. */
export type RecoveryProof = { readonly challenge: NewChallenge; readonly proof: WalletProof }

/** Returns a text for the wallet. The answers for a wallet with subscriptions and for any other wallet have one form. */
const issueRecovery = (deps: PortalDeps, consent: RecoveryConsent): Promise<Challenge> =>
  challengeOf(deps, consent, issueNonce(markerOf(deps), aboutOf(consent), deps.clock.now()))

/** Verifies an answer as `verifyAnswer` does. Writes nothing: the proof is used up together with its effect. */
async function verifyRecovery(
  deps: PortalDeps,
  consent: RecoveryConsent,
  answer: ProofAnswer,
): Promise<RecoveryProof | { readonly refused: ProofFault }> {
  const now = deps.clock.now()
  const nonce = readNonce(markerOf(deps), { about: aboutOf(consent), nonce: answer.nonce, now })
  if (typeof nonce === 'string') return { refused: nonce }
  const challenge = await challengeOf(deps, consent, nonce)
  const signed = readSigned(deps.verify, { message: challenge.message, wallet: consent.wallet }, answer)
  if ('refused' in signed) return signed
  const place = { ...consent, subjectId: null, tokenHash: null }
  const stored = newChallenge(deps, place, consent, challenge)
  return { challenge: stored, proof: { ...signed, nonceHash: stored.nonceHash, at: now } }
}

const markerOf = (deps: PortalDeps) => ({ ...deps, nonceKey: deps.recoveryKey })
const aboutOf = ({ network, wallet }: RecoveryConsent): string => `${network} ${wallet}`

/** A wallet has no more subscriptions, whatever its limit was. */
const MOST_LINKS = 1_000

/** A wallet can recover its links 30 times a minute. Older links end before their time. */
const MOST_LINKS_OF_A_SUBSCRIPTION = 20

/** Implements `PortalServices.challengeForLinks`. */
export const challengeForLinks = async (deps: PortalDeps, wallet: string): Promise<Challenge> =>
  await issueRecovery(deps, consentOf(deps, wallet))

/** Implements `PortalServices.recoverLinks`. */
export async function recoverLinks(
  deps: PortalDeps,
  wallet: string,
  given: GivenAnswer,
): Promise<readonly RecoveredLink[]> {
  const consent = consentOf(deps, wallet)
  const answer = answerOf(given)
  if (answer === null) throw new ServiceError('incomplete_proof')
  const proof = await verifyRecovery(deps, consent, answer)
  if ('refused' in proof) throw new ServiceError('invalid_signature', { rule: proof.refused })
  const subscriptions = await deps.portalPages.manageableOf(consent.network, consent.wallet, MOST_LINKS)
  // Nothing is stored for a wallet that has none: any key pair can sign a text.
  if (subscriptions.length === 0) return []
  const made = newLinks(
    deps,
    'recovery',
    subscriptions.map(({ subscription }) => subscription.id),
  )
  const sessions = made.map(({ session }) => session)
  if (!(await deps.portalSessions.createFor(proof, sessions, MOST_LINKS_OF_A_SUBSCRIPTION)))
    throw new ServiceError('invalid_signature', { rule: 'used' })
  return subscriptions.flatMap((details, at) => {
    const link = made[at]?.link
    return link === undefined ? [] : [{ ...details, link }]
  })
}

/** Throws `invalid_subscriber_wallet`. */
function consentOf(deps: PortalDeps, wallet: string): RecoveryConsent {
  if (!isSubscriberWallet(wallet, serviceKeysOf(deps, BILLING_NETWORK)))
    throw new ServiceError('invalid_subscriber_wallet', { field: 'wallet' })
  return { purpose: 'recover', network: BILLING_NETWORK, wallet }
}
