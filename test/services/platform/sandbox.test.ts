import { beforeEach, describe, expect, it } from 'vitest'
import { makeAddress } from '#core/chain/base58.ts'
import { ServiceError } from '#core/errors.ts'
import { makeBaseUnits } from '#core/money/amounts.ts'
import { createMovableClock, type SandboxClock } from '#sandbox/movable-clock.ts'
import { createSandboxServices, type Faucet, NO_SANDBOX } from '#services/platform/sandbox.ts'
import { OTHER_MINT, SOL_TOKEN, token, USDC } from '../../support/payment.ts'

const WALLET = makeAddress('9xQeWvG816bUx9EPjHmaT23yvVM2ZWbrrpZb9PusVFin')
const START = new Date('2026-11-20T10:00:00Z')
const secondsIn = (seconds: number) => new Date(START.getTime() + seconds * 1_000)

/** A token of another issuer: the faucet cannot make it. */
const OTHER = token({ asset: OTHER_MINT, mint: OTHER_MINT })

let settings: Map<string, unknown>
let real: Date
const newClock = () =>
  createMovableClock({
    realTime: { now: () => real },
    settings: {
      read: async (key) => settings.get(key) ?? null,
      write: async (key, value) => void settings.set(key, value),
    },
  })
let clock: SandboxClock
let travelled: Date[]
let notices: number
let given: Parameters<Faucet>[0][]
beforeEach(() => {
  settings = new Map()
  real = START
  clock = newClock()
  travelled = []
  notices = 0
  given = []
})

const faucet: Faucet = async (to) => {
  if (to.asset === OTHER.asset) throw new ServiceError('invalid_mint')
  given.push(to)
  return { signature: 'signature' }
}
const sandbox = (
  travel = async (to: Date) => void travelled.push(to),
  faucets = { live: faucet as Faucet | null, test: null },
) =>
  createSandboxServices({
    directory: { tokens: async () => new Map([SOL_TOKEN, USDC, OTHER].map((one) => [one.asset, one])) },
    simulateDeposit: () => Promise.reject(new Error('not expected here')),
    addExamplePayments: () => Promise.reject(new Error('not expected here')),
    clock,
    announcer: {
      clockMoved: async () => {
        notices += 1
      },
    },
    timeTravel: [travel],
    faucets,
  })
const refusal = (code: string) => expect.objectContaining({ code })

describe('a clock that can be moved', () => {
  it('tells real time until it is moved, and goes on from there', async () => {
    expect(clock.now()).toEqual(START)
    expect(await clock.advance(600)).toEqual(secondsIn(600))
    real = secondsIn(10)
    expect(clock.now()).toEqual(secondsIn(610))
  })

  it('keeps how far it was moved, for the next start and the other instances', async () => {
    await clock.advance(60)
    await clock.advance(30)
    const other = newClock()
    await other.reload()
    expect(other.now()).toEqual(secondsIn(90))
    expect(await other.advance(10)).toEqual(secondsIn(100))
    await clock.reload()
    expect(clock.now()).toEqual(secondsIn(100))
  })

  it('adds up moves that are made at once', async () => {
    await Promise.all([clock.advance(10), clock.advance(20), clock.advance(30)])
    expect(clock.now()).toEqual(secondsIn(60))
  })

  it('never goes back', async () => {
    await clock.advance(60)
    for (const seconds of [-1, Number.NaN, Number.POSITIVE_INFINITY])
      await expect(clock.advance(seconds)).rejects.toThrow(RangeError)
    for (const stored of [-1, 1, 'soon', null, 1e300]) {
      settings.set('sandbox.clock_offset_ms', stored)
      await clock.reload()
      expect(clock.now()).toEqual(secondsIn(60))
    }
  })

  it('takes a move that could not be kept for none', async () => {
    const failing = createMovableClock({
      realTime: { now: () => real },
      settings: { read: async () => null, write: () => Promise.reject(new Error('the database is away')) },
    })
    await expect(failing.advance(60)).rejects.toThrow('away')
    expect(failing.now()).toEqual(START)
  })
})

describe('moving time', () => {
  it('moves each chain once, to the time that the service will tell, and tells the other instances', async () => {
    expect(await sandbox().advanceClock(600)).toEqual({ now: secondsIn(600) })
    expect([travelled, notices]).toEqual([[secondsIn(600)], 1])
  })

  it('made at once, one counts from where the other ends, for the chains as for the service', async () => {
    const services = sandbox()
    const reached = await Promise.all([10, 20, 30].map((seconds) => services.advanceClock(seconds)))
    expect(reached.map(({ now }) => now)).toEqual([10, 30, 60].map(secondsIn))
    expect(travelled).toEqual([10, 30, 60].map(secondsIn))
  })

  it('leaves the service’s clock where it is when a chain cannot follow', async () => {
    const stuck = sandbox(() => Promise.reject(new Error('the chain is away')))
    await expect(stuck.advanceClock(600)).rejects.toThrow('the chain is away')
    expect([clock.now(), notices]).toEqual([START, 0])
  })

  it.each([-1, 1.5, Number.NaN, 1e12])('refuses %s seconds', async (seconds) => {
    await expect(sandbox().advanceClock(seconds)).rejects.toEqual(refusal('invalid_request'))
    expect(travelled).toEqual([])
  })
})

describe('the faucet', () => {
  const ask = { address: WALLET, asset: 'SOL', amount: makeBaseUnits(7n) } as const

  it('hands out what is asked for, where the network has one', async () => {
    expect(await sandbox().faucet({ network: 'live', ...ask })).toEqual({ signature: 'signature' })
    expect(given).toEqual([ask])
    await expect(sandbox().faucet({ network: 'test', ...ask })).rejects.toEqual(refusal('sandbox_only'))
    await expect(sandbox().faucet({ network: 'live', ...ask, amount: makeBaseUnits(0n) })).rejects.toEqual(
      refusal('invalid_request'),
    )
  })
})

describe('the funds of a demo wallet', () => {
  it('are 1,000 whole units of SOL and of each token that can be made', async () => {
    expect(await sandbox().fundWallet(WALLET)).toEqual(['SOL', USDC.asset])
    expect(given).toEqual([
      { address: WALLET, asset: 'SOL', amount: 1_000_000_000_000n },
      { address: WALLET, asset: USDC.asset, amount: 1_000_000_000n },
    ])
  })

  it('are refused where the live network is a real one', async () => {
    const real = sandbox(undefined, { live: null, test: null })
    await expect(real.fundWallet(WALLET)).rejects.toEqual(refusal('sandbox_only'))
  })
})

it('without a sandbox none of them is there', async () => {
  await expect(NO_SANDBOX.advanceClock(1)).rejects.toEqual(refusal('sandbox_only'))
  const nothing = { network: 'live', address: WALLET, asset: 'SOL', amount: makeBaseUnits(1n) } as const
  await expect(NO_SANDBOX.fundWallet(WALLET)).rejects.toEqual(refusal('sandbox_only'))
  await expect(NO_SANDBOX.faucet(nothing)).rejects.toEqual(refusal('sandbox_only'))
})
