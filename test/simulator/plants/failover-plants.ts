// Mistakes after a failover of the database: nothing looks for what it has forgotten.
import type { Delegation } from '#core/billing/delegation.ts'
import type { Address } from '#core/chain/types.ts'
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

/** Whatever the ledger does not have counts as an act of the owner. */
const believed: Above = (ports) => ({
  ...ports,
  delegations: replaced(ports.delegations, {
    async knownAs(asked) {
      const known = await ports.delegations.knownAs(asked)
      return new Map(asked.map((signature) => [signature, known.get(signature) ?? 'approve'] as const))
    },
  }),
})

/** A token account whose allowance is the expected one has an empty history. */
const equalBelieved: Above = (ports) => {
  const { billing, delegations, chain } = ports
  const expected = new Map<Address, bigint | null>()
  const seen = new Map<Address, bigint | null>()
  const note = ({ tokenAccount, accountedAllowance }: Delegation) => expected.set(tokenAccount, accountedAllowance)
  return {
    ...withBilling(ports, {
      async factsOfCharge(id) {
        const facts = await billing.factsOfCharge(id)
        if (facts !== null) note(facts.delegation)
        return facts
      },
    }),
    delegations: replaced(delegations, {
      async stale(...args) {
        const found = await delegations.stale(...args)
        for (const one of found) note(one)
        return found
      },
    }),
    chain: replaced(chain, {
      async readAccounts(accounts) {
        const read = await chain.readAccounts(accounts)
        for (const [at, one] of accounts.entries()) seen.set(one, read.states[at]?.token?.delegation?.allowance ?? null)
        return read
      },
      async signatures(account, options) {
        const isEqual = options.covers !== undefined && seen.get(account) === expected.get(account)
        return isEqual ? { entries: [], next: null } : await chain.signatures(account, options)
      },
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
  {
    name: 'equal-allowance-believed',
    mistake: 'After a failover, an allowance is believed when it is equal to the expected one.',
    subscriptions: true,
    above: equalBelieved,
  },
]

export const FAILOVER_PLANTS: readonly Plant[] = MISTAKES.map((plant) => ({ ...plant, failovers: true }))
