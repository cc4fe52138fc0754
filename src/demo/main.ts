// `npm run demo`: one payment from create to swept, with live status over the websocket and a verified webhook at the end.
// With --marketplace it is a payment for a seller, and its settlement is split. With --subscription it is a subscription,
// over several periods. With --year it is a year of made-up payments.
import { readFile } from 'node:fs/promises'
import { Command } from 'commander'
import { findService } from '#adapters/node/running-service.ts'
import { environment } from '#config/environment.ts'
import { readDemoFacts } from '#sandbox/demo-facts.ts'
import { payOneOrder } from './payment.ts'
import { DemoReceiver } from './receiver.ts'
import { DemoError, nothingAnswers, operatorClient, restClient, type Say } from './service.ts'
import { type DemoShop, openSeller, openShop, outdated } from './shop.ts'
import { runSubscription } from './subscription.ts'
import { addYear } from './year.ts'

const options: { asset: string; cents: string; marketplace?: true; subscription?: true; year?: true } = new Command(
  'demo',
)
  .description('Pays one order on the service that `npm start` runs, and shows every step.')
  .option('--asset <ticker>', 'the asset that the buyer pays with: SOL, or a demo token', 'SOL')
  .option('--cents <n>', 'the price in US cents', '1999')
  .option('--marketplace', 'pays a seller of a marketplace in SOL, and shows how the payment is split')
  .option('--subscription', 'subscribes a wallet, moves the clock over several periods, and shows each charge')
  .option('--year', 'adds a year of made-up payments to the demo business, for its dashboard')
  .showSuggestionAfterError(false)
  .parse()
  .opts()

const env = environment()
const started = performance.now()
const say: Say = (line) => console.log(`${((performance.now() - started) / 1_000).toFixed(1).padStart(5)} s  ${line}`)

/** A payment takes about twenty seconds, a subscription with its periods about two minutes. */
const GIVE_UP_MS = options.subscription ? 600_000 : 180_000

/** Throws on options that no service can answer. */
function checkOptions(): void {
  if (!/^[1-9]\d{0,11}$/.test(options.cents)) throw new DemoError('--cents is a whole number of US cents, from 1.')
  // A token payment settles whole to the seller.
  if (options.marketplace && options.asset !== 'SOL')
    throw new DemoError('--marketplace shows a split payment, which is in SOL: leave out --asset.')
  if (options.year && (options.subscription || options.marketplace || options.asset !== 'SOL'))
    throw new DemoError('--year pays nothing: leave out the other options.')
  if (options.subscription && (options.marketplace || options.asset !== 'SOL'))
    throw new DemoError(
      '--subscription is charged in the stablecoin of the platform: leave out --asset and --marketplace.',
    )
}

async function main(): Promise<void> {
  checkOptions()
  const dataDir = env.DATA_DIR ?? '.data'
  const facts = await readDemoFacts(dataDir)
  if (facts === null)
    throw new DemoError(`There is no demo chain in ${dataDir}: run \`npm start\` first, and leave it running.`)
  // The token of this directory is for the service that runs with it, and for no other program at its last address.
  if ((await findService(dataDir)) === null) throw nothingAnswers(facts)
  const token = facts.tokens.find(({ ticker }) => ticker === options.asset) ?? null
  if (token === null && options.asset !== 'SOL')
    throw new DemoError(`--asset is one of SOL, ${facts.tokens.map(({ ticker }) => ticker).join(', ')}.`)
  const operator = operatorClient(facts, await operatorToken(dataDir))
  if (options.year) return await addYear({ say, facts, operator })
  const receiver = await DemoReceiver.start()
  const shop = await openShop(dataDir, operator, receiver.url)
  const rest = restClient(facts, () => outdated(dataDir, 'The service does not know the API key of the demo.'))
  try {
    const { asset } = options
    const cents = Number(options.cents)
    const run = async (): Promise<void> => {
      if (options.subscription) return await runSubscription({ say, cents, facts, receiver, shop, rest, operator })
      const seller = options.marketplace ? await openSeller(operator, rest, shop) : null
      await payOneOrder({ say, cents, asset, facts, dataDir, token, receiver, shop, rest, seller })
    }
    await Promise.race([run(), rotated(dataDir, receiver, shop), interrupted()])
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

/** Rejects when the process receives a signal to end, or when the demo takes too long. */
function interrupted(): Promise<never> {
  return new Promise((_resolve, reject) => {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => reject(new DemoError('Stopped.')))
    const late = `The demo is not done after ${GIVE_UP_MS / 1_000} seconds: npm run -s operator -- status says more.`
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
