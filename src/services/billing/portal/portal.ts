// The services of the hosted portal.
import type { Decision } from '#core/billing/machine/change.ts'
import type { BillingFacts } from '#core/billing/machine/facts.ts'
import { decideCancel, decidePause, decideResume } from '#core/billing/machine/manage.ts'
import type { PortalSession } from '#core/billing/portal-session.ts'
import type { BillingSubscription } from '#core/billing/subscription.ts'
import { contextOf, decideSubscription, periodContextOf } from '#services/billing/decide.ts'
import { requireBilling } from '#services/billing/terms.ts'
import { activateApproval } from './activate.ts'
import { requireRoomToChange } from './change-limit.ts'
import { changeTerms } from './change-terms.ts'
import { type PortalDeps, recoveryUrlOf, requireOwned, sessionOf } from './deps.ts'
import type { PortalServices } from './portal-services.ts'
import { readPortal } from './read.ts'
import { challengeForLinks, recoverLinks } from './recover.ts'
import { revokeAllowance } from './revoke.ts'

/** `deps` is null while recurring billing is disabled. */
export function createPortalServices(deps: PortalDeps | null): PortalServices {
  const enabled = (): PortalDeps => requireBilling(deps)
  return {
    readPortal: async (token) => await readPortal(enabled(), token),
    cancelInPortal: async (token, atPeriodEnd) =>
      await manage(enabled(), token, (facts, own) => decideCancel(facts, atPeriodEnd, 'subscriber', contextOf(own))),
    pauseInPortal: async (token) =>
      await manage(enabled(), token, (facts, own) => decidePause(facts, 'subscriber', contextOf(own))),
    resumeInPortal: async (token) => await manage(enabled(), token, resume),
    changeTierInPortal: async (token, tierId, answer) =>
      await changeTerms(enabled(), token, { kind: 'change', tierId }, answer),
    renewInPortal: async (token, answer) => await changeTerms(enabled(), token, { kind: 'renew' }, answer),
    revokeInPortal: async (token) => await revokeAllowance(enabled(), token),
    activateInPortal: async (token, given) => await activateApproval(enabled(), token, given),
    recovery() {
      const url = recoveryUrlOf(enabled())
      return { challengeUrl: `${url}/challenge`, verifyUrl: `${url}/verify` }
    },
    challengeForLinks: async (wallet) => await challengeForLinks(enabled(), wallet),
    recoverLinks: async (wallet, answer) => await recoverLinks(enabled(), wallet, answer),
  }
}

/**
 * A pause and a cancel have no limit: before the next one of them comes a resume. A business can make and open links as well, so
 * what the subscriber has stopped goes on by a link that the wallet has asked for.
 */
async function resume(facts: BillingFacts, deps: PortalDeps, session: PortalSession): Promise<Decision> {
  const { id, network, stoppedBy } = facts.subscription
  const decision = decideResume(facts, 'subscriber', await periodContextOf(deps, network))
  if (decision.kind !== 'moved') return decision
  if (stoppedBy === 'subscriber') requireOwned(session)
  await requireRoomToChange(deps, id)
  return decision
}

/** Applies a decision to the subscription of the token. */
async function manage(
  deps: PortalDeps,
  token: string,
  decide: (facts: BillingFacts, deps: PortalDeps, session: PortalSession) => Decision | Promise<Decision>,
): Promise<BillingSubscription> {
  const session = await sessionOf(deps, token)
  const { subscriptionId } = session
  const after = await decideSubscription(deps, subscriptionId, (facts) => decide(facts, deps, session))
  if (after === null) throw new Error(`no subscription ${subscriptionId}`)
  return after
}
