// The stories of payments: the payer, the amounts, the times, and the actions of the business.
import { type Asset, SOL } from '#core/chain/types.ts'
import { ServiceError } from '#core/errors.ts'
import { CHECKOUT_WINDOW_SECONDS } from '#core/payments/payment-intent.ts'
import { balanceOf } from '#core/transfers/preflight.ts'
import { holdingOf } from './chain/raw.ts'
import { closeHolding, freeze, holdingPlace, openHolding, signedTransaction } from './chain/wallets.ts'
import { claimHeldMoney } from './claims.ts'
import type { Dice } from './dice.ts'
import { statusesOf } from './monitor/answers.ts'
import { type Payee, walletOf } from './payees.ts'
import { ask, type Order, order, orderFor, type People, pay } from './people.ts'
import { giveBack } from './refunds.ts'
import { virtualNow } from './virtual-time.ts'

// The business and the buyer of a payment read its status while it is under way.

const LOOKS = 8
const SOON_MS = 5_000
const LATE_MS = 900_000

/** Looks from time to time: often at first, and for hours. */
async function lookFromTimeToTime(people: People, dice: Dice, made: Order): Promise<void> {
  for (let looks = 1; looks <= LOOKS; looks += 1) {
    const most = Math.floor((LATE_MS * looks) / LOOKS)
    await people.ground.scheduler.at(virtualNow() + dice.between(SOON_MS, most), 'a person looks')
    await people.monitor.reportedEvents.checkLook(made.id, () => look(people, dice, made))
  }
}

async function look(people: People, dice: Dice, { id, payee, index, secret }: Order) {
  const isBuyer = dice.chance(0.5)
  const answer = await ask(people, dice, ({ intents }) => {
    const statuses = statusesOf(intents)
    return isBuyer && secret !== null ? statuses.ofBuyer(secret) : statuses.ofBusiness(payee.caller.accountId, index)
  })
  if (people.monitor.isForgotten(id)) return null
  const isRefused = answer instanceof ServiceError
  people.findings.check('an answer shows the newest state', !isRefused, () => `intent ${index}: ${String(answer)}`)
  return isRefused ? null : answer
}

const SECOND = 1_000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE

const STORIES = [
  'exact',
  'exact',
  'under',
  'under, then topped up',
  'a little under',
  'a little under, then the rest',
  'under, then cancelled',
  'under, then swept on demand',
  'over',
  'several senders',
  'several payments',
  'paid twice',
  'paid again and again',
  'nothing',
  'late',
  'cancelled, then paid',
  'wrong asset',
  'wrong asset, then right',
  'before selection',
  'not accepted by the business',
  'swept on demand',
  'frozen, then to another wallet',
  'account closed, then paid',
  'paid, and another asset selected',
] as const
type Story = (typeof STORIES)[number]

/** Runs the story of one payment; afterwards no person acts on it. */
export async function live(people: People, dice: Dice, number: number): Promise<Story> {
  const story = dice.pick(STORIES)
  const { stage, ground } = people
  const sells = dice.chance(0.5)
  if (sells) ground.faults.count('sold for a seller')
  const payee = dice.pick(stage.payees.filter(({ terms }) => (terms !== null) === sells))
  // Only SOL is split.
  const chosen = sells && dice.chance(0.5) ? SOL : dice.pick(stage.accepted)
  const accepted = dice.shuffled([...new Set([chosen, ...stage.accepted.filter(() => dice.chance(0.5))])])
  const made = await order(people, dice, payee, accepted, `order-${number}`)
  if (made === null) return story
  ground.trace.note(`story ${number}: intent ${made.index}, “${story}” in ${chosen}`)
  const wait = (least: number, most: number) =>
    ground.scheduler.at(virtualNow() + dice.between(least, most), `story ${number}`)
  void lookFromTimeToTime(people, dice.stream('looks'), made)
  void claimHeldMoney(people, dice.stream('claims'), made)
  await wait(SECOND, MINUTE)
  if (dice.chance(0.2)) await pry(people, dice, made)
  if (dice.chance(0.2)) await borrowSeller(people, dice, payee)
  const guess = guessOf(stage, chosen)
  const expected = story === 'before selection' ? guess : ((await choose(people, dice, made, chosen)) ?? guess)
  const scene = { people, dice, made, chosen, accepted, expected, wait }
  const moves = ground.faults.strikes('destination changed') ? dice.pick(['before', 'after'] as const) : null
  if (moves === 'before') await move(scene)
  if (dice.stream('payout').chance(0.5)) void moveWhileSettling(scene)
  await act(scene, story)
  if (moves === 'after') {
    await wait(SECOND, HOUR)
    await moveAndSweep(scene)
  }
  await giveBack(people, dice.stream('refunds'), made)
  if (dice.chance(0.3)) {
    // A buyer pays the same address again, hours later.
    await wait(10 * MINUTE, 4 * HOUR)
    await pay(people, made.address, chosen, [{ from: dice.pick(stage.buyers), amount: expected }])
  }
  return story
}

