// The list of held money by the operator command, over a real database: dust of strangers hides no money.
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Database } from '#adapters/prisma/engine/database.ts'
import { createHeldStore } from '#adapters/prisma/payments/held-store.ts'
import { SOL } from '#core/chain/types.ts'
import type { IntentPatch } from '#core/payments/change.ts'
import type { HeldMoney } from '#core/payments/intent-values.ts'
import { SENDER_UNKNOWN, TOO_SMALL } from '#core/payments/obstacle.ts'
import { runOperator } from '#operator/program.ts'
import { createHeldList } from '#services/payments/held.ts'
import { openTestDatabase } from '../support/database.ts'
import { MINT } from '../support/example-intent.ts'
import { BUYER, context, NOW, PRICES, UNKNOWN_MINT, units } from '../support/payment.ts'
import { OPERATOR_TOKEN, startTestService, type TestService } from '../support/services.ts'
import { addBusiness, addIntent, patchIntent, type Stores, storesOf } from '../support/stores.ts'

/** The network fee and the highest fee of a refund with two legs, in lamports. */
const LARGEST_DUST = 15_000n
/** Worth the fee of its return at the price of a dollar, in base units. */
const LARGEST_DUST_OF_TOKEN = 1_500n
const DUSTY = 101

let db: Database
let stores: Stores
let service: TestService
let prices: typeof PRICES
beforeAll(async () => {
  db = await openTestDatabase()
  stores = storesOf(db)
  const payments = createHeldList({
    held: createHeldStore(db),
    servedNetworks: ['live'],
    dustContext: async () => context({ prices }),
  })
  service = await startTestService({ services: { held: { payments } } })
})
afterAll(async () => {
  await service.close()
  await db.close()
})

async function run(...args: readonly string[]): Promise<string> {
  const out: string[] = []
  const err: string[] = []
  const terminal = { out: (line: string) => out.push(line), err: (line: string) => err.push(line) }
  const code = await runOperator(['--url', service.url, 'held', 'list', ...args], { OPERATOR_TOKEN }, terminal)
  expect(code, err.join('\n')).toBe(0)
  return out.join('\n')
}

const list = async (...args: readonly string[]) => JSON.parse(await run(...args, '--json'))
const indexesOf = ({ payments }: { payments: readonly { intent_index: number }[] }): readonly number[] =>
  payments.map(({ intent_index }) => intent_index)

const entry = (amount: bigint, patch: Partial<HeldMoney> = {}): HeldMoney => ({
  mint: null,
  amount: units(amount),
  reason: SENDER_UNKNOWN,
  ...patch,
})

/** Makes a new business, and returns a function that makes payments of it with held money. */
async function business(network: 'live' | 'test' = 'live') {
  prices = PRICES
  const tenant = await addBusiness(db, network)
  return {
    account: tenant.accountId,
    async pay(held: readonly HeldMoney[], patch: IntentPatch = {}): Promise<number> {
      const intent = await addIntent(stores, tenant)
      await patchIntent(stores.work, intent, { ...patch, status: 'refund_failed', held })
      return intent.derivationIndex
    },
  }
}

test('money that is held is listed before any number of newer payments with dust, and pages reach all of them', async () => {
  const { account, pay } = await business()
  const real = await pay([entry(5_000_000n)])
  const dusty: number[] = []
  for (let made = 0; made < DUSTY; made += 1)
    dusty.unshift(await pay([entry(made % 2 === 0 ? 1n : LARGEST_DUST, made % 3 === 0 ? { reason: TOO_SMALL } : {})]))

  expect(await list('--limit', '100')).toMatchObject({
    payments: [{ intent_index: real, held: [{ amount: 5_000_000 }] }],
    next_index: null,
    dust_payments: DUSTY,
  })
  expect((await run()).split('\n').slice(1)).toEqual([
    expect.stringMatching(new RegExp(`^${real} .* 5000000 `)),
    '101 payments hold only dust: --dust shows them.',
  ])

  const first = await list('--dust', '--limit', '100')
  expect(first).toMatchObject({ next_index: dusty[99], dust_payments: 0 })
  const second = await list('--dust', '--limit', '100', '--after', String(first.next_index))
  expect(second).toMatchObject({ next_index: null, dust_payments: 0 })
  expect([...indexesOf(first), ...indexesOf(second)]).toEqual([...dusty, real])
  const text = await run('--dust', '--account', account, '--network', 'live', '--limit', '3')
  expect(text.split('\n').at(-1)).toBe(
    `more: held list --after ${dusty[2]} --network live --account ${account} --dust --limit 3`,
  )
})

