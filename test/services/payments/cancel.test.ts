import { beforeEach, describe, expect, test } from 'vitest'
import { makeAddress } from '#core/chain/base58.ts'
import { type AccountState, type Address, SOL } from '#core/chain/types.ts'
import { ServiceError } from '#core/errors.ts'
import { makeLamports } from '#core/money/amounts.ts'
import { decideDeposits } from '#core/payments/machine/deposits.ts'
import type { Deposit, PaymentIntent } from '#core/payments/payment-intent.ts'
import type { ObserveDeposits } from '#services/detection/observe.ts'
import { createTakeInArrivals } from '#services/payments/arrivals.ts'
import { decideAndApply } from '#services/payments/decide.ts'
import { type CancelDeps, createCancel } from '#services/payments/payments.ts'
import { MINT, pendingIntent } from '../../support/example-intent.ts'
import { createMemoryStores, type MemoryStores } from '../../support/memory-stores.ts'
import { choice, context, deposit, intentWith, observedDeposit, units } from '../../support/payment.ts'
import { toyKeys } from '../../support/toy-chain.ts'

const PRICE = 1_000_000n
const ADDRESS = pendingIntent.address

let stores: MemoryStores
let balances: Map<Address, AccountState> | ServiceError
let observed: unknown[]
let observe: ObserveDeposits

const there = (amount: bigint) =>
  new Map<Address, AccountState>([
    [
      ADDRESS,
      { lamports: makeLamports(amount), ownerProgram: makeAddress('11111111111111111111111111111111'), token: null },
    ],
  ])
const cancel = async (store: CancelDeps['store'] = stores.intents) => {
  const intent = (await stores.intents.facts(pendingIntent.id))?.intent ?? pendingIntent
  const takeInArrivals = createTakeInArrivals({
    chainOf: () => ({
      async readAccounts(accounts) {
        const known = balances
        if (known instanceof ServiceError) throw known
        return { slot: 1n, states: accounts.map((account) => known.get(account) ?? null) }
      },
    }),
    store,
    directory: { tokens: async () => context().tokens },
    keys: toyKeys,
    observe: (...args) => observe(...args),
  })
  return await createCancel({ store, takeInArrivals, decisionContext: async () => context() })(intent)
}
const put = (patch: Partial<PaymentIntent> = {}, ...deposits: Deposit[]) =>
  stores.put(intentWith({ selection: choice(SOL, PRICE), ...patch }), deposits)
/** A payment that has too many deposits to read. */
const unreadable: CancelDeps['store'] = {
  facts: async () => {
    throw new Error('reads the deposits')
  },
  apply: async () => false,
}
const events = () => stores.events.map(({ type }) => type)
/** The deposits that an observer would store. */
const arrives = async (amount: bigint) => {
  await decideAndApply(stores.intents, pendingIntent.id, (facts) =>
    decideDeposits(facts, [observedDeposit(1, amount)], null, context()),
  )
}

beforeEach(() => {
  stores = createMemoryStores()
  balances = new Map()
  observed = []
  observe = async (intentId, touched) => {
    observed.push({ intentId, touched })
    return { explained: true, unfinished: false, leaving: new Set() }
  }
})

