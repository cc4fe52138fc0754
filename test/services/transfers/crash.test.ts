// An instance may die at every single call of the protocol, before its effect or after it with the answer lost. Whoever
// comes next finishes the payment, and it is paid once.
import { describe, expect, test } from 'vitest'
import { type Asset, SOL } from '#core/chain/types.ts'
import { MERCHANT, MINT, pendingIntent } from '../../support/example-intent.ts'
import { createLife, type Life } from '../../support/mortal.ts'
import { NETWORK_FEE } from '../../support/payment.ts'
import { createMemoryWorld, PRICE, runUntil } from '../../support/settling-world.ts'
import { tokenAccountOf } from '../../support/toy-chain.ts'

type Weather = ReturnType<typeof createMemoryWorld>['toy']['weather']
const SOURCE = pendingIntent.address

async function settle(
  asset: Asset,
  weather: Weather,
  lives: readonly Life[],
  options: Parameters<typeof runUntil>[3] = {},
) {
  const world = createMemoryWorld(asset)
  world.toy.weather.push(...weather)
  const isSettled = async () => {
    const facts = await world.stores.intents.facts(pendingIntent.id)
    return (
      facts?.intent.status === 'swept' && facts.transfers.every(({ status }) => ['done', 'failed'].includes(status))
    )
  }
  const { errors } = await runUntil(world, isSettled, lives, options)
  expect(errors).toEqual([])
  expect(await isSettled(), 'the payment is settled').toBe(true)
  checkPaidOnce(world, asset, weather.filter((fate) => fate === 'fails').length)
  return world
}

function checkPaidOnce({ toy, stores }: ReturnType<typeof createMemoryWorld>, asset: Asset, failures: number): void {
  const place = (owner: typeof SOURCE) => (asset === SOL ? owner : tokenAccountOf(owner, asset))
  const expected = asset === SOL ? 10n ** 9n + PRICE - NETWORK_FEE : PRICE
  expect(toy.balance(place(MERCHANT), asset)).toBe(expected)
  expect(toy.balance(place(SOURCE), asset)).toBe(0n)
  expect(toy.balance(place(SOURCE), SOL)).toBe(0n)
  // One transaction for each obligation, besides those that failed on chain.
  const obligations = asset === SOL ? 1 : 2
  expect(toy.landed().filter(({ error }) => error === null)).toHaveLength(obligations)
  expect(toy.landed()).toHaveLength(obligations + failures)
  // Every landed transaction is one attempt's, and every other attempt is proved dead.
  const states = stores.attempts.map(({ state }) => state)
  expect(states.filter((state) => state === 'final_ok')).toHaveLength(obligations)
  expect(states.filter((state) => state === 'final_err')).toHaveLength(failures)
  expect(states.filter((state) => !['final_ok', 'final_err', 'dead'].includes(state))).toEqual([])
  expect(stores.events.map(({ type }) => type)).toEqual(['intent.settling', 'intent.swept'])
  // The ledger says what the chain did, to the unit.
  const booked = stores.ledger.filter((entry) => entry.address === SOURCE && entry.asset === asset)
  expect(booked.map(({ delta }) => delta)).toEqual([-PRICE])
}

/** How many calls an undisturbed instance makes until the payment is settled. */
async function callsOf(asset: Asset, weather: Weather): Promise<number> {
  const life = createLife(null)
  await settle(asset, weather, [life])
  return life.calls()
}

const COURSES: readonly (readonly [string, Asset, Weather])[] = [
  ['a SOL payment whose transaction lands', SOL, []],
  ['a SOL payment whose first transaction is lost for good', SOL, ['is lost']],
  ['a SOL payment whose first transaction fails on chain', SOL, ['fails']],
  ['a token payment and its rent', MINT, []],
  ['a token payment whose close fails on chain at first', MINT, ['lands', 'fails']],
]

describe.each(COURSES)('%s', (_, asset, weather) => {
  test.each([
    ['and the next instance comes when the lease is over', { impatient: false }],
    ['and the next instance comes at once', { impatient: true }],
    ['on a chain that runs on meanwhile', { slotsPerTick: 160n }],
  ])('is paid once wherever an instance dies, %s', async (__, options) => {
    const calls = await callsOf(asset, weather)
    expect(calls).toBeGreaterThan(10)
    for (let at = 1; at <= calls; at += 1)
      for (const when of ['before', 'after'] as const) await settle(asset, weather, [createLife({ at, when })], options)
  })

  test('is paid once wherever one instance and then its successor die', async () => {
    const calls = await callsOf(asset, weather)
    const step = Math.max(1, Math.floor(calls / 6))
    for (let first = 1; first <= calls; first += step)
      for (let second = 1; second <= calls; second += step)
        for (const when of ['before', 'after'] as const) {
          await settle(asset, weather, [createLife({ at: first, when }), createLife({ at: second, when: 'after' })], {
            impatient: second % 2 === 0,
          })
        }
  })
})
