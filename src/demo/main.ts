// `npm run demo`: one payment from create to swept, with live status over the websocket and a verified webhook at the end.
// With --marketplace it is a payment for a seller, and its settlement is split.
import { readFile } from 'node:fs/promises'
import { Command } from 'commander'
import { z } from 'zod'
import { random } from '#adapters/node/random.ts'
import { environment } from '#config/environment.ts'
import { loadDemoWallet } from '#sandbox/chain/demo-chain.ts'
import { payFromWallet } from '#sandbox/chain/payment.ts'
import { type DemoFacts, readDemoFacts } from '#sandbox/demo-facts.ts'
import { DemoReceiver } from './receiver.ts'
import { type DemoSeller, openSeller } from './seller.ts'
import { DemoError, followUntil, operatorClient, type Rest, restClient, type Status } from './service.ts'
import { legRows, statusBody, sumOfLegs } from './settlement.ts'
import { type DemoShop, openShop, outdated } from './shop.ts'

const options: { asset: string; cents: string; marketplace?: true } = new Command('demo')
  .description('Pays one order on the service that `npm start` runs, and shows every step.')
  .option('--asset <ticker>', 'the asset that the buyer pays with: SOL, or a demo token', 'SOL')
  .option('--cents <n>', 'the price in US cents', '1999')
  .option('--marketplace', 'pays a seller of a marketplace in SOL, and shows how the payment is split')
  .showSuggestionAfterError(false)
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

/** A payment takes about twenty seconds. */
const GIVE_UP_MS = 180_000

/** Throws on options that no service can answer. */
function checkOptions(): void {
  if (!/^[1-9]\d{0,11}$/.test(options.cents)) throw new DemoError('--cents is a whole number of US cents, from 1.')
  // A token payment settles whole to the seller.
  if (options.marketplace && options.asset !== 'SOL')
    throw new DemoError('--marketplace shows a split payment, which is in SOL: leave out --asset.')
}

async function main(): Promise<void> {
  checkOptions()
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
    const pay = async (): Promise<void> => {
      const seller = options.marketplace ? await openSeller(operator, rest, shop) : null
      await payOneOrder({ facts, dataDir, token, receiver, shop, rest, seller })
    }
    await Promise.race([pay(), rotated(dataDir, receiver, shop), interrupted()])
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
  /** null is a payment for the business itself. */
  readonly seller: DemoSeller | null
}

async function payOneOrder(order: Order): Promise<void> {
  const { facts, receiver, rest, seller } = order
  if (seller !== null) say(`seller    ${seller.name} ${seller.id}, to be paid out at ${seller.sweep_destination}`)
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
  const { is_seller, name } = webhook.account
  if (seller !== null) say(`webhook   ${webhook.type}: account.is_seller ${is_seller}, account.name ${name}`)
  say(`done      the business fulfils the order on the webhook ${webhook.type}, status ${webhook.data.status}`)
}

type Intent = z.infer<typeof intentBody>

async function createIntent({ facts, shop, rest, seller }: Order): Promise<Intent> {
  // A token payment for a seller is not split.
  const tokens = seller === null ? facts.tokens : []
  const body = {
    amount_usd_cents: Number(options.cents),
    accepted_tokens: [{ kind: 'sol' }, ...tokens.map(({ mint }) => ({ kind: 'spl', mint }))],
    reference: `demo-${random.uuid()}`,
    customer: { email: 'buyer@example.com' },
  }
  const given = { key: shop.api_key, body, ...(seller !== null && { onBehalfOf: seller.id }) }
  const intent = intentBody.parse(await rest('POST', '/intents', given))
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

async function showSettlement({ shop, rest, seller }: Order, { derivation_index: index }: Intent): Promise<void> {
  const settled = statusBody.parse(await rest('GET', `/status?index=${index}`, { key: shop.api_key }))
  const { asset, destination_ui, signatures } = settled.settlement
  const receiver = seller === null ? 'the business' : 'the seller'
  say(`settled   ${destination_ui} ${asset} to ${receiver}, transaction ${signatures.join(', ')}`)
  console.table(legRows(settled))
  if (seller !== null) say(`sum       ${sumOfLegs(settled)}, all that was received`)
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
