// Subscribers in checkouts: they return an approve, send it themselves or never do, or sign a text.
import { ServiceError } from '#core/errors.ts'
import type { PreparedProof } from '#services/billing/checkout/checkout-services.ts'
import type { Wallet } from '../chain/wallets.ts'
import { ask } from '../people.ts'
import { signedByOwner } from './accounts.ts'
import {
  count,
  type Given,
  HOUR,
  MINUTE,
  PAUSES,
  type Scene,
  SECOND,
  sendByWallet,
  signText,
  TRIES,
  wanted,
} from './scene.ts'
import type { Shop } from './shops.ts'

/** Goes through a checkout. Returns the id of the subscription that it reserved; null when the wallet was refused. */
export async function subscribe(scene: Scene, shop: Shop, wallet: Wallet): Promise<string | null> {
  const { people, dice, wait } = scene
  const { merchant } = shop
  const made = await open(scene, shop, dice.chance(0.3) ? wallet.address : null)
  if (made === null) return null
  const { checkoutToken: token, intent } = made
  await enterCode(scene, shop, token)
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
      if (prepared.code.startsWith('coupon_')) {
        count(scene, 'coupon refused')
        await ask(people, shop.luck, ({ billing }) => wanted(billing).checkout.enterCoupon(token, null))
        continue
      }
      const pause = PAUSES[prepared.code]
      if (pause === undefined) return id
      await wait(pause, 2 * pause)
      continue
    }
    id = prepared.subscriptionId
    for (const given of scene.used.slice(-3)) await useAgain(scene, token, given)
    if (!prepared.requiresSignature) {
      if (await confirm(scene, shop, wallet, token, prepared)) return id
      continue
    }
    if (await consent(scene, wallet, token, prepared)) return id
  }
  return id
}

/** Opens a checkout of some tier. Returns null when the service refuses it. */
async function open(
  { people, dice }: Scene,
  { merchant, tiers, codes, luck }: Shop,
  subscriberWallet: Wallet['address'] | null,
) {
  const input = {
    tierId: dice.pick(tiers),
    successUrl: null,
    cancelUrl: null,
    expiresIn: 604_800,
    metadata: {},
  }
  const make = (coupon: string | null) =>
    ask(people, dice, ({ billing }) =>
      wanted(billing).catalogue.createIntent(merchant, { ...input, coupon, subscriberWallet }),
    )
  const given = codes.length > 0 && luck.chance(0.4) ? luck.pick(codes) : null
  const first = await make(given)
  // A coupon that is used up is no reason to sell nothing.
  const made = given !== null && first instanceof ServiceError ? await make(null) : first
  if (made === null || made instanceof ServiceError) return null
  people.monitor.secrets.add(made.checkoutToken)
  return made
}

/** The subscriber enters a code on the page, or takes it back. */
async function enterCode(scene: Scene, { codes, luck }: Shop, token: string): Promise<void> {
  if (codes.length === 0 || luck.chance(0.5)) return
  const code = luck.chance(0.9) ? luck.pick(codes).toLowerCase() : null
  const entered = await ask(scene.people, luck, ({ billing }) => wanted(billing).checkout.enterCoupon(token, code))
  count(scene, entered instanceof ServiceError ? 'coupon refused' : 'coupon entered')
}

/** Offers a text, which is not used yet, to another checkout of the same wallet. */
async function useElsewhere(scene: Scene, shop: Shop, given: Given): Promise<void> {
  const { people, dice } = scene
  const made = await open(scene, shop, null)
  if (made === null) return
  const { checkoutToken } = made
  const prepared = await ask(people, dice, ({ billing }) =>
    wanted(billing).checkout.prepareCheckout(checkoutToken, given.wallet),
  )
  if (prepared === null || prepared instanceof ServiceError || prepared.requiresSignature) return
  await useAgain(scene, checkoutToken, given)
}

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

/** Signs the text, and returns it. Now and then offers it to another checkout before, and must be refused. */
async function confirm(
  scene: Scene,
  shop: Shop,
  wallet: Wallet,
  token: string,
  { subscriptionId, challenge }: PreparedProof,
): Promise<boolean> {
  const { people, dice, wait } = scene
  const signature = signText(scene, wallet, subscriptionId, challenge)
  await wait(SECOND, 5 * MINUTE)
  count(scene, 'text signed')
  const given = { wallet: wallet.address, nonce: challenge.nonce, signature }
  if (dice.chance(0.2)) await useElsewhere(scene, shop, given)
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
  const transaction = signedByOwner(wallet, prepared.transaction)
  await wait(SECOND, 40 * SECOND)
  const how = dice.pick(['returned', 'returned', 'returned', 'sent', 'neither'] as const)
  if (how === 'neither') {
    count(scene, 'approve never sent')
    await wait(2 * MINUTE, 10 * MINUTE)
    return false
  }
  if (how === 'sent') {
    await sendByWallet(scene, transaction)
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
