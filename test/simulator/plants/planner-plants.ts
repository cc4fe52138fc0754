// Mistakes of planners: money for the wrong wallet, at the wrong rate, or in the wrong amount.

import { type Account, tenantOf } from '#core/accounts/account.ts'
import { type Address, SOL, WRAPPED_SOL_MINT } from '#core/chain/types.ts'
import { makeBaseUnits, makeBasisPoints } from '#core/money/amounts.ts'
import { isPriceRefusal } from '#core/money/price.ts'
import type { IntentChange, IntentFacts } from '#core/payments/change.ts'
import { CHECKOUT_WINDOW_SECONDS, type PaymentIntent } from '#core/payments/payment-intent.ts'
import { newTransfer, nextRound } from '#core/payments/position/new-transfer.ts'
import type { NewPaymentTransfer, PaymentLeg } from '#core/payments/transfers.ts'
import type { LeasedTransfer } from '#core/transfers/transfer.ts'
import { replaced, type WorldPorts } from '../ports.ts'
import { changed, type Plant, planned, read, reported } from './plant.ts'

// Moves money between the legs of a planned transfer, for a planted bug.

const isOwn = ({ role }: PaymentLeg): boolean => role === 'merchant' || role === 'seller'

const plus = (leg: PaymentLeg, more: bigint): PaymentLeg => ({
  ...leg,
  amount: makeBaseUnits(leg.amount + more),
})

/** Moves a part of the business's leg of a sweep to the first leg of another role. */
const shifted = (
  legs: readonly PaymentLeg[],
  role: PaymentLeg['role'],
  amountOf: (own: bigint) => bigint,
): readonly PaymentLeg[] => {
  const own = legs.find(isOwn)
  const other = legs.find((leg) => leg.role === role)
  if (own === undefined || other === undefined) return legs
  const amount = amountOf(own.amount)
  return legs.map((leg) => (leg === own ? plus(leg, -amount) : leg === other ? plus(leg, amount) : leg))
}

