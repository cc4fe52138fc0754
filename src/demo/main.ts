// `npm run demo`: one payment from create to swept, with live status over the websocket and a verified webhook at the end.
import { readFile } from 'node:fs/promises'
import { Command } from 'commander'
import { z } from 'zod'
import { random } from '#adapters/node/random.ts'
import { environment } from '#config.ts'
import { loadDemoWallet } from '#sandbox/chain/demo-chain.ts'
import { payFromWallet } from '#sandbox/chain/payment.ts'
import { type DemoFacts, readDemoFacts } from '#sandbox/demo-facts.ts'
import { DemoReceiver } from './receiver.ts'
import { DemoError, followUntil, operatorClient, type Rest, restClient, type Status } from './service.ts'
import { type DemoShop, openShop, outdated } from './shop.ts'

const options: { asset: string; cents: string } = new Command('demo')
  .description('Pays one order on the service that `npm start` runs, and shows every step.')
  .option('--asset <ticker>', 'the asset that the buyer pays with: SOL, or a demo token', 'SOL')
  .option('--cents <n>', 'the price in US cents', '1999')
  .parse()
  .opts()

const env = environment()
const started = performance.now()
const say = (line: string): void =>
  console.log(`${((performance.now() - started) / 1_000).toFixed(1).padStart(5)} s  ${line}`)

const intentBody = z.object({ derivation_index: z.number(), address: z.string(), client_secret: z.string() })
const quoteBody = z.object({
  quotes: z.array(z.object({ symbol: z.string(), decimals: z.number(), expected_lamports: z.number() })),
})
const selectionBody = z.object({ expected_lamports: z.number(), payment_uri: z.string() })
const statusBody = z.object({
  status: z.string(),
  settlement: z.object({
    asset: z.string(),
    destination_amount: z.number(),
    destination_ui: z.number(),
    signatures: z.array(z.string()),
    legs: z.array(z.object({ role: z.string(), destination: z.string(), amount: z.number(), amount_ui: z.number() })),
  }),
})

/** A payment takes about twenty seconds. */
const GIVE_UP_MS = 180_000

async function main(): Promise<void> {
  const dataDir = env.DATA_DIR ?? '.data'
  const facts = await readDemoFacts(dataDir)
  if (facts === null)
    throw new DemoError(`There is no demo chain in ${dataDir}: run \`npm start\` first, and leave it running.`)
  const token = facts.tokens.find(({ ticker }) => ticker === options.asset) ?? null
  if (token === null && options.asset !== 'SOL')
    throw new DemoError(`--asset is one of SOL, ${facts.tokens.map(({ ticker }) => ticker).join(', ')}.`)
  const receiver = await DemoReceiver.start()
  const operator = operatorClient(facts, await operatorToken(dataDir))
  const shop = await openShop(dataDir, operator, receiver.url)
  const rest = restClient(facts, () => outdated(dataDir, 'The service does not know the API key of the demo.'))
  try {
    const order = { facts, dataDir, token, receiver, shop, rest }
    await Promise.race([payOneOrder(order), rotated(dataDir, receiver, shop), interrupted()])
  } finally {
    // The next demo listens on another port.
    await operator.setWebhookUrl(shop.account_id, null).catch(() => false)
  }
}

/** Prints each verified webhook. Rejects on a webhook that is signed with another secret. */
function rotated(dataDir: string, receiver: DemoReceiver, shop: DemoShop): Promise<never> {
  return new Promise((_resolve, reject) => {
    receiver.expect({
      secret: shop.webhook_secret,
      onWebhook: ({ type }) => say(`webhook   ${type}, signature verified`),
      onForeign: () => reject(outdated(dataDir, 'The webhook secret of the demo was rotated.')),
    })
  })
}

type Order = {
  readonly facts: DemoFacts
  readonly dataDir: string
  /** null is SOL. */
  readonly token: DemoFacts['tokens'][number] | null
  readonly receiver: DemoReceiver
  readonly shop: DemoShop
  readonly rest: Rest
}

