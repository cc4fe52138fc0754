import { beforeEach, describe, expect, test } from 'vitest'
import { makeAddress } from '#core/chain/base58.ts'
import { type AccountState, type Address, SOL } from '#core/chain/types.ts'
import { makeLamports } from '#core/money/amounts.ts'
import { type Deposit, type PaymentIntent, WINDOW_ENDED } from '#core/payments/payment-intent.ts'
import { accountsOf } from '#services/detection/polling/watch-list.ts'
import { createExpirer } from '#services/payments/expire.ts'
import { MINT, pendingIntent } from '../../support/example-intent.ts'
import { createMemoryStores, type MemoryStores } from '../../support/memory-stores.ts'
import { addressNo, choice, context, deposit, intentWith, later, TOKEN_PROGRAM, units } from '../../support/payment.ts'
import { tokenAccountOf, toyKeys } from '../../support/toy-chain.ts'

const END = pendingIntent.expiresAt
const past = (ms: number) => new Date(END.getTime() + ms)
const ADDRESS = pendingIntent.address

let stores: MemoryStores
let now: Date
/** The newest block, the slot of the balances, and the balances. */
let block: { slot: bigint; time: Date }
let readAt: bigint
let balances: Map<Address, AccountState>
let reads: number
let largestCall: number
/** By how many slots each call is read later than the one before. */
let laterBy: bigint
/**
 * The block up to which blocks were read, null while they are not read; and the payments with deposits that are not
 * stored yet.
 */
let readTo: Date | null
let unfinished: Set<string>
let errors: unknown[]

const lamports = (amount: bigint): AccountState => ({
  lamports: makeLamports(amount),
  ownerProgram: makeAddress('11111111111111111111111111111111'),
  token: null,
})
const tokens = (amount: bigint): AccountState => ({
  lamports: makeLamports(2_039_280n),
  ownerProgram: TOKEN_PROGRAM,
  token: {
    mint: MINT,
    owner: ADDRESS,
    amount: units(amount),
    frozen: false,
    withheld: units(0n),
    delegation: null,
    closeAuthority: null,
  },
})
const start = () =>
  createExpirer({
    chainOf: () => ({
      async blockTime() {
        return block
      },
      async readAccounts(accounts) {
        reads += 1
        largestCall = Math.max(largestCall, accounts.length)
        return {
          slot: readAt + laterBy * BigInt(reads - 1),
          states: accounts.map((account) => balances.get(account) ?? null),
        }
      },
    }),
    store: stores.intents,
    directory: { tokens: async () => context().tokens },
    keys: toyKeys,
    decisionContext: async () => context({ now }),
    clock: { now: () => now },
    searched: () => readTo && { readTo, unfinished },
    onError: (error, context) => errors.push([error, context]),
  })
let expirer: ReturnType<typeof start>
const expire = () => expirer('live')
const put = (patch: Partial<PaymentIntent> = {}, ...deposits: Deposit[]) =>
  stores.put(intentWith({ acceptedAssets: [SOL, MINT], ...patch }), deposits)
const intent = async (id = pendingIntent.id) => (await stores.intents.facts(id))?.intent

beforeEach(() => {
  stores = createMemoryStores()
  now = past(60_000)
  block = { slot: 100n, time: past(1_000) }
  readAt = 100n
  balances = new Map()
  reads = 0
  largestCall = 0
  laterBy = 0n
  readTo = null
  unfinished = new Set()
  errors = []
  expirer = start()
})