type Scene = {
  readonly people: People
  readonly dice: Dice
  readonly made: Order
  readonly chosen: Asset
  readonly accepted: readonly Asset[]
  /** The amount that the buyer was shown, or a guess. */
  readonly expected: bigint
  readonly wait: (least: number, most: number) => Promise<void>
}

/** What a buyer pays who was not shown an amount: whole tokens, or lamports. */
const GUESS_TOKENS = 20n
const GUESS_LAMPORTS = 20_000_000n

function guessOf({ mints }: People['stage'], asset: Asset): bigint {
  const mint = mints.get(asset)
  return mint === undefined ? GUESS_LAMPORTS : GUESS_TOKENS * 10n ** BigInt(mint.decimals)
}

/** Selects an asset. Returns the amount that the buyer is shown, or null where no answer came. */
async function choose(people: People, dice: Dice, { secret }: Order, asset: Asset): Promise<bigint | null> {
  if (secret === null) return null
  const selected = await ask(people, dice, ({ intents }) => intents.selectToken(secret, asset))
  if (selected === null || selected instanceof ServiceError) return null
  return selected.selection?.expected ?? null
}

async function act(scene: Scene, story: Story): Promise<void> {
  const { people, dice, made, chosen, accepted, expected, wait } = scene
  const { exchange, allowedOnly } = people.stage
  const isExchange = people.ground.faults.strikes('paid by an exchange')
  const buyers = dice.shuffled(people.stage.buyers)
  // One wallet pays for many unknown buyers.
  const [first, second] = isExchange ? [exchange, ...buyers] : buyers
  if (first === undefined || second === undefined) return
  const half = expected / 2n > 0n ? expected / 2n : 1n
  // At the limit of what the business tolerates, and on both sides of it.
  const tolerated = (expected * BigInt(made.payee.toleranceBps)) / 10_000n
  const missing =
    [tolerated, tolerated + 1n, tolerated / 2n, expected / 15n][dice.stream('missing').between(0, 3)] || 1n
  const by = (amount: bigint, asset: Asset = chosen) => pay(people, made.address, asset, [{ from: first, amount }])
  const byMistake = (asset: Asset) => by(guessOf(people.stage, asset), asset)
  const another = accepted.find((asset) => asset !== chosen) ?? SOL
  switch (story) {
    case 'exact':
    case 'before selection':
      return void (await by(expected))
    case 'under':
      return void (await by(half))
    case 'a little under':
      return void (await by(expected - missing))
    case 'a little under, then the rest':
      await by(expected - missing)
      await wait(SECOND, MINUTE)
      return void (await by(missing))
    case 'under, then topped up':
      await by(half)
      await wait(SECOND, 4 * MINUTE)
      return void (await by(expected - half))
    case 'under, then cancelled':
      await Promise.all([by(half), wait(5 * SECOND, MINUTE).then(() => cancel(scene))])
      return
    case 'under, then swept on demand':
      await by(half)
      await wait(SECOND, 2 * MINUTE)
      return await sweep(scene)
    case 'over':
      return void (await by(expected + dice.pick([1n, 3_000n, half, expected])))
    case 'several senders':
      // Where each sends more than the price, the excess can be more than any of them sent.
      return void (await pay(people, made.address, chosen, [
        { from: first, amount: dice.pick([half, expected + half]) },
        { from: second, amount: expected - half + dice.pick([0n, half, expected]) },
      ]))
    case 'several payments':
      await Promise.all([by(half), pay(people, made.address, chosen, [{ from: second, amount: expected }])])
      return
    case 'paid twice':
      await Promise.all([by(expected), wait(0, 10 * SECOND).then(() => by(expected))])
      return
    case 'paid again and again':
      await Promise.all([half, expected, half + 1n].map((amount) => wait(0, 20 * SECOND).then(() => by(amount))))
      return
    case 'nothing':
      return
    case 'late':
      await wait((CHECKOUT_WINDOW_SECONDS - 20) * SECOND, (CHECKOUT_WINDOW_SECONDS + 60) * SECOND)
      return void (await by(expected))
    case 'cancelled, then paid':
      await Promise.all([cancel(scene), wait(0, 20 * SECOND).then(() => by(expected))])
      return
    case 'wrong asset':
      return void (await byMistake(another))
    case 'wrong asset, then right':
      await byMistake(another)
      return void (await by(expected))
    case 'not accepted by the business':
      return void (await byMistake(allowedOnly))
    case 'swept on demand':
      await by(expected)
      return await sweep(scene)
    case 'frozen, then to another wallet':
      freezeDestination(scene)
      await by(expected)
      await wait(MINUTE, HOUR)
      return await moveAndSweep(scene)
    case 'account closed, then paid':
      closeDestination(scene)
      return void (await by(expected))
    case 'paid, and another asset selected':
      await Promise.all([by(expected), selectAfterPaying(scene, another)])
      return
  }
}

