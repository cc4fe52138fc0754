// The subscription of `npm run demo -- --subscription`: a wallet allows the charges once, and the service makes them by itself.
// The sandbox's clock brings the periods, and every step is a signed webhook.
import { setTimeout as sleep } from 'node:timers/promises'
import { generateKeyPairSigner, type KeyPairSigner, signBytes } from '@solana/kit'
import { z } from 'zod'
import { signTransactionOf } from '#sandbox/chain/payment.ts'
import type { DemoFacts } from '#sandbox/demo-facts.ts'
import { type ChargeRow, chargeRows, chargesBody } from './charges.ts'
import type { DemoReceiver, VerifiedWebhook } from './receiver.ts'
import { DemoError, type OperatorClient, RefusedError, type Rest, type Say } from './service.ts'
import type { DemoShop } from './shop.ts'

export type SubscriptionDemo = {
  readonly say: Say
  /** The price of a period, in US cents. */
  readonly cents: number
  readonly facts: DemoFacts
  readonly receiver: DemoReceiver
  readonly shop: DemoShop
  readonly rest: Rest
  readonly operator: OperatorClient
}

/** The periods that the wallet authorizes. The charge of `POOR_PERIOD` fails at first. */
const PERIODS = 4
const POOR_PERIOD = 2
/** Past-due wallets are read every minute. */
const REFILL_NOTICED_SECONDS = 60

const configBody = z.object({
  subscriptions: z.object({ mint: z.string(), decimals: z.number().nullable() }).nullable(),
})
const idBody = z.object({ id: z.string() })
const tierBody = idBody.extend({ unit_base_units: z.number() })
const intentBody = z.object({ checkout_url: z.string(), checkout_token: z.string() })
const subscriptionBody = z.object({
  subscription: z.object({ status: z.string(), current_period_end: z.string().nullable() }),
})
const transactionBody = z.object({ transaction: z.string() })
const preparedBody = transactionBody.extend({ subscription_id: z.string() })
const activatedBody = z.object({ status: z.string() })

const challengeBody = z.object({ challenge: z.object({ nonce: z.string(), message: z.string() }) })
const linksBody = z.object({
  subscriptions: z.array(z.object({ subscription: idBody, portal_url: z.string() })),
})
const approvalBody = transactionBody.extend({ outcome: z.literal('approval_required'), approval_id: z.string() })

/** Runs a subscription from its checkout to its end. Resolves after its last webhook. */
export async function runSubscription(demo: SubscriptionDemo): Promise<void> {
  const coin = await settlementCoin(demo)
  const tier = await openTier(demo)
  const wallet = await openWallet(demo, coin, tier.unit * BigInt(POOR_PERIOD))
  const course = { ...demo, coin, wallet, unit: tier.unit, id: await subscribe(demo, tier.id, wallet) }
  await charged(course, 0)
  await arrived(course, 'subscription.activated')
  await nextPeriod(course, 1)
  await charged(course, 1)
  await failAndRecover(course)
  await nextPeriod(course, PERIODS - 1)
  await charged(course, PERIODS - 1)
  await renew(course)
  await nextPeriod(course, PERIODS)
  await charged(course, PERIODS)
  await endAtPeriodEnd(course)
  await summarize(course)
}

type Coin = { readonly mint: string; readonly ticker: string; readonly decimals: number }
type Course = SubscriptionDemo & {
  readonly coin: Coin
  readonly wallet: KeyPairSigner
  /** The charge of a period, in base units. */
  readonly unit: bigint
  /** The id of the subscription. */
  readonly id: string
}

async function settlementCoin({ rest, facts }: SubscriptionDemo): Promise<Coin> {
  const { subscriptions } = configBody.parse(await rest('GET', '/config', {}))
  if (subscriptions === null)
    throw new DemoError('Recurring billing is disabled: start the service without SUBSCRIPTIONS=0.')
  const token = facts.tokens.find(({ mint }) => mint === subscriptions.mint)
  if (token === undefined) throw new DemoError('SUBSCRIPTION_MINT is not a demo token: the demo cannot fund a wallet.')
  return token
}

