// Mistakes of recurring billing: in the decisions about subscriptions and charges, their stores and approves.
import type { Charge } from '#core/billing/charge.ts'
import type { BillingChange } from '#core/billing/machine/change.ts'
import { makeBaseUnits, makeLamports } from '#core/money/amounts.ts'
import type { LeasedTransfer } from '#core/transfers/transfer.ts'
import { type InstancePorts, replaced, type WorldPorts } from '../ports.ts'
import { type Below, changed, slicesRead } from './billing-ports.ts'
import type { Plant } from './plant.ts'

/** Moves one base unit from the payout to the fee, in the charge and in its transfer. */
function roundedUp(change: BillingChange): BillingChange {
  const isCut = ({ amount, feeAmount }: Charge): boolean => feeAmount > 0n && (amount * 175n) % 10_000n !== 0n
  const up = (charge: Charge): Charge =>
    isCut(charge)
      ? {
          ...charge,
          feeAmount: makeBaseUnits(charge.feeAmount + 1n),
          netAmount: makeBaseUnits(charge.netAmount - 1n),
        }
      : charge
  const fresh = new Set(change.transfers.map(({ subject }) => subject.id))
  return {
    ...change,
    charges: change.charges.map((charge) => (fresh.has(charge.id) ? up(charge) : charge)),
    transfers: change.transfers.map((transfer) => {
      const charge = change.charges.find(({ id }) => id === transfer.subject.id)
      if (charge === undefined || !isCut(charge)) return transfer
      const legs = transfer.legs.map((leg) => ({
        ...leg,
        amount: makeBaseUnits(leg.amount + (leg.role === 'platform' ? 1n : -1n)),
      }))
      return { ...transfer, legs }
    }),
  }
}

/** Pays the present wallet of the business. */
async function paidToPresent(
  change: BillingChange,
  { accounts }: Pick<InstancePorts, 'accounts'>,
): Promise<BillingChange> {
  const transfers = []
  for (const transfer of change.transfers) {
    const account = transfer.accountId === null ? null : await accounts.find(transfer.accountId)
    const legs = transfer.legs.map((leg) =>
      leg.role === 'payout' ? { ...leg, destination: account?.sweepDestination ?? leg.destination } : leg,
    )
    transfers.push({ ...transfer, legs })
  }
  return { ...change, transfers }
}

/** Gives a pull up when it has not landed after a few seconds. */
const impatient: Below = (ports) => {
  const { transfers } = ports
  return {
    ...ports,
    transfers: replaced(transfers, {
      async claim(network, options) {
        const claimed = await transfers.claim(network, options)
        return await Promise.all(claimed.map((one) => forgotten(transfers, one, options.now)))
      },
    }),
  }
}

async function forgotten(
  transfers: Pick<WorldPorts['transfers'], 'recordAttempt'>,
  one: LeasedTransfer,
  now: Date,
): Promise<LeasedTransfer> {
  const { live, lease, transfer } = one
  if (live === null || transfer.kind !== 'charge') return one
  if (live.state === 'prepared' || now.getTime() - live.createdAt.getTime() < 6_000) return one
  await transfers.recordAttempt(lease, live.id, 'dead', { now })
  return { ...one, live: null }
}

const MISTAKES: readonly Omit<Plant, 'subscriptions'>[] = [
  {
    name: 'pull-before-proof',
    mistake: 'A pull that has not landed after a few seconds is followed by another one, without a proof.',
    below: impatient,
  },
  {
    name: 'approve-without-others',
    mistake: 'An approve is for the new slice only, and takes the room of the other subscriptions.',
    above: slicesRead(() => []),
  },
  {
    name: 'fee-rounded-up',
    mistake: 'The platform’s fee is rounded up, and not down.',
    above: changed(roundedUp),
  },
  {
    name: 'charged-by-own-clock',
    mistake: 'A period begins by the machine’s clock.',
    above: (ports) => ({
      ...ports,
      chain: replaced(ports.chain, {
        async blockTime() {
          const { slot, time } = await ports.chain.blockTime()
          const now = ports.clock.now()
          return { slot, time: now > time ? now : time }
        },
      }),
    }),
  },
  {
    name: 'payout-to-present-wallet',
    mistake: 'A charge pays the present wallet of the business, and not that of the tier.',
    above: changed(paidToPresent),
  },
  {
    name: 'sponsor-without-budget',
    mistake: 'The fee payer signs approves without a limit for a day.',
    below: (ports) => ({
      ...ports,
      approvals: replaced(ports.approvals, {
        prepare: (approval, decided) =>
          ports.approvals.prepare(approval, { ...decided, perDay: makeLamports(1_000_000_000n) }),
      }),
    }),
  },
  {
    name: 'charge-fee-not-booked',
    mistake: 'The fee payer’s cost of a charge is not booked.',
    above: changed((change) => ({ ...change, ledger: [] })),
  },
]

export const BILLING_PLANTS: readonly Plant[] = MISTAKES.map((plant) => ({ ...plant, subscriptions: true }))
