import type { Command } from 'commander'
import { assetOf, idOf, limitOption, type Network, networkOption, walletAddress } from '#operator/arguments.ts'
import {
  ListHeldDocument,
  ListReleasesDocument,
  ListUnacceptedDocument,
  type ReleaseFieldsFragment,
  ReleaseHeldDocument,
} from '#operator/documents.generated.ts'
import { table } from '#operator/output.ts'
import type { Shell } from '#operator/shell.ts'

type ListOptions = { network?: Network; account?: string; limit: string }
type UnacceptedOptions = { network?: Network; payment?: string; limit: string }
type ReleaseOptions = { asset: string; to: string; reason: string }

export function addHeldCommands(program: Command, { ask, show }: Shell): void {
  const held = program.command('held').description('money at deposit addresses that waits for a person')

  held
    .command('list')
    .description('payments with held money, the latest change first')
    .addOption(networkOption('--network <network>'))
    .option('--account <id>', 'of one business', idOf('--account'))
    .addOption(limitOption())
    .action(async ({ network, account, limit }: ListOptions) => {
      const asked = { network: network ?? null, accountId: account ?? null, limit: Number(limit) }
      const { heldPayments } = await ask(ListHeldDocument, asked)
      const payments = heldPayments.map((one) => ({
        ...one,
        held: one.held.map((part) => ({ ...part, amount: BigInt(part.amount) })),
      }))
      show({ payments }, () =>
        table(
          ['payment', 'network', 'account', 'status', 'asset', 'base units', 'why'],
          payments.flatMap((one) =>
            one.held.map(({ mint, amount, reason }) => [
              ...[one.intentIndex, one.network, one.accountId, one.status, mint ?? 'SOL', amount],
              reason,
            ]),
          ),
          'Nothing is held.',
        ),
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
    .description('send all held money of an asset that no transfer reserves to an address')
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
    .action(async ({ network, limit }: ListOptions) => {
      const { releases } = await ask(ListReleasesDocument, { network: network ?? null, limit: Number(limit) })
      show({ releases: releases.map(wire) }, () => tableOf(releases))
    })
}

const wire = (release: ReleaseFieldsFragment) => ({ ...release, amount: BigInt(release.amount) })

const tableOf = (releases: readonly ReleaseFieldsFragment[]): string =>
  table(
    ['transfer', 'payment', 'asset', 'base units', 'to', 'status', 'why', 'problem'],
    releases.map((one) => [
      ...[one.transferId, one.intentIndex, one.asset, one.amount, one.to, one.status, one.reason, one.problem],
    ]),
    'Nothing was released yet.',
  )
