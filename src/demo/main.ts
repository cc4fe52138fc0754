// `npm run demo`: one payment from create to swept, with live status over the websocket and a verified webhook at the end.
import { readFile } from 'node:fs/promises'
import { Command } from 'commander'
import { createClient } from 'graphql-ws'
import { z } from 'zod'
import { random } from '#adapters/node/random.ts'
import { environment } from '#config.ts'
import { loadDemoWallet } from '#sandbox/chain/demo-chain.ts'
import { payFromWallet } from '#sandbox/chain/payment.ts'
import { type DemoFacts, readDemoFacts } from '#sandbox/demo-facts.ts'
import { startDemoReceiver } from './receiver.ts'

const options: { asset: string; cents: string } = new Command('demo')
  .description('Pays one order on the service that `npm start` runs, and shows every step.')
  .option('--asset <ticker>', 'what the buyer pays with: SOL, or a token that the demo business takes', 'SOL')
  .option('--cents <n>', 'the price in US cents', '1999')
  .parse()
  .opts()

const env = environment()
const started = performance.now()
const say = (line: string): void =>
  console.log(`${((performance.now() - started) / 1_000).toFixed(1).padStart(5)} s  ${line}`)

class DemoError extends Error {}

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

async function main(): Promise<void> {
  const dataDir = env.DATA_DIR ?? '.data'
  const facts = await readDemoFacts(dataDir)
  if (facts === null)
    throw new DemoError(`There is no demo business in ${dataDir}: run \`npm start\` first, and leave it running.`)
  const rest = restClient(facts)
  const token = facts.tokens.find(({ ticker }) => ticker === options.asset) ?? null
  if (token === null && options.asset !== 'SOL')
    throw new DemoError(`--asset is one of SOL, ${facts.tokens.map(({ ticker }) => ticker).join(', ')}.`)

  const receiver = await startDemoReceiver(facts.webhook_secret, ({ type }) =>
    say(`webhook   ${type}, signature verified`),
  )
  const operator = operatorClient(facts, await operatorToken(dataDir))
  await operator.setWebhookUrl(receiver.url)
  try {
    const intent = intentBody.parse(
      await rest('POST', '/intents', {
        key: facts.api_key,
        body: {
          amount_usd_cents: Number(options.cents),
          accepted_tokens: [{ kind: 'sol' }, ...facts.tokens.map(({ mint }) => ({ kind: 'spl', mint }))],
          reference: `demo-${random.uuid()}`,
          customer: { email: 'buyer@example.com' },
        },
      }),
    )
    say(
      `created   intent ${intent.derivation_index}: $${(Number(options.cents) / 100).toFixed(2)}, to be paid at ${intent.address}`,
    )
    const { client_secret } = intent
    const { quotes } = quoteBody.parse(await rest('GET', `/intents/quote?client_secret=${client_secret}`, {}))
    for (const { symbol, decimals, expected_lamports } of quotes)
      say(`quote     ${expected_lamports / 10 ** decimals} ${symbol}`)

    const swept = followUntil(facts, client_secret, 'swept')
    const selection = selectionBody.parse(
      await rest('POST', '/intents/select-token', { body: { client_secret, mint: token?.mint ?? null } }),
    )
    say(`selected  ${options.asset}: ${selection.payment_uri}`)
    const amount = BigInt(selection.expected_lamports)
    const wallet = await loadDemoWallet(dataDir)
    const signature = await payFromWallet(facts.rpc_url, wallet, { to: intent.address, amount, token })
    say(`paid      by ${wallet.address}, transaction ${signature}`)
    await swept

    const { settlement } = statusBody.parse(
      await rest('GET', `/status?index=${intent.derivation_index}`, { key: facts.api_key }),
    )
    say(
      `settled   ${settlement.destination_ui} ${settlement.asset} to the business, transaction ${settlement.signatures.join(', ')}`,
    )
    console.table(
      settlement.legs.map(({ role, destination, amount_ui }) => ({ role, destination, [settlement.asset]: amount_ui })),
    )
    const webhook = await receiver.received('intent.swept')
    say(`done      the business fulfils the order on the webhook ${webhook.type}, status ${webhook.data.status}`)
  } finally {
    await operator.setWebhookUrl(null)
    receiver.close()
  }
}

function restClient(facts: DemoFacts) {
  return async (
    method: 'GET' | 'POST',
    path: string,
    { key, body }: { key?: string; body?: object },
  ): Promise<unknown> => {
    const response = await fetch(facts.base_url + path, {
      method,
      headers: { 'content-type': 'application/json', ...(key !== undefined && { authorization: `Bearer ${key}` }) },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    }).catch(() => {
      throw new DemoError(
        `Nothing answers at ${facts.base_url}: run \`npm start\` in another terminal, and leave it running.`,
      )
    })
    if (!response.ok)
      throw new DemoError(`${method} ${path.replace(/\?.*/, '')} answered ${response.status}: ${await response.text()}`)
    return await response.json()
  }
}

/** Prints each status as it comes over the websocket; resolves at `last`. */
function followUntil(facts: DemoFacts, clientSecret: string, last: string): Promise<void> {
  const client = createClient({ url: `${facts.base_url.replace(/^http/, 'ws')}/graphql` })
  const query =
    'subscription Live($clientSecret: String!) { checkoutUpdated(clientSecret: $clientSecret) { status message } }'
  const update = z.object({ checkoutUpdated: z.object({ status: z.string(), message: z.string() }) })
  return new Promise((resolve, reject) => {
    client.subscribe(
      { query, variables: { clientSecret } },
      {
        next({ data }) {
          const { status, message } = update.parse(data).checkoutUpdated
          say(`live      ${status.padEnd(9)} ${message}`)
          if (status !== last) return
          void client.dispose()
          resolve()
        },
        error: (error) => reject(error instanceof Error ? error : new DemoError(JSON.stringify(error))),
        complete: () => resolve(),
      },
    )
  })
}

async function operatorToken(dataDir: string): Promise<string> {
  return env.OPERATOR_TOKEN ?? (await readFile(`${dataDir}/operator-token`, 'utf8')).trim()
}

function operatorClient(facts: DemoFacts, token: string) {
  const query = 'mutation Demo($id: UUID!, $url: Text) { updateAccount(id: $id, input: { webhookUrl: $url }) { id } }'
  return {
    async setWebhookUrl(url: string | null): Promise<void> {
      const response = await fetch(`${facts.base_url}/graphql`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
        body: JSON.stringify({ query, variables: { id: facts.account_id, url } }),
      }).catch(() => {
        throw new DemoError(
          `Nothing answers at ${facts.base_url}: run \`npm start\` in another terminal, and leave it running.`,
        )
      })
      const answer = await response.text()
      if (answer.includes('"errors"')) throw new DemoError(`The demo business's webhook could not be set: ${answer}`)
    },
  }
}

main().catch((error: unknown) => {
  console.error(error instanceof DemoError ? error.message : error)
  process.exitCode = 1
})