async function payOneOrder(order: Order): Promise<void> {
  const { facts, receiver, rest } = order
  const intent = await createIntent(order)
  const { client_secret: clientSecret } = intent
  const { quotes } = quoteBody.parse(await rest('GET', `/intents/quote?client_secret=${clientSecret}`, {}))
  for (const { symbol, decimals, expected_lamports } of quotes)
    say(`quote     ${expected_lamports / 10 ** decimals} ${symbol}`)
  const onStatus = ({ status, message }: Status): void => say(`live      ${status.padEnd(9)} ${message}`)
  await Promise.all([followUntil(facts, { clientSecret, last: 'swept', onStatus }), selectAndPay(order, intent)])
  await showSettlement(order, intent)
  const { derivation_index: index } = intent
  const webhook = await receiver.received(
    ({ type, data }) => type === 'intent.swept' && data.derivation_index === index,
  )
  say(`done      the business fulfils the order on the webhook ${webhook.type}, status ${webhook.data.status}`)
}

type Intent = z.infer<typeof intentBody>

async function createIntent({ facts, shop, rest }: Order): Promise<Intent> {
  const body = {
    amount_usd_cents: Number(options.cents),
    accepted_tokens: [{ kind: 'sol' }, ...facts.tokens.map(({ mint }) => ({ kind: 'spl', mint }))],
    reference: `demo-${random.uuid()}`,
    customer: { email: 'buyer@example.com' },
  }
  const intent = intentBody.parse(await rest('POST', '/intents', { key: shop.api_key, body }))
  const price = (Number(options.cents) / 100).toFixed(2)
  say(`created   intent ${intent.derivation_index}: $${price}, to be paid at ${intent.address}`)
  return intent
}

async function selectAndPay({ facts, dataDir, token, rest }: Order, intent: Intent): Promise<void> {
  const body = { client_secret: intent.client_secret, mint: token?.mint ?? null }
  const selection = selectionBody.parse(await rest('POST', '/intents/select-token', { body }))
  say(`selected  ${options.asset}: ${selection.payment_uri}`)
  const amount = BigInt(selection.expected_lamports)
  const wallet = await loadDemoWallet(dataDir)
  const paying = payFromWallet(facts.rpc_url, wallet, { to: intent.address, amount, token })
  const signature = await paying.catch((error: unknown) => {
    throw new DemoError(`The buyer's payment failed: ${error instanceof Error ? error.message : String(error)}`)
  })
  say(`paid      by ${wallet.address}, transaction ${signature}`)
}

async function showSettlement({ shop, rest }: Order, { derivation_index: index }: Intent): Promise<void> {
  const { settlement } = statusBody.parse(await rest('GET', `/status?index=${index}`, { key: shop.api_key }))
  const { asset, destination_ui, signatures, legs } = settlement
  say(`settled   ${destination_ui} ${asset} to the business, transaction ${signatures.join(', ')}`)
  console.table(legs.map(({ role, destination, amount_ui }) => ({ role, destination, [asset]: amount_ui })))
}

/** Rejects when the process receives a signal to end, or when the payment takes too long. */
function interrupted(): Promise<never> {
  return new Promise((_resolve, reject) => {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => reject(new DemoError('Stopped.')))
    const late = `The payment is not done after ${GIVE_UP_MS / 1_000} seconds: npm run -s operator -- status says more.`
    setTimeout(() => reject(new DemoError(late)), GIVE_UP_MS)
  })
}

async function operatorToken(dataDir: string): Promise<string> {
  return env.OPERATOR_TOKEN ?? (await readFile(`${dataDir}/operator-token`, 'utf8')).trim()
}

// An open connection or receiver would keep the process running after the demo is over.
main().then(
  () => process.exit(0),
  (error: unknown) => {
    console.error(error instanceof DemoError ? error.message : error)
    process.exit(1)
  },
)
