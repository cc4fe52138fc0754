// One intent whose payment is final on a toy chain, and instances of the real services that take it in and settle it. Each
// instance may die at any call.

import { type Asset, type ObservedTransaction, SOL, WRAPPED_SOL_MINT } from '#core/chain/types.ts'
import { makeLamports } from '#core/money/amounts.ts'
import type { Payee } from '#core/payments/change.ts'
import type { SpendBudget } from '#core/transfers/budget.ts'
import type { Signer } from '#ports/transactions.ts'
import { createTakeIn } from '#services/detection/take-in.ts'
import { subjectsOfPayments } from '#services/payments/transfers/subject.ts'
import type { PriceSource } from '#services/prices/price-source.ts'
import type { MintGuard } from '#services/tokens/mint-guard.ts'
import { createTransferAdvancer } from '#services/transfers/advance.ts'
import { createAttemptPreparer } from '#services/transfers/prepare.ts'
import { registerSubjects } from '#services/transfers/subject.ts'
import { MERCHANT, pendingIntent } from './example-intent.ts'
import { createMemoryStores, type MemoryStores, UNCHANGED_MINTS } from './memory-stores.ts'
import { Crash, createLife, type Life } from './mortal.ts'
import { BUYER, choice, context, FEE_PAYER, intentWith, landed, NOW, PAYEE, signatureNo } from './payment.ts'
import { createToyChain, SLOT_MS, TOKEN_RENT, tokenAccountOf, toyKeys, toySigner } from './toy-chain.ts'

export const PRICE = 10_000_000n
/** After this time the claims of a dead instance have ended. */
const LEASE_MS = 60_000

/** Tokens cost a dollar and SOL a hundred and fifty. */
export const TOY_PRICES: Pick<PriceSource, 'pricesFor'> = {
  pricesFor: async (assets) =>
    new Map(
      assets.map(({ mint }) => {
        const mantissa = mint === WRAPPED_SOL_MINT ? 150n : 1n
        return [mint, { mantissa, exponent: 0, source: 'toy', publishedAt: NOW }]
      }),
    ),
}

/** More than any refund of a test costs. */
export const PLENTY: SpendBudget = {
  perSubject: makeLamports(10n ** 12n),
  perHour: makeLamports(10n ** 12n),
  perDay: makeLamports(10n ** 12n),
}

export type World = {
  /** The final transactions that pay the intent. */
  readonly payments: ObservedTransaction[]
  readonly toy: ReturnType<typeof createToyChain>
  readonly stores: Pick<MemoryStores, 'intents' | 'transfers'>
  readonly signer: Signer
  readonly prices: Pick<PriceSource, 'pricesFor'>
  readonly refundBudget: SpendBudget
  readonly now: () => Date
  pass(slots: bigint): void
}

export function createWorld(stores: World['stores'], asset: Asset = SOL): World {
  const toy = createToyChain()
  toy.fund(FEE_PAYER, 10n ** 9n)
  toy.fund(MERCHANT, 10n ** 9n)
  const source = pendingIntent.address
  if (asset === SOL) toy.fund(source, PRICE)
  else {
    toy.fund(tokenAccountOf(source, asset), PRICE, asset, source)
    toy.fund(tokenAccountOf(source, asset), TOKEN_RENT)
  }
  let now = NOW.getTime()
  return {
    payments: [],
    toy,
    stores,
    signer: { ...toySigner },
    prices: { ...TOY_PRICES },
    refundBudget: PLENTY,
    now: () => new Date(now),
    pass(slots) {
      toy.pass(slots)
      now += Number(slots) * SLOT_MS
    },
  }
}

/** Returns a payment of the price, or of another amount, to the intent. */
export function paymentOf(asset: Asset, number = 1, amount = PRICE, from = BUYER): ObservedTransaction {
  const { address } = pendingIntent
  const account = asset === SOL ? address : tokenAccountOf(address, asset)
  const moves = [
    { account: from, asset, delta: -amount },
    { account, owner: address, asset, delta: amount },
  ]
  return landed({ signature: signatureNo(number), slot: BigInt(1_000 + number), signers: [from], moves })
}

/** A world in memory with an intent that has been paid. */
export function createMemoryWorld(asset: Asset = SOL, payee: Payee = PAYEE) {
  const stores = createMemoryStores()
  stores.put(intentWith({ selection: choice(asset, PRICE), acceptedAssets: [asset] }), [], payee)
  return { ...createWorld(stores, asset), stores, payments: [paymentOf(asset)] }
}

/** One instance of the services, and the errors of its jobs. */
export function startInstance(
  world: World,
  life: Life = createLife(null),
  instance = 1,
  mintGuard: Pick<MintGuard, 'holdOf'> = UNCHANGED_MINTS,
  lostBefore: bigint | null = null,
) {
  const errors: unknown[] = []
  const onError = (error: unknown) => {
    if (!(error instanceof Crash)) errors.push(error)
  }
  const chain = life.wrap(world.toy.chain)
  const chainOf = () => chain
  const intents = life.wrap(world.stores.intents)
  const transfers = life.wrap(world.stores.transfers)
  const clock = { now: world.now }
  const decisionContext = async () => context({ now: world.now() })
  let ids = 0
  const uuid = () => `00000000-0000-4000-8000-${String(instance * 1_000 + ids++).padStart(12, '0')}`
  const subjects = registerSubjects(
    subjectsOfPayments({
      intents,
      transfers,
      decisionContext,
      prices: world.prices,
      refundBudget: world.refundBudget,
      computeUnitPrice: 0n,
      clock,
    }),
  )
  const common = { chainOf, transfers, subjects, keys: toyKeys, feePayerOf: () => FEE_PAYER, clock, onError }
  const prepare = createAttemptPreparer({
    ...common,
    mintGuard,
    random: { uuid },
    afterFailover: async () => ({ waits: null, lostBefore }),
  })
  const advance = createTransferAdvancer({
    ...common,
    prepare,
    signer: life.wrap(world.signer),
  })
  const lockRate = async () => choice(SOL, PRICE)
  const takeIn = createTakeIn({ store: intents, keys: toyKeys, decisionContext, lockRate })
  return {
    errors,
    advance: () => advance('live'),
    takeIn: () => takeIn(pendingIntent.id, world.payments),
    /** Runs each job once, as a worker does in one second. A job that fails runs again in the next second. */
    async work(): Promise<void> {
      for (const job of [() => takeIn(pendingIntent.id, world.payments), () => advance('live')])
        await job().catch(onError)
    },
  }
}

/**
 * Runs instances one after the other, the next when the last has died, until the world is `settled` or `maxTicks` have
 * passed. A new instance starts when the lease of the last has ended, or at once with `impatient`.
 */
export async function runUntil(
  world: World,
  settled: () => boolean | Promise<boolean>,
  lives: readonly Life[],
  { slotsPerTick = 20n, maxTicks = 400, impatient = false } = {},
): Promise<{ ticks: number; errors: readonly unknown[] }> {
  const queue = [...lives, createLife(null)]
  const errors: unknown[] = []
  let ticks = 0
  for (const [number, life] of queue.entries()) {
    const instance = startInstance(world, life, number + 1)
    while (!life.isOver() && ticks < maxTicks) {
      ticks += 1
      await instance.work()
      if (!life.isOver() && (await settled())) return { ticks, errors: [...errors, ...instance.errors] }
      world.pass(slotsPerTick)
    }
    errors.push(...instance.errors)
    if (!impatient) world.pass(BigInt(LEASE_MS / SLOT_MS) + 1n)
  }
  return { ticks, errors }
}
