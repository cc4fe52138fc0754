// Reads a subscription, decides, and applies the change. Begins again when something has changed in between.

import type { Decision } from '#core/billing/machine/change.ts'
import type { BillingContext, BillingFacts, BillingTerms } from '#core/billing/machine/facts.ts'
import type { BillingSubscription } from '#core/billing/subscription.ts'
import type { Tier } from '#core/billing/tier.ts'
import { type Authority, SERVICE_KEYS } from '#core/chain/keys.ts'
import type { Address, Network } from '#core/chain/types.ts'
import { ServiceError } from '#core/errors.ts'
import type { BillingStore, StoredFacts } from '#ports/billing.ts'
import type { ChainClock, DepositKeys } from '#ports/chain.ts'
import type { Clock } from '#ports/clock.ts'
import type { Random } from '#ports/random.ts'
import { CHANGED_MEANWHILE, retryWhenChanged } from '#services/retry-when-changed.ts'

export type DecideDeps = {
  readonly billing: BillingStore
  readonly keys: Pick<DepositKeys, 'addressOf' | 'tokenAccountOf'>
  readonly clock: Clock
  readonly random: Pick<Random, 'uuid'>
}

export const contextOf = ({ clock, random }: Pick<DecideDeps, 'clock' | 'random'>): BillingContext => ({
  now: clock.now(),
  newChargeId: random.uuid(),
})

/** While a provider is healthy, its newest final block is, also with TowerBFT, at most this old. */
const USUAL_LAG_MS = 120_000

/**
 * Returns the context of a decision that begins a period. Periods are counted by block times, so a machine whose clock is wrong
 * must not say which of them contains now: the chain does when the two are further apart than a provider may be behind. Throws
 * `chain_unavailable`.
 */
export async function periodContextOf(
  deps: Pick<DecideDeps, 'clock' | 'random'> & { readonly chainOf: (network: Network) => ChainClock },
  network: Network,
): Promise<BillingContext> {
  const { time } = await deps.chainOf(network).blockTime()
  const context = contextOf(deps)
  const aheadMs = context.now.getTime() - time.getTime()
  return aheadMs >= 0 && aheadMs <= USUAL_LAG_MS ? context : { ...context, now: time }
}

/** Returns the context of a completion: a trial begins a period, and is dated as `periodContextOf` does. Throws `chain_unavailable`. */
export const completionContextOf = async (
  deps: Parameters<typeof periodContextOf>[0],
  network: Network,
  trialDays: number,
): Promise<BillingContext> => (trialDays > 0 ? await periodContextOf(deps, network) : contextOf(deps))

/** Returns the key of the service that allowances on a network name. */
export function delegateOf({ keys }: Pick<DecideDeps, 'keys'>, network: Network): Authority {
  const key = { network, branch: 'delegate' } as const
  return { address: keys.addressOf(key), key }
}

/** Returns the addresses of the service's own keys on a network. */
export const serviceKeysOf = (
  { keys }: { readonly keys: Pick<DepositKeys, 'addressOf'> },
  network: Network,
): readonly Address[] => SERVICE_KEYS.map((branch) => keys.addressOf({ network, branch }))

/** Returns the facts of a subscription with the accounts that the service's keys give; null when it does not exist. */
export async function readFacts(deps: DecideDeps, subscriptionId: string): Promise<BillingFacts | null> {
  const stored = await deps.billing.facts(subscriptionId)
  return stored === null ? null : await completeFacts(deps, stored)
}

/** Reads facts as `readFacts` does, of a subscription that must exist. */
export async function requireFacts(deps: DecideDeps, subscriptionId: string): Promise<BillingFacts> {
  const facts = await readFacts(deps, subscriptionId)
  if (facts === null) throw new Error(`no subscription ${subscriptionId}`)
  return facts
}

export async function completeFacts(deps: Pick<DecideDeps, 'keys'>, stored: StoredFacts): Promise<BillingFacts> {
  const { tier, ...facts } = stored
  return { ...facts, terms: await termsOf(deps, stored.subscription.network, tier) }
}

/** Returns the terms by which charges of a tier are made. */
export async function termsOf({ keys }: Pick<DecideDeps, 'keys'>, network: Network, tier: Tier): Promise<BillingTerms> {
  const { platformWallet, mint, tokenProgram } = tier
  return {
    tier,
    feeDestination: platformWallet === null ? null : await keys.tokenAccountOf(platformWallet, mint, tokenProgram),
    delegate: delegateOf({ keys }, network),
  }
}

/**
 * Returns the subscription after the decision, the same one when nothing changes, and null when there is none. Throws the
 * refusal of the decision, and `database_unavailable` after too many lost races.
 */
export function decideSubscription(
  deps: DecideDeps,
  subscriptionId: string,
  decide: (facts: BillingFacts) => Decision | Promise<Decision>,
): Promise<BillingSubscription | null> {
  return retryWhenChanged(async () => {
    const facts = await readFacts(deps, subscriptionId)
    if (facts === null) return null
    const decision = await decide(facts)
    if (decision.kind === 'refused') throw new ServiceError(decision.code, decision.context)
    if (decision.kind === 'unchanged') return facts.subscription
    return (await deps.billing.apply(decision.change, facts.delegation)) ? decision.change.after : CHANGED_MEANWHILE
  })
}
