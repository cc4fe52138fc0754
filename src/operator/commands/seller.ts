import type { Command } from 'commander'
import { idOf, orEmpty, walletAddress } from '#operator/arguments.ts'
import { CorrectSellerDocument } from '#operator/documents.generated.ts'
import { Failure, MISUSED } from '#operator/failure.ts'
import { clearable, type Shell } from '#operator/shell.ts'
import { describeAccount, warnOfVault } from './account.ts'

type Options = { name?: string; label?: string; sweepDestination?: string }

export function addSellerCommands(program: Command, { ask, show, note }: Shell): void {
  program
    .command('seller')
    .description('sellers, for corrections that their marketplace cannot make')
    .command('update')
    .argument('<id>', 'the account of the seller', idOf('ID'))
    .description("correct a seller; the marketplace's audit trail says so; an empty text clears what is there")
    .option('--name <name>')
    .option(
      '--sweep-destination <address>',
      'the wallet that its money goes to',
      orEmpty(walletAddress('--sweep-destination')),
    )
    .option('--label <label>')
    .action(async (id: string, { name, label, sweepDestination }: Options) => {
      const input = {
        ...(name !== undefined && { name }),
        ...(label !== undefined && { label: clearable(label) }),
        ...(sweepDestination !== undefined && { sweepDestination: clearable(sweepDestination) }),
      }
      if (Object.keys(input).length === 0)
        throw new Failure('nothing to change: name at least one of --name, --label, --sweep-destination', MISUSED)
      const { correctSeller } = await ask(CorrectSellerDocument, { id, input })
      if (sweepDestination !== undefined) warnOfVault(correctSeller.sweepDestination, note)
      show({ seller: correctSeller }, () => describeAccount('Changed', correctSeller))
    })
}
