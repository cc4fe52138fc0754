// The season of subscriptions: who begins what at which time.
import type { Wallet } from '../chain/wallets.ts'
import type { SubscriptionMonitor } from '../monitor/billing/subscriptions.ts'
import { fundFeePayer } from '../operator.ts'
import type { People } from '../people.ts'
import { DAWN, virtualNow } from '../virtual-time.ts'
import { createAccounts } from './accounts.ts'
import type { BillingStage } from './billing-stage.ts'
import { subscribe } from './checkouts.ts'
import { actOnWallet } from './owners.ts'
import { renew } from './portal.ts'
import { count, DAY, type Given, HOUR, MINUTE, type Scene, SECOND } from './scene.ts'
import { actOnPayout, manage, openShop, pry, type Shop } from './shops.ts'

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
