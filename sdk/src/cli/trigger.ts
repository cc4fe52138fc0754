// Makes a type of event really happen in the sandbox: `solana-payments trigger intent.swept`.
import type { Event } from '../generated/api.ts'
import { pause } from '../pause.ts'
import { CommandError, type Context } from './context.ts'
import { type DepositKind, Sandbox } from './sandbox.ts'
import type { Wallet } from './wallet.ts'

type Recipe = (sandbox: Sandbox) => Promise<unknown>
type Terms = { readonly periods: number; readonly cents: number; readonly trialDays?: number }

const GIVE_UP_MS = 60_000
const DAY_SECONDS = 86_400
/** A first charge that has not succeeded by then has failed. */
const FIRST_CHARGE_SECONDS = 23 * 3_600
/** Several times as long as the chain has to go on after the time of a refund before it has expired. */
const CLOSING_SECONDS = 900
/** The service reads an allowance again after this time. */
const ALLOWANCE_SECONDS = 60
const SOL = [{ kind: 'sol' }] as const
const DAILY: Terms = { periods: 3, cents: 500 }
/** A wallet of the sandbox has 1,000 dollars: enough for one such charge, and not for two. */
const AFFORDABLE_ONCE: Terms = { periods: 3, cents: 60_000 }
const NOT_AFFORDABLE: Terms = { periods: 1, cents: 150_000 }

/** How each type is made to happen: the compiler refuses a type that is forgotten. */
const RECIPES: Readonly<Record<Event['type'], Recipe>> = {
  'intent.created': created,
  'intent.token_selected': async (sandbox) => {
    const { client_secret } = await created(sandbox)
    await sandbox.client.checkout.selectToken({ client_secret: client_secret ?? '', mint: null })
  },
  'intent.underpaid': (sandbox) => paid(sandbox, 'under'),
  'intent.paid': (sandbox) => paid(sandbox, 'exact'),
  'intent.overpaid': (sandbox) => paid(sandbox, 'over'),
  'intent.settling': (sandbox) => paid(sandbox, 'exact'),
  'intent.swept': (sandbox) => paid(sandbox, 'exact'),
  'intent.settlement_updated': sweptAgain,
  'intent.settle_failed': sweptToFrozenAccount,
  'intent.cancelled': cancelled,
  'intent.refunding': refunded,
  'intent.refunded': refunded,
  'intent.refund_failed': notRefundable,
  'intent.late_payment': async (sandbox) => sandbox.pay(await cancelled(sandbox), 'exact'),
  'intent.token_refund_updated': async (sandbox) => {
    const { derivation_index: index } = await created(sandbox, 500, await inToken(sandbox))
    await sandbox.pay(index, 'wrong_asset')
  },
  'intent.held_released': released,
  'intent.refund_address_proposed': proposed,
  'intent.refund_address_approved': async (sandbox) => {
    const { id, address } = await proposed(sandbox)
    await sandbox.client.payments.refundAddress.approve(id, { address })
  },
  'intent.refund_address_declined': async (sandbox) => {
    const { id, address } = await proposed(sandbox)
    await sandbox.client.payments.refundAddress.decline(id, { address, reason: 'A test of solana-payments trigger' })
  },
  'subscription.created': (sandbox) => subscribed(sandbox, DAILY),
  'subscription.activated': (sandbox) => subscribed(sandbox, DAILY),
  // A trial of one day is announced at once.
  'subscription.trial_ending': (sandbox) => subscribed(sandbox, { ...DAILY, trialDays: 1 }),
  'subscription.updated': (sandbox) => nextPeriod(sandbox, DAILY),
  'subscription.past_due': (sandbox) => nextPeriod(sandbox, AFFORDABLE_ONCE),
  'subscription.renewal_required': (sandbox) => nextPeriod(sandbox, { ...DAILY, periods: 2 }),
  'subscription.paused': async (sandbox) => sandbox.client.subscriptions.pause(await active(sandbox)),
  'subscription.resumed': async (sandbox) => {
    const id = await active(sandbox)
    await sandbox.client.subscriptions.pause(id)
    await sandbox.client.subscriptions.resume(id)
  },
  'subscription.cancel_scheduled': async (sandbox) =>
    sandbox.client.subscriptions.cancel(await active(sandbox), { at_period_end: true }),
  'subscription.canceled': async (sandbox) =>
    sandbox.client.subscriptions.cancel(await active(sandbox), { at_period_end: false }),
  'subscription.revoked': async (sandbox) => {
    const wallet = await sandbox.newWallet()
    await active(sandbox, DAILY, wallet)
    await sandbox.revokeAllowance(wallet)
    await sandbox.advanceClock(ALLOWANCE_SECONDS)
  },
  'subscription.exhausted': (sandbox) => nextPeriod(sandbox, { ...DAILY, periods: 1 }),
  'subscription.failed': async (sandbox) => {
    await subscribed(sandbox, NOT_AFFORDABLE)
    await sandbox.advanceClock(FIRST_CHARGE_SECONDS)
  },
  'charge.created': (sandbox) => subscribed(sandbox, DAILY),
  'charge.succeeded': (sandbox) => subscribed(sandbox, DAILY),
  'charge.failed': (sandbox) => subscribed(sandbox, NOT_AFFORDABLE),
  'refund.created': (sandbox) => refundTo(sandbox),
  'refund.succeeded': refundPaid,
  'refund.failed': async (sandbox) => {
    const { id } = await refundTo(sandbox)
    await sandbox.advanceClock(DAY_SECONDS)
    while ((await sandbox.client.refunds.get(id)).status === 'open') await sandbox.advanceClock(CLOSING_SECONDS)
  },
  'business.payout_changed': async (sandbox) => {
    const { address } = await sandbox.newWallet()
    await sandbox.withPayoutWallet(address, async () => {})
  },
  'business.payout_change_requested': ofOwners,
  'business.payout_change_canceled': ofOwners,
  'webhook.test': tested,
}

