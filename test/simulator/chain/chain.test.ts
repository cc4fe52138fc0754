// The simulated chain follows the rules of a real cluster; otherwise its results would mean nothing.

import { expect, test } from 'vitest'
import { createDice } from '../dice.ts'
import { type Consensus, createSimulatedChain, type Fate } from './chain.ts'
import { SYSTEM_PROGRAM } from './raw.ts'
import { createWallet, paySol, signedTransaction } from './wallets.ts'

const UNIT = 1_000_000_000n

function open(fateOf: () => Fate = () => ({ afterSlots: 1n }), consensus: Consensus = 'alpenglow') {
  const chain = createSimulatedChain({ fateOf, onSubmitted: () => {}, onLanded: () => {} }, consensus)
  const dice = createDice('a chain')
  const [from, to] = [createWallet(dice), createWallet(dice)]
  chain.found(from.address, { lamports: 10n * UNIT, owner: SYSTEM_PROGRAM, data: new Uint8Array() })
  const pay = (amount: bigint) =>
    chain.submit(signedTransaction([from], [paySol(from, to.address, amount)], chain.lifetimeAt(chain.tip)))
  const received = (slot = chain.tip) => chain.accountAt(to.address, slot)?.lamports ?? 0n
  return { chain, pay, received, from, to }
}

test('a transaction lands once, however often it is sent', () => {
  const { chain, received, from, to } = open()
  const wire = signedTransaction([from], [paySol(from, to.address, UNIT)], chain.lifetimeAt(chain.tip))
  for (let times = 0; times < 3; times += 1) {
    chain.submit(wire)
    chain.advance(chain.tip + 2n)
  }
  expect(received()).toBe(UNIT)
  expect(chain.all()).toHaveLength(1)
})

test('a transaction lands in the 150th block of its blockhash and not in the next', () => {
  for (const [afterSlots, arrives] of [
    [150n, UNIT],
    [151n, 0n],
  ] as const) {
    const { chain, pay, received } = open(() => ({ afterSlots }))
    pay(UNIT)
    chain.advance(chain.tip + 200n)
    expect(received()).toBe(arrives)
  }
})

test('a transaction in a skipped block has not happened, and lands when it is sent again', () => {
  const fates: Fate[] = [{ afterSlots: 1n, isSkipped: true }, { afterSlots: 1n }]
  const { chain, received, from, to } = open(() => fates.shift() ?? 'lost')
  const wire = signedTransaction([from], [paySol(from, to.address, UNIT)], chain.lifetimeAt(chain.tip))
  const signature = chain.submit(wire)
  chain.advance(chain.tip + 5n)
  expect([received(), chain.all(), chain.landed(signature)]).toEqual([0n, [], null])
  expect(chain.allUnlanded()).toEqual([expect.arrayContaining([from.address, to.address])])
  expect(chain.skipped(signature)?.effects).toContainEqual(expect.objectContaining({ owner: to.address, delta: UNIT }))
  chain.submit(wire)
  chain.advance(chain.tip + 5n)
  expect([received(), chain.allUnlanded()]).toEqual([UNIT, []])
  expect(chain.accountAt(from.address, chain.tip)?.lamports).toBeGreaterThan(9n * UNIT - 100_000n)
})

test.each([
  ['alpenglow', 2n],
  ['towerBft', 32n],
] as const)('under %s a transaction is final after %d slots', (consensus, slots) => {
  const { chain, pay } = open(() => ({ afterSlots: 1n }), consensus)
  const signature = pay(UNIT)
  chain.advance(chain.tip + 1n)
  const { slot } = chain.landed(signature) ?? { slot: 0n }
  chain.advance(slot + slots - 1n)
  expect(chain.finalized).toBeLessThan(slot)
  chain.advance(slot + slots)
  expect(chain.finalized).toBe(slot)
})

test('an account can be read as of every slot', () => {
  const { chain, pay, received } = open()
  const before = chain.tip
  pay(UNIT)
  chain.advance(before + 10n)
  pay(UNIT)
  chain.advance(before + 20n)
  expect([before, before + 5n, before + 15n].map((slot) => received(slot))).toEqual([0n, UNIT, 2n * UNIT])
})
