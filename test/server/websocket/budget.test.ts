// The allowance of a client, and how it refills.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { Addresses, Budget } from '#server/websocket/budget.ts'
import { DEFAULT_WEBSOCKET_LIMITS } from '#server/websocket/limits.ts'
import { Usage } from '#server/websocket/usage.ts'

const allowance = { messages: 10, bytes: 1_000, windowMs: 1_000 }

describe('a budget', () => {
  it('allows its messages at once, and no more', () => {
    const budget = new Budget(allowance, 0)
    for (let message = 0; message < 10; message++) expect(budget.spend(1, 0)).toBe(true)
    expect(budget.spend(1, 0)).toBe(false)
  })

  it('allows its bytes at once, and no more', () => {
    const budget = new Budget(allowance, 0)
    expect(budget.spend(1_000, 0)).toBe(true)
    expect(budget.spend(1, 0)).toBe(false)
  })

  it('refills evenly', () => {
    const budget = new Budget(allowance, 0)
    for (let message = 0; message < 10; message++) budget.spend(100, 0)
    expect(budget.isFull(999)).toBe(false)
    expect(budget.isFull(1_000)).toBe(true)
    const half = new Budget(allowance, 0)
    for (let message = 0; message < 10; message++) half.spend(100, 0)
    for (let message = 0; message < 5; message++) expect(half.spend(100, 500)).toBe(true)
    expect(half.spend(100, 500)).toBe(false)
  })

  it('accepts at most two allowances in any window, whatever the client sends and when', () => {
    const sends = fc.array(fc.record({ wait: fc.nat(400), bytes: fc.nat(2_000) }), { maxLength: 200 })
    fc.assert(
      fc.property(sends, (all) => {
        const budget = new Budget(allowance, 0)
        let now = 0
        const passed: { at: number; bytes: number }[] = []
        for (const { wait, bytes } of all) {
          now += wait
          if (budget.spend(bytes, now)) passed.push({ at: now, bytes })
        }
        for (const { at } of passed) {
          const window = passed.filter((one) => one.at >= at && one.at <= at + allowance.windowMs)
          expect(window.length).toBeLessThanOrEqual(2 * allowance.messages)
          const total = window.reduce((sum, { bytes }) => sum + bytes, 0)
          expect(total).toBeLessThanOrEqual(2 * allowance.bytes)
        }
      }),
    )
  })
})

describe('the entry of a client address', () => {
  const limits = { ...DEFAULT_WEBSOCKET_LIMITS, addressAllowance: allowance }

  it('is kept while a part of it is in use, and removed after', () => {
    const addresses = new Addresses(limits)
    addresses.of('a', 0).sockets++
    addresses.of('b', 0).preparing++
    addresses.of('c', 0).budget.spend(1, 0)
    addresses.of('d', 0)
    addresses.forgetIdle(0)
    expect(addresses.size).toBe(3)
    addresses.forgetIdle(1_000)
    expect(addresses.size).toBe(2)
    addresses.of('a', 0).sockets--
    addresses.of('b', 0).preparing--
    addresses.forgetIdle(1_000)
    expect(addresses.size).toBe(0)
  })

  it('is shared by all IPv6 addresses of a /64', () => {
    const addresses = new Addresses(limits)
    expect(addresses.of('2001:db8:1:2::1', 0)).toBe(addresses.of('2001:db8:1:2:ffff::', 0))
    expect(addresses.of('2001:db8:1:2::1', 0)).not.toBe(addresses.of('2001:db8:1:3::1', 0))
    expect(addresses.of('203.0.113.7', 0)).not.toBe(addresses.of('203.0.113.8', 0))
  })

  it('is not reset by a client that reconnects', () => {
    const addresses = new Addresses(limits)
    for (let message = 0; message < 10; message++) addresses.of('a', 0).budget.spend(1, 0)
    addresses.forgetIdle(10)
    expect(addresses.of('a', 10).budget.spend(1, 10)).toBe(false)
  })
})

describe('what a connection counts against', () => {
  const limits = { ...DEFAULT_WEBSOCKET_LIMITS, addressAllowance: allowance }
  const steps = fc.array(fc.constantFrom('open', 'key', 'secret', 'attach', 'detach', 'close'), { maxLength: 20 })

  it('is free again after its end, in any order of events', () => {
    fc.assert(
      fc.property(steps, (all) => {
        const addresses = new Addresses(limits)
        const usage = new Usage(addresses, 'a', 0)
        const connection = { bufferedBytes: 1 }
        for (const step of all) {
          if (step === 'open') usage.open()
          if (step === 'key') usage.moveToBusiness('business', 1, 0)
          if (step === 'secret') usage.countMessagesFor('secret', 0)
          if (step === 'attach') usage.attach(connection)
          if (step === 'detach') usage.detach()
          if (step === 'close') usage.close()
        }
        usage.close()
        const uses = [null, 'business', 'secret'].map((holder) => addresses.of('a', 0, holder))
        expect(uses.map(({ sockets, connections }) => [sockets, connections.size])).toEqual(Array(3).fill([0, 0]))
      }),
    )
  })
})
