import { beforeEach, describe, expect, test } from 'vitest'
import { type ObservedTransaction, type Signature, SOL } from '#core/chain/types.ts'
import { ServiceError } from '#core/errors.ts'
import type { Deposit } from '#core/payments/payment-intent.ts'
import { createFinalizer } from '#services/detection/finalize.ts'
import { MINT, pendingIntent } from '../../support/example-intent.ts'
import { createMemoryStores, type MemoryStores } from '../../support/memory-stores.ts'
import {
  addressNo,
  BUYER,
  choice,
  context,
  deposit,
  intentWith,
  landed,
  NOW,
  signatureNo,
  TOKEN_ACCOUNT,
  units,
} from '../../support/payment.ts'

const PRICE = 1_000_000n
const FINAL_SLOT = 5_000n

let stores: MemoryStores
/** Whether a transaction that the providers know is final. */
let known: Map<Signature, boolean>
let transactions: Map<Signature, ObservedTransaction | Error>
/** The transactions that no provider reports as final, or not enough of them. */
let unfinal: Set<Signature>
let asked: string[]
/** The slot up to which blocks were read; null outside block mode. */
let readTo: bigint | null
let errors: unknown[]
/** The slots that the finality watch was to wait for. */
let expected: (bigint | null)[]

const finalize = (newest: bigint | null = null) =>
  createFinalizer({
    chainOf: () => ({
      async signatureStatuses(signatures) {
        asked.push(`${signatures.length} statuses`)
        return signatures.map((signature) => {
          const final = known.get(signature)
          return final === undefined ? null : { slot: 1n, final, error: null, doubt: null }
        })
      },
      async transaction(signature, at) {
        asked.push(`transaction at ${at}`)
        const read = at === 'finalized' && unfinal.has(signature) ? null : transactions.get(signature)
        if (read instanceof Error) throw read
        return read ?? null
      },
      async blockTime(at) {
        asked.push(`slot at ${at}`)
        return { slot: FINAL_SLOT, time: NOW }
      },
    }),
    store: stores.intents,
    decisionContext: async () => context(),
    readTo: () => readTo,
    finality: { newest: () => newest, expect: (slot) => expected.push(slot) },
    onError: (error, context) => errors.push([error, context]),
  })('live')

const intent = async (id = pendingIntent.id) => (await stores.intents.facts(id))?.intent
const deposits = async (id = pendingIntent.id) => (await stores.intents.facts(id))?.deposits ?? []
const paid = (...known: Deposit[]) =>
  stores.put(intentWith({ status: 'paid', selection: choice(SOL, PRICE), received: units(PRICE) }), known)
const payment = (number: number, amount: bigint, patch: Partial<ObservedTransaction> = {}) =>
  landed({
    signature: signatureNo(number),
    slot: BigInt(1_000 + number),
    moves: [
      { account: BUYER, delta: -amount - 5_000n },
      { account: pendingIntent.address, delta: amount },
    ],
    ...patch,
  })
/** Makes these transactions final. */
const isFinal = (...final: ObservedTransaction[]) => {
  for (const transaction of final) {
    known.set(transaction.signature, true)
    transactions.set(transaction.signature, transaction)
  }
}

beforeEach(() => {
  stores = createMemoryStores()
  known = new Map()
  transactions = new Map()
  unfinal = new Set()
  asked = []
  readTo = null
  errors = []
  expected = []
})

describe('a confirmed deposit', () => {
  test('waits while the chain can still drop it: one call, and no booking', async () => {
    paid(deposit(1, PRICE))
    known.set(signatureNo(1), false)
    expect(await finalize()).toEqual({ waiting: 1, dropped: [] })
    expect(asked).toEqual(['1 statuses'])
    expect(stores.ledger).toEqual([])
  })

  test('is not asked for before finality notices say that it can be final', async () => {
    paid(deposit(1, PRICE))
    isFinal(payment(1, PRICE))
    const [{ slot } = { slot: 0n }] = await deposits()
    expect(await finalize(slot - 1n)).toEqual({ waiting: 1, dropped: [] })
    expect(asked).toEqual([])
    expect(await finalize(slot)).toEqual({ waiting: 0, dropped: [] })
    expect(expected).toEqual([slot, null])
  })

  test('is booked once it is final, and the sweep is planned', async () => {
    paid(deposit(1, PRICE))
    isFinal(payment(1, PRICE))
    expect(await finalize()).toEqual({ waiting: 0, dropped: [] })
    expect(await intent()).toMatchObject({ status: 'settling' })
    expect(stores.ledger).toMatchObject([{ kind: 'deposit', delta: PRICE, address: pendingIntent.address }])
    expect(stores.transfer('transfer-1').transfer).toMatchObject({ kind: 'sweep', status: 'planned' })
    expect(await finalize()).toEqual({ waiting: 0, dropped: [] })
    expect(stores.ledger).toHaveLength(1)
  })

  test('of a token is booked although its transaction made the token account, and lists the rent first', async () => {
    stores.put(intentWith({ status: 'paid', selection: choice(MINT, 700n), received: units(700n) }), [
      deposit(1, 700n, { asset: MINT }),
    ])
    isFinal(
      landed({
        moves: [
          { account: BUYER, delta: -2_044_280n },
          { account: TOKEN_ACCOUNT, delta: 2_039_280n },
          { account: TOKEN_ACCOUNT, owner: pendingIntent.address, asset: MINT, delta: 700n },
        ],
      }),
    )
    expect(await finalize()).toEqual({ waiting: 0, dropped: [] })
    expect(await intent()).toMatchObject({ status: 'settling', received: 700n })
  })

  test('counts as the final chain shows it: in another slot, with another amount', async () => {
    paid(deposit(1, PRICE))
    isFinal(payment(1, PRICE - 1n, { slot: 4_999n }))
    await finalize()
    expect(await intent()).toMatchObject({ status: 'underpaid', received: PRICE - 1n })
    expect(await deposits()).toMatchObject([
      { slot: 4_999n, amount: PRICE - 1n, senders: [{ amount: PRICE - 1n }], state: 'final' },
    ])
  })

  test('that is final at one provider and not yet known by the next waits', async () => {
    paid(deposit(1, PRICE), deposit(2, 5n, { use: 'late' }))
    known.set(signatureNo(1), true)
    // Also together with a deposit that the final chain has dropped.
    expect(await finalize()).toEqual({ waiting: 1, dropped: [pendingIntent.id] })
    expect(await intent()).toMatchObject({ status: 'paid' })
    expect((await deposits()).map(({ state }) => state)).toEqual(['confirmed', 'dropped'])
  })
})

