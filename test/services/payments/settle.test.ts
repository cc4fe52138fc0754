import { describe, expect, test } from 'vitest'
import { SOL } from '#core/chain/types.ts'
import { createSettler } from '#services/payments/settle.ts'
import { createMemoryStores } from '../../support/memory-stores.ts'
import { addressNo, choice, context, deposit, intentWith, units } from '../../support/payment.ts'

const PRICE = 1_000_000n

function leftovers(...states: ('final' | 'confirmed')[]) {
  const stores = createMemoryStores()
  for (const [at, state] of states.entries()) {
    const intentId = `intent-${at}`
    const intent = intentWith({
      id: intentId,
      derivationIndex: at + 1,
      address: addressNo(at),
      status: 'paid',
      selection: choice(SOL, PRICE),
      received: units(PRICE),
    })
    stores.put(intent, [deposit(at, PRICE, { intentId, state })])
  }
  const errors: unknown[] = []
  const settle = createSettler({
    store: stores.intents,
    decisionContext: async () => context(),
    onError: (error, context) => errors.push([error, context]),
  })
  return { stores, errors, settle: () => settle('live') }
}

describe('paid intents that a crash left between two steps', () => {
  test('get one planned sweep each; intents whose money is not final are skipped', async () => {
    const { stores, settle } = leftovers('final', 'confirmed', 'final')
    expect(await settle()).toEqual({ settled: 2 })
    expect(stores.events.map(({ type, intent }) => [type, intent.id])).toEqual([
      ['intent.settling', 'intent-0'],
      ['intent.settling', 'intent-2'],
    ])
    expect(await settle()).toEqual({ settled: 0 })
  })

  test('do not block each other when one of them cannot be changed', async () => {
    const { stores, settle, errors } = leftovers('final', 'final')
    const failure = new Error('no')
    const { apply } = stores.intents
    stores.intents.apply = async (change) => {
      if (change.before.id === 'intent-0') throw failure
      return await apply(change)
    }
    expect(await settle()).toEqual({ settled: 1 })
    expect(errors).toEqual([[failure, { intent: 'intent-0' }]])
  })
})
