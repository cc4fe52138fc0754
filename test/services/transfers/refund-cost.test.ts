import { beforeEach, describe, expect, test } from 'vitest'
import { type Address, SOL } from '#core/chain/types.ts'
import { decideDeposits } from '#core/payments/machine/deposits.ts'
import { decideSweep } from '#core/payments/machine/sweeping.ts'
import { OVER_BUDGET, obstacleText, TOO_SMALL } from '#core/payments/obstacle.ts'
import type { Deposit, IntentStatus } from '#core/payments/payment-intent.ts'
import type { Spend, Spender } from '#core/transfers/budget.ts'
import { decideAndApply } from '#services/payments/decide.ts'
import { MERCHANT, MINT, pendingIntent } from '../../support/example-intent.ts'
import { createMemoryStores, type MemoryStores } from '../../support/memory-stores.ts'
import { addressNo, choice, context, deposit, FEE_PAYER, intentWith, units } from '../../support/payment.ts'
import { createWorld, PLENTY, PRICE, runUntil, startInstance, type World } from '../../support/settling-world.ts'
import { MINUTE, TOKEN_RENT, tokenAccountOf } from '../../support/toy-chain.ts'

const ACCOUNT = tokenAccountOf(pendingIntent.address, MINT)

/** One dollar in the token. */
const DOLLAR = 1_000_000n

let world: World & { readonly stores: MemoryStores }

const tokensOf = (wallet: Address): bigint => world.toy.balance(tokenAccountOf(wallet, MINT), MINT)

