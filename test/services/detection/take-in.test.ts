// Deposits in final blocks are taken in and booked without another call to the chain.
import { beforeEach, describe, expect, test } from 'vitest'
import { type Address, type Asset, type ObservedTransaction, SOL } from '#core/chain/types.ts'
import { ServiceError } from '#core/errors.ts'
import { createTakeIn } from '#services/detection/take-in.ts'
import type { LockRate } from '#services/payments/lock-rate.ts'
import { MINT, pendingIntent } from '../../support/example-intent.ts'
import { createMemoryStores, type MemoryStores } from '../../support/memory-stores.ts'
import {
  addressNo,
  BUYER,
  choice,
  context,
  intentWith,
  landed,
  signatureNo,
  UNKNOWN_MINT,
} from '../../support/payment.ts'
import { tokenAccountOf, toyKeys } from '../../support/toy-chain.ts'

const ADDRESS = pendingIntent.address
const EXPECTED = 1_000_000n
const USUAL = tokenAccountOf(ADDRESS, MINT)

let stores: MemoryStores
let lockRate: LockRate
beforeEach(() => {
  stores = createMemoryStores()
  stores.put(intentWith({ selection: choice(SOL, EXPECTED) }), [])
  lockRate = async () => {
    throw new Error('no rate is expected to be asked for')
  }
})

const take = (...transactions: ObservedTransaction[]) =>
  createTakeIn({
    store: stores.intents,
    keys: toyKeys,
    decisionContext: async () => context(),
    lockRate: (...args) => lockRate(...args),
  })(pendingIntent.id, transactions)
const facts = async () => {
  const known = await stores.intents.facts(pendingIntent.id)
  if (known === null) throw new Error('the intent is gone')
  return known
}
const payment = (number: number, amount: bigint) =>
  landed({
    signature: signatureNo(number),
    slot: BigInt(1_000 + number),
    moves: [
      { account: BUYER, delta: -amount - 5_000n },
      { account: ADDRESS, delta: amount },
    ],
  })
const tokens = (account: Address, asset: Asset, amount = 7n) =>
  landed({ signature: signatureNo(1), moves: [{ account, owner: ADDRESS, asset, delta: amount }] })

describe('a payment in a final block', () => {
  test('is taken in, booked and settling at once, with its sender', async () => {
    await take(payment(1, EXPECTED))
    const { intent, deposits, transfers } = await facts()
    expect(intent).toMatchObject({ status: 'settling', received: EXPECTED, refundSender: BUYER })
    expect(deposits).toMatchObject([{ use: 'applied', amount: EXPECTED }])
    expect(stores.ledger).toMatchObject([{ kind: 'deposit', delta: EXPECTED, account: ADDRESS }])
    expect(transfers).toMatchObject([{ kind: 'sweep', status: 'planned' }])
    expect(stores.events.map(({ type }) => type)).toEqual(['intent.paid', 'intent.settling'])
  })

  test('before a selection, in an asset that cannot express the price, is booked as a wrong asset', async () => {
    stores.put(intentWith({ selection: null }), [])
    lockRate = async () => {
      throw new ServiceError('amount_too_large')
    }
    await take(payment(1, EXPECTED))
    expect(await facts()).toMatchObject({
      intent: { status: 'pending', selection: null },
      deposits: [{ use: 'wrong_asset' }],
      transfers: [{ kind: 'refund', status: 'planned' }],
    })
  })

  test('is counted once, however often its block is read', async () => {
    await take(payment(1, EXPECTED))
    await take(payment(1, EXPECTED), payment(1, EXPECTED))
    expect((await facts()).intent.received).toBe(EXPECTED)
    expect(stores.ledger).toHaveLength(1)
    expect((await facts()).transfers).toHaveLength(1)
  })

  test('in two parts of one block settles them together', async () => {
    await take(payment(1, EXPECTED / 2n), payment(2, EXPECTED / 2n))
    const { transfers, deposits } = await facts()
    expect(deposits).toHaveLength(2)
    expect(transfers).toMatchObject([{ legs: expect.any(Array) }])
  })

  test('does not count when it is our own transfer', async () => {
    await take(payment(1, EXPECTED))
    const { transfers } = await facts()
    expect(transfers).toHaveLength(1)
    await take(landed({ signature: signatureNo(9), moves: [{ account: ADDRESS, delta: -EXPECTED }] }))
    expect((await facts()).deposits).toHaveLength(1)
  })
})

describe('tokens', () => {
  test('that are not allowed are recorded, and are never deposits', async () => {
    const before = await facts()
    await take(tokens(addressNo(55), UNKNOWN_MINT), tokens(USUAL, UNKNOWN_MINT, 2n ** 63n))
    expect(await facts()).toEqual(before)
    expect([stores.ledger, stores.events]).toEqual([[], []])
    expect(stores.unaccepted).toMatchObject([{ asset: UNKNOWN_MINT }, { asset: UNKNOWN_MINT, amount: 2n ** 63n }])
  })

  test('that are not allowed do not keep a payment in the same transaction from being taken in', async () => {
    await take(tokens(addressNo(55), UNKNOWN_MINT), payment(2, EXPECTED))
    expect((await facts()).intent.status).toBe('settling')
    expect(stores.unaccepted).toHaveLength(1)
  })

  test('that the intent does not accept are a wrong asset when they can be sent back', async () => {
    await take(tokens(USUAL, MINT))
    expect((await facts()).deposits).toMatchObject([{ asset: MINT, account: USUAL, use: 'wrong_asset' }])
  })

  test('in another token account than the associated one are held, and never count as paid', async () => {
    stores.put(intentWith({ acceptedAssets: [MINT], selection: choice(MINT, 7n) }), [])
    await take(tokens(addressNo(55), MINT))
    const { intent, deposits } = await facts()
    expect(deposits).toMatchObject([{ account: addressNo(55), use: 'unaccepted' }])
    expect([intent.status, intent.received]).toEqual(['pending', 0n])
  })

  test('out of reach select no token', async () => {
    stores.put(intentWith({ acceptedAssets: [MINT], selection: null }), [])
    await take(tokens(addressNo(55), MINT))
    expect((await facts()).intent.selection).toBeNull()
  })
})