describe('a cancel', () => {
  test('before any payment ends the intent with one event, however often it is repeated', async () => {
    put()
    expect(await cancel()).toMatchObject({ status: 'cancelled' })
    expect(await cancel()).toMatchObject({ status: 'cancelled' })
    expect(events()).toEqual(['intent.cancelled'])
    expect(observed).toEqual([])
  })

  test.each(['cancelled', 'refunding', 'refunded', 'refund_failed'] as const)(
    'of a %s intent answers with it, and reads no deposit',
    async (status) => {
      put({ status })
      expect(await cancel(unreadable)).toMatchObject({ id: pendingIntent.id, status })
      expect(events()).toEqual([])
    },
  )

  test.each(['paid', 'overpaid', 'settling', 'swept', 'settle_failed'] as const)(
    'of a %s intent is refused, and reads no deposit',
    async (status) => {
      put({ status })
      await expect(cancel(unreadable)).rejects.toMatchObject({
        code: 'payment_already_received',
        context: { status },
      })
    },
  )

  test('of an underpaid intent returns the payment', async () => {
    put({ status: 'underpaid', received: units(400_000n) }, deposit(1, 400_000n))
    balances = there(400_000n)
    expect(await cancel()).toMatchObject({ status: 'refunding' })
    expect(events()).toEqual(['intent.refunding'])
    expect(observed).toEqual([])
  })

  test('of a payment whose money cannot go back answers with it again, and not that it was paid', async () => {
    put({ status: 'underpaid', received: units(400_000n) }, deposit(1, 400_000n, { senders: [] }))
    balances = there(400_000n)
    for (let again = 0; again < 2; again += 1) expect(await cancel()).toMatchObject({ status: 'refund_failed' })
    expect(events()).toEqual(['intent.refunding', 'intent.refund_failed'])
  })

  test('loses to a payment that has landed and is not detected yet', async () => {
    put()
    balances = there(PRICE)
    observe = async () => {
      await arrives(PRICE)
      return { explained: true, unfinished: false, leaving: new Set() }
    }
    await expect(cancel()).rejects.toMatchObject({ code: 'payment_already_received' })
    expect(events()).toEqual(['intent.paid', 'intent.settling'])
  })

  describe('while a landed payment is not taken in yet', () => {
    beforeEach(() => {
      put()
      balances = there(PRICE)
      observe = async () => ({ explained: false, unfinished: true, leaving: new Set() })
    })

    test('is refused, and loses to the payment when it is repeated', async () => {
      await expect(cancel()).rejects.toMatchObject({ code: 'payment_arriving' })
      expect(events()).toEqual([])
      await arrives(PRICE)
      await expect(cancel()).rejects.toMatchObject({ code: 'payment_already_received' })
    })

    test('is refused also when its history cannot be read', async () => {
      observe = async () => {
        throw new ServiceError('chain_unavailable')
      }
      await expect(cancel()).rejects.toMatchObject({ code: 'payment_arriving' })
    })

    test('is refused before a selection, because any amount selects its asset', async () => {
      put({ selection: null })
      balances = there(1n)
      await expect(cancel()).rejects.toMatchObject({ code: 'payment_arriving' })
    })

    test('loses to a payment that was completed by a part', async () => {
      put({ status: 'underpaid', received: units(400_000n) }, deposit(1, 400_000n))
      await expect(cancel()).rejects.toMatchObject({ code: 'payment_arriving' })
    })

    test('succeeds when all money together is less than the price, so dust does not delay it', async () => {
      balances = there(PRICE - 1n)
      expect(await cancel()).toMatchObject({ status: 'cancelled' })
    })

    test('succeeds when only another asset than the selected one has arrived', async () => {
      put({ selection: choice(MINT, PRICE) })
      expect(await cancel()).toMatchObject({ status: 'cancelled' })
    })
  })

  test('observes only transactions that are not known', async () => {
    put()
    balances = there(5n)
    await cancel()
    expect(observed).toEqual([{ intentId: pendingIntent.id, touched: [{ account: ADDRESS, asset: SOL, balance: 5n }] }])
  })

  test('loses to a payment that is stored at the same instant', async () => {
    put()
    const { facts } = stores.intents
    let looks = 0
    stores.intents.facts = async (id) => {
      const known = await facts(id)
      looks += 1
      // The payment arrives between reading and writing.
      if (looks === 2) await arrives(PRICE)
      return known
    }
    await expect(cancel()).rejects.toMatchObject({ code: 'payment_already_received' })
    expect(events()).toEqual(['intent.paid', 'intent.settling'])
  })

  test('succeeds without the chain: money that arrives later goes back automatically', async () => {
    put()
    balances = new ServiceError('chain_unavailable')
    expect(await cancel()).toMatchObject({ status: 'cancelled' })
  })

  test('waits for a price that an early payment needs, and does not cancel before', async () => {
    put({ selection: null })
    balances = there(PRICE)
    observe = async () => {
      throw new ServiceError('price_feed_unreachable')
    }
    await expect(cancel()).rejects.toMatchObject({ code: 'price_feed_unreachable' })
    expect(events()).toEqual([])
  })

  test('of an unknown intent is refused', async () => {
    await expect(cancel()).rejects.toMatchObject({ code: 'intent_not_found' })
  })
})
