import type { Command } from 'commander'
import { idOf, limitOption } from '#operator/arguments.ts'
import { ListOperatorLogDocument } from '#operator/documents.generated.ts'
import { table } from '#operator/output.ts'
import type { Shell } from '#operator/shell.ts'

export function addLogCommand(program: Command, { ask, show }: Shell): void {
  program
    .command('log')
    .description('what was changed or refused with the token of the operator, the newest first')
    .addOption(limitOption())
    .option('--before <id>', 'only entries before this one', idOf('--before'))
    .action(async ({ limit, before }: { limit: string; before?: string }) => {
      const { operatorLog } = await ask(ListOperatorLogDocument, { limit: Number(limit), before: before ?? null })
      show({ log: operatorLog }, () =>
        table(
          ['id', 'when', 'what', 'given', 'from', 'outcome'],
          operatorLog.map((one) => [one.id, one.startedAt, one.action, one.given, one.ip, one.outcome]),
          'Nothing was changed yet.',
        ),
      )
    })
}
