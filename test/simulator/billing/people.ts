// The season of subscriptions: who begins what at which time.
import type { BillingSubscription, SubscriptionStatus } from '#core/billing/subscription.ts'
import { ServiceError } from '#core/errors.ts'
import { createWallet, type Wallet } from '../chain/wallets.ts'
import type { Fault } from '../faults.ts'
import { beginOf, periodAt, remaining, sumOf, type TierTerms } from '../monitor/billing/agreements.ts'
import type { SubscriptionMonitor } from '../monitor/billing/subscriptions.ts'
import { fundFeePayer } from '../operator.ts'
import { ask, type People } from '../people.ts'
import { DAWN, virtualNow } from '../virtual-time.ts'
import { createAccounts } from './accounts.ts'
import type { BillingStage } from './billing-stage.ts'
import { subscribe } from './checkouts.ts'
import { changeTier, manageInPortal, renew } from './portal.ts'
import { count, DAY, type Given, HOUR, MINUTE, type Scene, SECOND, wanted } from './scene.ts'
import { actOnPayout, insist, manage, openShop, pry, type Shop } from './shops.ts'

// Owners of wallets, and the issuer of the token: what they do to the account of a subscriber.

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

type BillingPeople = {
  /** Ends what stops payouts. To be called when the faults are over. */
  heal(): void
  /** Keeps what the owners allow now. The returned function lets some of them give exactly that again, when pulls have lowered it. */
  keepAllowances(): () => void
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
  const seasonEnd = DAWN + stage.season.lengthMs
  const sceneOf = (name: string): Scene => {
    const own = dice.stream(name)
    const wait = (least: number, most: number) => {
      const drawn = virtualNow() + own.between(Math.ceil(least), Math.max(Math.ceil(least), Math.ceil(most)))
      return ground.scheduler.at(Math.min(drawn, Math.max(seasonEnd, virtualNow() + Math.ceil(least))), name)
    }
    return { people, stage, monitor, accounts, dice: own, wait, used }
  }
  /** Runs a part of the season from a time on. */
  const run: Run = (name, at, play) => {
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
    for (const shop of shops) run('payout kept', virtualNow(), (own) => keepPayout(own, shop))
    for (const [at, wallet] of stage.subscribers.entries()) {
      // Some buy several subscriptions on one day.
      const isEager = dice.chance(0.2)
      const opens = virtualNow() + dice.between(MINUTE, stage.season.openMs)
      for (let number = 1; number <= (isEager ? 4 : dice.between(1, 2)); number += 1) {
        const drawn = isEager ? opens + number * HOUR : virtualNow() + dice.between(MINUTE, stage.season.openMs)
        const begins = !isEager && stage.season.openMs > 31 * DAY && dice.chance(0.5) ? atMonthEnd(drawn) : drawn
        run(`subscription ${at}.${number}`, begins, (own) =>
          liveSubscription(own, dice.pick(shops), shops, wallet, run),
        )
      }
      for (let act = 1; act <= dice.between(0, 3); act += 1)
        run(`act ${at}.${act}`, DAWN + dice.between(HOUR, stage.season.lengthMs), (own) => actOnWallet(own, wallet))
    }
    for (let act = 1; act <= dice.between(0, 2); act += 1)
      run(`payout ${act}`, DAWN + dice.between(HOUR, stage.season.lengthMs), (own) =>
        actOnPayout(own, dice.pick(shops)),
      )
  })
  /** Subscribers change the interval when the service charges what it has missed. */
  const changeLater = (): void => {
    for (const id of monitor.known.keys())
      run(`other interval of ${id}`, Math.max(virtualNow(), ground.downUntil), (own) =>
        changeWhileBehind(own, shops, id),
      )
  }
  const anyTime = () => DAWN + dice.between(HOUR, stage.season.lengthMs)
  if (dice.chance(0.5))
    run('outage', anyTime(), async (own) => {
      await goDown(own, restart)
      changeLater()
    })
  if (dice.chance(0.3))
    run('off', anyTime(), async (own) => {
      await turnOff(own, restart)
      changeLater()
    })
  return {
    heal: () => {
      const owners = shops.flatMap(({ payee }) => payee.wallets.map(({ address }) => address))
      run('repair', virtualNow(), () => accounts.heal(owners))
      // What was on its way then has ended, too.
      run('second repair', virtualNow() + 4 * DAY, () => accounts.heal(owners))
    },
    keepAllowances() {
      const kept = stage.subscribers.map((wallet) => ({ wallet, amount: accounts.allowance(wallet.address) }))
      return () => {
        for (const { wallet, amount } of kept)
          run(`allowance of ${wallet.address} again`, virtualNow(), (own) => giveAgain(own, wallet, amount))
      }
    },
    over: () => open === 0,
  }
}