async function openTier({ rest, shop, cents, say }: SubscriptionDemo): Promise<{ id: string; unit: bigint }> {
  const key = shop.api_key
  const product = { name: 'Demo Coffee', external_id: 'demo-coffee' }
  const { id: productId } = idBody.parse(await rest('POST', '/subscription-products', { key, body: product }))
  const terms = { name: 'Monthly', price_usd_cents: cents, interval: 'month', authorization_periods: PERIODS }
  const path = `/subscription-products/${productId}/tiers`
  const { id, unit_base_units: unit } = tierBody.parse(await rest('POST', path, { key, body: terms }))
  say(`tier      Demo Coffee, $${(cents / 100).toFixed(2)} each month; a subscriber authorizes ${PERIODS} months`)
  return { id, unit: BigInt(unit) }
}

/** Returns a new wallet with tokens, and without SOL: the service pays the fee of the approve. */
async function openWallet({ operator, say }: SubscriptionDemo, coin: Coin, amount: bigint): Promise<KeyPairSigner> {
  const wallet = await generateKeyPairSigner()
  await operator.fund(wallet.address, coin.mint, amount)
  say(`wallet    ${wallet.address} has ${shown(amount, coin)} and no SOL`)
  return wallet
}

/** Completes a checkout by the wallet's approve. Returns the id of the subscription. */
async function subscribe(demo: SubscriptionDemo, tierId: string, wallet: KeyPairSigner): Promise<string> {
  const { rest, shop, say } = demo
  const opened = await rest('POST', '/subscription-intents', { key: shop.api_key, body: { tier_id: tierId } })
  const { checkout_url: url, checkout_token: token } = intentBody.parse(opened)
  say(`checkout  ${url}`)
  const path = `/pay/s/${token}`
  const prepared = preparedBody.parse(await askHosted(demo, `${path}/prepare`, { wallet: wallet.address }))
  const body = { subscription_id: prepared.subscription_id, transaction: await signed(wallet, prepared) }
  const { status } = activatedBody.parse(await askHosted(demo, `${path}/activate`, body))
  say(`approved  ${PERIODS} periods with one signature: ${status.replace('_', ' ')}`)
  return prepared.subscription_id
}

const signed = async (wallet: KeyPairSigner, { transaction }: z.infer<typeof transactionBody>): Promise<string> =>
  Buffer.from(await signTransactionOf(wallet, Buffer.from(transaction, 'base64'))).toString('base64')

/** The chain of a service that has just started has no final block yet. */
const STARTED_WITHIN_MS = 60_000
const ASK_AGAIN_MS = 1_000

/** Asks as a hosted page does, and again while the chain is unavailable. */
async function askHosted({ rest }: SubscriptionDemo, path: string, body: object): Promise<unknown> {
  const deadline = performance.now() + STARTED_WITHIN_MS
  for (;;) {
    try {
      return await rest('POST', path, { body })
    } catch (error) {
      const isAway = error instanceof RefusedError && error.status === 502
      if (!isAway || performance.now() > deadline) throw error
      await sleep(ASK_AGAIN_MS)
    }
  }
}

const isAbout = ({ id }: Course, { data }: VerifiedWebhook): boolean => data.id === id || data.subscription_id === id

const arrived = (course: Course, type: string): Promise<VerifiedWebhook> =>
  course.receiver.received((webhook) => webhook.type === type && isAbout(course, webhook))

/** Resolves with the webhook about the charge of a period. */
const chargeEnded = (course: Course, type: string, period: number): Promise<VerifiedWebhook> =>
  course.receiver.received(
    (webhook) => webhook.type === type && isAbout(course, webhook) && webhook.data.period_index === period,
  )

async function charged(course: Course, period: number): Promise<void> {
  const { data } = await chargeEnded(course, 'charge.succeeded', period)
  course.say(`charged   period ${period}: ${shown(course.unit, course.coin)}, transaction ${String(data.signature)}`)
}

