// Portals of subscriptions over a real chain and database: links, wallets that sign, and rounds of work.

import { random } from '#adapters/node/random.ts'
import { createDelegationStore } from '#adapters/prisma/billing/delegation-store.ts'
import { createPortalPages, createPortalSessionStore } from '#adapters/prisma/billing/portal-store.ts'
import type { Tenant } from '#core/accounts/account.ts'
import type { PortalOrigin } from '#core/billing/portal-session.ts'
import { allowanceFor, outstandingOf, sliceOf } from '#core/billing/room.ts'
import type { Tier } from '#core/billing/tier.ts'
import type { PortalDeps } from '#services/billing/portal/deps.ts'
import { issueLinks } from '#services/billing/portal/links.ts'
import { createPortalServices } from '#services/billing/portal/portal.ts'
import type { TermOutcome } from '#services/billing/portal/portal-services.ts'
import { UNIT } from './charging-world.ts'
import { startCheckoutWorld } from './checkout-world.ts'
import { createTestSecrets } from './keys.ts'

export async function startPortalWorld() {
  const world = await startCheckoutWorld()
  const deps: PortalDeps = {
    ...world.deps,
    secrets: createTestSecrets(random),
    recoveryKey: new Uint8Array(32),
    delegations: createDelegationStore(world.db),
    portalSessions: createPortalSessionStore(world.db),
    portalPages: createPortalPages(world.db),
  }
  const tenant = await world.addBusiness()
  const tier = await world.tier(tenant)

  /** Returns the token of a new link. */
  async function link(subscriptionId: string, origin: PortalOrigin = 'recovery'): Promise<string> {
    const [made] = await issueLinks(deps, origin, [subscriptionId])
    return made?.portalUrl.split('/m/')[1] ?? ''
  }

  return {
    ...world,
    deps,
    portal: createPortalServices(deps),
    portalWith: (patch: Partial<PortalDeps>) => createPortalServices({ ...deps, ...patch }),
    tenant,
    /** One token a month, 12 periods. */
    tier,
    link,

    /** Such a tier of another business. */
    tierOf: (business: Tenant) => world.tier(business),

    /** Another tier of the product. */
    sibling: (patch: Partial<Tier>): Promise<Tier> => world.tier(tenant, { ...patch, productId: tier.productId }),

    /** A subscription whose first charge has succeeded: 11 periods remain, and the allowance covers them. */
    async subscribed(to = tier) {
      const owner = await world.wallet(40n * UNIT, 12n * UNIT)
      const id = await world.subscribe(to, owner)
      await world.workUntil(async () => (await world.facts(id)).subscription.spentAmount === UNIT)
      return { owner, id, token: await link(id) }
    },

    /** Returns what is outstanding of the delegation, and its allowance on the chain as it was read last. */
    async claims(id: string) {
      const { subscription, charge, others, delegation } = await world.facts(id)
      const outstanding = outstandingOf([...others, sliceOf(subscription, charge?.charge ?? null)])
      return { outstanding, allowance: allowanceFor(delegation, world.delegate) }
    },

    approvalsOf: (subscriptionId: string) =>
      world.db.prisma.approval.findMany({ where: { subscriptionId }, orderBy: { createdAt: 'asc' } }),
  }
}

export type PortalWorld = Awaited<ReturnType<typeof startPortalWorld>>

/** Returns the approve of an outcome. Throws for another outcome. */
export function approveOf(outcome: TermOutcome) {
  if (outcome.outcome !== 'approval_required') throw new Error(`the outcome is ${outcome.outcome}`)
  return outcome.approve
}

/** Returns the challenge of an outcome. Throws for another outcome. */
export function challengeOf(outcome: TermOutcome) {
  if (outcome.outcome !== 'proof_required') throw new Error(`the outcome is ${outcome.outcome}`)
  return outcome
}
