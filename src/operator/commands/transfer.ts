import { type Command, Option } from 'commander'
import { ListTransfersDocument, RetryTransferDocument, type TransferStatus } from '#operator/documents.generated.ts'
import { table } from '#operator/output.ts'
import { type Shell, wholeNumber } from '#operator/shell.ts'

const STATUSES: readonly TransferStatus[] = ['planned', 'in_progress', 'done', 'failed', 'held']

export function addTransferCommands(program: Command, { ask, show }: Shell): void {
  const transfer = program.command('transfer').description('obligations to move money out')

  transfer
    .command('list')
    .description('the newest first')
    .addOption(new Option('--status <status>').choices(STATUSES))
    .option('--limit <number>', 'how many, at most 100', wholeNumber('--limit'), '20')
    .action(async ({ status, limit }: { status?: TransferStatus; limit: string }) => {
      const { transfers } = await ask(ListTransfersDocument, { status: status ?? null, limit: Number(limit) })
      show({ transfers }, () =>
        table(
          ['id', 'key', 'network', 'asset', 'status', 'attempts', 'why'],
          transfers.map((one) => [one.id, one.key, one.network, one.asset, one.status, one.attempts, one.reason]),
          status === undefined ? 'No transfer yet.' : `No transfer is ${status}.`,
        ),
      )
    })

  transfer
    .command('retry')
    .argument('<id>')
    .description('take up a failed or held transfer again')
    .action(async (id: string) => {
      const { retryTransfer } = await ask(RetryTransferDocument, { id })
      show({ transfer: retryTransfer }, () => `${retryTransfer.key} is ${retryTransfer.status} again.`)
    })
}