/** A buyer who pays selects another asset again and again. A request that was shown the payment must refuse it. */
async function selectAfterPaying({ people, dice, made, chosen, expected, wait }: Scene, another: Asset): Promise<void> {
  const { secret, address, index } = made
  const { stage, ground, findings } = people
  const mint = stage.mints.get(chosen)
  const account = mint === undefined ? address : holdingPlace(address, mint)
  for (let tried = 0; tried < 8 && secret !== null; tried += 1) {
    await wait(100, 2 * SECOND)
    ground.shownToRequests.delete(account)
    const answer = await ask(people, dice, ({ intents }) => intents.selectToken(secret, another))
    const isRefused = answer === null || answer instanceof ServiceError
    const wasShown = balanceOf(ground.shownToRequests.get(account) ?? null, chosen) >= expected
    findings.check('a landed payment wins against a selection', isRefused || !wasShown, () => `intent ${index}`)
    // From now on the payment is one in a wrong asset.
    if (!isRefused) return
  }
}

async function cancel({ people, dice, made: { payee, index, secret } }: Scene): Promise<void> {
  people.monitor.cancels.add(index)
  await ask(people, dice, ({ intents }) =>
    secret !== null && dice.chance(0.5)
      ? intents.cancelByClientSecret(secret)
      : intents.cancelByIndex(payee.caller, index),
  )
}

async function sweep({ people, dice, made: { id, payee, index, address } }: Scene): Promise<void> {
  const { monitor } = people
  monitor.onDemand.add(index)
  const answer = await ask(people, dice, ({ intents }) => intents.sweep(payee.caller, index))
  if (answer === null || answer instanceof ServiceError || monitor.isForgotten(id)) return
  const { accountId, caller } = payee
  await monitor.onSwept({ index, address, accountId, callerAccountId: caller.accountId }, answer)
}

/** The payee has an account, which its issuer freezes. SOL cannot be frozen. */
function freezeDestination({ people: { stage, ground }, made: { payee }, chosen }: Scene): void {
  const mint = stage.mints.get(chosen)
  if (mint === undefined) return
  const { chain, faults } = ground
  const { issuer } = stage
  const wallet = walletOf(payee).address
  const instructions = [openHolding(issuer, wallet, mint), freeze(issuer, holdingPlace(wallet, mint), mint)]
  chain.submit(signedTransaction([issuer], instructions, chain.lifetimeAt(chain.tip)))
  faults.count('payout account of a payment frozen')
}

/** The payee closes its account of the token, if it has one. */
function closeDestination({ people: { stage, ground }, made: { payee }, chosen }: Scene): void {
  const { chain, faults } = ground
  const { issuer, mints } = stage
  const mint = mints.get(chosen)
  const wallet = walletOf(payee)
  const held = mint && holdingOf(chain.accountAt(holdingPlace(wallet.address, mint), chain.tip))
  if (mint === undefined || held == null) return
  const close = closeHolding(wallet, issuer.address, mint, held.amount)
  chain.submit(signedTransaction([issuer, wallet], close, chain.lifetimeAt(chain.tip)))
  faults.count('payout account of a payment closed')
}

/** The payee names another wallet. Returns false when it has no other wallet. */
async function move({ people, dice, made: { payee } }: Scene): Promise<boolean> {
  const next = people.stage.spareWallets.pop()
  if (next === undefined) return false
  people.ground.trace.note(`${payee.accountId} is to be paid at ${next.address}`)
  payee.wallets.push(next)
  await ask(people, dice, (instance) => instance.nameDestination(payee.accountId, next.address))
  return true
}

/** The payee names another wallet as soon as its settlement is planned. */
async function moveWhileSettling(scene: Scene): Promise<void> {
  const { monitor, ground } = scene.people
  await monitor.changes.onceSettling(scene.made.id)
  if (await move(scene)) ground.faults.count('payout changed while it settles')
}

/** The payee names another wallet, and requests a sweep. */
async function moveAndSweep(scene: Scene): Promise<void> {
  if (await move(scene)) await sweep(scene)
}

/** The other business requests the payment of this business, and must be refused. */
async function pry(people: People, dice: Dice, { id, payee, index }: Order): Promise<void> {
  const other = people.stage.payees.find(({ caller }) => caller !== payee.caller)
  if (other === undefined) return
  const answer = await ask(people, dice, ({ intents }) => intents.findByIndex(other.caller, index))
  // Another business may have the index of a payment that the database has forgotten.
  if (people.monitor.isForgotten(id)) return
  const isRefused = answer === null || (answer instanceof ServiceError && answer.code === 'intent_not_found')
  people.findings.check('no tenant reaches a payment of another', isRefused, () => `intent ${index}`)
}

/** Another marketplace sells for a seller that is not its own, and must be refused. */
async function borrowSeller(people: People, dice: Dice, { caller }: Payee): Promise<void> {
  const seller = people.stage.payees.find((one) => one.terms !== null && one.caller !== caller)
  if (seller === undefined) return
  const input = orderFor(seller, [SOL], `borrowed-${dice.between(0, 1_000_000)}`)
  const made = await ask(people, dice, ({ intents }) => intents.create(caller, input))
  const isRefused = made === null || (made instanceof ServiceError && made.code === 'seller_not_found')
  people.findings.check('a marketplace sells for its own sellers', isRefused, () => `${seller.accountId} was sold for`)
}
