import { beforeEach, describe, expect, test } from 'vitest'
import { tenantOf } from '#core/accounts/account.ts'
import { SOL } from '#core/chain/types.ts'
import { makeBasisPoints } from '#core/money/amounts.ts'
import { type IntentFacts, startChange, step } from '#core/payments/change.ts'
import { decideRelease, type ReleaseOrder } from '#core/payments/machine/release.ts'
import type { IntentStatus } from '#core/payments/payment-intent.ts'
import { decideAndApply } from '#services/payments/decide.ts'
import { createSweep, SWEEP_LIMITS } from '#services/payments/sweep.ts'
import { MERCHANT, pendingIntent } from '../../support/example-intent.ts'
import {
  addressNo,
  BUYER,
  choice,
  context,
  deposit,
  intentWith,
  MARKETPLACE,
  NETWORK_FEE,
  NOW,
  PAYEE,
  PLATFORM,
  RENT,
  units,
} from '../../support/payment.ts'
import { createMemoryWorld, PRICE, startInstance } from '../../support/settling-world.ts'

let world: ReturnType<typeof createMemoryWorld>
let slept: number
let watching: number
let whileWaiting: () => Promise<void>

const CALLER = tenantOf({ id: pendingIntent.accountId, network: 'live' })
const sweeps = () =>
  createSweep({
    intents: {
      findByIndex: async (_, wanted) =>
        wanted === pendingIntent.derivationIndex
          ? ((await world.stores.intents.facts(pendingIntent.id))?.intent ?? null)
          : null,
    },
    store: world.stores.intents,
    decisionContext: async () => context({ now: world.now() }),
    changes: {
      watch: (intentId) => {
        expect(intentId).toBe(pendingIntent.id)
        watching += 1
        return {
          async next(ms) {
            const waited = Math.min(ms, 250)
            slept += waited
            await whileWaiting()
            return waited
          },
          close() {
            watching -= 1
          },
        }
      },
    },
  })
const known = async (): Promise<IntentFacts> => {
  const facts = await world.stores.intents.facts(pendingIntent.id)
  if (facts === null) throw new Error('the payment does not exist')
  return facts
}
const sweep = (index = pendingIntent.derivationIndex, signal?: AbortSignal) => sweeps()(CALLER, index, signal)

const underpaid = (status: IntentStatus = 'underpaid') =>
  world.stores.put(intentWith({ status, selection: choice(SOL, 2n * PRICE), received: units(PRICE) }), [
    deposit(1, PRICE),
  ])

beforeEach(() => {
  world = createMemoryWorld()
  slept = 0
  watching = 0
  const instance = startInstance(world)
  whileWaiting = async () => {
    await instance.work()
    world.pass(10n)
  }
})

