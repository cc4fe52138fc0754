// The people of subscriptions: businesses that sell and manage them, and subscribers with their wallets.
import { sign } from 'node:crypto'
import { ServiceError } from '#core/errors.ts'
import { makeBasisPoints, makeUsdCents } from '#core/money/amounts.ts'
import type { OfferedApprove } from '#services/billing/approvals/offer.ts'
import type { Merchant } from '#services/billing/billing-services.ts'
import type { PreparedProof } from '#services/billing/checkout/checkout-services.ts'
import type { Challenge } from '#services/billing/wallet-proof.ts'
import { createWallet, type Wallet } from '../chain/wallets.ts'
import type { Dice } from '../dice.ts'
import type { Fault } from '../faults.ts'
import type { SubscriptionMonitor } from '../monitor/billing/subscriptions.ts'
import { fundFeePayer } from '../operator.ts'
import { type Payee, walletOf } from '../payees.ts'
import { ask, type People } from '../people.ts'
import { DAWN, virtualNow } from '../virtual-time.ts'
import { type Accounts, createAccounts, signedByOwner } from './accounts.ts'
import type { BillingStage } from './billing-stage.ts'

const SECOND = 1_000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR

type Scene = {
  readonly people: People
  readonly stage: BillingStage
  readonly monitor: SubscriptionMonitor
  readonly accounts: Accounts
  readonly dice: Dice
  /** Waits between two numbers of milliseconds. */
  readonly wait: (least: number, most: number) => Promise<void>
  /** Texts that have completed a checkout. */
  readonly used: Given[]
}

type Shop = { readonly payee: Payee; readonly merchant: Merchant; readonly tiers: readonly string[] }

export type BillingPeople = {
  /** Ends what stops payouts. To be called when the faults are over. */
  heal(): void
  over(): boolean
}

/** Begins the season. `restart` ends every instance, and others start in their place. */
export function beginBilling(
  people: People,
  stage: BillingStage,
  monitor: SubscriptionMonitor,
  restart: () => void,
): BillingPeople {
  const { ground } = people
  const dice = ground.dice.stream('subscriptions of people')
  const accounts = createAccounts(ground, people.stage, stage)
  let open = 0
  const used: Given[] = []
  const sceneOf = (name: string): Scene => {
    const own = dice.stream(name)
    const wait = (least: number, most: number) =>
      ground.scheduler.at(virtualNow() + own.between(Math.ceil(least), Math.ceil(most)), name)
    return { people, stage, monitor, accounts, dice: own, wait, used }
  }
  /** Runs a part of the season from a time on. */
  const run = (name: string, at: number, play: (scene: Scene) => Promise<void>): void => {
    open += 1
    void ground.scheduler.at(at, `${name} begins`).then(async () => {
      await play(sceneOf(name))
      open -= 1
    })
  }
  const shops: Shop[] = []
  run('shops open', DAWN + SECOND, async (scene) => {
    fundFeePayer(people)
    await scene.wait(20 * SECOND, 30 * SECOND)
    for (const payee of people.stage.payees.filter(({ terms }) => terms === null)) {
      const shop = await openShop(scene, payee)
      if (shop !== null) shops.push(shop)
    }
    if (shops.length === 0) return
    for (const [at, wallet] of stage.subscribers.entries()) {
      for (let number = 1; number <= dice.between(1, 2); number += 1) {
        const drawn = virtualNow() + dice.between(MINUTE, stage.season.openMs)
        const begins = stage.season.openMs > 31 * DAY && dice.chance(0.5) ? atMonthEnd(drawn) : drawn
        run(`subscription ${at}.${number}`, begins, (own) => liveSubscription(own, dice.pick(shops), shops, wallet))
      }
      for (let act = 1; act <= dice.between(0, 3); act += 1)
        run(`act ${at}.${act}`, DAWN + dice.between(HOUR, stage.season.lengthMs), (own) => actOnWallet(own, wallet))
    }
    for (let act = 1; act <= dice.between(0, 2); act += 1)
      run(`payout ${act}`, DAWN + dice.between(HOUR, stage.season.lengthMs), (own) =>
        actOnPayout(own, dice.pick(shops)),
      )
  })
  if (dice.chance(0.3)) run('outage', DAWN + dice.between(HOUR, stage.season.lengthMs), (own) => goDown(own, restart))
  if (dice.chance(0.3)) run('off', DAWN + dice.between(HOUR, stage.season.lengthMs), (own) => turnOff(own, restart))
  return {
    heal: () => {
      const owners = shops.flatMap(({ payee }) => payee.wallets.map(({ address }) => address))
      run('repair', virtualNow(), () => accounts.heal(owners))
    },
    over: () => open === 0,
  }
}

