// The commands about payments, events and webhooks. Each is a call of the client, and how its answer is shown.
import type { CreateIntentParams, Event, PaymentIntentStatus, PaymentsParams } from '../generated/api.ts'
import { pause } from '../pause.ts'
import { CommandError, type Context, count, text, texts } from './context.ts'
import { type DepositKind, Sandbox } from './sandbox.ts'

type Statuses = NonNullable<PaymentsParams['status']>

const PAYMENT_COLUMNS = [
  'derivation_index',
  'status',
  'price_usd_cents',
  'received_lamports',
  'mint',
  'reference',
  'created_at',
]
const DETAILS = [
  ...PAYMENT_COLUMNS,
  'id',
  'address',
  'message',
  'expected_lamports',
  'expires_at',
  'checkout_url',
  'settlement',
]

export async function createPayment({ client, values, output }: Context): Promise<void> {
  const tokens = texts(values, 'token')
  const payment = await client.payments.create({
    amount_usd_cents: count(values, 'cents', 1_000),
    accepted_tokens: (tokens.length === 0 ? ['SOL'] : tokens).map(acceptedToken),
    reference: text(values, 'reference'),
    description: text(values, 'description'),
  })
  output.show(payment, DETAILS)
  output.say('')
  if (payment.checkout_url) output.say(`The buyer pays at ${payment.checkout_url}`)
  output.say(`In a sandbox, pay it with: solana-payments payments pay ${payment.derivation_index}`)
}

type Accepted = NonNullable<CreateIntentParams['accepted_tokens']>[number]
const acceptedToken = (token: string): Accepted => (token === 'SOL' ? { kind: 'sol' } : { kind: 'spl', mint: token })

export async function showPayment(context: Context): Promise<void> {
  const { client, values, output, signal } = context
  const payment = await namedPayment(context)
  const wanted = text(values, 'wait')
  if (wanted === undefined) return output.show(payment, DETAILS)
  const status = statusNamed(wanted)
  const onStatus = (now: string) => output.say(`is ${now}`)
  output.show(await client.waitFor(payment.derivation_index, status, { signal, onStatus }), DETAILS)
}

export async function payPayment(context: Context): Promise<void> {
  const { client, values, output, signal } = context
  const { derivation_index: index } = await namedPayment(context)
  const kind = KINDS.find((one) => one === (text(values, 'kind') ?? 'exact'))
  if (kind === undefined) throw new CommandError(`--kind is one of ${KINDS.join(', ')}.`)
  await new Sandbox(context).pay(index, kind)
  output.say('A real transaction of the sandbox has paid it.')
  if (kind === 'wrong_asset' || kind === 'under') return
  output.show(await client.waitFor(index, 'swept', { signal, onStatus: (now) => output.say(`is ${now}`) }), DETAILS)
}

const KINDS: readonly DepositKind[] = ['exact', 'under', 'over', 'wrong_asset']

async function namedPayment({ client, positionals }: Context): Promise<PaymentIntentStatus> {
  const [named] = positionals
  if (named === undefined) throw new CommandError('Name a payment by its index or its id.')
  return await (/^\d+$/.test(named) ? client.payments.status({ index: Number(named) }) : client.payments.get(named))
}

export async function listPayments({ client, values, output }: Context): Promise<void> {
  const status = texts(values, 'status').map(statusNamed)
  const params = {
    limit: count(values, 'limit', 20),
    ...(status.length > 0 && { status }),
    search: text(values, 'search'),
  }
  const { payments, next_cursor } = await client.payments.list({ ...params, cursor: text(values, 'cursor') }).page()
  output.table(payments, PAYMENT_COLUMNS)
  if (next_cursor !== null) output.say(`More: --cursor ${next_cursor}`)
}

const STATUSES: Readonly<Record<Statuses[number], true>> = {
  pending: true,
  underpaid: true,
  paid: true,
  overpaid: true,
  settling: true,
  swept: true,
  settle_failed: true,
  refunding: true,
  refunded: true,
  refund_failed: true,
  cancelled: true,
}
const isStatus = (name: string): name is Statuses[number] => Object.hasOwn(STATUSES, name)

