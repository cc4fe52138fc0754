import { type Command, Option } from 'commander'
import { idOf, limitOption, walletAddress } from '#operator/arguments.ts'
import {
  type ChargeFieldsFragment,
  type ChargeStatus,
  ListChargesDocument,
  RetryChargeDocument,
  ShowChargeDocument,
} from '#operator/documents.generated.ts'
import { facts, table } from '#operator/output.ts'
import type { Shell } from '#operator/shell.ts'

// A charge with its amounts as integers, and the table of charges.

export const chargeJson = ({ amount, netAmount, feeAmount, ...charge }: ChargeFieldsFragment) => ({
  ...charge,
  amount: BigInt(amount),
  netAmount: BigInt(netAmount),
  feeAmount: BigInt(feeAmount),
})

export const chargeTable = (charges: readonly ChargeFieldsFragment[], empty: string): string =>
  table(
    ['charge', 'subscription', 'period', 'status', 'base units', 'next try', 'why'],
    charges.map((one) => [
      ...[one.id, one.subscriptionId, one.periodIndex, one.status, one.amount, one.nextAttemptAt],
      describeFailure(one),
    ]),
    empty,
  )

/** Returns the failure code and the reason of the transfer, where each says something of its own. */
function describeFailure({ failureCode, reason }: ChargeFieldsFragment): string {
  const parts = [failureCode, reason].filter((part) => part != null)
  return [...new Set(parts)].join(': ')
}

const STATUSES: readonly ChargeStatus[] = ['pending', 'submitted', 'succeeded', 'failed', 'canceled']

type ListOptions = { status?: ChargeStatus; subscription?: string; account?: string; wallet?: string; limit: string }

export function addChargeCommands(program: Command, { ask, show }: Shell): void {
  const charge = program.command('charge').description('charges of subscriptions')

  charge
    .command('list')
    .description('the newest first')
    .addOption(new Option('--status <status>').choices(STATUSES))
    .option('--subscription <id>', 'of one subscription', idOf('--subscription'))
    .option('--account <id>', 'for one business', idOf('--account'))
    .option('--wallet <address>', 'of one subscriber', walletAddress('--wallet'))
    .addOption(limitOption())
    .action(async ({ status, subscription, account, wallet, limit }: ListOptions) => {
      const filter = { subscriptionId: subscription ?? null, accountId: account ?? null, wallet: wallet ?? null }
      const asked = { status: status ?? null, ...filter, limit: Number(limit) }
      const { charges } = await ask(ListChargesDocument, asked)
      show({ charges: charges.map(chargeJson) }, () =>
        chargeTable(charges, status === undefined ? 'No charge matches.' : `No charge that matches is ${status}.`),
      )
    })

  charge
    .command('show')
    .argument('<id>', 'the charge', idOf('ID'))
    .description('one charge')
    .action(async (id: string) => {
      const shown = (await ask(ShowChargeDocument, { id })).charge
      show({ charge: chargeJson(shown) }, () => describe(shown))
    })

  charge
    .command('retry')
    .argument('<id>', 'the charge', idOf('ID'))
    .description('try a failed charge again now; it never pulls twice')
    .action(async (id: string) => {
      const { retryCharge } = await ask(RetryChargeDocument, { id })
      show({ charge: chargeJson(retryCharge) }, () => `Charge ${retryCharge.id} is ${retryCharge.status} again.`)
    })
}

const describe = (charge: ChargeFieldsFragment): string =>
  `Charge ${charge.id}\n${facts([
    ['subscription', charge.subscriptionId],
    ['business', charge.accountId],
    ['wallet', charge.wallet],
    ['status', charge.status],
    ['failure', charge.failureCode],
    ['what helps', charge.recoveryAction],
    ['transfer', charge.reason],
    ['tries', charge.attempts],
    ['next try', charge.nextAttemptAt],
    ['period', `${charge.periodIndex}, from ${charge.periodStart} to ${charge.periodEnd ?? '-'}`],
    ['pulls', `${charge.amount} base units of ${charge.mint}`],
    ['pays out', `${charge.netAmount} to ${charge.destinationAta}`],
    ['fee', `${charge.feeAmount} to ${charge.feeDestination ?? '-'}`],
    ['transaction', charge.signature],
    ['settled', charge.settledAt],
  ])}`