describe('a deposit that a fork dropped', () => {
  test('takes the status back, is not booked, and its intent is returned', async () => {
    paid(deposit(1, PRICE))
    expect(await finalize()).toEqual({ waiting: 0, dropped: [pendingIntent.id] })
    expect(await intent()).toMatchObject({ status: 'pending', received: 0n, refundSender: null })
    expect(await deposits()).toMatchObject([{ state: 'dropped' }])
    expect(stores.ledger).toEqual([])
  })

  test('is not taken for dropped before the final chain is twice the depth of a fork past it', async () => {
    paid(deposit(1, PRICE, { slot: FINAL_SLOT - 64n }))
    expect(await finalize()).toEqual({ waiting: 1, dropped: [] })
    paid(deposit(1, PRICE, { slot: FINAL_SLOT - 65n }))
    expect(await finalize()).toMatchObject({ waiting: 0, dropped: [pendingIntent.id] })
  })

  test('is not dropped when only its status has been forgotten', async () => {
    paid(deposit(1, PRICE))
    transactions.set(signatureNo(1), payment(1, PRICE))
    expect(await finalize()).toEqual({ waiting: 0, dropped: [] })
    expect(await intent()).toMatchObject({ status: 'settling' })
  })

  test('is not dropped while one provider knows it, however old it is', async () => {
    paid(deposit(1, PRICE))
    transactions.set(signatureNo(1), payment(1, PRICE))
    unfinal.add(signatureNo(1))
    expect(await finalize()).toEqual({ waiting: 1, dropped: [] })
    expect(await deposits()).toMatchObject([{ state: 'confirmed' }])
    unfinal.clear()
    expect(await finalize()).toEqual({ waiting: 0, dropped: [] })
    expect(await deposits()).toMatchObject([{ state: 'final' }])
  })

  test('is dropped when its final transaction failed, or contains no deposit', async () => {
    paid(deposit(1, PRICE))
    isFinal(payment(1, PRICE, { error: 'InstructionError' }))
    expect(await finalize()).toEqual({ waiting: 0, dropped: [pendingIntent.id] })
    stores = createMemoryStores()
    paid(deposit(1, PRICE))
    isFinal(landed({ moves: [{ account: addressNo(3), delta: PRICE }] }))
    expect(await finalize()).toEqual({ waiting: 0, dropped: [pendingIntent.id] })
  })
})

describe('a failing deposit', () => {
  const OTHER = 'other-intent'
  beforeEach(() => {
    paid(deposit(1, PRICE))
    const address = addressNo(2)
    stores.put(
      intentWith({
        id: OTHER,
        address,
        derivationIndex: 43,
        status: 'paid',
        selection: choice(SOL, PRICE),
        received: units(PRICE),
      }),
      [deposit(2, PRICE, { intentId: OTHER, account: address })],
    )
    isFinal(
      payment(1, PRICE),
      payment(2, PRICE, landed({ signature: signatureNo(2), moves: [{ account: address, delta: PRICE }] })),
    )
  })

  test('does not stop the others when its transaction cannot be read', async () => {
    const away = new ServiceError('chain_unavailable')
    transactions.set(signatureNo(1), away)
    expect(await finalize()).toEqual({ waiting: 1, dropped: [] })
    expect((await intent(OTHER))?.status).toBe('settling')
    expect((await intent())?.status).toBe('paid')
    expect(errors).toEqual([[away, { signature: signatureNo(1) }]])
  })

  test('does not stop the others when its intent cannot be changed', async () => {
    const { apply } = stores.intents
    const broken = new Error('no')
    stores.intents.apply = async (change) => {
      if (change.before.id === pendingIntent.id) throw broken
      return await apply(change)
    }
    await finalize()
    expect((await intent(OTHER))?.status).toBe('settling')
    expect(errors).toEqual([[broken, { intent: pendingIntent.id }]])
  })

  test('and all others cost one call for their statuses', async () => {
    await finalize()
    expect(asked.filter((question) => question.includes('statuses'))).toEqual(['2 statuses'])
  })
})

test('deposits in blocks that are still to be read are left to the reader of blocks', async () => {
  const transaction = payment(1, PRICE)
  paid(deposit(1, PRICE, { signature: transaction.signature, slot: transaction.slot }))
  isFinal(transaction)
  readTo = transaction.slot - 1n
  expect(await finalize()).toEqual({ waiting: 0, dropped: [] })
  expect(asked).toEqual([])
  readTo = transaction.slot
  await finalize()
  expect((await deposits()).map(({ state }) => state)).toEqual(['final'])
})