/** Adds a release of held SOL to a proposal of the buyer. */
function withRelease(change: IntentChange, facts: IntentFacts): IntentChange {
  const { proposal } = change.after.refundAddress ?? { proposal: null }
  const held = change.after.held.find(({ mint }) => mint === null)
  const isProposed = change.events.some(({ type }) => type === 'intent.refund_address_proposed')
  if (!isProposed || proposal === null || held === undefined) return change
  const legs = [{ role: 'buyer', destination: proposal.address, amount: held.amount, feeBps: null }] as const
  const round = nextRound(facts.transfers, 'release')
  const how = { kind: 'release', asset: SOL, decimals: 9, tokenProgram: null, round, legs } as const
  const release = newTransfer(facts, how)
  return { ...change, transfers: [...change.transfers, release], releases: [{ key: release.key, reason: 'proposed' }] }
}

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
    name: 'released-without-approval',
    mistake: 'Held money is sent to the address of the buyer as soon as it is proposed.',
    above: (ports) => ({
      ...ports,
      work: replaced(ports.work, {
        async apply(change) {
          const facts = await ports.work.facts(change.before.id)
          return await ports.work.apply(facts === null ? change : withRelease(change, facts))
        },
      }),
    }),
  },
  {
    name: 'swapped-address-approved',
    mistake:
      'An approval is compared with the first address that the buyer has proposed, and not with the one that waits.',
    above: (ports) => {
      const first = new Map<string, Address>()
      const alter = read((facts) => {
        const { id, refundAddress } = facts.intent
        const proposal = refundAddress?.proposal ?? null
        if (refundAddress === null || proposal === null) return facts
        if (!first.has(id)) first.set(id, proposal.address)
        const shown = { ...proposal, address: first.get(id) ?? proposal.address }
        return { ...facts, intent: { ...facts.intent, refundAddress: { ...refundAddress, proposal: shown } } }
      })
      return alter(ports)
    },
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

// Mistakes in the split of a payment for a seller. Each transfer keeps its total, so the chain accepts it.

const ALL_BPS = 10_000n

const totalOf = (legs: readonly PaymentLeg[]): bigint => legs.reduce((total, { amount }) => total + amount, 0n)
const cutOf = ({ legs }: NewPaymentTransfer): PaymentLeg | undefined => legs.find(({ role }) => role === 'marketplace')

const settledBy = ({ legs }: NewPaymentTransfer): bigint => totalOf(legs.filter(({ role }) => role !== 'refund'))

/** Returns the number of lamports that the cut loses when it is rounded down: 0 or 1. */
const roundedOff = (transfer: NewPaymentTransfer): bigint => {
  const settles = settledBy(transfer)
  return (settles * BigInt(cutOf(transfer)?.feeBps ?? 0)) % ALL_BPS === 0n ? 0n : 1n
}

/** Alters the sweeps of SOL from which the marketplace's cut is waived to the seller. */
const withoutWaived = (transfer: NewPaymentTransfer, { after }: IntentChange): NewPaymentTransfer => {
  const { kind, asset, portion, legs } = transfer
  if (kind !== 'sweep' || asset !== SOL || portion !== 'main' || cutOf(transfer) !== undefined) return transfer
  const waived = (settledBy(transfer) * BigInt(after.marketplaceFeeBps ?? 0)) / ALL_BPS
  return { ...transfer, legs: shifted(legs, 'network_fee', () => waived) }
}

/** In lamports: less than every rent minimum. */
const SMALL_CUT = 400_000n

/** Adds a small cut of the marketplace to the part of the seller. */
const withoutSmallCut = (transfer: NewPaymentTransfer): NewPaymentTransfer => {
  const cut = cutOf(transfer)
  if (cut === undefined || cut.amount > SMALL_CUT) return transfer
  const others = transfer.legs.filter((leg) => leg !== cut)
  return { ...transfer, legs: others.map((leg) => (leg.role === 'seller' ? plus(leg, cut.amount) : leg)) }
}

/** Reads the payout address of a seller when a transfer is claimed, although its legs were frozen before. */
const withCurrentPayout = async (
  { accounts }: Pick<WorldPorts, 'accounts'>,
  leased: LeasedTransfer,
): Promise<LeasedTransfer> => {
  const { transfer } = leased
  const owner = transfer.accountId === null ? null : await accounts.find(transfer.accountId)
  const destination = owner?.sweepDestination ?? null
  const legs = transfer.legs.map((leg) =>
    leg.role === 'seller' ? { ...leg, destination: destination ?? leg.destination } : leg,
  )
  return { ...leased, transfer: { ...transfer, legs } }
}

/** Finds a seller in every marketplace. */
const foundAnywhere = async ({ accounts }: Pick<WorldPorts, 'accounts'>, id: string): Promise<Account | null> => {
  for (const account of await accounts.list()) {
    const seller = await accounts.findSeller(tenantOf(account), id)
    if (seller !== null) return seller
  }
  return null
}

export const SPLIT_PLANTS: readonly Plant[] = [
  {
    name: 'cut-rounded-up',
    mistake: 'The marketplace’s cut is rounded up, and not down.',
    above: planned((transfer) => ({
      ...transfer,
      legs: shifted(transfer.legs, 'marketplace', () => roundedOff(transfer)),
    })),
  },
  {
    name: 'cut-taken-twice',
    mistake: 'The marketplace’s cut is taken twice, at the expense of the seller.',
    above: planned((transfer) => {
      const cut = cutOf(transfer)?.amount ?? 0n
      return { ...transfer, legs: shifted(transfer.legs, 'marketplace', (own) => (cut < own ? cut : own - 1n)) }
    }),
  },
  {
    name: 'cut-waived-needlessly',
    mistake: 'A small cut is waived to the seller although its wallet could take it.',
    above: planned(withoutSmallCut),
  },
  {
    name: 'waived-cut-lost',
    mistake: 'A waived cut is not added to the seller’s part: the fee payer gets it.',
    above: planned(withoutWaived),
  },
  {
    name: 'waiver-not-audited',
    mistake: 'A waived cut is missing in the audit trail of its marketplace.',
    above: changed(({ waived: _, ...change }) => change),
  },
  {
    name: 'payout-read-after-freezing',
    mistake: 'A settlement goes to the current wallet of the seller, and not to the wallet of its plan.',
    above: (ports) => ({
      ...ports,
      transfers: replaced(ports.transfers, {
        async claim(network, options) {
          const claimed = await ports.transfers.claim(network, options)
          return await Promise.all(claimed.map((leased) => withCurrentPayout(ports, leased)))
        },
      }),
    }),
  },
  {
    name: 'foreign-seller-accepted',
    mistake: 'A payment is created for a seller of another marketplace.',
    above: (ports) => ({
      ...ports,
      accounts: replaced(ports.accounts, { findSeller: (_, id) => foundAnywhere(ports, id) }),
    }),
  },
  {
    name: 'stats-count-twice',
    mistake: 'A change of a payment is counted twice in the stats of its marketplace.',
    sql: `CREATE TRIGGER stats_again AFTER UPDATE ON payment_intents FOR EACH ROW
      WHEN (NEW.account_id <> NEW.caller_account_id AND OLD.status <> NEW.status) EXECUTE FUNCTION append_stats_of_payment();`,
  },
  {
    name: 'silent-change-not-shown',
    mistake: 'A marketplace is not shown a change without an event.',
    // The feed takes the payment for one of the business itself. Neither account is written after the creation.
    above: changed(({ after, ...change }) => ({
      ...change,
      after: change.events.length === 0 ? { ...after, callerAccountId: after.accountId } : after,
    })),
  },
]