/** Returns the same hour of the last day of the month, after which shorter months come. */
function atMonthEnd(time: number): number {
  const date = new Date(time)
  return date.setUTCMonth(date.getUTCMonth() + 1, 0)
}

type Run = (name: string, at: number, play: (scene: Scene) => Promise<void>) => void

async function liveSubscription(
  scene: Scene,
  shop: Shop,
  shops: readonly Shop[],
  wallet: Wallet,
  run: Run,
): Promise<void> {
  const id = await subscribe(scene, shop, wallet)
  if (id === null) return
  const { dice, stage, wait } = scene
  if (dice.chance(0.4)) run(`renewals of ${id}`, virtualNow(), (own) => keepRenewed(own, shop, wallet, id))
  if (dice.chance(0.3)) run(`charges of ${id}`, virtualNow(), (own) => disturbCharge(own, shop, wallet, id))
  for (let acts = dice.between(0, 3); acts > 0; acts -= 1) {
    await wait(MINUTE, (stage.season.lengthMs - (virtualNow() - DAWN)) / 2 + HOUR)
    if (isOver(stage)) return
    const other = shops.find(({ payee }) => payee !== shop.payee)
    if (other !== undefined && dice.chance(0.3)) await pry(scene, other, id)
    switch (dice.pick(['renew', 'change', 'portal', 'manage', 'manage'] as const)) {
      case 'renew':
        await renew(scene, wallet, id)
        break
      case 'change':
        await changeTier(scene, wallet, id, dice.pick(shop.tiers))
        break
      case 'portal':
        await manageInPortal(scene, wallet, id, () => insist(scene, shop, id))
        break
      case 'manage':
        await manage(scene, shop, id)
    }
  }
  if (dice.chance(0.6))
    run(`again after ${id}`, virtualNow(), (own) => subscribeAgain(own, shop, shops, wallet, id, run))
}

/** A wallet whose subscription has ended, or whose allowance is gone, begins another one. */
async function subscribeAgain(
  scene: Scene,
  shop: Shop,
  shops: readonly Shop[],
  wallet: Wallet,
  id: string,
  run: Run,
): Promise<void> {
  const { stage, wait, dice } = scene
  while (!isOver(stage)) {
    await wait(stage.season.lengthMs / 60, stage.season.lengthMs / 12)
    const subscription = await read(scene, shop, id)
    if (subscription === null || !LEFT.has(subscription.status) || isOver(stage)) continue
    count(scene, 'subscribed again')
    return await liveSubscription(scene, dice.pick(shops), shops, wallet, run)
  }
}

const LEFT: ReadonlySet<SubscriptionStatus> = new Set(['canceled', 'failed', 'revoked', 'exhausted'])

/** True from the moment on at which waits end. */
const isOver = ({ season }: BillingStage): boolean => virtualNow() >= DAWN + season.lengthMs

/** Returns the subscription as its business reads it; null when it cannot. */
async function read({ people, dice }: Scene, { merchant }: Shop, id: string): Promise<BillingSubscription | null> {
  const answer = await ask(people, dice, ({ billing }) => wanted(billing).subscriptions.findSubscription(merchant, id))
  return answer instanceof ServiceError ? null : answer
}

const RENEWABLE: ReadonlySet<SubscriptionStatus> = new Set(['renewal_required', 'exhausted', 'revoked'])

/** The subscriber looks at the subscription from time to time, and renews it when it needs that. */
async function keepRenewed(scene: Scene, shop: Shop, wallet: Wallet, id: string): Promise<void> {
  const { stage, wait, dice } = scene
  while (!isOver(stage)) {
    await wait(stage.season.lengthMs / 40, stage.season.lengthMs / 15)
    const subscription = await read(scene, shop, id)
    if (subscription?.status === 'canceled' || subscription?.status === 'failed') return
    if (subscription !== null && RENEWABLE.has(subscription.status) && dice.chance(0.8)) await renew(scene, wallet, id)
  }
}

