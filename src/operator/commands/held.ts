import type { Command } from 'commander'
import {
  assetOf,
  idOf,
  limitOption,
  type Network,
  networkOption,
  walletAddress,
  wholeNumber,
} from '#operator/arguments.ts'
import {
  ListHeldDocument,
  ListReleasesDocument,
  ListUnacceptedDocument,
  type ReleaseFieldsFragment,
  ReleaseHeldDocument,
} from '#operator/documents.generated.ts'
import { table } from '#operator/output.ts'
import type { Shell } from '#operator/shell.ts'

const MAX_INDEX = 2n ** 31n - 1n
/** The service counts no more payments with dust. */
const MOST_COUNTED = 1_000

type ListOptions = { network?: Network; account?: string; after?: string; dust?: true; limit: string }
type ReleasesOptions = { network?: Network; limit: string }
type UnacceptedOptions = { network?: Network; payment?: string; limit: string }
type ReleaseOptions = { asset: string; to: string; reason: string }

export function addHeldCommands(program: Command, { ask, show }: Shell): void {
  const held = program.command('held').description('money at deposit addresses that waits for a person')

  held
    .command('list')
    .description('payments with held money, the newest payment first')
    .addOption(networkOption('--network <network>'))
    .option('--account <id>', 'of one business', idOf('--account'))
    .option('--after <payment>', 'continue after this payment, by its index', wholeNumber('--after', 0n, MAX_INDEX))
    .option('--dust', 'also payments whose held money is worth no more than its return')
    .addOption(limitOption())
    .action(async (options: ListOptions) => {
      const { heldPayments } = await ask(ListHeldDocument, {
        network: options.network ?? null,
        accountId: options.account ?? null,
        afterIndex: options.after === undefined ? null : Number(options.after),
        includeDust: options.dust ?? false,
        limit: Number(options.limit),
      })
      const { nextIndex, dustPayments } = heldPayments
      const payments = heldPayments.payments.map((one) => ({
        ...one,
        held: one.held.map((part) => ({ ...part, amount: BigInt(part.amount) })),
      }))
      show({ payments, nextIndex: nextIndex ?? null, dustPayments }, () =>
        [
          table(
            ['payment', 'network', 'account', 'status', 'asset', 'base units', 'the buyer proposes', 'why'],
            payments.flatMap((one) =>
              one.held.map(({ mint, amount, reason }) => [
                ...[one.intentIndex, one.network, one.accountId, one.status, mint ?? 'SOL', amount],
                one.proposedAddress ?? '',
                reason,
              ]),
            ),
            emptyText(options, dustPayments),
          ),
          ...(dustPayments > 0 ? [dustLine(dustPayments)] : []),
          ...(nextIndex == null ? [] : [`more: ${nextCommand(options, nextIndex)}`]),
        ].join('\n'),
      )
    })

  held
    .command('unaccepted')
    .description('tokens that are not allowed and were seen at deposit addresses; they are in no books')
    .addOption(networkOption('--network <network>'))
    .option('--payment <payment>', 'of one payment, by its index or its id')
    .addOption(limitOption())
    .action(async ({ network, payment, limit }: UnacceptedOptions) => {
      const asked = { network: network ?? null, intent: payment ?? null, limit: Number(limit) }
      const { unacceptedTokens } = await ask(ListUnacceptedDocument, asked)
      const tokens = unacceptedTokens.map(({ arrivals, amount, ...one }) => ({
        ...one,
        arrivals: BigInt(arrivals),
        amount: amount == null ? null : BigInt(amount),
      }))
      show({ tokens }, () =>
        table(
          ['payment', 'network', 'mint', 'arrivals', 'base units', 'last seen', 'last transaction', 'allowed now'],
          tokens.map((one) => [
            ...[one.intentIndex, one.network, one.mint ?? 'several others', one.arrivals, one.amount, one.lastSeenAt],
            ...[one.lastSignature, one.isAllowed ? 'yes' : 'no'],
          ]),
          'No token was seen that is not allowed.',
        ),
      )
    })

  held
    .command('release')
    .argument('<payment>', 'its index or its id')
    .description('send all held money of an asset, or a token that is not allowed, from a payment to an address')
    .requiredOption('--asset <asset>', 'SOL, or the mint', assetOf('--asset'))
    .requiredOption('--to <address>', 'the wallet that gets it', walletAddress('--to'))
    .requiredOption('--reason <text>', 'why; it is kept')
    .action(async (intent: string, { asset, to, reason }: ReleaseOptions) => {
      const input = { intent, asset, to, reason }
      const { releaseHeld } = await ask(ReleaseHeldDocument, { input })
      show({ releases: releaseHeld.map(wire) }, () => tableOf(releaseHeld))
    })

  held
    .command('releases')
    .description('what was released, to whom and why, the newest first')
    .addOption(networkOption('--network <network>'))
    .addOption(limitOption())
    .action(async ({ network, limit }: ReleasesOptions) => {
      const { releases } = await ask(ListReleasesDocument, { network: network ?? null, limit: Number(limit) })
      show({ releases: releases.map(wire) }, () => tableOf(releases))
    })
}

const emptyText = ({ after }: ListOptions, dustPayments: number): string => {
  if (after !== undefined) return 'Nothing more is held.'
  return dustPayments > 0 ? 'Only dust is held.' : 'Nothing is held.'
}

const dustLine = (count: number): string =>
  count === 1
    ? '1 payment holds only dust: --dust shows it.'
    : `${count}${count < MOST_COUNTED ? '' : ' or more'} payments hold only dust: --dust shows them.`

/** Returns the command that shows the next page. */
const nextCommand = ({ network, account, dust, limit }: ListOptions, nextIndex: number): string =>
  [
    `held list --after ${nextIndex}`,
    ...(network === undefined ? [] : [`--network ${network}`]),
    ...(account === undefined ? [] : [`--account ${account}`]),
    ...(dust === undefined ? [] : ['--dust']),
    `--limit ${limit}`,
  ].join(' ')

const wire = (release: ReleaseFieldsFragment) => ({ ...release, amount: BigInt(release.amount) })

const tableOf = (releases: readonly ReleaseFieldsFragment[]): string =>
  table(
    ['transfer', 'payment', 'asset', 'token account', 'base units', 'to', 'status', 'why', 'problem'],
    releases.map((one) => [
      ...[one.transferId, one.intentIndex, one.asset, one.sourceAccount, one.amount, one.to, one.status],
      ...[one.reason, one.problem],
    ]),
    'Nothing was released yet.',
  )