describe('an unpaid intent', () => {
  test('ends when the chain was read past its window and shows no money', async () => {
    put()
    expect(await expire()).toEqual({ expired: 1 })
    expect(await intent()).toMatchObject({ status: 'cancelled', statusReason: WINDOW_ENDED, updatedAt: now })
    expect(stores.events.map(({ type }) => type)).toEqual(['intent.cancelled'])
    expect(await expire()).toEqual({ expired: 0 })
  })

  test.each([-1, 0])(
    'waits while the clock of the chain is at %d ms of the end, however late the clock of the service is',
    async (ms) => {
      put()
      block = { slot: 100n, time: past(ms) }
      expect(await expire()).toEqual({ expired: 0 })
      expect((await intent())?.status).toBe('pending')
    },
  )

  test('waits while the clock of the service is before the end, without a call to the chain', async () => {
    put()
    now = END
    expect(await expire()).toEqual({ expired: 0 })
    expect(reads).toBe(0)
  })

  test('waits when the balances came from a provider that is behind the block', async () => {
    put()
    readAt = 99n
    expect(await expire()).toEqual({ expired: 0 })
    expect((await intent())?.status).toBe('pending')
  })

  test.each([
    ['SOL', () => balances.set(ADDRESS, lamports(890_880n))],
    ['a token', () => balances.set(tokenAccountOf(ADDRESS, MINT), tokens(1n))],
  ])(
    'waits for detection while its address contains %s that is not detected yet: the payment wins',
    async (_, arrives) => {
      put()
      arrives()
      expect(await expire()).toEqual({ expired: 0 })
      expect((await intent())?.status).toBe('pending')
    },
  )

  describe('that a stranger sends lamports to without end', () => {
    /** One more lamport with each block, which detection finds one block late. */
    const nextBlock = (known: readonly Deposit[]) => {
      block = { slot: block.slot + 1n, time: new Date(block.time.getTime() + 400) }
      readAt = block.slot
      now = new Date(now.getTime() + 400)
      balances.set(ADDRESS, lamports((balances.get(ADDRESS)?.lamports ?? 0n) + 1n))
      const number = known.length + 1
      return [...known, deposit(number, 1n, { use: 'late', slot: block.slot, blockTime: block.time })]
    }

    test('ends when what its address contained after the window is explained: later payments do not count', async () => {
      balances.set(ADDRESS, lamports(0n))
      let known = nextBlock([])
      put()
      expect(await expire()).toEqual({ expired: 0 })
      const first = known
      known = nextBlock(known)
      put({ version: 2 }, ...first)
      expect(await expire()).toEqual({ expired: 1 })
      expect((await intent())?.status).toBe('cancelled')
    })

    test('waits as long as a payment in the first balance after the window is not known, and is paid by it', async () => {
      balances.set(ADDRESS, lamports(10n))
      const inTime = deposit(1, 10n, { slot: 99n, blockTime: past(-1_000) })
      put({ selection: choice(SOL, 10n) })
      expect(await expire()).toEqual({ expired: 0 })
      let known: Deposit[] = [inTime]
      for (let again = 0; again < 20; again += 1) {
        const late = known.slice(1)
        known = nextBlock(known)
        put({ selection: choice(SOL, 10n), version: again + 2 }, ...late)
        expect(await expire()).toEqual({ expired: 0 })
      }
      expect((await intent())?.status).toBe('pending')
    })
  })

  test('waits for a payment in its balance, although a later payment of the same amount is known', async () => {
    put({ selection: choice(SOL, 1_000_000n) }, deposit(1, 400n, { slot: 101n, use: 'late', blockTime: past(1_500) }))
    balances.set(ADDRESS, lamports(400n))
    expect(await expire()).toEqual({ expired: 0 })
    expect((await intent())?.status).toBe('pending')
  })

  test('ends although a stranger created a token account for it, which is empty except its rent', async () => {
    put()
    balances.set(tokenAccountOf(ADDRESS, MINT), tokens(0n))
    expect(await expire()).toEqual({ expired: 1 })
  })

  test('ends although its address contains a wrong asset, which is known and goes back automatically', async () => {
    put({ selection: choice(MINT, 10n) }, deposit(1, 900_000n, { use: 'wrong_asset', slot: 99n }))
    balances.set(ADDRESS, lamports(900_000n))
    expect(await expire()).toEqual({ expired: 1 })
    expect((await intent())?.status).toBe('cancelled')
  })

  test('does not end when a payment is stored while the chain is read', async () => {
    put({ selection: choice(SOL, 10n) })
    const { facts } = stores.intents
    stores.intents.facts = async (id) => {
      stores.intents.facts = facts
      put({ selection: choice(SOL, 10n), status: 'paid', received: units(10n), version: 2 }, deposit(1, 10n))
      return await facts(id)
    }
    await expire()
    expect((await intent())?.status).toBe('paid')
  })
})

describe('an underpaid intent', () => {
  test('returns its payment', async () => {
    put(
      { status: 'underpaid', selection: choice(SOL, 10_000_000n), received: units(900_000n) },
      deposit(1, 900_000n, { slot: 99n }),
    )
    balances.set(ADDRESS, lamports(900_000n))
    expect(await expire()).toEqual({ expired: 1 })
    expect((await intent())?.status).toBe('refunding')
    expect(stores.transfer('transfer-1').transfer).toMatchObject({ kind: 'refund' })
  })

  test('waits for the rest of the payment when the rest has landed in time', async () => {
    put(
      { status: 'underpaid', selection: choice(SOL, 10_000_000n), received: units(900_000n) },
      deposit(1, 900_000n, { slot: 99n }),
    )
    balances.set(ADDRESS, lamports(900_001n))
    expect(await expire()).toEqual({ expired: 0 })
    expect((await intent())?.status).toBe('underpaid')
  })
})

