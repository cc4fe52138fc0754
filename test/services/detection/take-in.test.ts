import { beforeEach, describe, expect, test } from 'vitest'
import { makeAddress } from '#core/chain/base58.ts'
import { type Address, type Asset, type ObservedTransaction, type Signature, SOL } from '#core/chain/types.ts'
import { ServiceError } from '#core/errors.ts'
import { makeLamports } from '#core/money/amounts.ts'
import type { IntentFacts } from '#core/payments/change.ts'
import { createDepositObserver } from '#services/detection/observe.ts'
import { LAP_EVERY_MS } from '#services/detection/polling/watch-list.ts'
import { Watcher } from '#services/detection/polling/watcher.ts'
import { SetAsidePayments } from '#services/detection/set-aside-payments.ts'
import { createTakeIn } from '#services/detection/take-in.ts'
import type { LockRate } from '#services/payments/lock-rate.ts'
import { MINT, pendingIntent } from '../../support/example-intent.ts'
import { createMemoryStores, type MemoryStores } from '../../support/memory-stores.ts'
import {
  addressNo,
  afterwards,
  BUYER,
  choice,
  context,
  factsWith,
  intentWith,
  landed,
  NOW,
  signatureNo,
  sweepOf,
  UNKNOWN_MINT,
} from '../../support/payment.ts'
import { tokenAccountOf, toyKeys } from '../../support/toy-chain.ts'

let now: number

// Deposits in final blocks are taken in and booked without another call to the chain.
describe('what is taken in', () => {
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
})

// A payment that arrives after the sweep of another payment, and before the emptied account was checked: its balance is
// equal to a balance that was explained before.
describe('a payment after a sweep', () => {
  /** The amount of the sweep. */
  const PRICE = 1_000_000n
  const { id, address } = pendingIntent

  let facts: IntentFacts
  let balance: bigint
  let listed: ObservedTransaction[]
  let listings: number

  let watcher: Watcher

  beforeEach(async () => {
    facts = factsWith(intentWith({ selection: choice(SOL, PRICE), acceptedAssets: [SOL] }))
    balance = 0n
    listed = []
    listings = 0
    now = NOW.getTime()
    const find = (signature: Signature) => listed.find((one) => one.signature === signature) ?? null
    const rows = async () => [{ ...facts.intent, asset: facts.intent.selection?.asset ?? null }]
    const system = makeAddress('11111111111111111111111111111111')
    watcher = new Watcher({
      network: 'live',
      chain: {
        readAccounts: async () => ({
          slot: 1n,
          states: [balance === 0n ? null : { lamports: makeLamports(balance), ownerProgram: system, token: null }],
        }),
      },
      store: { watchList: async (_, { open }) => (open ? await rows() : []), watched: rows },
      directory: { tokens: async () => context().tokens },
      keys: toyKeys,
      notices: null,
      observe: createDepositObserver({
        chainOf: () => ({
          async signatures() {
            listings += 1
            return {
              entries: listed.map(({ signature, slot }) => ({ signature, slot, failed: false })),
              next: null,
            }
          },
          transaction: async (signature) => find(signature),
        }),
        store: {
          facts: async () => facts,
          async apply(change) {
            facts = afterwards(facts, change)
            return true
          },
          async recordUnaccepted() {},
        },
        decisionContext: async () => context(),
        keys: toyKeys,
        lockRate: async () => choice(SOL, PRICE),
        clock: { now: () => new Date(now) },
      }),
      clock: { now: () => new Date(now) },
      callsPerMinute: 600,
      onNotice: () => {},
      onError: (error) => {
        throw error
      },
    })
    await watcher.reload()
    pay(1)
    await check()
    await sweepIs('in_progress')
    await check()
    balance -= PRICE
    listings = 0
  })

  /** Checks every watched balance. */
  async function check(): Promise<void> {
    now += LAP_EVERY_MS.closing
    await watcher.runOnce()
  }
  function pay(number: number, amount = PRICE): void {
    balance += amount
    const slot = BigInt(1_000 + number)
    const moves = [
      { account: BUYER, delta: -amount - 5_000n },
      { account: address, delta: amount },
    ]
    listed.unshift(landed({ signature: signatureNo(number), slot, moves }))
  }
  /** Gives the sweep of the first payment this status, with its change notice. */
  async function sweepIs(status: 'in_progress' | 'done'): Promise<void> {
    const intent = { ...facts.intent, version: facts.intent.version + 1 }
    facts = { ...facts, intent, transfers: [sweepOf({ status })] }
    await watcher.refresh([id])
  }
  const found = () => facts.deposits.map(({ amount }) => amount)

  test('without another payment, the emptied account costs no listing', async () => {
    await check()
    await sweepIs('done')
    await check()
    expect([found(), listings]).toEqual([[PRICE], 0])
  })

  test('of the same amount is found once the sweep is booked', async () => {
    pay(2)
    await check()
    await sweepIs('done')
    await check()
    expect(found()).toEqual([PRICE, PRICE])
  })

  test('of less is found at the next check, also when it is not listed at once', async () => {
    pay(2, 600_000n)
    const [latest] = listed.splice(0, 1)
    await check()
    expect(found()).toEqual([PRICE])
    if (latest !== undefined) listed.unshift(latest)
    await check()
    expect(found()).toEqual([PRICE, 600_000n])
  })

  test('that is found costs no further listing, before and after the sweep is booked', async () => {
    pay(2, 600_000n)
    await check()
    listings = 0
    await check()
    await sweepIs('done')
    await check()
    await check()
    expect([found(), listings]).toEqual([[PRICE, 600_000n], 0])
  })
})

