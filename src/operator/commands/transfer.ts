import { type Command, Option } from 'commander'
import { idOf, limitOption } from '#operator/arguments.ts'
import { ListTransfersDocument, RetryTransferDocument, type TransferStatus } from '#operator/documents.generated.ts'
import { table } from '#operator/output.ts'
import type { Shell } from '#operator/shell.ts'

const STATUSES: readonly TransferStatus[] = ['planned', 'in_progress', 'done', 'failed', 'held']

export function addTransferCommands(program: Command, { ask, show }: Shell): void {
  const transfer = program.command('transfer').description('transfers of money out')

  transfer
    .command('list')
    .description('the newest first')
    .addOption(new Option('--status <status>').choices(STATUSES))
    .addOption(limitOption())
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
    .argument('<id>', 'the transfer', idOf('ID'))
    .description('take up a failed or held transfer again')
    .action(async (id: string) => {
      const { retryTransfer } = await ask(RetryTransferDocument, { id })
      show({ transfer: retryTransfer }, () => `${retryTransfer.key} is ${retryTransfer.status} again.`)
    })
}