describe('many at once', () => {
  const putMany = (count: number) => {
    for (let index = 1; index <= count; index += 1)
      put({ id: `intent-${index}`, derivationIndex: index, address: addressNo(index) })
  }

  test('are read in full calls, and the accounts of one intent in one call', async () => {
    putMany(300)
    expect(await expire()).toEqual({ expired: 300 })
    const each = (await accountsOf(intentWith({ acceptedAssets: [SOL, MINT] }), toyKeys, context().tokens)).length
    expect(reads).toBe(Math.ceil(300 / Math.floor(100 / each)))
    expect(largestCall).toBeLessThanOrEqual(100)
  })

  test('are each judged by the slot of their own call', async () => {
    putMany(60)
    laterBy = 1n
    const late = (slot: bigint) =>
      deposit(Number(slot), 1n, { use: 'late', slot, intentId: 'intent-60', account: addressNo(60) })
    const known = (version: number, ...deposits: Deposit[]) =>
      put({ id: 'intent-60', derivationIndex: 60, address: addressNo(60), version }, ...deposits)
    // The last call has read a payment of slot 101, which is not detected yet.
    balances.set(addressNo(60), lamports(1n))
    expect(await expire()).toEqual({ expired: 59 })
    expect(reads).toBeGreaterThan(1)
    balances.set(addressNo(60), lamports(2n))
    known(2, late(101n))
    expect(await expire()).toEqual({ expired: 1 })
  })

  test('end although the provider of another call is behind the block', async () => {
    putMany(60)
    laterBy = 1n
    readAt = block.slot - 1n
    const { expired } = await expire()
    expect(expired).toBeGreaterThan(0)
    expect(expired).toBeLessThan(60)
  })

  test('end independently: an intent with money, and an intent that cannot be changed, block no other', async () => {
    putMany(10)
    balances.set(addressNo(3), lamports(5n))
    const failure = new Error('no')
    const { apply } = stores.intents
    stores.intents.apply = async (change) => {
      if (change.before.id === 'intent-5') throw failure
      return await apply(change)
    }
    expect(await expire()).toEqual({ expired: 8 })
    expect(errors).toEqual([[failure, { intent: 'intent-5' }]])
    expect((await intent('intent-3'))?.status).toBe('pending')
  })

  test('that cannot end yet delay no other by more than one run, however many they are', async () => {
    putMany(1_200)
    for (let index = 1; index <= 1_200; index += 1) balances.set(addressNo(index), lamports(5n))
    put({ id: 'intent-z', derivationIndex: 2_000, address: addressNo(2_000) })
    for (let run = 1; run <= 3; run += 1) await expire()
    expect((await intent('intent-z'))?.status).toBe('cancelled')

    // When one of them can end, it is read again.
    balances.delete(addressNo(7))
    for (let run = 1; run <= 3; run += 1) await expire()
    expect((await intent('intent-7'))?.status).toBe('cancelled')
    expect((await intent('intent-8'))?.status).toBe('pending')
  })

  test('are of the given network only', async () => {
    put({ network: 'test' })
    expect(await expire()).toEqual({ expired: 0 })
    expect(now).not.toEqual(later(0))
  })
})

describe('while blocks are read', () => {
  test('an intent ends when a block past its window was read, without reading its address', async () => {
    put()
    readTo = END
    expect(await expire()).toEqual({ expired: 0 })
    readTo = past(1)
    expect(await expire()).toEqual({ expired: 1 })
    expect([(await intent())?.status, reads]).toEqual(['cancelled', 0])
  })

  test('the clock of the service ends no intent', async () => {
    put()
    readTo = past(-1)
    now = past(3_600_000)
    expect(await expire()).toEqual({ expired: 0 })
    expect(await intent()).toMatchObject({ status: 'pending' })
  })

  test('an intent that cannot end blocks no other', async () => {
    put()
    stores.put(intentWith({ id: 'intent-2', address: addressNo(2) }), [])
    const { facts } = stores.intents
    stores.intents.facts = async (id) => {
      if (id === pendingIntent.id) throw new Error('the database is away')
      return await facts(id)
    }
    readTo = past(1)
    expect(await expire()).toEqual({ expired: 1 })
    expect(errors).toHaveLength(1)
  })

  test('an intent whose payment could not be stored yet waits for it, and no other waits', async () => {
    put()
    stores.put(intentWith({ id: 'intent-2', address: addressNo(2) }), [])
    unfinished = new Set([pendingIntent.id])
    readTo = past(1)
    expect(await expire()).toEqual({ expired: 1 })
    expect([(await intent())?.status, (await intent('intent-2'))?.status]).toEqual(['pending', 'cancelled'])
    unfinished.clear()
    expect(await expire()).toEqual({ expired: 1 })
  })

  test('intents whose ending fails delay no other by more than one run, however many they are', async () => {
    for (let index = 1; index <= 2_000; index += 1)
      stores.put(intentWith({ id: `broken-${index}`, address: addressNo(index) }))
    put({ id: 'intent-z' })
    const { facts } = stores.intents
    stores.intents.facts = async (id) => {
      if (id.startsWith('broken')) throw new Error('the row cannot be read')
      return await facts(id)
    }
    readTo = past(1)
    for (let run = 1; run <= 2; run += 1) await expire()
    expect((await intent('intent-z'))?.status).toBe('cancelled')
  })

  test('intents that wait take no place of others, however many they are', async () => {
    for (let index = 1; index <= 2_000; index += 1) {
      stores.put(intentWith({ id: `unpriced-${index}`, address: addressNo(index) }))
      unfinished.add(`unpriced-${index}`)
    }
    put()
    readTo = past(1)
    expect(await expire()).toEqual({ expired: 1 })
    expect((await intent())?.status).toBe('cancelled')
  })
})
