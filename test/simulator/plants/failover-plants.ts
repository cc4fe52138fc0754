// Mistakes after a failover of the database: nothing looks for what it has forgotten.
import type { Delegation } from '#core/billing/delegation.ts'
import { replaced } from '../ports.ts'
import { type Above, withBilling } from './billing-ports.ts'
import type { Plant } from './plant.ts'

/** A pull does not show that the service has signed it. */
const pullsOverlooked: Above = (ports) => ({
  ...ports,
  chain: replaced(ports.chain, {
    async transaction(signature) {
      const read = await ports.chain.transaction(signature)
      const isPull = read?.memos.some((memo) => memo.startsWith('charge:')) === true
      return read === null || !isPull ? read : { ...read, signers: [read.feePayer] }
    },
  }),
})

/** Every reading of an allowance looks like the first. */
const believed: Above = (ports) => {
  const fresh = (delegation: Delegation): Delegation => ({ ...delegation, accountedSlot: null })
  const { billing, delegations } = ports
  const withFresh = <T extends { readonly delegation: Delegation }>(facts: T | null): T | null =>
    facts === null ? null : { ...facts, delegation: fresh(facts.delegation) }
  return {
    ...withBilling(ports, {
      facts: async (id) => withFresh(await billing.facts(id)),
      factsOfCharge: async (id) => withFresh(await billing.factsOfCharge(id)),
    }),
    delegations: replaced(delegations, {
      stale: async (...args) => (await delegations.stale(...args)).map(fresh),
    }),
  }
}

const MISTAKES: readonly Omit<Plant, 'failovers'>[] = [
  {
    name: 'failover-unnoticed',
    mistake: 'Nothing waits after another timeline of the database.',
    above: (ports) => ({ ...ports, lineage: replaced(ports.lineage, { timeline: async () => '1' }) }),
  },
  {
    name: 'books-not-compared',
    mistake: 'A transfer is sent from an address that holds less than its ledger says.',
    above: (ports) => ({ ...ports, transfers: replaced(ports.transfers, { booked: async () => new Map() }) }),
  },
  {
    name: 'arrival-hides-a-loss',
    mistake: 'After a failover, the history of an address is not compared with its ledger.',
    above: (ports) => ({
      ...ports,
      transfers: replaced(ports.transfers, {
        async booked(accounts) {
          const booked = await ports.transfers.booked(accounts)
          return new Map([...booked].map(([id, { amount }]) => [id, { amount, since: 2n ** 62n }]))
        },
      }),
    }),
  },
  {
    name: 'lost-pull-not-searched',
    mistake: 'The history is not searched for pulls that the ledger does not have.',
    subscriptions: true,
    above: pullsOverlooked,
  },
  {
    name: 'lower-allowance-believed',
    mistake: 'An allowance below the expected one is believed at once.',
    subscriptions: true,
    above: believed,
  },
]

export const FAILOVER_PLANTS: readonly Plant[] = MISTAKES.map((plant) => ({ ...plant, failovers: true }))