/** Returns the same hour of the last day of the month, after which shorter months come. */
function atMonthEnd(time: number): number {
  const date = new Date(time)
  return date.setUTCMonth(date.getUTCMonth() + 1, 0)
}

const count = ({ people }: Scene, act: Fault): void => {
  people.ground.faults.count(act)
  people.ground.trace.note(act)
}

async function openShop({ people, stage, monitor, dice }: Scene, payee: Payee): Promise<Shop | null> {
  const merchant: Merchant = { tenant: payee.caller, marketplaceFeeBps: makeBasisPoints(0) }
  const texts = { name: 'Club', description: null, metadata: {} }
  const made = await ask(people, dice, ({ billing }) =>
    wanted(billing).catalogue.createProduct(merchant, { ...texts, externalId: payee.accountId }),
  )
  if (made === null || made instanceof ServiceError) return null
  const tiers: string[] = []
  for (const rhythm of stage.season.tiers) {
    const input = {
      ...texts,
      ...rhythm,
      priceUsdCents: makeUsdCents(dice.between(101, 2_999)),
      authorizationPeriods: dice.between(1, 9),
    }
    const tier = await ask(people, dice, ({ billing }) =>
      wanted(billing).catalogue.createTier(merchant, made.product.id, input),
    )
    if (tier === null || tier instanceof ServiceError) continue
    const { platformWallet, platformFeeBps } = stage.terms
    people.findings.check(
      'money goes to a wallet that its owner named',
      payee.wallets.some(({ address }) => address === tier.payoutOwner),
      () => `a tier pays to ${tier.payoutOwner}`,
    )
    monitor.tiers.set(tier.id, {
      ...rhythm,
      accountId: payee.accountId,
      // Two decimals: a cent is one base unit.
      unit: BigInt(input.priceUsdCents),
      periods: input.authorizationPeriods,
      payoutOwner: tier.payoutOwner,
      feeBps: platformFeeBps,
      platformWallet,
    })
    tiers.push(tier.id)
  }
  return tiers.length === 0 ? null : { payee, merchant, tiers }
}

function wanted<T>(part: T | null): T {
  if (part === null) throw new Error('this seed has no subscriptions')
  return part
}

async function liveSubscription(scene: Scene, shop: Shop, shops: readonly Shop[], wallet: Wallet): Promise<void> {
  const id = await subscribe(scene, shop, wallet)
  if (id === null) return
  const { dice, stage, wait } = scene
  for (let acts = dice.between(0, 3); acts > 0; acts -= 1) {
    await wait(MINUTE, (stage.season.lengthMs - (virtualNow() - DAWN)) / 2 + HOUR)
    if (virtualNow() > DAWN + stage.season.lengthMs) return
    const other = shops.find(({ payee }) => payee !== shop.payee)
    if (other !== undefined && dice.chance(0.3)) await pry(scene, other, id)
    if (dice.chance(0.3)) await renew(scene, wallet, id)
    else await manage(scene, shop, id)
  }
}

/** The subscriber authorizes all periods again, by a signed text or an approve, as the service asks for. */
async function renew(scene: Scene, wallet: Wallet, id: string): Promise<void> {
  const { people, dice, wait } = scene
  const token = await ask(people, dice, ({ billing }) => wanted(billing).portal.linkTo(id))
  if (token === null || token instanceof ServiceError) return
  people.monitor.secrets.add(token)
  let answer = {}
  for (let tried = 0; tried < TRIES; tried += 1) {
    count(scene, 'renewal asked for')
    const outcome = await ask(people, dice, ({ billing }) => wanted(billing).portal.renewInPortal(token, answer))
    answer = {}
    if (outcome === null) continue
    if (outcome instanceof ServiceError) {
      const pause = PAUSES[outcome.code]
      if (pause === undefined) return
      await wait(pause, 2 * pause)
      continue
    }
    if (outcome.outcome === 'proof_required') {
      const { challenge } = outcome
      answer = { nonce: challenge.nonce, signature: signText(scene, wallet, id, challenge) }
      await wait(SECOND, 5 * MINUTE)
    } else if (outcome.outcome === 'approval_required') {
      if (await approveRenewal(scene, wallet, token, outcome.approve)) return
    } else {
      count(scene, 'subscription renewed')
      return
    }
  }
}

