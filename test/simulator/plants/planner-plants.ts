// Mistakes of planners: money for the wrong wallet, at the wrong rate, or in the wrong amount.

import { type Address, WRAPPED_SOL_MINT } from '#core/chain/types.ts'
import { makeBasisPoints } from '#core/money/amounts.ts'
import { isPriceRefusal } from '#core/money/price-rules.ts'
import { CHECKOUT_WINDOW_SECONDS, type PaymentIntent } from '#core/payments/payment-intent.ts'

import { replaced } from '../ports.ts'
import { changed, planned, read, reported } from './alter.ts'
import { shifted } from './legs.ts'
import type { Plant } from './plant.ts'

export const PLANNER_PLANTS: readonly Plant[] = [
  {
    name: 'sweep-to-another-business',
    mistake: 'Every sweep goes to the wallet of the first business that was paid.',
    below: (ports) => {
      let first: Address | null = null
      return {
        ...ports,
        work: replaced(ports.work, {
          async facts(intentId) {
            const facts = await ports.work.facts(intentId)
            if (facts === null) return null
            first ??= facts.payee.sweepDestination
            return { ...facts, payee: { ...facts.payee, sweepDestination: first } }
          },
        }),
      }
    },
  },
  {
    name: 'destination-of-the-create',
    mistake: 'A sweep goes to the first wallet of the business, and not to its current wallet.',
    above: (ports) => {
      const first = new Map<string, Address | null>()
      const alter = read((facts) => {
        const { accountId } = facts.intent
        if (!first.has(accountId)) first.set(accountId, facts.payee.sweepDestination)
        return { ...facts, payee: { ...facts.payee, sweepDestination: first.get(accountId) ?? null } }
      })
      return alter(ports)
    },
  },
  {
    name: 'refund-more-than-sent',
    mistake: 'The first of several senders of a payment counts as the sender of all of it.',
    above: read((facts) => ({
      ...facts,
      deposits: facts.deposits.map((deposit) => {
        const [first, ...others] = deposit.senders
        return first === undefined || others.length === 0
          ? deposit
          : { ...deposit, senders: [{ ...first, amount: deposit.amount }] }
      }),
    })),
  },
  {
    name: 'rent-reserve-forgotten',
    mistake: 'The part of the price that a sweep left at the address is not planned.',
    above: changed((change) => ({
      ...change,
      transfers: change.transfers.filter(({ portion }) => portion !== 'rent_reserve'),
    })),
  },
  {
    name: 'excess-refund-doubled',
    mistake: 'An excess goes back twice, at the expense of the business.',
    above: planned((transfer) => {
      const back = transfer.legs.find(({ role }) => role === 'refund')?.amount ?? 0n
      return { ...transfer, legs: shifted(transfer.legs, 'refund', (own) => (back < own ? back : own - 1n)) }
    }),
  },
  {
    name: 'network-fee-doubled',
    mistake: 'A settlement in SOL repays the network fee twice.',
    above: planned((transfer) => {
      const fee = transfer.legs.find(({ role }) => role === 'network_fee')?.amount ?? 0n
      return transfer.kind === 'sweep'
        ? { ...transfer, legs: shifted(transfer.legs, 'network_fee', () => fee) }
        : transfer
    }),
  },
  {
    name: 'fee-rate-changed-after-create',
    mistake: 'The current rate of the marketplace is applied, and not the rate at the creation of the payment.',
    above: read((facts) =>
      facts.intent.marketplaceFeeBps === null
        ? facts
        : { ...facts, intent: { ...facts.intent, marketplaceFeeBps: makeBasisPoints(1_000) } },
    ),
  },
  {
    name: 'cut-of-the-excess',
    mistake: 'The marketplace’s cut is taken of the excess as well.',
    above: planned((transfer) => {
      const back = transfer.legs.find(({ role }) => role === 'refund')?.amount ?? 0n
      const bps = BigInt(transfer.legs.find(({ role }) => role === 'marketplace')?.feeBps ?? 0)
      return { ...transfer, legs: shifted(transfer.legs, 'marketplace', () => (back * bps) / 10_000n) }
    }),
  },
  {
    name: 'account-made-for-refund',
    mistake: 'The legs of a refund are not judged as refunds, so that it creates the accounts that its wallets closed.',
    above: planned((transfer) =>
      transfer.kind === 'refund'
        ? {
            ...transfer,
            legs: transfer.legs.map((leg) => (leg.role === 'refund' ? { ...leg, role: 'release' } : leg)),
          }
        : transfer,
    ),
  },
  {
    name: 'paid-in-time-taken-for-late',
    mistake: 'The window of a payment is taken to end with the selection, so that every payment is late and goes back.',
    above: (ports) => {
      const expiringAt = (intent: PaymentIntent, seconds: number): PaymentIntent => ({
        ...intent,
        expiresAt: new Date(intent.createdAt.getTime() + seconds * 1_000),
      })
      const alter = read((facts) =>
        facts.intent.selection === null ? facts : { ...facts, intent: expiringAt(facts.intent, 0) },
      )
      // The stored and shown times stay as they are.
      const restore = reported((intent) => expiringAt(intent, CHECKOUT_WINDOW_SECONDS))
      return alter(restore(ports))
    },
  },
  {
    name: 'late-sender-forgotten',
    mistake: 'The sender of a late payment is not stored, so that the money stays.',
    above: changed((change) => ({
      ...change,
      deposits: change.deposits.map((deposit) => (deposit.use === 'late' ? { ...deposit, senders: [] } : deposit)),
    })),
  },
  {
    name: 'dust-returned-at-a-loss',
    mistake: 'A refund is judged by a price that is a million times too high, so that dust goes back.',
    above: (ports) => ({
      ...ports,
      prices: replaced(ports.prices, {
        async pricesFor(assets) {
          const prices = await ports.prices.pricesFor(assets)
          const raised = [...prices].map(([mint, price]) =>
            isPriceRefusal(price) || mint === WRAPPED_SOL_MINT
              ? ([mint, price] as const)
              : ([mint, { ...price, mantissa: price.mantissa * 1_000_000n }] as const),
          )
          return new Map(raised)
        },
      }),
    }),
  },
]
