// The cost of a settlement for the fee payer: the token account of a business is paid for once in 30 days.
// docs/limits.md, "Money".
import { beforeEach, expect, test } from 'vitest'
import type { Address } from '#core/chain/types.ts'
import { decideDeposits } from '#core/payments/machine/deposits.ts'
import { decideSweep } from '#core/payments/machine/sweeping.ts'
import { decideAndApply } from '#services/payments/decide.ts'
import { MERCHANT, MINT, pendingIntent } from '../../support/example-intent.ts'
import { createMemoryStores, type MemoryStores } from '../../support/memory-stores.ts'
import { addressNo, choice, context, deposit, FEE_PAYER, intentWith, units } from '../../support/payment.ts'
import { createWorld, PRICE, runUntil, type World } from '../../support/settling-world.ts'
import { TOKEN_RENT, tokenAccountOf } from '../../support/toy-chain.ts'

const ACCOUNT = tokenAccountOf(pendingIntent.address, MINT)
const PAYOUT = tokenAccountOf(MERCHANT, MINT)
const BUYER = addressNo(1)
const DOLLAR = 1_000_000n

let world: World & { readonly stores: MemoryStores }
beforeEach(async () => {
  const stores = createMemoryStores()
  world = { ...createWorld(stores, MINT), stores }
  stores.put(intentWith({ selection: choice(MINT, PRICE), acceptedAssets: [MINT] }))
  await decideAndApply(stores.intents, pendingIntent.id, (facts) =>
    decideDeposits(facts, [paid(1, PRICE)], null, context()),
  )
})

const paid = (number: number, amount: bigint, use: 'applied' | 'late' = 'applied') =>
  deposit(number, amount, {
    asset: MINT,
    account: ACCOUNT,
    use,
    senders: [{ address: BUYER, amount: units(amount), obstacle: 'unpriced' }],
  })

const factsOf = async () => {
  const facts = await world.stores.intents.facts(pendingIntent.id)
  if (facts === null) throw new Error('no payment')
  return facts
}
const sweeps = async () => (await factsOf()).transfers.filter(({ kind }) => kind === 'sweep')
const tokensOf = (wallet: Address): bigint => world.toy.balance(tokenAccountOf(wallet, MINT), MINT)

async function work(isOver: () => Promise<boolean>, maxTicks = 60): Promise<void> {
  const { errors } = await runUntil(world, isOver, [], { maxTicks })
  expect(errors).toEqual([])
}
const isSettled = async (): Promise<boolean> => (await sweeps()).every(({ status }) => status === 'done')

/** More money has come too late. The business asks for a sweep of it. */
async function sweepMore(number: number): Promise<void> {
  const { intent, deposits } = await factsOf()
  world.toy.fund(ACCOUNT, DOLLAR, MINT, pendingIntent.address)
  world.stores.put(intent, [...deposits, paid(number, DOLLAR, 'late')])
  const decided = context({ now: world.now() })
  await decideAndApply(world.stores.intents, pendingIntent.id, (facts) => decideSweep(facts, decided))
}

/** The business moves its tokens away, closes its account, and keeps the rent. */
function closePayout(): void {
  world.toy.fund(PAYOUT, -tokensOf(MERCHANT), MINT, MERCHANT)
  world.toy.fund(PAYOUT, -TOKEN_RENT)
}

test('a settlement creates the token account of the business, and the fee payer pays the rent', async () => {
  await work(isSettled)
  expect([tokensOf(MERCHANT), world.toy.balance(PAYOUT)]).toEqual([PRICE, TOKEN_RENT])
})

test('a business that closes its account after each settlement gets one account, and then has to create one itself', async () => {
  await work(isSettled)
  const afterFirst = world.toy.balance(FEE_PAYER)
  closePayout()
  await sweepMore(2)
  await work(isSettled)
  expect(world.toy.balance(FEE_PAYER)).toBe(afterFirst)
  expect((await sweeps()).at(-1)).toMatchObject({
    status: 'in_progress',
    reason: `${MERCHANT} has no account for this token, and the service paid for one in the last 30 days: create it.`,
  })
  world.toy.fund(PAYOUT, TOKEN_RENT)
  world.toy.fund(PAYOUT, 0n, MINT, MERCHANT)
  await work(isSettled)
  expect(tokensOf(MERCHANT)).toBe(DOLLAR)
})
