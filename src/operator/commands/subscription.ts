import { type Command, Option } from 'commander'
import { idOf, limitOption, walletAddress } from '#operator/arguments.ts'
import {
  type BillingSubscriptionStatus,
  ListSubscriptionsDocument,
  ShowSubscriptionDocument,
  type ShowSubscriptionQuery,
  type SubscriptionFieldsFragment,
} from '#operator/documents.generated.ts'
import { facts, table } from '#operator/output.ts'
import type { Shell } from '#operator/shell.ts'
import { chargeJson, chargeTable } from './charge.ts'

const STATUSES: readonly BillingSubscriptionStatus[] = [
  'incomplete',
  'trialing',
  'active',
  'renewal_required',
  'past_due',
  'paused',
  'canceled',
  'revoked',
  'exhausted',
  'failed',
]

type ListOptions = { status?: BillingSubscriptionStatus; account?: string; wallet?: string; limit: string }
type Shown = ShowSubscriptionQuery['subscription']

export function addSubscriptionCommands(program: Command, { ask, show }: Shell): void {
  const subscription = program.command('subscription').description('subscriptions, and the allowances behind them')

  subscription
    .command('list')
    .description('the newest first')
    .addOption(new Option('--status <status>').choices(STATUSES))
    .option('--account <id>', 'of one business', idOf('--account'))
    .option('--wallet <address>', 'of one subscriber', walletAddress('--wallet'))
    .addOption(limitOption())
    .action(async ({ status, account, wallet, limit }: ListOptions) => {
      const asked = { status: status ?? null, accountId: account ?? null, wallet: wallet ?? null, limit: Number(limit) }
      const { subscriptions } = await ask(ListSubscriptionsDocument, asked)
      show({ subscriptions: subscriptions.map(subscriptionJson) }, () =>
        table(
          ['subscription', 'account', 'wallet', 'status', 'base units', 'remaining', 'next charge'],
          subscriptions.map((one) => [
            ...[one.id, one.accountId, one.wallet, one.status, one.unitAmount, one.remainingAmount],
            one.nextChargeAt,
          ]),
          status === undefined ? 'No subscription matches.' : `No subscription that matches is ${status}.`,
        ),
      )
    })

  subscription
    .command('show')
    .argument('<id>', 'the subscription', idOf('ID'))
    .description('one subscription, its allowance and its newest charges')
    .action(async (id: string) => {
      const shown = (await ask(ShowSubscriptionDocument, { id })).subscription
      show({ subscription: shownJson(shown) }, () => describe(shown))
    })
}

const subscriptionJson = <One extends SubscriptionFieldsFragment>(one: One) => ({
  ...one,
  unitAmount: BigInt(one.unitAmount),
  authorizedAmount: BigInt(one.authorizedAmount),
  spentAmount: BigInt(one.spentAmount),
  remainingAmount: BigInt(one.remainingAmount),
})

const shownJson = ({ delegation, charges, ...subscription }: Shown) => ({
  ...subscriptionJson(subscription),
  delegation: {
    ...delegation,
    authorizedTotal: BigInt(delegation.authorizedTotal),
    chainAllowance: BigInt(delegation.chainAllowance),
  },
  charges: charges.map(chargeJson),
})

function describe({ delegation, charges, ...one }: Shown): string {
  const period = `${one.periodIndex}, from ${one.currentPeriodStart ?? '-'} to ${one.currentPeriodEnd ?? '-'}`
  return [
    `Subscription ${one.id}\n${facts([
      ['business', one.accountId],
      ['tier', one.tierId],
      ['wallet', one.wallet],
      ['status', one.cancelAtPeriodEnd && one.endedAt == null ? `${one.status}, ends with its period` : one.status],
      ['charge', `${one.unitAmount} base units of ${one.mint}`],
      ['authorized', `${one.authorizedAmount}, of which ${one.spentAmount} are spent`],
      ['period', period],
      ['next charge', one.nextChargeAt],
      ['past due since', one.pastDueSince],
      ['ended', one.endedAt],
    ])}`,
    `Its allowance is ${delegation.status}\n${facts([
      ['token account', delegation.tokenAccount],
      ['delegate', delegation.chainDelegate],
      ['allowance', delegation.chainAllowance],
      ['read at', delegation.chainCheckedAt],
      ['approved', `${delegation.authorizedTotal}, by approve number ${delegation.epoch}`],
    ])}`,
    chargeTable(charges, 'No charge yet.'),
  ].join('\n\n')
}
