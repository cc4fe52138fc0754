import { beforeEach, describe, expect, test } from 'vitest'
import { type Address, type Asset, type ObservedTransaction, type Signature, SOL } from '#core/chain/types.ts'
import { ServiceError } from '#core/errors.ts'
import type { PaymentIntent } from '#core/payments/payment-intent.ts'
import type { TransferStatus } from '#core/transfers/transfer.ts'
import type { HistoryEntry, HistoryReader } from '#ports/chain.ts'
import { createDepositObserver } from '#services/detection/observe.ts'
import type { ChangedAccount } from '#services/detection/polling/inbound-reading.ts'
import type { LockRate } from '#services/payments/lock-rate.ts'
import { MINT, pendingIntent } from '../../support/example-intent.ts'
import { pageOf } from '../../support/history-page.ts'
import { createMemoryStores, type MemoryStores } from '../../support/memory-stores.ts'
import { only } from '../../support/only.ts'
import {
  addressNo,
  BUYER,
  choice,
  context,
  deposit,
  FEE_PAYER,
  intentWith,
  landed,
  NOW,
  signatureNo,
  sweepOf,
  TOKEN_ACCOUNT,
  UNKNOWN_MINT,
  units,
} from '../../support/payment.ts'

const ADDRESS = pendingIntent.address
const EXPECTED = 1_000_000n

let stores: MemoryStores
/** The transactions that the provider lists. A test removes an entry to make the provider lag. */
let history: Map<Address, HistoryEntry[]>
/** Signatures that the first of two providers does not list. */
let gap: Set<Signature>
let transactions: Map<Signature, ObservedTransaction>
let asked: string[]
let now: number
let observer: ReturnType<typeof start>
let lockRate: LockRate

const chain: HistoryReader = {
  async signatures(account, { firstProvider = 0, ...range }) {
    asked.push(`list ${account} back to ${range.until ?? 'the beginning'}`)
    const listed = (history.get(account) ?? []).filter(
      ({ signature }) => firstProvider % 2 === 1 || !gap.has(signature),
    )
    return pageOf(listed, range)
  },
  async transaction(signature) {
    asked.push(`read ${signature}`)
    return transactions.get(signature) ?? null
  },
}
const start = () =>
  createDepositObserver({
    chainOf: () => chain,
    store: stores.intents,
    decisionContext: async () => context(),
    keys: { tokenAccountOf: async () => TOKEN_ACCOUNT },
    lockRate: (...args) => lockRate(...args),
    clock: { now: () => new Date(now) },
  })
const observe = (...changed: ChangedAccount[]) => observer(pendingIntent.id, changed)

const sol = (balance: bigint): ChangedAccount => ({ account: ADDRESS, asset: SOL, balance: units(balance) })
const token = (balance: bigint): ChangedAccount => ({ account: TOKEN_ACCOUNT, asset: MINT, balance: units(balance) })
const facts = async () => {
  const known = await stores.intents.facts(pendingIntent.id)
  if (known === null) throw new Error('the intent is gone')
  return known
}
const reads = () => asked.filter((question) => question.startsWith('read'))

/** Lands a transaction: lists it for every account whose balance it changed, newest first. */
function lands(transaction: ObservedTransaction): void {
  const { signature, slot, error } = transaction
  transactions.set(signature, transaction)
  for (const account of new Set(transaction.changes.map((change) => change.account)))
    history.set(account, [{ signature, slot, failed: error !== null }, ...(history.get(account) ?? [])])
}
const payment = (number: number, amount: bigint, patch: Partial<ObservedTransaction> = {}) =>
  landed({
    signature: signatureNo(number),
    slot: BigInt(1_000 + number),
    moves: [
      { account: BUYER, delta: -amount - 5_000n },
      { account: ADDRESS, delta: amount },
    ],
    ...patch,
  })
const tokenMove = (account: Address, delta: bigint, asset: Asset = MINT) => ({ account, owner: ADDRESS, asset, delta })

