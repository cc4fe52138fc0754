// Mistakes of the stores: a missing condition in a statement, a row too many or too few.

import { makeBaseUnits } from '#core/money/amounts.ts'
import type { IntentChange } from '#core/payments/change.ts'
import type { Lease } from '#core/transfers/transfer.ts'
import { replaced, type WorldPorts } from '../ports.ts'
import { changed, type Plant, read } from './plant.ts'

/** A store whose changes are altered before they are written. */
const altered = (ports: WorldPorts, alter: (change: IntentChange) => IntentChange): WorldPorts => ({
  ...ports,
  work: replaced(ports.work, { apply: (change) => ports.work.apply(alter(change)) }),
})

export const STORE_PLANTS: readonly Plant[] = [
  {
    name: 'fence-dropped',
    mistake: 'Writes of a worker do not name the fence of its lease.',
    below(ports) {
      const fences = new Map<string, bigint>()
      const newest = (lease: Lease): Lease => ({ ...lease, fence: fences.get(lease.transferId) ?? lease.fence })
      const { transfers } = ports
      return {
        ...ports,
        transfers: replaced(transfers, {
          async claim(network, options) {
            const claimed = await transfers.claim(network, options)
            for (const { lease } of claimed) fences.set(lease.transferId, lease.fence)
            return claimed
          },
          prepareAttempt: (lease, draft) => transfers.prepareAttempt(newest(lease), draft),
          recordSigned: (lease, ...rest) => transfers.recordSigned(newest(lease), ...rest),
          recordAttempt: (lease, ...rest) => transfers.recordAttempt(newest(lease), ...rest),
          postpone: (leases, ...rest) => transfers.postpone(leases.map(newest), ...rest),
          hold: (lease, ...rest) => transfers.hold(newest(lease), ...rest),
          finish: (lease, ...rest) => transfers.finish(newest(lease), ...rest),
          giveBack: (leases, at) => transfers.giveBack(leases.map(newest), at),
        }),
      }
    },
  },
  {
    name: 'live-attempt-index-dropped',
    mistake: 'Two transactions of one deposit address may be under way at the same time.',
    sql: 'DROP INDEX transfer_attempts_live_source;',
  },
  {
    name: 'live-attempts-forgotten',
    mistake: 'A claim does not return the live attempt, and nothing prevents another attempt.',
    sql: 'DROP INDEX transfer_attempts_live_source; DROP INDEX transfer_attempts_live_transfer;',
    below: ({ transfers, ...ports }) => ({
      ...ports,
      transfers: replaced(transfers, {
        async claim(network, options) {
          const claimed = await transfers.claim(network, options)
          for (const { live, lease } of claimed) {
            if (live !== null) await transfers.recordAttempt(lease, live.id, 'dead', { now: options.now })
          }
          return claimed.map((one) => ({ ...one, live: null }))
        },
      }),
    }),
  },
  {
    name: 'not-stored-before-sending',
    mistake: 'The signed bytes are sent, and never stored.',
    below: ({ transfers, ...ports }) => ({
      ...ports,
      transfers: replaced(transfers, { recordSigned: async () => true }),
    }),
    above: ({ transfers, ...ports }) => ({
      ...ports,
      transfers: replaced(transfers, { recordSigned: async () => true }),
    }),
  },
  {
    name: 'refund-budget-ignored',
    mistake: 'Earlier refunds do not count in the budget of their payment.',
    below: ({ transfers, ...ports }) => ({
      ...ports,
      transfers: replaced(transfers, {
        spendOf: async (spender) => ({ ...(await transfers.spendOf(spender)), ofSubject: 0n }),
        prepareAttempt: (lease, { spending: _, ...attempt }) => transfers.prepareAttempt(lease, attempt),
      }),
    }),
  },
  {
    name: 'hour-budget-ignored',
    mistake: 'Earlier refunds do not count in the budget of an hour.',
    below: ({ transfers, ...ports }) => ({
      ...ports,
      transfers: replaced(transfers, {
        spendOf: async (spender) => ({ ...(await transfers.spendOf(spender)), lastHour: 0n }),
        prepareAttempt: (lease, { spending: _, ...attempt }) => transfers.prepareAttempt(lease, attempt),
      }),
    }),
  },
  {
    name: 'day-budget-ignored',
    mistake: 'Earlier refunds do not count in the budget of a day.',
    below: ({ transfers, ...ports }) => ({
      ...ports,
      transfers: replaced(transfers, {
        spendOf: async (spender) => ({ ...(await transfers.spendOf(spender)), lastDay: 0n }),
        prepareAttempt: (lease, { spending: _, ...attempt }) => transfers.prepareAttempt(lease, attempt),
      }),
    }),
  },
  {
    name: 'payout-account-given-again',
    mistake: 'The fee payer creates the token account of a business whenever it is missing.',
    below: ({ transfers, ...ports }) => ({
      ...ports,
      transfers: replaced(transfers, { claimPayoutCreation: async () => 'allowed' }),
    }),
  },
  {
    name: 'compare-and-set-dropped',
    mistake: 'A change is written although the intent has changed in between.',
    below: (ports) => {
      const versions = new Map<string, number>()
      return {
        ...ports,
        work: replaced(ports.work, {
          async apply(change) {
            const current = versions.get(change.before.id) ?? change.before.version
            const done = await ports.work.apply({ ...change, before: { ...change.before, version: current } })
            if (done) versions.set(change.before.id, change.after.version)
            return done
          },
        }),
      }
    },
  },
  {
    name: 'ledger-entry-forgotten',
    mistake: 'The money that a sweep took out of an address is not booked.',
    below: (ports) => altered(ports, (change) => (change.outcome === null ? change : { ...change, ledger: [] })),
  },
  {
    name: 'failed-fee-not-booked',
    mistake: 'A failed transaction is not booked, although its fee was paid.',
    below: (ports) =>
      altered(ports, (change) => ({ ...change, ledger: change.ledger.filter(({ kind }) => kind !== 'fee') })),
  },
  {
    name: 'rent-not-booked',
    mistake: 'The rent of a closed account comes back to the fee payer, and is not recorded.',
    below: ({ transfers, ...ports }) => ({
      ...ports,
      transfers: replaced(transfers, {
        finish: (lease, outcome) => transfers.finish(lease, { ...outcome, ledger: [] }),
      }),
    }),
  },
  {
    name: 'ledger-off-by-one',
    mistake: 'The ledger takes the amount of the deposit from a rounded figure.',
    above: changed((change) => ({
      ...change,
      ledger: change.ledger.map((entry) => ({ ...entry, delta: (entry.delta / 10n) * 10n })),
    })),
  },
  {
    name: 'event-dropped',
    mistake: 'A status changes without an event.',
    above: changed((change) => ({
      ...change,
      events: change.events.filter(({ type }) => type !== 'intent.swept' && type !== 'intent.refunded'),
    })),
  },
  {
    name: 'event-emitted-twice',
    mistake: 'The outbox receives an event again when its change is repeated.',
    above: changed((change) => ({ ...change, events: [...change.events, ...change.events.slice(-1)] })),
  },
  {
    name: 'undocumented-transition',
    mistake: 'A cancelled payment that was paid late goes straight to refunded.',
    above: changed((change) => {
      const skips = change.before.status === 'paid' && change.after.status === 'settling'
      return skips ? { ...change, after: { ...change.after, status: 'refunding' }, events: [] } : change
    }),
  },
  {
    name: 'version-stands-still',
    mistake: 'A change does not raise the version.',
    above: changed((change) => ({ ...change, after: { ...change.after, version: change.before.version } })),
  },
  {
    name: 'late-deposit-held',
    mistake: 'A late payment is held permanently.',
    above: changed((change) => ({
      ...change,
      deposits: change.deposits.map((one) => (one.use === 'late' ? { ...one, use: 'unaccepted' } : one)),
    })),
  },
  {
    name: 'excess-kept',
    mistake: 'An excess goes to the business.',
    above: changed((change) => ({
      ...change,
      transfers: change.transfers.map((transfer) => {
        if (transfer.kind !== 'sweep') return transfer
        const refunds = transfer.legs.filter(({ role }) => role === 'refund')
        const excess = refunds.reduce((sum, { amount }) => sum + amount, 0n)
        const legs = transfer.legs.filter(({ role }) => role !== 'refund')
        return {
          ...transfer,
          legs: legs.map((leg) =>
            leg.role === 'merchant' ? { ...leg, amount: makeBaseUnits(leg.amount + excess) } : leg,
          ),
        }
      }),
    })),
  },
  {
    name: 'sweep-leaves-a-remnant',
    mistake: 'A sweep leaves one unit behind.',
    above: changed((change) => ({
      ...change,
      transfers: change.transfers.map((transfer) =>
        transfer.kind === 'sweep'
          ? {
              ...transfer,
              legs: transfer.legs.map((leg, at) =>
                at === 0 ? { ...leg, amount: makeBaseUnits(leg.amount - 1n) } : leg,
              ),
            }
          : transfer,
      ),
    })),
  },
  {
    name: 'later-money-taken',
    mistake: 'A transfer counts as taking payments that became known after it was planned.',
    above: read((facts) => ({
      ...facts,
      deposits: facts.deposits.map((one) => ({ ...one, seenVersion: 0 })),
    })),
  },
  {
    name: 'unique-key-ignored',
    mistake: 'A round’s key contains a random part, so existing transfers are not found.',
    above: (ports) => {
      let number = 0
      return {
        ...ports,
        work: replaced(ports.work, {
          async facts(intentId) {
            const facts = await ports.work.facts(intentId)
            if (facts === null) return null
            return { ...facts, transfers: facts.transfers.filter(({ status }) => status !== 'done') }
          },
          apply(change) {
            number += 1
            const transfers = change.transfers.map((one) => ({
              ...one,
              key: `${one.key}:${change.before.version}:${number}`,
            }))
            return ports.work.apply({ ...change, transfers })
          },
        }),
      }
    },
  },
]