function statusNamed(name: string): Statuses[number] {
  if (!isStatus(name)) throw new CommandError(`The statuses are ${Object.keys(STATUSES).join(', ')}.`)
  return name
}

const NEWEST = `query ($count: Int!, $type: Text) {
  events(last: $count, type: $type) { edges { node { id type timestamp data } } }
}`
type Newest = {
  readonly events: { readonly edges: readonly { readonly node: Pick<Event, 'id' | 'type' | 'timestamp' | 'data'> }[] }
}

export async function listEvents({ client, values, output }: Context): Promise<void> {
  const variables = { count: count(values, 'limit', 20), type: text(values, 'type') }
  const { events } = await client.graphql<Newest>(NEWEST, variables)
  const rows = events.edges.map(({ node }) => ({
    ...node,
    about: Object(node.data).derivation_index ?? Object(node.data).id,
  }))
  output.table(rows, ['timestamp', 'type', 'about', 'id'])
}

export async function showEvent({ client, positionals, output }: Context): Promise<void> {
  output.show(await client.events.get(positionals[0] ?? ''), ['id', 'type', 'timestamp', 'livemode', 'account', 'data'])
}

const ENDPOINT_COLUMNS = ['id', 'enabled', 'url', 'event_types', 'disabled_reason']

export async function listWebhooks({ client, output }: Context): Promise<void> {
  const { endpoints } = await client.webhookEndpoints.list({ limit: 100 }).page()
  output.table(endpoints, ENDPOINT_COLUMNS)
}

export async function createWebhook({ client, values, positionals, output }: Context): Promise<void> {
  const types = texts(values, 'types')
  const event_types = types.length === 0 ? '*' : types
  const endpoint = await client.webhookEndpoints.create({ url: positionals[0] ?? '', event_types })
  output.show(endpoint, [...ENDPOINT_COLUMNS, 'secret'])
  output.say('The secret is shown once. Try the endpoint: solana-payments webhooks test <id>')
}

export async function deleteWebhook({ client, positionals, output }: Context): Promise<void> {
  output.show(await client.webhookEndpoints.delete(positionals[0] ?? ''), ENDPOINT_COLUMNS)
}

const DELIVERY_COLUMNS = ['id', 'status', 'type', 'attempt_count', 'last_status_code', 'last_error', 'created_at']

export async function testWebhook({ client, positionals, output, signal }: Context): Promise<void> {
  const { delivery } = await client.webhookEndpoints.test(positionals[0] ?? '')
  await deliveryEnded({ client, output, signal }, delivery.id)
}

export async function redeliverWebhook({ client, positionals, output, signal }: Context): Promise<void> {
  const { delivery } = await client.webhookDeliveries.redeliver(positionals[0] ?? '')
  await deliveryEnded({ client, output, signal }, delivery.id)
}

export async function listDeliveries({ client, values, output }: Context): Promise<void> {
  const failed = values.failed === true ? { status: ['failed'] as const } : {}
  const { deliveries } = await client.webhookDeliveries.list({ limit: count(values, 'limit', 20), ...failed }).page()
  output.table(deliveries, DELIVERY_COLUMNS)
}

const ASK_EVERY_MS = 300
const PATIENCE_MS = 20_000

/** Shows a delivery when its next request has been answered. */
async function deliveryEnded(
  { client, output, signal }: Pick<Context, 'client' | 'output' | 'signal'>,
  id: string,
): Promise<void> {
  const deadline = Date.now() + PATIENCE_MS
  for (;;) {
    const delivery = await client.webhookDeliveries.get(id, { signal })
    if (delivery.status !== 'pending' || delivery.attempt_count > 0 || Date.now() > deadline)
      return output.show(delivery, [...DELIVERY_COLUMNS, 'url', 'event_id'])
    await pause(ASK_EVERY_MS, signal)
  }
}