function begin(patch: Partial<PaymentIntent> = {}, ...known: Parameters<MemoryStores['put']>[1] & object): void {
  stores = createMemoryStores()
  stores.put(intentWith({ selection: choice(SOL, EXPECTED), ...patch }), known)
  history = new Map()
  gap = new Set()
  transactions = new Map()
  asked = []
  now = NOW.getTime()
  observer = start()
  lockRate = async () => {
    throw new Error('no rate is expected to be asked for')
  }
}
beforeEach(() => begin())

describe('a changed account', () => {
  test('has its transactions read and their deposits taken in', async () => {
    lands(payment(1, 400_000n))
    lands(payment(2, 600_000n))
    expect(await observe(sol(1_000_000n))).toMatchObject({ explained: true })
    const { intent, deposits } = await facts()
    expect(intent).toMatchObject({ status: 'settling', received: EXPECTED, refundSender: BUYER })
    expect(deposits.map(({ amount, use }) => [amount, use])).toEqual([
      [400_000n, 'applied'],
      [600_000n, 'applied'],
    ])
    expect(stores.ledger.map(({ delta }) => delta)).toEqual([400_000n, 600_000n])
  })

  test('can be observed again and again: no deposit is counted or read twice', async () => {
    lands(payment(1, 400_000n))
    await observe(sol(400_000n))
    asked = []
    expect(await observe(sol(400_000n))).toMatchObject({ explained: true })
    expect(reads()).toEqual([])
    expect((await facts()).intent).toMatchObject({ received: 400_000n, version: 2 })
  })

  test('of an asset that a transfer under way takes away is reported as leaving', async () => {
    const { facts: stored } = stores.intents
    const whileIt = async (status: TransferStatus) => {
      stores.intents.facts = async (id) => {
        const known = await stored(id)
        return known && { ...known, transfers: [sweepOf({ status, asset: MINT })] }
      }
      return [...(await observe(sol(0n))).leaving]
    }
    expect(await whileIt('planned')).toEqual([])
    expect(await whileIt('in_progress')).toEqual([MINT])
    expect(await whileIt('done')).toEqual([])
  })

  test('that holds exactly what the books say has no history read', async () => {
    lands(payment(1, 400_000n))
    await observe(sol(400_000n))
    asked = []
    expect(await observe(sol(400_000n))).toMatchObject({ explained: true })
    expect(asked).toEqual([])
  })

  test('has no deposit in failed transactions, which are not read', async () => {
    lands(payment(1, 400_000n, { error: 'failed' }))
    expect(await observe(sol(0n))).toMatchObject({ explained: true })
    expect(reads()).toEqual([])
    expect((await facts()).deposits).toEqual([])
  })

  test('has no deposit in our own sweep, booked or not', async () => {
    begin({ status: 'settling' }, deposit(1, EXPECTED))
    lands(payment(1, EXPECTED))
    const sweep = landed({
      signature: signatureNo(2),
      slot: 1_100n,
      feePayer: FEE_PAYER,
      signers: [FEE_PAYER, ADDRESS],
      moves: [{ account: ADDRESS, delta: -EXPECTED }],
    })
    lands(sweep)
    expect(await observe(sol(0n))).toMatchObject({ explained: true })
    expect((await facts()).deposits).toHaveLength(1)
    expect(reads()).toEqual([`read ${sweep.signature}`])

    // A booked sweep is not read.
    asked = []
    const { facts: stored } = stores.intents
    stores.intents.facts = async (id) => {
      const known = await stored(id)
      return known && { ...known, transfers: [sweepOf({ status: 'done', signature: sweep.signature })] }
    }
    await observe(sol(0n))
    expect(reads()).toEqual([])
  })

  test('is listed from the beginning when the newer signatures explain nothing: a list may be incomplete', async () => {
    begin({ status: 'underpaid' }, deposit(2, 20n))
    lands(payment(1, 10n))
    lands(payment(2, 20n))
    expect(await observe(sol(30n))).toMatchObject({ explained: true })
    expect((await facts()).deposits.map(({ amount }) => amount).sort()).toEqual([10n, 20n])
    expect(reads()).toHaveLength(1)
  })

  test('is listed back to its newest deposit and no further', async () => {
    begin({ status: 'underpaid' }, deposit(1, 10n), deposit(2, 20n), deposit(3, 30n))
    for (const number of [1, 2, 3]) lands(payment(number, BigInt(number) * 10n))
    lands(payment(4, 40n))
    expect(await observe(sol(100n))).toMatchObject({ explained: true })
    expect(asked).toEqual([`list ${ADDRESS} back to ${signatureNo(3)}`, `read ${signatureNo(4)}`])
    expect((await facts()).intent.received).toBe(100n)
  })
})