/** Signs the approve, and returns it, sends it or does neither. Returns true when it has renewed the subscription. */
async function approveRenewal(scene: Scene, wallet: Wallet, token: string, offered: OfferedApprove): Promise<boolean> {
  const { people, dice, wait } = scene
  const { approvalId } = offered
  const transaction = signedByOwner(wallet, offered.transaction)
  await wait(SECOND, 40 * SECOND)
  if (dice.chance(0.2)) {
    count(scene, 'approve sent by the wallet')
    for (let sent = 0; sent < 4; sent += 1) {
      people.ground.catchUp()
      people.ground.chain.submit(transaction)
      await wait(10 * SECOND, 20 * SECOND)
    }
    await wait(MINUTE, 3 * MINUTE)
    return false
  }
  const renewed = await ask(people, dice, ({ billing }) =>
    wanted(billing).portal.activateInPortal(token, { approvalId, transaction }),
  )
  if (renewed !== null && !(renewed instanceof ServiceError)) {
    count(scene, 'subscription renewed')
    return true
  }
  await wait(MINUTE, 3 * MINUTE)
  return false
}

/** Signs a text, and notes what it states. Returns the signature. */
function signText({ monitor }: Scene, wallet: Wallet, subscriptionId: string, { message }: Pick<Challenge, 'message'>) {
  const signature = sign(null, new TextEncoder().encode(message), wallet.key).toString('base64')
  const [, dollars = '0', cents = '0'] = /(\d+)\.(\d\d) USD in total/.exec(message) ?? []
  monitor.texts.set(signature, { subscriptionId, total: BigInt(dollars) * 100n + BigInt(cents) })
  return signature
}

const TRIES = 8

/** Goes through a checkout. Returns the id of the subscription that it reserved; null when the wallet was refused. */
async function subscribe(scene: Scene, { merchant, tiers }: Shop, wallet: Wallet): Promise<string | null> {
  const { people, dice, wait } = scene
  const input = { tierId: dice.pick(tiers), successUrl: null, cancelUrl: null, expiresIn: 604_800, metadata: {} }
  const subscriberWallet = dice.chance(0.3) ? wallet.address : null
  const made = await ask(people, dice, ({ billing }) =>
    wanted(billing).catalogue.createIntent(merchant, { ...input, subscriberWallet }),
  )
  if (made === null || made instanceof ServiceError) return null
  const { checkoutToken: token, intent } = made
  people.monitor.secrets.add(token)
  let id: string | null = null
  if (dice.chance(0.4)) await raise(scene, wallet)
  if (dice.chance(0.1)) {
    void wait(SECOND, 2 * MINUTE).then(async () => {
      count(scene, 'checkout canceled')
      await ask(people, dice, ({ billing }) => wanted(billing).catalogue.cancelIntent(merchant, intent.id))
    })
  }
  for (let tried = 0; tried < TRIES; tried += 1) {
    const prepared = await ask(people, dice, ({ billing }) =>
      wanted(billing).checkout.prepareCheckout(token, wallet.address),
    )
    if (prepared === null) continue
    if (prepared instanceof ServiceError) {
      if (prepared.code === 'checkout_completed') return id
      const pause = PAUSES[prepared.code]
      if (pause === undefined) return id
      await wait(pause, 2 * pause)
      continue
    }
    id = prepared.subscriptionId
    for (const given of scene.used.slice(-3)) await useAgain(scene, token, given)
    if (!prepared.requiresSignature) {
      if (await confirm(scene, wallet, token, prepared)) return id
      continue
    }
    if (await consent(scene, wallet, token, prepared)) return id
  }
  return id
}

type Given = { readonly wallet: Wallet['address']; readonly nonce: string; readonly signature: string }

/** Confirms a checkout by the text that was signed for another. */
async function useAgain(scene: Scene, token: string, given: Given): Promise<void> {
  const { people, dice } = scene
  count(scene, 'text signed for another checkout used')
  const answer = await ask(people, dice, ({ billing }) => wanted(billing).checkout.confirmCheckout(token, given))
  people.findings.check(
    'a signed text is used once, for what it states',
    answer === null || answer instanceof ServiceError,
    () => `a text of ${given.wallet} was accepted again`,
  )
}

/** The owner gives the service a larger allowance without a checkout: then texts are enough. */
async function raise(scene: Scene, wallet: Wallet): Promise<void> {
  scene.monitor.acts.account.note(wallet.address)
  count(scene, 'allowance raised')
  await scene.accounts.allow(wallet, 10_000_000n)
}

