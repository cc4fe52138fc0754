import { beforeEach, describe, expect, test } from 'vitest'
import { tenantOf } from '#core/accounts/account.ts'
import { SOL } from '#core/chain/types.ts'
import type { IntentStatus } from '#core/intents/intent.ts'
import { createSweep } from '#services/intents/sweep.ts'
import { MERCHANT, pendingIntent } from '../../support/example-intent.ts'
import { around, choice, deposit, intentWith, NETWORK_FEE, units } from '../../support/payment.ts'
import { createMemoryWorld, PRICE, startInstance } from '../../support/settling-world.ts'

let world: ReturnType<typeof createMemoryWorld>
let slept: number
let whileWaiting: () => Promise<void>

const CALLER = tenantOf({ id: pendingIntent.accountId, network: 'live' })
const sweep = (index = pendingIntent.derivationIndex) =>
  createSweep({
    intents: {
      findByIndex: async (_, wanted) =>
        wanted === pendingIntent.derivationIndex
          ? ((await world.stores.intents.facts(pendingIntent.id))?.intent ?? null)
          : null,
    },
    store: world.stores.intents,
    surroundings: async () => around({ now: world.now() }),
    timer: {
      async sleep(ms) {
        slept += ms
        await whileWaiting()
      },
    },
  })(CALLER, index)

const underpaid = (status: IntentStatus = 'underpaid') =>
  world.stores.put(intentWith({ status, selection: choice(SOL, 2n * PRICE), received: units(PRICE) }), [
    deposit(1, PRICE, { state: 'final' }),
  ])

beforeEach(() => {
  world = createMemoryWorld()
  slept = 0
  const instance = startInstance(world)
  whileWaiting = async () => {
    await instance.work()
    world.pass(10n)
  }
})

describe('a sweep on demand', () => {
  test('answers with the transfer once it is final, net of what others got', async () => {
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

  test('again, with nothing new, answers with the transfer already made and makes no other', async () => {
    underpaid()
    const first = await sweep()
    slept = 0
    expect(await sweep()).toEqual(first)
    expect(slept).toBe(0)
    expect(world.toy.landed()).toHaveLength(1)
  })

  test('twice at once is one transfer', async () => {
    underpaid()
    const [first, second] = await Promise.all([sweep(), sweep()])
    expect(first).toEqual(second)
    expect(world.toy.landed()).toHaveLength(1)
  })

  test('of a payment that settles by itself waits for that one', async () => {
    expect(await sweep()).toMatchObject({ amount: PRICE - NETWORK_FEE })
    expect(world.toy.landed()).toHaveLength(1)
  })

  test('gives up after half a minute, and a repeat finds the same transfer', async () => {
    underpaid()
    const go = whileWaiting
    whileWaiting = async () => {}
    await expect(sweep()).rejects.toMatchObject({ code: 'transfer_unconfirmed' })
    expect(slept).toBe(30_000)
    whileWaiting = go
    await sweep()
    expect(world.toy.landed()).toHaveLength(1)
  })

  test('says so at once when the settlement has failed', async () => {
    underpaid()
    world.toy.weather.push('fails', 'fails', 'fails', 'fails', 'fails')
    await expect(sweep()).rejects.toMatchObject({ code: 'transfer_unconfirmed' })
    expect(slept).toBeLessThan(30_000)
  })

  test.each([
    [0, 'reserved_index'],
    [7, 'intent_not_found'],
  ])('of index %d is refused', async (index, code) => {
    await expect(sweep(index)).rejects.toMatchObject({ code })
  })

  test('of nothing is refused', async () => {
    world.stores.put(intentWith({ selection: null }))
    await expect(sweep()).rejects.toMatchObject({ code: 'nothing_to_sweep' })
  })
})