describe('a provider that lags', () => {
  test('and does not list the transaction yet leaves the balance unexplained', async () => {
    expect(await observe(sol(400_000n))).toMatchObject({ explained: false })
    expect((await facts()).intent.version).toBe(1)
    lands(payment(1, 400_000n))
    expect(await observe(sol(400_000n))).toMatchObject({ explained: true })
  })

  test('and lists a transaction that it does not know yet has the other deposits taken in, and is asked again', async () => {
    lands(payment(1, 400_000n))
    const second = payment(2, 600_000n)
    lands(second)
    transactions.delete(second.signature)
    expect(await observe(sol(1_000_000n))).toMatchObject({ explained: false })
    expect((await facts()).intent).toMatchObject({ status: 'underpaid', received: 400_000n })
    transactions.set(second.signature, second)
    expect(await observe(sol(1_000_000n))).toMatchObject({ explained: true })
    expect((await facts()).intent.status).toBe('settling')
  })

  test('or contradicts another one about a transaction keeps its deposit waiting, and no other', async () => {
    lands(payment(1, 400_000n))
    const doubtful = payment(2, 500_000n)
    lands(doubtful)
    const { transaction } = chain
    chain.transaction = async (signature) => {
      if (signature === doubtful.signature) throw new ServiceError('chain_unavailable', { reason: 'another outcome' })
      return await transaction(signature)
    }
    await expect(observe(sol(900_000n))).rejects.toMatchObject({ context: { reason: 'another outcome' } })
    expect((await facts()).intent).toMatchObject({ status: 'underpaid', received: 400_000n })
    chain.transaction = transaction
    expect(await observe(sol(900_000n))).toMatchObject({ explained: true })
    expect((await facts()).intent.received).toBe(900_000n)
  })

  test('or is away makes the observation fail, and no part of it is stored', async () => {
    lands(payment(1, 400_000n))
    const { transaction } = chain
    chain.transaction = async () => {
      throw new ServiceError('chain_unavailable')
    }
    await expect(observe(sol(400_000n))).rejects.toMatchObject({ code: 'chain_unavailable' })
    chain.transaction = transaction
    expect((await facts()).deposits).toEqual([])
  })
})

describe('one transaction to two accounts', () => {
  const both = () =>
    landed({
      signature: signatureNo(1),
      moves: [
        { account: BUYER, delta: -400_000n - 5_000n },
        { account: ADDRESS, delta: 400_000n },
        tokenMove(TOKEN_ACCOUNT, 7n),
      ],
    })

  test('is two deposits', async () => {
    lands(both())
    expect(await observe(sol(400_000n), token(7n))).toMatchObject({ explained: true })
    expect((await facts()).deposits.map(({ asset, use }) => [asset, use])).toEqual([
      [SOL, 'applied'],
      [MINT, 'wrong_asset'],
    ])
  })

  test('is two deposits when one of the accounts is observed, and when the other is observed after it', async () => {
    lands(both())
    await observe(sol(400_000n))
    expect(await observe(token(7n))).toMatchObject({ explained: true })
    expect((await facts()).deposits).toHaveLength(2)
  })

  test('counts only in the account that is swept: anyone can make another account', async () => {
    begin({ selection: choice(MINT, 1_000n) })
    lands(landed({ moves: [tokenMove(TOKEN_ACCOUNT, 1n), tokenMove(addressNo(66), 5_000n)] }))
    expect(await observe(token(1n))).toMatchObject({ explained: true })
    expect((await facts()).intent).toMatchObject({ status: 'underpaid', received: 1n })
    expect((await facts()).deposits.map(({ use }) => use)).toEqual(['applied', 'unaccepted'])
  })
})