/** How long a subscriber waits after a refusal. */
const PAUSES: Readonly<Record<string, number>> = {
  authorization_pending: 90 * SECOND,
  rate_limited: 9 * HOUR,
  subscription_service_unavailable: DAY,
  no_token_account: DAY,
  account_frozen: DAY,
  database_unavailable: MINUTE,
}

/** Signs the text, and returns it. Now and then uses it for a checkout of another tier as well, and must be refused. */
async function confirm(
  scene: Scene,
  wallet: Wallet,
  token: string,
  { subscriptionId, challenge }: PreparedProof,
): Promise<boolean> {
  const { people, dice, wait } = scene
  const signature = signText(scene, wallet, subscriptionId, challenge)
  await wait(SECOND, 5 * MINUTE)
  count(scene, 'text signed')
  const given = { wallet: wallet.address, nonce: challenge.nonce, signature }
  const answer = await ask(people, dice, ({ billing }) => wanted(billing).checkout.confirmCheckout(token, given))
  if (answer === null || answer instanceof ServiceError) await wait(MINUTE, 3 * MINUTE)
  else if (dice.chance(0.5)) scene.used.push(given)
  return answer !== null && !(answer instanceof ServiceError)
}

/** Signs what was prepared, and returns it to the service, sends it, or does neither. Returns true when that completed it. */
async function consent(
  scene: Scene,
  wallet: Wallet,
  token: string,
  prepared: { readonly subscriptionId: string; readonly transaction: Uint8Array },
): Promise<boolean> {
  const { people, dice, wait } = scene
  const { chain } = people.ground
  const transaction = signedByOwner(wallet, prepared.transaction)
  await wait(SECOND, 40 * SECOND)
  const how = dice.pick(['returned', 'returned', 'returned', 'sent', 'neither'] as const)
  if (how === 'neither') {
    count(scene, 'approve never sent')
    await wait(2 * MINUTE, 10 * MINUTE)
    return false
  }
  if (how === 'sent') {
    count(scene, 'approve sent by the wallet')
    for (let sent = 0; sent < 4; sent += 1) {
      people.ground.catchUp()
      chain.submit(transaction)
      await wait(10 * SECOND, 20 * SECOND)
    }
    await wait(MINUTE, 3 * MINUTE)
    return false
  }
  count(scene, 'approve returned')
  const { subscriptionId } = prepared
  const answer = await ask(people, dice, ({ billing }) =>
    wanted(billing).checkout.activateCheckout(token, { subscriptionId, transaction }),
  )
  if (answer === null || answer instanceof ServiceError || answer.status !== 'completed') {
    await wait(MINUTE, 3 * MINUTE)
    return false
  }
  if (dice.chance(0.4)) {
    await wait(MINUTE, 12 * HOUR)
    count(scene, 'first charge retried')
    scene.monitor.acts.charge.note(subscriptionId)
    await ask(people, dice, ({ billing }) => wanted(billing).checkout.retryCheckout(token))
    scene.monitor.acts.charge.note(subscriptionId)
  }
  return true
}

/** The business does something with a subscription of its own. */
async function manage(scene: Scene, { merchant }: Shop, id: string): Promise<void> {
  const { people, dice, wait, stage, monitor } = scene
  const { acts } = monitor
  const call = (
    act: Fault,
    what: (own: NonNullable<Awaited<ReturnType<People['service']>>['billing']>) => Promise<unknown>,
  ) => {
    count(scene, act)
    return ask(people, dice, ({ billing }) => what(wanted(billing)))
  }
  switch (dice.pick(['pause', 'pause', 'charge', 'cancel later', 'cancel'] as const)) {
    case 'pause':
      acts.pause.note(id)
      await call('subscription paused', ({ subscriptions }) => subscriptions.pauseSubscription(merchant, id))
      await wait(MINUTE, stage.season.lengthMs / dice.pick([4, 12, 60]))
      if (dice.chance(0.3)) return
      if (dice.chance(0.3)) {
        await chargeNow()
        return
      }
      await call('subscription resumed', ({ subscriptions }) => subscriptions.resumeSubscription(merchant, id))
      return
    case 'charge':
      await chargeNow()
      return
    case 'cancel later':
      acts.cancel.note(id)
      await call('canceled at the period’s end', ({ subscriptions }) =>
        subscriptions.cancelSubscription(merchant, id, true),
      )
      if (dice.chance(0.6)) return
      await wait(MINUTE, stage.season.lengthMs / 12)
      await call('subscription resumed', ({ subscriptions }) => subscriptions.resumeSubscription(merchant, id))
      return
    case 'cancel':
      acts.cancel.note(id)
      await call('canceled at once', ({ subscriptions }) => subscriptions.cancelSubscription(merchant, id, false))
  }

  async function chargeNow(): Promise<void> {
    acts.charge.note(id)
    await call('charged now', ({ subscriptions }) => subscriptions.chargeNow(merchant, id))
    acts.charge.note(id)
  }
}

