// The simulated chain follows the rules of a real cluster; otherwise its results would mean nothing.

import { createNoopSigner } from '@solana/kit'
import {
  getAdvanceNonceAccountInstruction,
  getAllocateInstruction,
  getInitializeNonceAccountInstruction,
  getNonceSize,
} from '@solana-program/system'
import { expect, test } from 'vitest'
import { createDice } from '../dice.ts'
import { type Consensus, createSimulatedChain, type Fate } from './chain.ts'
import { valueIn } from './nonces.ts'
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
  expect(chain.skipped(signature)?.effects).toContainEqual(expect.objectContaining({ owner: to.address, delta: UNIT }))
  chain.submit(wire)
  chain.advance(chain.tip + 5n)
  expect(received()).toBe(UNIT)
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

function openWithNonce() {
  const world = open()
  const { chain, from, to } = world
  const account = createWallet(createDice('a nonce account'))
  const signed = (payer: typeof from, instructions: Parameters<typeof signedTransaction>[1]) =>
    signedTransaction([payer, ...(payer === from ? [account] : [])], instructions, chain.lifetimeAt(chain.tip))
  chain.submit(
    signed(from, [
      paySol(from, account.address, UNIT),
      getAllocateInstruction({ newAccount: createNoopSigner(account.address), space: getNonceSize() }),
      getInitializeNonceAccountInstruction({ nonceAccount: account.address, nonceAuthority: from.address }),
    ]),
  )
  chain.advance(chain.tip + 5n)
  const value = () => valueIn(chain.accountAt(account.address, chain.tip))
  /** Pays with the present value of the nonce. */
  const wireOf = (amount: bigint) => {
    const blockhash = value()
    if (blockhash === null) throw new Error('the nonce account does not exist')
    const use = getAdvanceNonceAccountInstruction({
      nonceAccount: account.address,
      nonceAuthority: createNoopSigner(from.address),
    })
    const lifetime = { kind: 'blockhash', blockhash, lastValidBlockHeight: 0n } as const
    return signedTransaction([from], [use, paySol(from, to.address, amount)], lifetime)
  }
  const send = (wire: Uint8Array) => {
    chain.submit(wire)
    chain.advance(chain.tip + 5n)
  }
  return { ...world, value, wireOf, send }
}

test('of two transactions with one value of a nonce, one lands, however late', () => {
  const { chain, received, value, wireOf, send } = openWithNonce()
  const [first, second, before] = [wireOf(UNIT), wireOf(2n * UNIT), value()]
  chain.advance(chain.tip + 1_000n)
  for (const wire of [first, second, first, second]) send(wire)
  expect(received()).toBe(UNIT)
  expect(value()).not.toBe(before)
  send(wireOf(2n * UNIT))
  expect(received()).toBe(3n * UNIT)
})

test('a transaction that fails uses its nonce up', () => {
  const { received, value, wireOf, send } = openWithNonce()
  const [tooMuch, other, before] = [wireOf(100n * UNIT), wireOf(UNIT), value()]
  send(tooMuch)
  expect(value()).not.toBe(before)
  send(other)
  expect(received()).toBe(0n)
})