/** Moves the clock to the moment at which the next period begins. */
async function nextPeriod({ rest, shop, id, operator, say }: Course, period: number): Promise<void> {
  const { subscription } = subscriptionBody.parse(await rest('GET', `/subscriptions/${id}`, { key: shop.api_key }))
  if (subscription.current_period_end === null) throw new DemoError(`The subscription is ${subscription.status}.`)
  const end = new Date(subscription.current_period_end)
  const now = await operator.advanceClock(1)
  const seconds = Math.max(1, Math.ceil((end.getTime() - now.getTime()) / 1_000))
  await operator.advanceClock(seconds)
  say(`clock     ${day(end)}: ${period <= PERIODS ? `period ${period} begins` : 'the last paid period ends'}`)
}

/** The wallet has too little for a period, and is refilled. */
async function failAndRecover(course: Course): Promise<void> {
  const { say, operator, wallet, coin, unit } = course
  await nextPeriod(course, POOR_PERIOD)
  const { data } = await chargeEnded(course, 'charge.failed', POOR_PERIOD)
  say(
    `failed    period ${POOR_PERIOD}: ${String(data.failure_code)}, nothing was sent; recovery: ${String(data.recovery_action)}`,
  )
  await arrived(course, 'subscription.past_due')
  const refill = unit * BigInt(PERIODS)
  await operator.fund(wallet.address, coin.mint, refill)
  say(`refilled  the wallet has ${shown(refill, coin)}; the service looks for it every minute`)
  await operator.advanceClock(REFILL_NOTICED_SECONDS)
  await charged(course, POOR_PERIOD)
}

/** The wallet gets a link to the portal by signing a text, and authorizes all periods again there. */
async function renew(course: Course): Promise<void> {
  const { wallet, say, id } = course
  await arrived(course, 'subscription.renewal_required')
  const owner = { wallet: wallet.address }
  const { challenge } = challengeBody.parse(await askHosted(course, '/pay/manage/challenge', owner))
  const signature = await signBytes(wallet.keyPair.privateKey, new TextEncoder().encode(challenge.message))
  const proof = { nonce: challenge.nonce, signature: Buffer.from(signature).toString('base64') }
  const { subscriptions } = linksBody.parse(await askHosted(course, '/pay/manage/verify', { ...owner, ...proof }))
  const link = subscriptions.find(({ subscription }) => subscription.id === id)
  if (link === undefined) throw new DemoError('The wallet got no link to its subscription.')
  say(`portal    ${link.portal_url}, for the wallet that signed a text`)
  const portal = `/pay/m/${link.portal_url.split('/').at(-1)}`
  const approval = approvalBody.parse(await askHosted(course, `${portal}/renew`, {}))
  const body = { approval_id: approval.approval_id, transaction: await signed(wallet, approval) }
  await askHosted(course, `${portal}/activate`, body)
  const remaining = String(course.unit * BigInt(PERIODS))
  await course.receiver.received(
    (webhook) =>
      isAbout(course, webhook) &&
      webhook.type === 'subscription.updated' &&
      webhook.data.remaining_amount === remaining,
  )
  say(`renewed   another ${PERIODS} periods, by an approve for the new total`)
}

/** Cancels at the end of the period: it was paid, and nothing is charged after it. */
async function endAtPeriodEnd(course: Course): Promise<void> {
  const { rest, shop, id, say } = course
  await rest('POST', `/subscriptions/${id}/cancel`, { key: shop.api_key, body: { at_period_end: true } })
  await arrived(course, 'subscription.cancel_scheduled')
  say('canceled  at the end of the period; until then the subscriber keeps the coffee')
  await nextPeriod(course, PERIODS + 1)
  await arrived(course, 'subscription.canceled')
}

async function summarize({ rest, shop, id, coin, say }: Course): Promise<void> {
  const listed = await rest('GET', `/subscriptions/${id}/charges`, { key: shop.api_key })
  const rows: readonly ChargeRow[] = chargeRows(chargesBody.parse(listed), coin)
  console.table(rows)
  const { subscription } = subscriptionBody.parse(await rest('GET', `/subscriptions/${id}`, { key: shop.api_key }))
  say(`done      the subscription is ${subscription.status}; ${rows.length} periods were charged, each of them once`)
}

const day = (time: Date): string => time.toISOString().slice(0, 10)

const shown = (amount: bigint, { decimals, ticker }: Coin): string => `${Number(amount) / 10 ** decimals} ${ticker}`
