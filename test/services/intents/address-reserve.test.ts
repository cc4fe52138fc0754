import { describe, expect, test } from 'vitest'
import type { KeyPath } from '#core/transfers/plan.ts'
import { createAddressReserve } from '#services/intents/address-reserve.ts'
import { addressNo } from '../../support/payment.ts'

const BUSINESSES = 1_000

function reserve(refuse: () => boolean = () => false) {
  let index = 0
  const derived: KeyPath[] = []
  const next = createAddressReserve({
    nextIndex: async () => {
      if (refuse()) throw new Error('the database is away')
      index += 1
      return index
    },
    keys: {
      async addressOf(path) {
        derived.push(path)
        return addressNo(derived.length)
      },
    },
  })
  const settled = () => new Promise((resolve) => setImmediate(resolve))
  return { next, derived, settled }
}

describe('deposit addresses', () => {
  test('are given once each, at the path of who asked, however many ask at once', async () => {
    const { next, derived, settled } = reserve()
    const asked = []
    for (let round = 0; round < 20; round += 1) {
      const accounts = Array.from({ length: 50 }, (_, at) => at % 3)
      asked.push(
        ...(await Promise.all(accounts.map(async (account) => ({ account, ...(await next('live', account)) })))),
      )
      await settled()
    }
    expect(new Set(asked.map(({ derivationIndex }) => derivationIndex)).size).toBe(1_000)
    for (const { account, derivationIndex, address } of asked) {
      const at = derived.findIndex((path) => 'intent' in path && path.intent === derivationIndex)
      expect(derived[at]).toEqual({ network: 'live', branch: 'deposit', account, intent: derivationIndex })
      expect(address).toBe(addressNo(at + 1))
    }
  })

  test('are ready before they are needed where one is needed after the other', async () => {
    const { next, derived, settled } = reserve()
    for (let count = 0; count < 200; count += 1) {
      await next('live', 1)
      await settled()
    }
    const before = derived.length
    const address = next('live', 1)
    expect(derived.length).toBe(before)
    expect(await address).toMatchObject({ derivationIndex: expect.any(Number) })
    expect(derived.length).toBeLessThan(200 + 128)
  })

  test('are not derived ahead for who needs one only', async () => {
    const { next, derived, settled } = reserve()
    for (let account = 0; account < 50; account += 1) await next('live', account)
    await settled()
    expect(derived).toHaveLength(50)
  })

  test('of the same number on two networks are different', async () => {
    const { next } = reserve()
    const [live, test] = await Promise.all([next('live', 1), next('test', 1)])
    expect(live.address).not.toBe(test.address)
  })

  test('are kept for so many businesses only', async () => {
    const { next, derived, settled } = reserve()
    const twice = async (account: number) => {
      await next('live', account)
      await next('live', account)
      await settled()
    }
    for (let account = 0; account <= BUSINESSES; account += 1) await twice(account)
    const before = derived.length
    await next('live', BUSINESSES)
    expect(derived.length).toBe(before)
    await next('live', 0)
    expect(derived.length).toBe(before + 1)
  })

  test('fail only for who needs one that cannot be had, and come again', async () => {
    let away = false
    const { next, settled } = reserve(() => away)
    await next('live', 1)
    await next('live', 1)
    await settled()
    away = true
    for (let ready = 0; ready < 4; ready += 1) await next('live', 1)
    await expect(next('live', 1)).rejects.toThrow('the database is away')
    await settled()
    away = false
    expect(await next('live', 1)).toMatchObject({ derivationIndex: expect.any(Number) })
  })
})
