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
import { createSimulatedChain, type Fate, FINAL_AFTER } from './chain.ts'
import { valueIn } from './nonces.ts'
import { SYSTEM_PROGRAM } from './raw.ts'
import { createWallet, paySol, signedTransaction } from './wallets.ts'

const UNIT = 1_000_000_000n

function open(fate: Fate = { afterSlots: 1n }) {
  const hooks = { fateOf: () => fate, onSubmitted: () => {}, onLanded: () => {}, onUndone: () => {} }
  const chain = createSimulatedChain(hooks)
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
    const { chain, pay, received } = open({ afterSlots })
    pay(UNIT)
    chain.advance(chain.tip + 200n)
    expect(received()).toBe(arrives)
  }
})

test('a fork drops its transactions and blockhashes, and nothing older', () => {
  const { chain, pay, received } = open()
  pay(UNIT)
  chain.advance(chain.tip + FINAL_AFTER + 1n)
  const second = pay(2n * UNIT)
  chain.advance(chain.tip + 5n)
  const lifetime = chain.lifetimeAt(chain.tip)
  expect(received()).toBe(3n * UNIT)
  expect(chain.fork(10n, () => []).map(({ signature }) => signature)).toEqual([second])
  expect(received()).toBe(UNIT)
  expect(chain.lifetimeAt(chain.tip).blockhash).not.toBe(lifetime.blockhash)
})

test('a transaction that a fork keeps is in the new blocks', () => {
  const { chain, pay, received } = open()
  const signature = pay(UNIT)
  chain.advance(chain.tip + 5n)
  // The block that it builds on stays.
  chain.fork(5n, (lost) => lost)
  expect(received()).toBe(UNIT)
  expect(chain.landed(signature)?.slot).toBeLessThanOrEqual(chain.tip)
  expect(chain.all()).toHaveLength(1)
})

test('a fork puts no transaction into a block before it was sent', () => {
  const { chain, from, to } = open()
  const wire = signedTransaction([from], [paySol(from, to.address, UNIT)], chain.lifetimeAt(chain.tip))
  chain.advance(chain.tip + 10n)
  const sentAt = chain.tip
  const signature = chain.submit(wire)
  chain.advance(chain.tip + 2n)
  chain.fork(8n, (lost) => lost)
  expect(chain.landed(signature)?.slot).toBeGreaterThanOrEqual(sentAt)
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

test('a fork gives a nonce its value back, so that the dropped transaction, or another one, may land', () => {
  const { chain, received, value, wireOf, send } = openWithNonce()
  chain.advance(chain.tip + FINAL_AFTER)
  const [first, second, before] = [wireOf(UNIT), wireOf(2n * UNIT), value()]
  send(first)
  chain.fork(10n, () => [])
  expect(value()).toBe(before)
  send(second)
  send(first)
  expect(received()).toBe(2n * UNIT)
})
