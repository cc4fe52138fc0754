// One order of the demo: created, quoted, paid from a wallet, followed over the websocket, and settled.
import { z } from 'zod'
import { random } from '#adapters/node/random.ts'
import { loadDemoWallet } from '#sandbox/chain/demo-chain.ts'
import { payFromWallet } from '#sandbox/chain/payment.ts'
import type { DemoFacts } from '#sandbox/demo-facts.ts'
import type { DemoReceiver } from './receiver.ts'
import { DemoError, followUntil, type Rest, type Say, type Status } from './service.ts'
import { legRows, statusBody, sumOfLegs } from './settlement.ts'
import type { DemoSeller, DemoShop } from './shop.ts'

const intentBody = z.object({
  derivation_index: z.number(),
  address: z.string(),
  client_secret: z.string(),
  checkout_url: z.string(),
})
const quoteBody = z.object({
  quotes: z.array(z.object({ symbol: z.string(), decimals: z.number(), expected_lamports: z.number() })),
})
const selectionBody = z.object({ expected_lamports: z.number(), payment_uri: z.string() })

export type Order = {
  readonly say: Say
  readonly cents: number
  /** The ticker of the asset. */
  readonly asset: string
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

/** Pays one order. Resolves after its last webhook. */
export async function payOneOrder(order: Order): Promise<void> {
  const { facts, receiver, rest, say, seller } = order
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
  await offerPage(order)
  say(`done      the business fulfils the order on the webhook ${webhook.type}, status ${webhook.data.status}`)
}

type Intent = z.infer<typeof intentBody>

/** Prints the page of another order, for the person who runs the demo. A demo wallet on it can pay. */
async function offerPage(order: Order): Promise<void> {
  const { checkout_url: url } = await openOrder(order)
  order.say(`try it    pay another order in a browser within ten minutes: ${url}`)
}

async function createIntent(order: Order): Promise<Intent> {
  const { cents, say } = order
  const intent = await openOrder(order)
  const price = (cents / 100).toFixed(2)
  say(`created   intent ${intent.derivation_index}: $${price}, to be paid at ${intent.address}`)
  return intent
}

async function openOrder({ facts, shop, rest, seller, cents }: Order): Promise<Intent> {
  // A token payment for a seller is not split.
  const tokens = seller === null ? facts.tokens : []
  const body = {
    amount_usd_cents: cents,
    accepted_tokens: [{ kind: 'sol' }, ...tokens.map(({ mint }) => ({ kind: 'spl', mint }))],
    reference: `demo-${random.uuid()}`,
    customer: { email: 'buyer@example.com' },
  }
  const given = { key: shop.api_key, body, ...(seller !== null && { onBehalfOf: seller.id }) }
  return intentBody.parse(await rest('POST', '/intents', given))
}

async function selectAndPay({ facts, dataDir, token, asset, rest, say }: Order, intent: Intent): Promise<void> {
  const body = { client_secret: intent.client_secret, mint: token?.mint ?? null }
  const selection = selectionBody.parse(await rest('POST', '/intents/select-token', { body }))
  say(`selected  ${asset}: ${selection.payment_uri}`)
  const amount = BigInt(selection.expected_lamports)
  const wallet = await loadDemoWallet(dataDir)
  const paying = payFromWallet(facts.rpc_url, wallet, { to: intent.address, amount, token })
  const signature = await paying.catch((error: unknown) => {
    throw new DemoError(`The buyer's payment failed: ${error instanceof Error ? error.message : String(error)}`)
  })
  say(`paid      by ${wallet.address}, transaction ${signature}`)
}

async function showSettlement({ shop, rest, say, seller }: Order, { derivation_index: index }: Intent): Promise<void> {
  const settled = statusBody.parse(await rest('GET', `/status?index=${index}`, { key: shop.api_key }))
  const { asset, destination_ui, signatures } = settled.settlement
  const receiver = seller === null ? 'the business' : 'the seller'
  say(`settled   ${destination_ui} ${asset} to ${receiver}, transaction ${signatures.join(', ')}`)
  console.table(legRows(settled))
  if (seller !== null) say(`sum       ${sumOfLegs(settled)}, all that was received`)
}