/** Another business requests the subscription, and must be refused. */
async function pry({ people, dice }: Scene, { merchant }: Shop, id: string): Promise<void> {
  const answers = [
    await ask(people, dice, ({ billing }) => wanted(billing).subscriptions.findSubscription(merchant, id)),
    await ask(people, dice, ({ billing }) => wanted(billing).subscriptions.cancelSubscription(merchant, id, false)),
  ]
  for (const answer of answers)
    people.findings.check(
      'no tenant reaches a subscription of another',
      answer === null || (answer instanceof ServiceError && answer.code === 'subscription_not_found'),
      () => id,
    )
}

/** The owner or the issuer does something to the account of a subscriber. */
async function actOnWallet(scene: Scene, wallet: Wallet): Promise<void> {
  const { accounts, dice, wait, monitor } = scene
  const { address } = wallet
  const account = monitor.acts.account
  const note = (act: Fault): void => {
    account.note(address)
    count(scene, act)
  }
  const later = async (act: Fault, undo: () => Promise<void>): Promise<void> => {
    if (dice.chance(0.2)) return
    await wait(MINUTE, dice.pick([HOUR, DAY, 9 * DAY]))
    note(act)
    await undo()
    account.note(address)
  }
  switch (dice.pick(['revoke', 'replace', 'lower', 'empty', 'empty', 'empty', 'freeze', 'freeze', 'close'] as const)) {
    case 'revoke':
      note('allowance revoked')
      return await accounts.revoke(wallet)
    case 'replace':
      note('allowance given to another')
      return await accounts.giveToAnother(wallet, createWallet(dice).address)
    case 'lower':
      note('allowance lowered')
      return await accounts.allow(wallet, BigInt(dice.between(1, 6_000)))
    case 'empty':
      note('wallet emptied')
      await accounts.empty(wallet)
      return await later('wallet refilled', () => accounts.refill(wallet))
    case 'freeze':
      note('subscriber frozen')
      await accounts.freeze(address)
      return await later('wallet refilled', () => accounts.thaw(address))
    case 'close':
      note('subscriber account closed')
      await accounts.close(wallet)
      return await later('wallet refilled', () => accounts.refill(wallet))
  }
}

/** The payout account of a business cannot receive for a while, or the business names another wallet. */
async function actOnPayout(scene: Scene, { payee }: Shop): Promise<void> {
  const { accounts, people, dice, wait } = scene
  const wallet = walletOf(payee)
  const isThere = accounts.exists(wallet.address)
  switch (dice.pick(['freeze', 'close', 'name'] as const)) {
    case 'freeze':
      if (!isThere) return
      count(scene, 'payout account frozen')
      await accounts.freeze(wallet.address)
      await wait(MINUTE, 3 * DAY)
      return await accounts.thaw(wallet.address)
    case 'close':
      if (!isThere) return
      count(scene, 'payout account closed')
      return await accounts.close(wallet)
    case 'name': {
      const next = people.stage.spareWallets.pop()
      if (next === undefined) return
      count(scene, 'payout named differently')
      payee.wallets.push(next)
      await ask(people, dice, (instance) => instance.nameDestination(payee.accountId, next.address))
    }
  }
}

/** The whole service is down for a part of the season, and runs again when it ends. */
async function goDown(scene: Scene, restart: () => void): Promise<void> {
  const { people, stage, dice } = scene
  count(scene, 'service down for long')
  const until = virtualNow() + Math.ceil(stage.season.lengthMs / dice.pick([3, 8, 30]))
  people.ground.downUntil = Math.min(until, DAWN + stage.season.lengthMs)
  restart()
}

/** The operator disables recurring billing, and enables it again. */
async function turnOff(scene: Scene, restart: () => void): Promise<void> {
  const { stage, dice, wait } = scene
  count(scene, 'subscriptions turned off')
  stage.isOn = false
  restart()
  await wait(MINUTE, stage.season.lengthMs / dice.pick([4, 12, 60]))
  stage.isOn = true
  restart()
}