describe('a race', () => {
  test('between two observers of one payment makes one deposit and one event', async () => {
    lands(payment(1, EXPECTED))
    await Promise.all([observe(sol(EXPECTED)), observe(sol(EXPECTED))])
    expect((await facts()).deposits).toHaveLength(1)
    expect(stores.events.map(({ type }) => type)).toEqual(['intent.paid', 'intent.settling'])
  })

  test('that is lost is decided again without asking the chain again', async () => {
    lands(payment(1, EXPECTED))
    const { apply } = stores.intents
    let lost = 0
    stores.intents.apply = async (change) => {
      if (lost++ < 3) return false
      return await apply(change)
    }
    await observe(sol(EXPECTED))
    expect(asked).toHaveLength(2)
    expect((await facts()).intent.status).toBe('settling')
  })
})

describe('a payment before any selection', () => {
  beforeEach(() => begin({ selection: null }))

  test('selects its token at the rate of its arrival', async () => {
    lands(payment(1, 400_000n))
    const rates: unknown[] = []
    lockRate = async (intent, chosen) => {
      rates.push([intent.priceUsdCents, chosen.asset])
      return choice(SOL, EXPECTED)
    }
    expect(await observe(sol(400_000n))).toMatchObject({ explained: true })
    expect(rates).toEqual([[pendingIntent.priceUsdCents, SOL]])
    expect((await facts()).intent).toMatchObject({ status: 'underpaid', selection: choice(SOL, EXPECTED) })
    expect(stores.events.map(({ type }) => type)).toEqual(['intent.token_selected', 'intent.underpaid'])
  })

  test('waits while there is no price, and counts once there is one', async () => {
    lands(payment(1, 400_000n))
    lockRate = async () => {
      throw new ServiceError('price_feed_unreachable')
    }
    await expect(observe(sol(400_000n))).rejects.toMatchObject({ code: 'price_feed_unreachable' })
    expect((await facts()).deposits).toEqual([])
    lockRate = async () => choice(SOL, EXPECTED)
    expect(await observe(sol(400_000n))).toMatchObject({ explained: true })
    expect((await facts()).intent.received).toBe(400_000n)
  })

  test.each(['amount_too_large', 'amount_too_small'] as const)(
    'in an asset in which the price cannot be paid is a wrong asset, and selects nothing: %s',
    async (code) => {
      begin({ selection: null, acceptedAssets: [SOL, MINT] })
      lands(payment(1, 400_000n))
      lockRate = async () => {
        throw new ServiceError(code)
      }
      expect(await observe(sol(400_000n))).toMatchObject({ explained: true })
      expect(await facts()).toMatchObject({
        intent: { status: 'pending', selection: null },
        deposits: [{ asset: SOL, use: 'wrong_asset' }],
      })
    },
  )

  test('selects its token, although an asset that cannot express the price arrived before', async () => {
    begin({ selection: null, acceptedAssets: [SOL, MINT] })
    lands(payment(1, 400_000n))
    lands(landed({ signature: signatureNo(2), slot: 1_002n, moves: [tokenMove(TOKEN_ACCOUNT, 7n)] }))
    lockRate = async (_, { asset }) => {
      if (asset === SOL) throw new ServiceError('amount_too_large')
      return choice(asset, 7n)
    }
    await observe(sol(400_000n), token(7n))
    expect(await facts()).toMatchObject({
      intent: { status: 'settling', selection: choice(MINT, 7n) },
      deposits: [
        { asset: SOL, use: 'wrong_asset' },
        { asset: MINT, use: 'applied' },
      ],
    })
    expect(stores.events.map(({ type }) => type).slice(0, 2)).toEqual(['intent.token_selected', 'intent.paid'])
  })
})