/** The business looks at its payout accounts from time to time, and repairs those that cannot receive. */
async function keepPayout(scene: Scene, { payee }: Shop): Promise<void> {
  const { stage, accounts, wait, dice } = scene
  const [often, seldom] = [stage.season.lengthMs / 20, stage.season.lengthMs / 6]
  while (!isOver(stage)) {
    await wait(Math.min(often, 5 * DAY), Math.min(seldom, 20 * DAY))
    if (dice.chance(0.8)) await accounts.heal(payee.wallets.map(({ address }) => address))
  }
}

/** The owner changes the account just when a charge is due, or between the reading of the account and the pull. */
async function disturbCharge(scene: Scene, shop: Shop, wallet: Wallet, id: string): Promise<void> {
  const { stage, wait, dice } = scene
  await wait(MINUTE, (stage.season.lengthMs - (virtualNow() - DAWN)) / 2)
  const at = (await read(scene, shop, id))?.nextChargeAt?.getTime()
  if (at === undefined || at > DAWN + stage.season.lengthMs || isOver(stage)) return
  const early = at - virtualNow() + dice.between(-40 * SECOND, 30 * SECOND)
  await wait(Math.max(0, early), Math.max(0, early))
  count(scene, 'account changed at a charge')
  await actOnWallet(scene, wallet)
}

/** The owner gives exactly the former allowance again, when pulls have lowered it. */
async function giveAgain(scene: Scene, wallet: Wallet, amount: bigint): Promise<void> {
  const { people, accounts, dice, monitor, wait } = scene
  if (dice.chance(0.3)) return
  for (let looked = 0; looked < 6; looked += 1) {
    await wait(2 * SECOND, 10 * SECOND)
    people.ground.catchUp()
    if (accounts.allowance(wallet.address) >= amount) continue
    count(scene, 'allowance given again')
    monitor.acts.account.note(wallet.address)
    await accounts.allow(wallet, amount)
    return monitor.acts.account.note(wallet.address)
  }
}

/** The whole service is down for a part of the season, or until a subscription has missed two periods. */
async function goDown(scene: Scene, restart: () => void): Promise<void> {
  const { people, stage, dice } = scene
  count(scene, 'service down for long')
  const part = virtualNow() + Math.ceil(stage.season.lengthMs / dice.pick([3, 3, 8, 30]))
  const until = (dice.chance(0.75) ? twoMissed(scene) : null) ?? part
  people.ground.downUntil = Math.min(until, DAWN + stage.season.lengthMs)
  restart()
}

/** Returns a time at which two more periods of a subscription, which are authorized, have begun; null when there is none. */
function twoMissed({ monitor, dice }: Scene): number | null {
  const living = [...monitor.known.values()].filter(
    (own) => own.status === 'active' && remaining(own) >= sumOf(own.terms, own.coupon, own.paid, 2),
  )
  if (living.length === 0) return null
  const own = dice.pick(living)
  const first = monitor.pulls.anchorOf(own.id)
  const begins = beginOf(own, first, periodAt(own, first, virtualNow()) + 2)
  return begins === null ? null : begins + dice.between(MINUTE, HOUR)
}

/** The subscriber changes to another interval while missed periods are charged, one a day. */
async function changeWhileBehind(scene: Scene, shops: readonly Shop[], id: string): Promise<void> {
  const { people, stage, monitor, dice, wait } = scene
  const own = monitor.known.get(id)
  const shop = shops.find(({ payee }) => payee.accountId === own?.terms.accountId)
  const wallet = stage.subscribers.find(({ address }) => address === own?.wallet)
  if (shop === undefined || wallet === undefined || !dice.chance(0.7)) return
  await wait(2 * MINUTE, 3 * MINUTE)
  // The service checks every second what is due; the world may be in a pause of days.
  people.ground.stir()
  for (let looked = 0; looked < 3; looked += 1) {
    await wait(HOUR, 6 * HOUR)
    const subscription = await read(scene, shop, id)
    if (subscription === null || !CHANGEABLE.has(subscription.status)) return
    if (subscription.nextChargePeriod > subscription.periodIndex) continue
    const others = shop.tiers.filter((tier) => hasOtherRhythm(monitor.tiers.get(tier), subscription))
    if (others.length === 0) return
    count(scene, 'interval changed while periods are missed')
    return await changeTier(scene, wallet, id, dice.pick(others))
  }
}

const CHANGEABLE: ReadonlySet<SubscriptionStatus> = new Set(['active', 'renewal_required'])

const hasOtherRhythm = (terms: TierTerms | undefined, { interval, intervalCount }: BillingSubscription): boolean =>
  terms !== undefined && (terms.interval !== interval || terms.intervalCount !== intervalCount)

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
