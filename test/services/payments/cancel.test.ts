import { beforeEach, describe, expect, test } from 'vitest'
import { makeAddress } from '#core/chain/base58.ts'
import { type AccountState, type Address, SOL } from '#core/chain/types.ts'
import { ServiceError } from '#core/errors.ts'
import { makeLamports } from '#core/money/amounts.ts'
import { decideDeposits } from '#core/payments/machine/deposits.ts'
import type { Deposit, PaymentIntent } from '#core/payments/payment-intent.ts'
import type { ObserveDeposits } from '#services/detection/observe.ts'
import { createCancel } from '#services/payments/cancel.ts'
import { decideAndApply } from '#services/payments/decide.ts'
import { pendingIntent } from '../../support/example-intent.ts'
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
const cancel = async () => {
  const intent = (await stores.intents.facts(pendingIntent.id))?.intent ?? pendingIntent
  return await createCancel({
    chainOf: () => ({
      async readAccounts(accounts) {
        const known = balances
        if (known instanceof ServiceError) throw known
        return { slot: 1n, states: accounts.map((account) => known.get(account) ?? null) }
      },
    }),
    store: stores.intents,
    directory: { tokens: async () => context().tokens },
    keys: toyKeys,
    observe: (...args) => observe(...args),
    decisionContext: async () => context(),
  })(intent)
}
const put = (patch: Partial<PaymentIntent> = {}, ...deposits: Deposit[]) =>
  stores.put(intentWith({ selection: choice(SOL, PRICE), ...patch }), deposits)
const events = () => stores.events.map(({ type }) => type)
/** What an observer would take in. */
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
  test('before anything came ends the intent, told once, however often it is asked for', async () => {
    put()
    expect(await cancel()).toMatchObject({ status: 'cancelled' })
    expect(await cancel()).toMatchObject({ status: 'cancelled' })
    expect(events()).toEqual(['intent.cancelled'])
    expect(observed).toEqual([])
  })

  test('of a part-payment has it go back', async () => {
    put({ status: 'underpaid', received: units(400_000n) }, deposit(1, 400_000n, { state: 'final' }))
    balances = there(400_000n)
    expect(await cancel()).toMatchObject({ status: 'refunding' })
    expect(events()).toEqual(['intent.refunding'])
    expect(observed).toEqual([])
  })

  test('loses to a payment that has landed and was not seen yet', async () => {
    put()
    balances = there(PRICE)
    observe = async () => {
      await arrives(PRICE)
      return { explained: true, unfinished: false, leaving: new Set() }
    }
    await expect(cancel()).rejects.toMatchObject({ code: 'payment_already_received' })
    expect(events()).toEqual(['intent.paid'])
  })

  test('looks only at what is not known: that is what is asked to be explained', async () => {
    put()
    balances = there(5n)
    await cancel()
    expect(observed).toEqual([{ intentId: pendingIntent.id, touched: [{ account: ADDRESS, asset: SOL, balance: 5n }] }])
  })

  test('loses to a payment that is taken in at the same instant', async () => {
    put()
    const { facts } = stores.intents
    let looks = 0
    stores.intents.facts = async (id) => {
      const known = await facts(id)
      looks += 1
      // Between reading and writing, the second time.
      if (looks === 2) await arrives(PRICE)
      return known
    }
    await expect(cancel()).rejects.toMatchObject({ code: 'payment_already_received' })
    expect(events()).toEqual(['intent.paid'])
  })

  test('holds without the chain: whatever arrives goes back by itself', async () => {
    put()
    balances = new ServiceError('chain_unavailable')
    expect(await cancel()).toMatchObject({ status: 'cancelled' })
  })

  test('waits for a price when an early payment needs one: it is not cancelled over its head', async () => {
    put({ selection: null })
    balances = there(PRICE)
    observe = async () => {
      throw new ServiceError('price_feed_unreachable')
    }
    await expect(cancel()).rejects.toMatchObject({ code: 'price_feed_unreachable' })
    expect(events()).toEqual([])
  })

  test('of an intent that is not there says so', async () => {
    await expect(cancel()).rejects.toMatchObject({ code: 'intent_not_found' })
  })
})