test('an intent that does not exist needs no explanation', async () => {
  const other = createDepositObserver({
    chainOf: () => only<HistoryReader>('chain', {}),
    store: stores.intents,
    decisionContext: async () => context(),
    keys: { tokenAccountOf: async () => TOKEN_ACCOUNT },
    lockRate,
    clock: { now: () => NOW },
  })
  expect(await other('another', [sol(5n)])).toMatchObject({ explained: true })
})

describe('a token that is not allowed', () => {
  test('is recorded when a transaction that is read in any case contains it, and costs no further call', async () => {
    const spam = { account: addressNo(70), owner: ADDRESS, asset: UNKNOWN_MINT, delta: 5n }
    lands(
      landed({
        signature: signatureNo(1),
        moves: [{ account: BUYER, delta: -EXPECTED - 5_000n }, { account: ADDRESS, delta: EXPECTED }, spam],
      }),
    )
    await observe(sol(EXPECTED))
    expect(stores.unaccepted).toMatchObject([{ asset: UNKNOWN_MINT, amount: 5n, signature: signatureNo(1) }])
    expect(asked).toHaveLength(2)
    expect((await facts()).deposits).toMatchObject([{ asset: SOL }])
  })

  test('is taken in from the chain’s history once it is allowed', async () => {
    lands(landed({ signature: signatureNo(1), moves: [tokenMove(TOKEN_ACCOUNT, 5n)] }))
    await observe(token(5n))
    expect((await facts()).deposits).toMatchObject([{ asset: MINT, use: 'wrong_asset', amount: 5n }])
  })
})

describe('a payment in a part of the history that the first provider lacks', () => {
  const noOp = (number: number) => payment(number, 0n, { changes: [] })
  /** Lists a transaction that only names the address. */
  const names = (transaction: ObservedTransaction) => {
    const { signature, slot } = transaction
    transactions.set(signature, transaction)
    history.set(ADDRESS, [{ signature, slot, failed: false }, ...(history.get(ADDRESS) ?? [])])
  }
  const hidden = (transaction: ObservedTransaction) => {
    lands(transaction)
    gap.add(transaction.signature)
  }
  /** Checks the balance every two seconds. Returns the number of checks until it is explained. */
  const checksUntilExplained = async (balance: bigint): Promise<number> => {
    for (let checks = 1; checks <= 300; checks += 1) {
      if ((await observe(sol(balance))).explained) return checks
      now += 2_000
    }
    return Number.POSITIVE_INFINITY
  }

  test('is found at another provider, although a stranger named the address', async () => {
    hidden(payment(1, EXPECTED))
    names(noOp(2))
    expect(await checksUntilExplained(EXPECTED)).toBe(2)
    expect((await facts()).deposits).toHaveLength(1)
  })

  test.each([
    ['newer', 1, 2],
    ['older', 2, 1],
  ])('is found at another provider, when it is %s than a known deposit', async (_, known, lacking) => {
    begin({}, deposit(known, 400_000n, { slot: BigInt(1_000 + known) }))
    for (const number of [1, 2])
      (number === lacking ? hidden : lands)(payment(number, number === known ? 400_000n : 600_000n))
    expect(await checksUntilExplained(1_000_000n)).toBe(2)
    expect((await facts()).deposits).toHaveLength(2)
  })

  test('is found at another provider in a history of many pages', async () => {
    for (let number = 1; number <= 350; number += 1) names(noOp(number))
    hidden(payment(400, EXPECTED))
    for (let number = 401; number <= 750; number += 1) names(noOp(number))
    expect(await checksUntilExplained(EXPECTED)).toBeLessThan(150)
    expect((await facts()).deposits).toHaveLength(1)
  })
})