// The cost of a refund for the fee payer: never more than the money that goes back is worth. docs/contract.md, "Dust".
describe('the cost of a refund', () => {
  const STRANGERS = [1, 2, 3, 4, 5].map(addressNo)

  beforeEach(() => {
    const stores = createMemoryStores()
    world = { ...createWorld(stores, MINT), stores }
    // The world begins with a paid intent. Here each test gives the payments.
    world.toy.fund(ACCOUNT, -PRICE, MINT, pendingIntent.address)
  })

  const from = (number: number, wallet: Address, amount: bigint, use: Deposit['use']): Deposit =>
    deposit(number, amount, {
      asset: MINT,
      account: ACCOUNT,
      use,
      senders: [{ address: wallet, amount: units(amount) }],
    })

  /** Stores the payment with its known deposits, if any, and takes in new ones. */
  async function begin(status: IntentStatus, fresh: readonly Deposit[], known: readonly Deposit[] = []): Promise<void> {
    const { stores, toy } = world
    const received = units(fresh.reduce((sum, { amount }) => sum + amount, 0n))
    const asset = fresh[0]?.asset ?? MINT
    stores.put(intentWith({ status, selection: choice(asset, PRICE) }), known)
    if (asset === SOL) toy.fund(pendingIntent.address, received)
    else toy.fund(ACCOUNT, received, asset, pendingIntent.address)
    await decideAndApply(stores.intents, pendingIntent.id, (facts) =>
      decideDeposits(facts, fresh, null, context({ now: world.now() })),
    )
  }

  const intent = async () => (await world.stores.intents.facts(pendingIntent.id))?.intent
  /** Runs a worker until the payment has one of these statuses and nothing is under way. */
  async function work(...until: readonly IntentStatus[]): Promise<void> {
    const isOver = async () => {
      const facts = await world.stores.intents.facts(pendingIntent.id)
      const status = facts?.intent.status
      const open = facts?.transfers.some((one) => one.status === 'planned' || one.status === 'in_progress')
      return status !== undefined && until.includes(status) && open === false
    }
    const { errors } = await runUntil(world, isOver, [], { maxTicks: 60 })
    expect(errors).toEqual([])
  }
  const openAccountOf = (wallet: Address): void => {
    world.toy.fund(tokenAccountOf(wallet, MINT), TOKEN_RENT)
    world.toy.fund(tokenAccountOf(wallet, MINT), 0n, MINT, wallet)
  }
  const closeAccountOf = (wallet: Address): void => world.toy.fund(tokenAccountOf(wallet, MINT), -TOKEN_RENT)

  const unpriced = async (assets: Parameters<typeof world.prices.pricesFor>[0]) =>
    new Map(assets.map(({ mint }) => [mint, { refused: 'unreachable' as const }]))

  describe('token dust from wallets that have closed their accounts', () => {
    test('is not returned, and costs the fee payer nothing', async () => {
      const before = world.toy.balance(FEE_PAYER)
      await begin(
        'refunding',
        STRANGERS.map((wallet, at) => from(10 + at, wallet, 1n, 'late')),
      )
      await work('refund_failed')
      expect(world.toy.balance(FEE_PAYER)).toBe(before)
      expect(await intent()).toMatchObject({
        statusReason: TOO_SMALL,
        held: [{ mint: MINT, amount: 5n, reason: TOO_SMALL }],
      })
    })

    test('does not block a refund that is worth its cost', async () => {
      const [rich, ...others] = STRANGERS
      if (rich === undefined) throw new Error('the wallet is missing')
      openAccountOf(rich)
      await begin('refunding', [
        ...others.map((wallet, at) => from(10 + at, wallet, 1n, 'late')),
        from(20, rich, 2n * DOLLAR, 'late'),
      ])
      await work('refunded')
      expect(tokensOf(rich)).toBe(2n * DOLLAR)
      for (const wallet of others) expect(world.toy.balance(tokenAccountOf(wallet, MINT))).toBe(0n)
      expect(await intent()).toMatchObject({ held: [{ amount: 4n }] })
    })

    test('of many wallets does not use up the rounds of a refund that is worth its cost', async () => {
      const rich = addressNo(100)
      openAccountOf(rich)
      const dust = Array.from({ length: 20 }, (_, at) => from(10 + at, addressNo(200 + at), 1n, 'late'))
      await begin('refunding', [...dust, from(90, rich, 2n * DOLLAR, 'late')])
      await work('refunded')
      expect(tokensOf(rich)).toBe(2n * DOLLAR)
      expect(await intent()).toMatchObject({ statusReason: null, held: [{ amount: 20n, reason: TOO_SMALL }] })
    })

    test('goes back together with later money of the same wallet, when the sum is worth it', async () => {
      const [stranger] = STRANGERS
      if (stranger === undefined) throw new Error('the wallet is missing')
      await begin('refunding', [from(10, stranger, 1n, 'late')])
      await work('refund_failed')
      const { deposits = [] } = (await world.stores.intents.facts(pendingIntent.id)) ?? {}
      expect(deposits).toMatchObject([{ senders: [{ address: stranger, obstacle: 'too_small' }] }])
      openAccountOf(stranger)
      await begin('refunding', [from(11, stranger, 2n * DOLLAR, 'late')], deposits)
      await work('refunded')
      expect(tokensOf(stranger)).toBe(2n * DOLLAR + 1n)
    })
  })

  test('SOL dust of any number of wallets does not use up the rounds of a refund that is worth its cost', async () => {
    const stores = createMemoryStores()
    world = { ...createWorld(stores), stores }
    const [rich, amount] = [addressNo(100), 5_000_000n]
    const dust = Array.from({ length: 120 }, (_, at) => addressNo(200 + at))
    const pays = (wallet: Address, number: number, paid: bigint) =>
      deposit(number, paid, { use: 'late', senders: [{ address: wallet, amount: units(paid) }] })
    world.toy.fund(pendingIntent.address, -PRICE)
    await begin('refunding', [...dust.map((wallet, at) => pays(wallet, 10 + at, 1n)), pays(rich, 200, amount)])
    await work('refunded')
    // The dust cannot stay at the address: it pays a part of the network fee.
    expect(world.toy.balance(rich)).toBe(amount + BigInt(dust.length) - context().terms.networkFee)
  })

  describe('strangers who send tokens of value and close their accounts', () => {
    const [stranger = MERCHANT, buyer = MERCHANT] = STRANGERS
    const reasonFor = (wallet: Address) => obstacleText('no_account', wallet)

    test('cost the fee payer nothing: their money is held until their accounts exist again', async () => {
      const before = world.toy.balance(FEE_PAYER)
      await begin(
        'refunding',
        STRANGERS.map((wallet, at) => from(10 + at, wallet, 5n * DOLLAR, 'late')),
      )
      await work('refund_failed')
      expect(world.toy.balance(FEE_PAYER)).toBe(before)
      expect(await intent()).toMatchObject({ held: [{ amount: 25n * DOLLAR, reason: reasonFor(stranger) }] })
    })

    test('do not keep the refund of another wallet from being made', async () => {
      openAccountOf(buyer)
      await begin('refunding', [from(10, stranger, 5n * DOLLAR, 'late'), from(11, buyer, DOLLAR, 'late')])
      await work('refund_failed')
      expect(tokensOf(buyer)).toBe(DOLLAR)
      expect(await intent()).toMatchObject({ held: [{ amount: 5n * DOLLAR, reason: reasonFor(stranger) }] })
    })

    test('get it back with what they send later, when their accounts exist again', async () => {
      await begin('refunding', [from(10, stranger, 5n * DOLLAR, 'late')])
      await work('refund_failed')
      openAccountOf(stranger)
      const { deposits = [] } = (await world.stores.intents.facts(pendingIntent.id)) ?? {}
      await begin('refunding', [from(11, stranger, DOLLAR, 'late')], deposits)
      await work('refunded')
      expect(tokensOf(stranger)).toBe(6n * DOLLAR)
    })
  })

  describe('a refund of a token without a price', () => {
    const [wallet = MERCHANT] = STRANGERS
    beforeEach(() => openAccountOf(wallet))

    test.each([1n, 5n * DOLLAR])('of %d units waits for an hour, and is then held', async (amount) => {
      world.prices.pricesFor = unpriced
      const before = world.toy.balance(FEE_PAYER)
      await begin('refunding', [from(10, wallet, amount, 'late')])
      const instance = startInstance(world)
      for (let minute = 0; minute < 59; minute += 1) {
        await instance.work()
        world.pass(MINUTE)
      }
      expect(await intent()).toMatchObject({ status: 'refunding' })
      for (let minute = 0; minute < 2; minute += 1) {
        world.pass(MINUTE)
        await instance.work()
      }
      expect(await intent()).toMatchObject({ status: 'refund_failed', statusReason: obstacleText('unpriced', wallet) })
      expect(world.toy.balance(FEE_PAYER)).toBe(before)
      expect(instance.errors).toEqual([])
    })

    test('waits for an hour again after the whole service was down for two hours', async () => {
      const { pricesFor } = world.prices
      world.prices.pricesFor = unpriced
      await begin('refunding', [from(10, wallet, 5n * DOLLAR, 'late')])
      await startInstance(world).work()
      for (let minute = 0; minute < 120; minute += 1) world.pass(MINUTE)
      const restarted = startInstance(world)
      await restarted.work()
      expect(await intent()).toMatchObject({ status: 'refunding' })
      world.pass(MINUTE)
      world.prices.pricesFor = pricesFor
      await work('refunded')
      expect(tokensOf(wallet)).toBe(5n * DOLLAR)
      expect(restarted.errors).toEqual([])
    })

    test('is made with what the same wallet sends later, however little, when there is a price again', async () => {
      const { pricesFor } = world.prices
      world.prices.pricesFor = unpriced
      await begin('refunding', [from(10, wallet, 5n * DOLLAR, 'late')])
      const instance = startInstance(world)
      for (let minute = 0; minute < 62; minute += 1) {
        await instance.work()
        world.pass(MINUTE)
      }
      expect(await intent()).toMatchObject({ statusReason: obstacleText('unpriced', wallet) })
      world.prices.pricesFor = pricesFor
      const { deposits = [] } = (await world.stores.intents.facts(pendingIntent.id)) ?? {}
      await begin('refunding', [from(11, wallet, 1n, 'late')], deposits)
      await work('refunded')
      expect(tokensOf(wallet)).toBe(5n * DOLLAR + 1n)
      expect(instance.errors).toEqual([])
    })

    test('is made as soon as there is a price', async () => {
      const { pricesFor } = world.prices
      world.prices.pricesFor = unpriced
      await begin('refunding', [from(10, wallet, 5n * DOLLAR, 'late')])
      await startInstance(world).work()
      world.pass(MINUTE)
      world.prices.pricesFor = pricesFor
      await work('refunded')
      expect(tokensOf(wallet)).toBe(5n * DOLLAR)
    })
  })

  describe('the budget of refunds', () => {
    const [wallet = MERCHANT] = STRANGERS
    beforeEach(() => openAccountOf(wallet))
    const spent = (spend: Partial<Spend>) => {
      const spendOf = async () => ({ ofSubject: 0n, lastHour: 0n, lastDay: 0n, ...spend })
      Object.assign(world.stores.transfers, { spendOf })
    }
    const limit = PLENTY.perHour

    test.each([{ lastHour: limit }, { lastDay: limit }])('makes refunds wait that exceed it: %o', async (spend) => {
      spent(spend)
      await begin('refunding', [from(10, wallet, 5n * DOLLAR, 'late')])
      await startInstance(world).work()
      const waiting = world.stores.transfer('transfer-1')
      expect(waiting.transfer).toMatchObject({ status: 'in_progress', reason: expect.stringMatching(/one (hour|day)/) })
      expect(waiting.nextAttemptAt).toEqual(new Date(world.now().getTime() + 300_000))
      spent({})
      world.pass(1_000n)
      await work('refunded')
    })

    test('keeps the place of a refund that waits for it, before later refunds', async () => {
      const { transfers } = world.stores
      const { postpone } = transfers
      const [befores, costs]: [(Date | null)[], unknown[]] = [[], []]
      Object.assign(transfers, {
        async spendOf({ before }: Spender) {
          befores.push(before)
          return { ofSubject: 0n, lastHour: limit, lastDay: 0n }
        },
        async postpone(...args: Parameters<typeof postpone>) {
          costs.push(args[3])
          await postpone(...args)
        },
      })
      await begin('refunding', [from(10, wallet, 5n * DOLLAR, 'late')])
      await startInstance(world).work()
      expect(befores).toEqual([world.stores.transfer('transfer-1').transfer.createdAt])
      expect(costs).toEqual([expect.any(BigInt)])
      expect(Number(costs[0])).toBeGreaterThanOrEqual(10_000)
    })

    test('makes a refund wait in its place when others use the budget up while it is prepared', async () => {
      const { transfers } = world.stores
      const { postpone } = transfers
      const costs: unknown[] = []
      Object.assign(transfers, {
        async prepareAttempt() {
          spent({ lastHour: limit })
          return null
        },
        async postpone(...args: Parameters<typeof postpone>) {
          costs.push(args[3])
          await postpone(...args)
        },
      })
      await begin('refunding', [from(10, wallet, 5n * DOLLAR, 'late')])
      await startInstance(world).work()
      const waiting = world.stores.transfer('transfer-1')
      expect(waiting.transfer.reason).toMatch(/one hour/)
      expect(waiting.nextAttemptAt).toEqual(new Date(world.now().getTime() + 300_000))
      expect(costs).toEqual([expect.any(BigInt)])
    })

    test('counts the fee of the transaction', async () => {
      spent({ lastHour: limit - 10_000n })
      await begin('refunding', [from(10, wallet, 5n * DOLLAR, 'late')])
      await work('refunded')
    })

    test('is not touched by refunds that would need new accounts', async () => {
      spent({ ofSubject: limit, lastHour: limit, lastDay: limit })
      closeAccountOf(wallet)
      await begin('refunding', [from(10, wallet, 5n * DOLLAR, 'late')])
      await work('refund_failed')
      expect(await intent()).toMatchObject({ statusReason: obstacleText('no_account', wallet) })
    })

    test('holds the refunds of a payment whose own limit is reached, for the operator to release', async () => {
      spent({ ofSubject: limit })
      await begin('refunding', [from(10, wallet, 5n * DOLLAR, 'late')])
      await work('refund_failed')
      expect(await intent()).toMatchObject({
        statusReason: OVER_BUDGET,
        held: [{ amount: 5n * DOLLAR, reason: OVER_BUDGET }],
      })
    })

    test('blocks no settlement', async () => {
      spent({ ofSubject: limit, lastHour: limit, lastDay: limit })
      await begin('pending', [from(10, wallet, PRICE + 1n, 'applied')])
      await work('swept')
    })
  })

  describe('an excess of many wallets that cannot take it', () => {
    const rounds = async () => (await world.stores.intents.facts(pendingIntent.id))?.transfers ?? []
    const sweepRounds = async () => (await rounds()).filter(({ kind }) => kind === 'sweep')
    const [buyer = MERCHANT] = STRANGERS

    test('stays after one withdrawn round, and the excess of another wallet follows the sweep', async () => {
      openAccountOf(buyer)
      const others = Array.from({ length: 20 }, (_, at) => from(20 + at, addressNo(200 + at), 2n * DOLLAR, 'applied'))
      await begin('pending', [
        from(10, addressNo(100), PRICE, 'applied'),
        from(11, buyer, DOLLAR, 'applied'),
        ...others,
      ])
      await work('swept')
      expect((await sweepRounds()).map(({ status }) => status)).toEqual(['failed', 'done'])
      expect(world.toy.balance(tokenAccountOf(MERCHANT, MINT), MINT)).toBe(PRICE)
      expect(tokensOf(buyer)).toBe(DOLLAR)
      expect(await intent()).toMatchObject({
        settlement: { destinationAmount: PRICE },
        held: [{ amount: 40n * DOLLAR }],
        statusReason: expect.stringContaining('has no account'),
      })
    })

    test('in SOL stays, and the larger excess of a wallet that can take it goes back with the sweep', async () => {
      const stores = createMemoryStores()
      world = { ...createWorld(stores), stores }
      world.toy.fund(pendingIntent.address, -PRICE)
      const pays = (number: number, wallet: Address, amount: bigint) =>
        deposit(number, amount, { senders: [{ address: wallet, amount: units(amount) }] })
      const others = Array.from({ length: 20 }, (_, at) => pays(20 + at, addressNo(200 + at), 100_000n))
      const first = pays(10, addressNo(100), PRICE)
      await begin('pending', [first, pays(11, buyer, 2_000_000n), ...others])
      await work('swept')
      expect((await sweepRounds()).map(({ status }) => status)).toEqual(['done'])
      expect(world.toy.balance(buyer)).toBe(2_000_000n)
      expect(await intent()).toMatchObject({
        settlement: { destinationAmount: PRICE - context().terms.networkFee },
        held: [{ amount: 2_000_000n }],
      })
    })
  })

  describe('an excess of tokens', () => {
    const [wallet = MERCHANT] = STRANGERS
    const overpaid = (excess: bigint) => begin('pending', [from(10, wallet, PRICE + excess, 'applied')])
    const merchantHas = () => world.toy.balance(tokenAccountOf(MERCHANT, MINT), MINT)

    test('that is worth less than its own refund settles to the business, and the settlement shows it', async () => {
      await overpaid(1n)
      await work('swept')
      expect(merchantHas()).toBe(PRICE + 1n)
      expect(await intent()).toMatchObject({
        settlement: { destinationAmount: PRICE + 1n },
        held: [],
        statusReason: null,
      })
      expect(world.toy.balance(tokenAccountOf(wallet, MINT))).toBe(0n)
    })

    test('that is worth more is held while the wallet has no account, and the payment settles', async () => {
      await overpaid(3n * DOLLAR)
      await work('swept')
      expect(merchantHas()).toBe(PRICE)
      expect(world.toy.balance(tokenAccountOf(wallet, MINT))).toBe(0n)
      expect(await intent()).toMatchObject({
        statusReason: expect.stringContaining(obstacleText('no_account', wallet)),
        held: [{ amount: 3n * DOLLAR }],
      })
    })

    test('does not delay the settlement while no price is known', async () => {
      world.prices.pricesFor = unpriced
      await overpaid(3n * DOLLAR)
      const instance = startInstance(world)
      for (let tick = 0; tick < 6; tick += 1) {
        await instance.work()
        world.pass(20n)
      }
      expect(await intent()).toMatchObject({ status: 'swept' })
      expect(merchantHas()).toBe(PRICE)
    })

    test('goes back with the settlement where the wallet has its account', async () => {
      openAccountOf(wallet)
      await overpaid(7n)
      await work('swept')
      expect(tokensOf(wallet)).toBe(7n)
      expect(world.toy.landed()).toHaveLength(2)
    })
  })
})

// The cost of a settlement for the fee payer: the token account of a business is paid for once in 30 days.
// docs/limits.md, "Money".
describe('the cost of a settlement', () => {
  const PAYOUT = tokenAccountOf(MERCHANT, MINT)
  const BUYER = addressNo(1)

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
})
