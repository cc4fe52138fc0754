import { type Command, Option } from 'commander'
import { idOf, limitOption } from '#operator/arguments.ts'
import {
  type DeliveryStatus,
  ListDeliveriesDocument,
  RedeliverDocument,
  RotateWebhookSecretDocument,
} from '#operator/documents.generated.ts'
import { shownOnce, table } from '#operator/output.ts'
import type { Shell } from '#operator/shell.ts'

const STATUSES: readonly DeliveryStatus[] = ['pending', 'succeeded', 'failed']

type ListOptions = { account?: string; status?: DeliveryStatus; limit: string }

export function addWebhookCommands(program: Command, { ask, show }: Shell): void {
  const webhook = program.command('webhook').description('deliveries and secrets of webhooks')

  webhook
    .command('deliveries')
    .description('the newest first')
    .option('--account <id>', 'of one business', idOf('--account'))
    .addOption(new Option('--status <status>').choices(STATUSES))
    .addOption(limitOption())
    .action(async ({ account, status, limit }: ListOptions) => {
      const filter = { accountId: account ?? null, status: status ?? null, limit: Number(limit) }
      const { webhookDeliveries } = await ask(ListDeliveriesDocument, filter)
      show({ deliveries: webhookDeliveries }, () =>
        table(
          ['id', 'type', 'status', 'attempts', 'next', 'answer', 'url'],
          webhookDeliveries.map((one) => [
            one.id,
            one.type,
            one.status,
            one.attempts,
            one.nextAttemptAt,
            one.lastError ?? one.lastStatusCode,
            one.url,
          ]),
          'No delivery.',
        ),
      )
    })

  webhook
    .command('redeliver')
    .argument('<delivery>', 'its id', idOf('DELIVERY'))
    .description('send a delivery again, now, whatever became of it')
    .action(async (id: string) => {
      const { redeliverWebhook } = await ask(RedeliverDocument, { id })
      show({ delivery: redeliverWebhook }, () => `Sending ${redeliverWebhook.type} to ${redeliverWebhook.url} again.`)
    })

  webhook
    .command('rotate-secret')
    .argument('<account>', 'its id', idOf('ACCOUNT'))
    .description('make a new webhook secret; each older one also signs until 24 hours after it was replaced')
    .option('--revoke-old', 'end all older secrets now, because one of them leaked', false)
    .action(async (accountId: string, { revokeOld }: { revokeOld: boolean }) => {
      const { rotateWebhookSecret } = await ask(RotateWebhookSecretDocument, { accountId, revokeOld })
      const { webhookSecret, oldSecretsUntil } = rotateWebhookSecret
      show(
        rotateWebhookSecret,
        () => `${describeOld(oldSecretsUntil)}\n${shownOnce([['webhook secret', webhookSecret]])}`,
      )
    })
}

const describeOld = (until: readonly string[]): string =>
  until.length === 0 ? 'No older secret signs any more.' : `Older secrets sign until ${until.join(', ')}.`