function ofOwners(): Promise<never> {
  const reason =
    'No command can make this: it happens when an owner changes the payout wallet in the dashboard while PAYOUT_CHANGE_DELAY_HOURS is set.'
  return Promise.reject(new CommandError(reason))
}

export const TRIGGERS: readonly string[] = Object.keys(RECIPES)

/** Makes the type happen, and shows each event until it has. */
export async function trigger(context: Context): Promise<void> {
  const { client, positionals, output, signal } = context
  const [type = ''] = positionals
  const recipe = Object.entries(RECIPES).find(([name]) => name === type)?.[1]
  if (recipe === undefined) throw new CommandError(`The types are:\n  ${TRIGGERS.join('\n  ')}`)
  const sandbox = new Sandbox(context)
  const started = performance.now()
  const ended = new AbortController()
  const late = new CommandError(
    `No ${type} within a minute: npm run -s operator -- status shows what the service waits for.`,
  )
  const timer = setTimeout(() => ended.abort(late), GIVE_UP_MS)
  let happening: Promise<unknown> | null = null
  const following = client.followEvents({
    signal: AbortSignal.any([signal, ended.signal]),
    onConnection: (error) => {
      if (error === null) happening ??= recipe(sandbox).catch((reason: unknown) => ended.abort(reason))
    },
  })
  for await (const { event } of following) {
    const seconds = ((performance.now() - started) / 1_000).toFixed(1)
    if (output.isJson) output.show(event, [])
    else output.say(`${seconds.padStart(5)} s  ${event.type.padEnd(28)}  ${event.id}`)
    if (event.type === type) break
  }
  // What was changed for this type alone is put back.
  await happening
  clearTimeout(timer)
}

const ASK_EVERY_MS = 200

async function until(isSo: () => Promise<unknown>): Promise<void> {
  while (!(await isSo())) await pause(ASK_EVERY_MS)
}

// Payments

async function created({ client }: Sandbox, cents = 500, tokens: Accepted = SOL) {
  return await client.payments.create({
    amount_usd_cents: cents,
    accepted_tokens: tokens,
    description: 'A test of solana-payments trigger',
  })
}

type Accepted = readonly ({ readonly kind: 'sol' } | { readonly kind: 'spl'; readonly mint: string })[]

/** Returns the index of a payment that was paid, in SOL. */
async function paid(sandbox: Sandbox, kind: DepositKind): Promise<number> {
  const { derivation_index: index } = await created(sandbox)
  await sandbox.pay(index, kind)
  return index
}

async function cancelled(sandbox: Sandbox): Promise<number> {
  const { derivation_index: index } = await created(sandbox)
  await sandbox.client.payments.cancel({ index })
  return index
}

async function refunded(sandbox: Sandbox): Promise<void> {
  const index = await paid(sandbox, 'under')
  await sandbox.client.waitFor(index, 'underpaid')
  await sandbox.client.payments.cancel({ index })
}

const inToken = async (sandbox: Sandbox): Promise<Accepted> => [{ kind: 'spl', mint: await sandbox.mint() }]

/** A part of the price comes without a sender, so that it cannot go back. Returns the payment. */
async function notRefundable(sandbox: Sandbox) {
  const payment = await created(sandbox, 500, await inToken(sandbox))
  const { derivation_index: index, address } = payment
  await sandbox.mintTo(address, 1n)
  await sandbox.client.waitFor(index, 'underpaid')
  await sandbox.client.payments.cancel({ index })
  return payment
}