test('a later payment to its address changes the place of a payment in no page', async () => {
  const { account, pay } = await business()
  const indexes = [await pay([entry(5_000_000n)]), await pay([entry(5_000_000n)]), await pay([entry(5_000_000n)])]
  await db.query("UPDATE payment_intents SET updated_at = now() + interval '1 day' WHERE derivation_index = $1", [
    indexes[0] ?? 0,
  ])
  const first = await list('--account', account, '--limit', '2')
  const second = await list('--account', account, '--limit', '2', '--after', String(first.next_index))
  expect([...indexesOf(first), ...indexesOf(second)]).toEqual(indexes.toReversed())
})

test('dust is an amount that is worth no more than its return, whatever the reason says', async () => {
  const { account, pay } = await business()
  const listed = [
    await pay([entry(LARGEST_DUST + 1n)]),
    // The dust of a known wallet joined the money of an unknown sender, and gave its reason to both.
    await pay([entry(5_000_000n, { reason: TOO_SMALL })]),
    await pay([entry(1n), entry(LARGEST_DUST_OF_TOKEN + 1n, { mint: MINT })]),
    await pay([entry(1n, { mint: UNKNOWN_MINT })]),
    // The list shows the newest 20 entries, and the money may be an earlier entry.
    await pay([entry(1n)], {
      listTotals: { tokenRefunds: null, latePayments: null, held: { count: 21, totals: [] } },
    }),
  ]
  const dusty = await pay([entry(LARGEST_DUST), entry(LARGEST_DUST_OF_TOKEN, { mint: MINT })])
  const answer = await list('--account', account)
  expect(indexesOf(answer)).toEqual(listed.toReversed())
  expect(answer.dust_payments).toBe(1)
  prices = new Map([...PRICES].filter(([asset]) => asset === SOL))
  expect(indexesOf(await list('--account', account))).toEqual([dusty, ...listed.toReversed()])
})

test('the address that a buyer proposes is shown while it waits for the business', async () => {
  const { account, pay } = await business()
  const proposal = { address: BUYER, reason: null, number: 1, proposedAt: NOW, decidedAt: null }
  const index = await pay([entry(5_000_000n)], {
    refundAddress: { isWanted: true, proposal: { ...proposal, status: 'proposed' } },
  })
  const declined = await pay([entry(5_000_000n)], {
    refundAddress: { isWanted: true, proposal: { ...proposal, status: 'declined', decidedAt: NOW } },
  })
  expect((await list('--account', account)).payments).toMatchObject([
    { intent_index: declined, proposed_address: null },
    { intent_index: index, proposed_address: BUYER },
  ])
  expect(await run('--account', account)).toMatch(new RegExp(`^${index} .* ${BUYER} +${SENDER_UNKNOWN}$`, 'm'))
})

test('an empty page says whether dust is held, and whether it is the first', async () => {
  const { account, pay } = await business()
  expect(await run('--account', account)).toBe('Nothing is held.')
  const index = await pay([entry(1n)])
  expect(await run('--account', account)).toBe('Only dust is held.\n1 payment holds only dust: --dust shows it.')
  expect(await run('--account', account, '--dust', '--after', String(index))).toBe('Nothing more is held.')
})

test('all money of a network that is not served is listed', async () => {
  const { account, pay } = await business('test')
  const index = await pay([entry(1n)])
  expect(indexesOf(await list('--account', account))).toEqual([index])
})
