import { setTimeout as sleep } from 'node:timers/promises'
import { type Command, Option } from 'commander'
import { idOf, limitOption } from '#operator/arguments.ts'
import {
  type DeliveryStatus,
  ListDeliveriesDocument,
  type ListDeliveriesQuery,
  RedeliverDocument,
  RotateWebhookSecretDocument,
  TestWebhookDocument,
} from '#operator/documents.generated.ts'
import { Failure, REFUSED } from '#operator/failure.ts'
import { shownOnce, table } from '#operator/output.ts'
import type { Shell } from '#operator/shell.ts'

const STATUSES: readonly DeliveryStatus[] = ['pending', 'succeeded', 'failed']

type ListOptions = { account?: string; status?: DeliveryStatus; limit: string }

/** The test waits 20 seconds for the answers of URLs. A request may take 15. */
const LOOK_EVERY_MS = 500
const MAX_LOOKS = 40

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
    .command('test')
    .argument('<account>', 'its id', idOf('ACCOUNT'))
    .description('send a webhook.test to the URLs of a business, and show how they answer')
    .action(async (accountId: string) => {
      const { testWebhook: sent } = await ask(TestWebhookDocument, { accountId })
      if (sent.length === 0)
        throw new Failure(
          `the business has no URL that receives webhooks; set one with: account update ${accountId} --webhook-url URL`,
          REFUSED,
          'no_webhook_url',
        )
      const deliveries = await answered({ ask }, accountId, new Set(sent.map(({ id }) => id)))
      show({ deliveries }, () => deliveries.map(describeTest).join('\n'))
      const refused = deliveries.filter(({ status }) => status !== 'succeeded')
      if (refused.length > 0)
        throw new Failure(
          `${refused.length} of ${deliveries.length} URLs did not accept it`,
          REFUSED,
          'webhook_not_accepted',
        )
    })

  webhook
    .command('redeliver')
    .argument('<delivery>', 'its id', idOf('DELIVERY'))
    .description('send a delivery again now, in any status')
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

type Shown = ListDeliveriesQuery['webhookDeliveries'][number]

/** Waits until each of the deliveries was tried once. */
async function answered(
  { ask }: Pick<Shell, 'ask'>,
  accountId: string,
  ids: ReadonlySet<string>,
): Promise<readonly Shown[]> {
  for (let looks = 1; ; looks += 1) {
    const { webhookDeliveries } = await ask(ListDeliveriesDocument, { accountId, status: null, limit: 100 })
    const own = webhookDeliveries.filter(({ id }) => ids.has(id))
    if (looks >= MAX_LOOKS || own.every(({ attempts }) => attempts > 0)) return own
    await sleep(LOOK_EVERY_MS)
  }
}

function describeTest({ url, status, attempts, lastStatusCode, lastError }: Shown): string {
  if (attempts === 0) return `${url}: not sent yet. Does a worker run?`
  if (status === 'succeeded') return `${url}: answered ${lastStatusCode}.`
  return `${url}: ${lastError ?? `answered ${lastStatusCode}`}. It is tried again like every webhook.`
}

const describeOld = (until: readonly string[]): string =>
  until.length === 0 ? 'No older secret signs any more.' : `Older secrets sign until ${until.join(', ')}.`