async function released(sandbox: Sandbox): Promise<void> {
  const [{ derivation_index: index }, { address }] = await Promise.all([notRefundable(sandbox), sandbox.newWallet()])
  await sandbox.client.waitFor(index, 'refund_failed')
  await sandbox.release(index, await sandbox.mint(), address)
}

/** The buyer proposes an address for money that is held. Returns it with the id of the payment. */
async function proposed(sandbox: Sandbox) {
  const [{ id, derivation_index: index, client_secret }, { address }] = await Promise.all([
    notRefundable(sandbox),
    sandbox.newWallet(),
  ])
  await sandbox.client.waitFor(index, 'refund_failed')
  await sandbox.client.checkout.refundAddress({ client_secret: client_secret ?? '', address })
  return { id, address }
}

/** Pays too much without a sender: the excess cannot go back, and the business sweeps it after the settlement. */
async function sweptAgain(sandbox: Sandbox): Promise<void> {
  const { client } = sandbox
  const { derivation_index: index, address } = await created(sandbox, 500, await inToken(sandbox))
  await sandbox.mintTo(address, 6n)
  await client.waitFor(index, 'swept')
  await client.payments.sweep({ index })
}

/** The issuer of the token has frozen the account of the payout wallet. */
async function sweptToFrozenAccount(sandbox: Sandbox): Promise<void> {
  const { address } = await sandbox.newWallet()
  await sandbox.freeze(address)
  await sandbox.withPayoutWallet(address, async () => {
    const { derivation_index: index } = await created(sandbox, 500, await inToken(sandbox))
    await sandbox.pay(index, 'exact')
    await sandbox.client.waitFor(index, 'settle_failed')
  })
}

// Refunds by the business

/** Creates a refund of a settled payment in SOL, to a new wallet. */
async function refundTo(sandbox: Sandbox) {
  const { client } = sandbox
  const { id, derivation_index: index } = await created(sandbox)
  await sandbox.pay(index, 'exact')
  await client.waitFor(index, 'swept')
  const { address } = await sandbox.newWallet()
  return await client.refunds.create({ payment: id, to: address, reason: 'A test of solana-payments trigger' })
}

/** The wallet of the business, which the command has for a moment, signs and sends the transaction. */
async function refundPaid(sandbox: Sandbox): Promise<void> {
  const wallet = await sandbox.newWallet()
  await sandbox.withPayoutWallet(wallet.address, async () => {
    const { transaction, transaction_problem: problem } = await refundTo(sandbox)
    if (transaction === null) throw new CommandError(`The refund has no transaction: ${problem}`)
    await sandbox.send(wallet.signTransaction(transaction))
  })
}

// Subscriptions

/** Returns the id of a subscription whose checkout a new wallet has completed. */
async function subscribed(sandbox: Sandbox, terms: Terms, given?: Wallet): Promise<string> {
  const { client } = sandbox
  const wallet = given ?? (await sandbox.newWallet())
  const product = await client.subscriptionProducts.create({
    name: 'A test of trigger',
    external_id: 'solana-payments-trigger',
  })
  const tier = await client.subscriptionProducts.tiers.create(product.id, {
    name: 'Daily',
    price_usd_cents: terms.cents,
    interval: 'day',
    authorization_periods: terms.periods,
    trial_days: terms.trialDays ?? 0,
  })
  const { checkout_token: token } = await client.subscriptionIntents.create({ tier_id: tier.id })
  const prepared = await client.subscriptionCheckout.prepare(token, { wallet: wallet.address })
  if (!prepared.requires_signature || prepared.transaction === null)
    throw new CommandError('The wallet was asked for a text and not for a transaction.')
  const { subscription_id: id } = prepared
  const transaction = wallet.signTransaction(prepared.transaction)
  await client.subscriptionCheckout.activate(token, { subscription_id: id, transaction })
  return id
}

/** Returns the id of a subscription whose first charge has succeeded. */
async function active(sandbox: Sandbox, terms = DAILY, wallet?: Wallet): Promise<string> {
  const id = await subscribed(sandbox, terms, wallet)
  await until(async () => (await sandbox.client.subscriptions.get(id)).subscription.status !== 'incomplete')
  return id
}

async function nextPeriod(sandbox: Sandbox, terms: Terms): Promise<void> {
  await active(sandbox, terms)
  await sandbox.advanceClock(DAY_SECONDS)
}

// Webhooks

async function tested({ client }: Sandbox): Promise<void> {
  const { id } = await client.webhookEndpoints.create({ url: 'http://127.0.0.1:9/', event_types: ['webhook.test'] })
  await client.webhookEndpoints.test(id)
  await client.webhookEndpoints.delete(id)
}
