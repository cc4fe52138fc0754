// Mistakes in the split of a payment for a seller. Each transfer keeps its total, so the chain accepts it.

import { type Account, tenantOf } from '#core/accounts/account.ts'
import { SOL } from '#core/chain/types.ts'
import type { IntentChange } from '#core/payments/change.ts'
import type { NewPaymentTransfer, PaymentLeg } from '#core/payments/transfers.ts'

import type { LeasedTransfer } from '#core/transfers/transfer.ts'
import { replaced, type WorldPorts } from '../ports.ts'
import { changed, planned } from './alter.ts'
import { plus, shifted } from './legs.ts'
import type { Plant } from './plant.ts'

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
      WHEN (NEW.account_id <> NEW.caller_account_id AND OLD.status <> NEW.status) EXECUTE FUNCTION append_stats();`,
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