// The balance of a payment that cannot be taken in is checked after growing pauses, until it is explained.
describe('payments that are set aside', () => {
  type Row = { reason: string; version: number; attempts: number; nextCheckAt: Date }

  let rows: Map<string, Row>

  let checked: string[]
  let unexplained: Set<string>
  let unfinished: Set<string>
  let duringCheck: () => Promise<void>
  /** The slot of the newest block that was read. */
  let head: bigint
  let setAside: SetAsidePayments

  beforeEach(() => {
    rows = new Map()
    now = NOW.getTime()
    checked = []
    unexplained = new Set()
    unfinished = new Set()
    duringCheck = async () => {}
    head = 0n
    begin({
      async checkDeeply(ids) {
        checked.push(...ids)
        await duringCheck()
        return { again: ids.filter((id) => unexplained.has(id)), unfinished: ids.filter((id) => unfinished.has(id)) }
      },
    })
  })

  function begin(watcher: Pick<Watcher, 'checkDeeply'>): void {
    setAside = new SetAsidePayments({
      network: 'live',
      store: {
        async setAside(_network, ids, reason, _at, nextCheckAt) {
          for (const id of ids) {
            const row = rows.get(id)
            rows.set(
              id,
              row ? { ...row, reason, version: row.version + 1 } : { reason, version: 1, attempts: 0, nextCheckAt },
            )
          }
        },
        allSetAside: async () => [...rows.keys()],
        dueSetAside: async (_network, at, limit) =>
          [...rows]
            .filter(([, { nextCheckAt }]) => nextCheckAt <= at)
            .map(([intentId, { version, attempts }]) => ({ intentId, version, attempts }))
            .slice(0, limit),
        async postponeSetAside(id, attempts, nextCheckAt) {
          const row = rows.get(id)
          if (row !== undefined) rows.set(id, { ...row, attempts, nextCheckAt })
        },
        endSetAside: async ({ intentId, version }) => rows.get(intentId)?.version === version && rows.delete(intentId),
      },
      watcher,
      readToSlot: () => head,
      wallClock: { now: () => new Date(now) },
    })
  }

  async function checkAfter(ms: number): Promise<readonly string[]> {
    now += ms
    checked = []
    await setAside.check()
    return checked
  }

  describe('a payment that is set aside', () => {
    test('is checked, and ends when its balance is explained', async () => {
      await setAside.put(['a'], 'no price')
      expect([[...setAside.ids], await checkAfter(4_000), await checkAfter(1_000)]).toEqual([['a'], [], ['a']])
      expect([rows.size, setAside.ids.size]).toEqual([0, 0])
    })

    test('is checked after growing pauses while nothing explains its balance', async () => {
      unexplained.add('a')
      await setAside.put(['a'], 'no price')
      let checks = 0
      for (let second = 0; second < 3_600; second += 1) checks += (await checkAfter(1_000)).length
      expect(checks).toBeGreaterThan(8)
      expect(checks).toBeLessThan(16)
      expect([...setAside.ids]).toEqual(['a'])
    })

    test('is checked every few seconds while each check gets further in its history', async () => {
      unfinished.add('a')
      await setAside.put(['a'], 'a long history')
      let checks = 0
      for (let second = 0; second < 60; second += 1) checks += (await checkAfter(1_000)).length
      expect(checks).toBe(12)
    })

    test('stays when it is set aside again during a check', async () => {
      await setAside.put(['a'], 'no price')
      duringCheck = () => setAside.put(['a'], 'no answer')
      expect(await checkAfter(5_000)).toEqual(['a'])
      expect([[...setAside.ids], rows.get('a')?.reason]).toEqual([['a'], 'no answer'])
    })

    test('stays when its balance was read before the newest block: its deposit may be missing in it', async () => {
      const balances = { slot: 900n, lamports: 0n }
      const found: bigint[] = []
      const watcher = new Watcher({
        network: 'live',
        chain: {
          readAccounts: async (accounts) => ({
            slot: balances.slot,
            states: accounts.map(() => ({
              lamports: makeLamports(balances.lamports),
              ownerProgram: addressNo(9_100),
              token: null,
            })),
          }),
        },
        store: {
          watchList: async () => [],
          watched: async (ids) => ids.map((id) => ({ ...intentWith({ id, acceptedAssets: [SOL] }), asset: null })),
        },
        directory: { tokens: async () => new Map() },
        keys: toyKeys,
        notices: null,
        async observe(_intent, changed) {
          found.push(...changed.map(({ balance }) => balance))
          return { explained: true, unfinished: false, leaving: new Set() }
        },
        clock: { now: () => new Date(now) },
        callsPerMinute: 600,
        onNotice: () => {},
        onError: (error) => {
          throw error
        },
      })
      begin(watcher)
      head = 1_000n
      await setAside.put(['a'], 'no price')
      await checkAfter(5_000)
      expect([[...rows.keys()], [...setAside.ids], found]).toEqual([['a'], ['a'], []])
      Object.assign(balances, { slot: 1_000n, lamports: 5_000n })
      await checkAfter(10_000)
      expect([rows.size, setAside.ids.size, found]).toEqual([0, 0, [5_000n]])
    })

    test('is known again after a restart', async () => {
      await setAside.put(['a'], 'no price')
      setAside.forget()
      expect(setAside.ids.size).toBe(0)
      await setAside.load()
      expect([...setAside.ids]).toEqual(['a'])
    })
  })

  test('many are checked in bounded rounds', async () => {
    await setAside.put(
      Array.from({ length: 50 }, (_, at) => `intent-${at}`),
      'no price',
    )
    expect(
      [await checkAfter(5_000), await checkAfter(1_000), await checkAfter(1_000)].map(({ length }) => length),
    ).toEqual([20, 20, 10])
  })
})
