// Gives a wallet new links to its subscriptions. The proof of the wallet is the credential.
import { isSubscriberWallet } from '#core/billing/new-subscription-intent.ts'
import type { RecoveryConsent } from '#core/billing/proof/consent.ts'
import { ServiceError } from '#core/errors.ts'
import { serviceKeysOf } from '#services/billing/decide.ts'
import { BILLING_NETWORK } from '#services/billing/terms.ts'
import { answerOf, type Challenge, type GivenAnswer } from '#services/billing/wallet-proof.ts'
import type { PortalDeps } from './deps.ts'
import { newLinks } from './links.ts'
import type { RecoveredLink } from './portal-services.ts'
import { issueRecovery, verifyRecovery } from './recovery-proof.ts'

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
