// A payment that arrives after the sweep of another payment, and before the emptied account was checked: its balance is
// equal to a balance that was explained before.
import { beforeEach, expect, test } from 'vitest'
import { makeAddress } from '#core/chain/base58.ts'
import { type ObservedTransaction, type Signature, SOL } from '#core/chain/types.ts'
import { makeLamports } from '#core/money/amounts.ts'
import type { IntentFacts } from '#core/payments/change.ts'
import { createDepositObserver } from '#services/detection/observe.ts'
import { LAP_EVERY_MS } from '#services/detection/polling/watch-list.ts'
import { Watcher } from '#services/detection/polling/watcher.ts'
import { pendingIntent } from '../../support/example-intent.ts'
import {
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
} from '../../support/payment.ts'
import { toyKeys } from '../../support/toy-chain.ts'

/** The amount of the sweep. */
const PRICE = 1_000_000n
const { id, address } = pendingIntent

let facts: IntentFacts
let balance: bigint
let listed: ObservedTransaction[]
let listings: number
let now: number
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

beforeEach(async () => {
  pay(1)
  await check()
  await sweepIs('in_progress')
  await check()
  balance -= PRICE
  listings = 0
})

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