describe('a sweep on demand', () => {
  test('answers with the transfer when it is final, without the amounts of other receivers', async () => {
    underpaid()
    const result = await sweep()
    expect(result).toEqual({
      signature: world.stores.transfer('transfer-1').transfer.signature,
      amount: PRICE - NETWORK_FEE,
      platformFee: 0n,
      from: pendingIntent.address,
      to: MERCHANT,
    })
    expect(slept).toBeGreaterThan(0)
  })

  test('repeated without new money answers with the existing transfer and makes no other', async () => {
    underpaid()
    const first = await sweep()
    slept = 0
    expect(await sweep()).toEqual(first)
    expect(slept).toBe(0)
    expect(world.toy.landed()).toHaveLength(1)
  })

  describe('after more money has arrived', () => {
    const LATE = 700_000n
    const arrived = async (amount: bigint) => {
      world.toy.fund(pendingIntent.address, amount)
      const { intent } = await known()
      const late = deposit(2, amount, { use: 'late', senders: [], seenAt: world.now() })
      const change = step(startChange(intent), {}, world.now(), null)
      expect(await world.stores.intents.apply({ ...change, deposits: [late] })).toBe(true)
    }
    test('answers with the transfer of it', async () => {
      underpaid()
      const first = await sweep()
      await arrived(LATE)
      const second = await sweep()
      expect(second).toMatchObject({ amount: LATE - NETWORK_FEE })
      expect(second.signature).not.toBe(first.signature)
    })

    test('whose sweep failed and that was then released, answers with the earlier transfer', async () => {
      underpaid()
      const first = await sweep()
      await arrived(LATE)
      world.toy.fates.push('fails')
      slept = 0
      await expect(sweep()).rejects.toMatchObject({ code: 'sweep_failed', context: { reason: 'bad luck' } })
      expect(slept).toBeLessThan(30_000)
      const order: ReleaseOrder = {
        asset: SOL,
        to: BUYER,
        reason: 'The buyer asked for it.',
        decimals: 9,
        tokenProgram: null,
      }
      await decideAndApply(world.stores.intents, pendingIntent.id, (facts) =>
        decideRelease(facts, order, context({ now: world.now() })),
      )
      for (let looks = 0; looks < 10; looks += 1) await whileWaiting()
      expect((await known()).transfers.map(({ kind, status }) => [kind, status])).toEqual([
        ['sweep', 'done'],
        ['sweep', 'failed'],
        ['release', 'done'],
      ])
      slept = 0
      expect(await sweep()).toEqual(first)
      expect(slept).toBe(0)
    })

    test('does not wait for dust, which has no sweep of its own', async () => {
      underpaid()
      const first = await sweep()
      await arrived(NETWORK_FEE)
      slept = 0
      expect(await sweep()).toEqual(first)
      expect(slept).toBe(0)
    })
  })

  test('twice at once is one transfer', async () => {
    underpaid()
    const [first, second] = await Promise.all([sweep(), sweep()])
    expect(first).toEqual(second)
    expect(world.toy.landed()).toHaveLength(1)
  })

  test('of a payment that settles automatically waits for that transfer', async () => {
    await startInstance(world).takeIn()
    expect(await sweep()).toMatchObject({ amount: PRICE - NETWORK_FEE })
    expect(world.toy.landed()).toHaveLength(1)
  })

  test('times out after half a minute, and a repeat finds the same transfer', async () => {
    underpaid()
    const go = whileWaiting
    whileWaiting = async () => {}
    await expect(sweep()).rejects.toMatchObject({ code: 'transfer_unconfirmed' })
    expect(slept).toBe(30_000)
    whileWaiting = go
    await sweep()
    expect(world.toy.landed()).toHaveLength(1)
  })

  test('fails at once when the settlement has failed', async () => {
    underpaid()
    world.toy.fates.push('fails', 'fails', 'fails', 'fails', 'fails')
    await expect(sweep()).rejects.toMatchObject({
      code: 'sweep_failed',
      context: { reason: 'The transfer to the business failed on chain too often.' },
    })
    expect(slept).toBeLessThan(30_000)
  })

  describe('to an empty wallet that its part would not fill', () => {
    const EMPTY = addressNo(8_001)
    const reason = `${EMPTY} is empty and would hold less than the chain’s minimum.`
    const PAID = 2n * RENT
    /** A half for the marketplace, and a hundredth for the platform. */
    const PART = PAID - RENT - 8_908n - NETWORK_FEE
    beforeEach(() => {
      world.toy.fund(MARKETPLACE, 10n ** 9n)
      world.toy.fund(PLATFORM, 10n ** 9n)
      world.stores.put(
        intentWith({
          status: 'underpaid',
          selection: choice(SOL, PRICE),
          received: units(PAID),
          marketplaceFeeBps: makeBasisPoints(5_000),
        }),
        [deposit(1, PAID)],
        { ...PAYEE, sweepDestination: EMPTY, marketplace: { feeDestination: MARKETPLACE } },
      )
    })

    test('is unconfirmed with that reason while another transfer may fill it', async () => {
      const go = whileWaiting
      let looks = 0
      whileWaiting = async () => {
        looks += 1
        if (looks < 10) await go()
      }
      await expect(sweep()).rejects.toMatchObject({ code: 'transfer_unconfirmed', context: { reason } })
      expect((await known()).intent.status).toBe('settling')
    })

    test('fails with that reason after two minutes, without a transaction, and then at once', async () => {
      const failed = { code: 'sweep_failed', context: { reason } }
      await expect(sweep()).rejects.toMatchObject(failed)
      expect(world.now().getTime() - NOW.getTime()).toBeLessThanOrEqual(130_000)
      expect((await known()).intent).toMatchObject({ status: 'settle_failed', statusReason: reason })
      slept = 0
      await expect(sweep()).rejects.toMatchObject(failed)
      expect(slept).toBeLessThan(1_000)
      expect(world.toy.landed()).toEqual([])
    })

    test('settles when the wallet has been filled', async () => {
      await expect(sweep()).rejects.toMatchObject({ code: 'sweep_failed' })
      world.toy.fund(EMPTY, RENT)
      expect(await sweep()).toMatchObject({ amount: PART, to: EMPTY })
      expect((await known()).intent.status).toBe('swept')
    })
  })

  test('stops waiting when its client has left, and the transfer continues', async () => {
    underpaid()
    const client = new AbortController()
    const go = whileWaiting
    let looks = 0
    whileWaiting = async () => {
      looks += 1
      client.abort()
    }
    await expect(sweep(pendingIntent.derivationIndex, client.signal)).rejects.toMatchObject({
      code: 'transfer_unconfirmed',
    })
    expect([looks, watching]).toEqual([1, 0])
    whileWaiting = go
    await sweep()
    expect(world.toy.landed()).toHaveLength(1)
  })

  test('waits for a notice, and does not watch longer than it waits', async () => {
    underpaid()
    await sweep()
    expect(watching).toBe(0)
    await expect(sweep(7)).rejects.toThrow()
    expect(watching).toBe(0)
  })

  test('is refused while too many sweeps of its business wait, and accepted when they are done', async () => {
    underpaid()
    const run = sweeps()
    const go = whileWaiting
    const waiting = Promise.withResolvers<void>()
    whileWaiting = () => waiting.promise
    const clients = new AbortController()
    const other = tenantOf({ id: '0b9d7f4e-93b4-4a0a-8f0a-5f3a52b1d0ff', network: 'live' })
    const ask = (caller = CALLER, signal?: AbortSignal) => run(caller, pendingIntent.derivationIndex, signal)
    const callers = [...Array.from({ length: SWEEP_LIMITS.waitingOfBusiness }, () => CALLER), other]
    const all = callers.map((caller) => ask(caller, clients.signal))
    await expect.poll(() => watching).toBe(callers.length)
    await expect(ask()).rejects.toMatchObject({ code: 'rate_limited', context: { retry_after_seconds: 5 } })
    clients.abort()
    waiting.resolve()
    await Promise.allSettled(all)
    whileWaiting = go
    expect(await ask()).toMatchObject({ amount: PRICE - NETWORK_FEE })
  })

  test.each([
    [0, 'reserved_index'],
    [7, 'intent_not_found'],
  ])('of index %d is refused', async (index, code) => {
    await expect(sweep(index)).rejects.toMatchObject({ code })
  })

  test('without money is refused', async () => {
    world.stores.put(intentWith({ selection: null }))
    await expect(sweep()).rejects.toMatchObject({ code: 'nothing_to_sweep' })
  })
})
