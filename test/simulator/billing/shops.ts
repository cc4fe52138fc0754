// Businesses that sell subscriptions: they open a shop, manage what they sold, and try to reach what others sold.
import { ServiceError } from '#core/errors.ts'
import { makeBasisPoints, makeUsdCents } from '#core/money/amounts.ts'
import type { Merchant } from '#services/billing/billing-services.ts'
import type { Dice } from '../dice.ts'
import type { Fault } from '../faults.ts'
import { type Payee, walletOf } from '../payees.ts'
import { ask, type People } from '../people.ts'
import { count, DAY, MINUTE, type Scene, wanted } from './scene.ts'

export type Shop = {
  readonly payee: Payee
  readonly merchant: Merchant
  readonly tiers: readonly string[]
  /** The codes of its coupons; none in some seasons. */
  readonly codes: readonly string[]
  /** Draws that no other act depends on. */
  readonly luck: Dice
}

export async function openShop({ people, stage, monitor, dice }: Scene, payee: Payee): Promise<Shop | null> {
  const merchant: Merchant = { tenant: payee.caller, marketplaceFeeBps: makeBasisPoints(0) }
  const texts = { name: 'Club', description: null, metadata: {} }
  const made = await ask(people, dice, ({ billing }) =>
    wanted(billing).catalogue.createProduct(merchant, { ...texts, externalId: payee.accountId }),
  )
  if (made === null || made instanceof ServiceError) return null
  const tiers: string[] = []
  // Two tiers of one rhythm, at different prices.
  for (const rhythm of [...stage.season.tiers, dice.pick(stage.season.tiers)]) {
    const input = {
      ...texts,
      ...rhythm,
      priceUsdCents: makeUsdCents(dice.between(101, 2_999)),
      authorizationPeriods: dice.between(1, 9),
      trialDays: dice.chance(0.5) ? dice.pick(stage.season.trials) : 0,
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
      productId: made.product.id,
      trialDays: input.trialDays,
      // Two decimals: a cent is one base unit.
      unit: BigInt(input.priceUsdCents),
      periods: input.authorizationPeriods,
      payoutOwner: tier.payoutOwner,
      feeBps: platformFeeBps,
      platformWallet,
    })
    tiers.push(tier.id)
  }
  if (tiers.length === 0) return null
  const luck = dice.stream('coupons')
  return { payee, merchant, tiers, codes: await makeCoupons({ people, monitor }, merchant, luck), luck }
}

/** Coupons of every kind, in most seasons. One that is archived soon changes no subscription. */
async function makeCoupons({ people, monitor }: Pick<Scene, 'people' | 'monitor'>, merchant: Merchant, luck: Dice) {
  const codes: string[] = []
  for (let made = luck.between(0, 2); made > 0; made -= 1) {
    const limit = (most: number) => (luck.chance(0.5) ? null : luck.between(1, most))
    const terms = {
      percentOff: luck.chance(0.5) ? luck.between(1, 99) : null,
      amountOff: luck.between(1, 3_000),
      charges: limit(4),
      maxUses: limit(3),
      maxUsesPerWallet: limit(2),
    }
    const { percentOff, amountOff, charges: periods, maxUses, maxUsesPerWallet } = terms
    const code = `CODE-${codes.length}`
    const coupon = await ask(people, luck, ({ billing }) =>
      wanted(billing).catalogue.createCoupon(merchant, {
        code,
        percentOff,
        amountOffUsdCents: percentOff === null ? BigInt(amountOff) : null,
        periods,
        maxUses,
        maxUsesPerWallet,
        endsAt: null,
        productId: null,
      }),
    )
    if (coupon === null || coupon instanceof ServiceError) continue
    monitor.coupons.set(coupon.id, terms)
    codes.push(code)
  }
  return codes
}

/** The business does something with a subscription of its own. */
export async function manage(scene: Scene, { merchant, tiers }: Shop, id: string): Promise<void> {
  const { people, dice, wait, stage, monitor } = scene
  const { acts } = monitor
  const call = (
    act: Fault,
    what: (own: NonNullable<Awaited<ReturnType<People['service']>>['billing']>) => Promise<unknown>,
  ) => {
    count(scene, act)
    return ask(people, dice, ({ billing }) => what(wanted(billing)))
  }
  switch (dice.pick(['pause', 'pause', 'charge', 'change', 'cancel later', 'cancel'] as const)) {
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
    case 'change':
      acts.change.note(id)
      await call('tier changed by the business', ({ subscriptions }) =>
        subscriptions.changeTier(merchant, id, dice.pick(tiers)),
      )
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

/** The business tries to go on with a subscription that its subscriber has just stopped, and must be refused. */
export async function insist({ people, dice }: Scene, { merchant }: Shop, id: string): Promise<void> {
  const answers = [
    await ask(people, dice, ({ billing }) => wanted(billing).subscriptions.resumeSubscription(merchant, id)),
    await ask(people, dice, ({ billing }) => wanted(billing).subscriptions.chargeNow(merchant, id)),
  ]
  for (const answer of answers)
    people.findings.check(
      'what a subscriber stopped, only the subscriber starts again',
      answer === null || answer instanceof ServiceError,
      () => id,
    )
}

/** Another business requests the subscription, and must be refused. */
export async function pry({ people, dice }: Scene, { merchant }: Shop, id: string): Promise<void> {
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

/** The payout account of a business cannot receive for a while, or the business names another wallet. */
export async function actOnPayout(scene: Scene, { payee }: Shop): Promise<void> {
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
