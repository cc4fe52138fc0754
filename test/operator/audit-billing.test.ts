// The audit compares charges, subscriptions and allowances, and finds each row that was altered.
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { createChargeAuditStore } from '#adapters/prisma/audit/charge-audit-store.ts'
import { createBillingStore } from '#adapters/prisma/billing/billing-store.ts'
import type { Database } from '#adapters/prisma/engine/engine.ts'
import type { Tier } from '#core/billing/tier.ts'
import type { Signature } from '#core/chain/types.ts'
import { makeLamports } from '#core/money/amounts.ts'
import { runOperator } from '#operator/program.ts'
import { createBillingAudit } from '#services/audit/charges.ts'
import {
  addDelegation,
  addSubscriptionIntent,
  addTier,
  changeOf,
  chargeOf,
  DELEGATE,
  newSubscription,
} from '../support/billing-rows.ts'
import { emptyTables, openTestDatabase } from '../support/database.ts'
import { addressNo, FEE_PAYER, later, NOW, signatureNo, units } from '../support/payment.ts'
import { OPERATOR_TOKEN, startTestService, type TestService } from '../support/services.ts'
import { addBusiness } from '../support/stores.ts'

const DOLLAR = 1_000_000n
const PLATFORM_ACCOUNT = addressNo(9_506)

let db: Database
let service: TestService
let tier: Tier
let subscriptionId: string
let chargeId: string
let pageSize = 1

beforeAll(async () => {
  db = await openTestDatabase()
  // The audit does not rely on the database.
  await db.query('ALTER TABLE charges DROP CONSTRAINT charges_amounts')
  const noLamports = makeLamports(0n)
  const billingAudit = createBillingAudit({
    chargeAudit: createChargeAuditStore(db),
    keys: {
      addressOf: () => DELEGATE.address,
      tokenAccountOf: async (owner) => (owner === tier.payoutOwner ? tier.payoutAta : PLATFORM_ACCOUNT),
    },
    clock: { now: () => NOW },
    networks: { live: { feePayer: FEE_PAYER }, test: null },
  })
  service = await startTestService({
    services: {
      billingAudit: { page: (network, page) => billingAudit.page(network, { ...page, limit: pageSize }) },
      statsAudit: { page: async () => ({ accounts: 0, differences: [], next: null }) },
      audit: {
        scope: async (network) =>
          network === 'live' ? { addresses: 0, feePayer: FEE_PAYER, feePayerLamports: noLamports } : null,
        page: async () => ({
          addresses: [],
          feePayer: { spent: 0n, repaid: 0n, rent: 0n },
          nextIndex: null,
        }),
      },
      tokens: { list: async () => [] },
    },
  })
})
afterAll(async () => {
  await service.close()
  await db.close()
})

/** A subscription with two charges that succeeded and one that waits, and an approve. */
beforeEach(async () => {
  await emptyTables(db, 'accounts', 'transfers', 'delegations', 'ledger_entries')
  tier = await addTier(db, await addBusiness(db))
  const delegation = await addDelegation(db, tier, { chainAllowance: units(11n * DOLLAR) })
  const first = newSubscription(tier, await addSubscriptionIntent(db, tier), delegation)
  subscriptionId = first.subscription.id
  chargeId = first.charge.id
  const subscription = {
    ...first.subscription,
    status: 'active',
    spentAmount: units(DOLLAR),
    earlierAmount: units(DOLLAR),
    nextChargePeriod: 2,
  } as const
  const [second, third] = [1, 2].map((period) => chargeOf(subscription, tier, delegation, period))
  if (second === undefined || third === undefined) throw new Error('two more charges')
  const month = 30 * 86_400
  const ofPeriod = (index: number) => ({ periodStart: later(index * month), periodEnd: later((index + 1) * month) })
  const change = {
    ...changeOf(null, subscription),
    charges: [{ ...first.charge, ...ofPeriod(0) }],
    transfers: [first.transfer],
  }
  const store = createBillingStore(db)
  if (!(await store.apply(change, delegation))) throw new Error('not stored')
  await settle(first.charge.id, signatureNo(1))
  let version = delegation.version + 1
  for (const [at, next] of [second, third].entries()) {
    const after = { ...subscription, version: subscription.version + at + 1 }
    const before = { ...after, version: after.version - 1 }
    const planned = { ...changeOf(before, after), charges: [{ ...next.charge, ...ofPeriod(at + 1) }] }
    if (!(await store.apply({ ...planned, transfers: [next.transfer] }, { id: delegation.id, version })))
      throw new Error('not stored')
    version += 1
    if (next === second) await settle(next.charge.id, signatureNo(2))
  }
})

/** The transaction of a charge is final and booked. */
async function settle(id: string, signature: Signature): Promise<void> {
  const done = { status: 'done', signature } as const
  const { id: transferId } = await db.prisma.transfer.findFirstOrThrow({ where: { subjectId: id } })
  await db.query('UPDATE transfer_legs SET moved_amount = amount WHERE transfer_id = $1', [transferId])
  await db.prisma.transfer.update({ where: { id: transferId }, data: done })
  await db.prisma.charge.update({ where: { id }, data: { status: 'succeeded', signature, settledAt: NOW } })
  const ended = { number: 1, state: 'final_ok', source: addressNo(1), fence: 1, knownSignature: 'known' } as const
  const message = { message: Buffer.from([1]), wire: Buffer.from([1]), signature, slot: 1 }
  await db.prisma.transferAttempt.create({
    data: { ...ended, ...message, transferId, blockhash: 'hash', lastValidBlockHeight: 1 },
  })
  await addEntry(id, transferId, signature)
}

const addEntry = (subjectId: string, transferId: string | null, signature: Signature) =>
  db.prisma.ledgerEntry.create({
    data: {
      ...{ network: 'live', address: FEE_PAYER, account: FEE_PAYER, asset: 'SOL', delta: -10_000 },
      ...{ signature, slot: 1, kind: 'charge', subjectId, transferId },
    },
  })

async function audit() {
  const out: string[] = []
  const terminal = { out: (line: string) => void out.push(line), err: () => {} }
  const code = await runOperator(['--url', service.url, '--json', 'audit'], { OPERATOR_TOKEN }, terminal)
  const { billing, networks } = JSON.parse(out.join('\n'))
  return { code, billing, feePayer: networks[0].fee_payer }
}

it.each([1, 200])(
  'in pages of %i nothing differs, and what was pulled is what was paid out and the fees',
  async (size) => {
    pageSize = size
    const { code, billing, feePayer } = await audit()
    expect([code, billing.findings]).toEqual([0, []])
    expect(billing.records).toEqual({ charge: 3, subscription: 1, delegation: 1 })
    const amounts = { pulled: 2_000_000, paid_out: 1_980_000, fees: 20_000, difference: 0 }
    expect(billing.totals).toEqual([{ network: 'live', mint: tier.mint, charges: 2, ...amounts }])
    // Two charges.
    expect(feePayer).toMatchObject({ spent: 20_000, funded: 20_000 })
  },
)

it('is a table for people', async () => {
  const out: string[] = []
  const terminal = { out: (line: string) => void out.push(line), err: () => {} }
  await runOperator(['--url', service.url, 'audit'], { OPERATOR_TOKEN }, terminal)
  expect(out.join('\n')).toMatch(/^live +\S+ +2 +2000000 +1980000 +20000 +0$/m)
  expect(out.join('\n')).toContain(
    'Nothing differs in recurring billing (charges: 3, subscriptions: 1, allowances: 1).',
  )
})

const ofCharge = (set: string) => () => db.query(`UPDATE charges SET ${set} WHERE id = $1`, [chargeId])
const ofSubscription = (set: string) => () =>
  db.query(`UPDATE billing_subscriptions SET ${set} WHERE id = $1`, [subscriptionId])
const ofTransfer = (table: string, set: string, id = 'transfer_id') => {
  return () =>
    db.query(`UPDATE ${table} SET ${set} WHERE ${id} IN (SELECT id FROM transfers WHERE subject_id = $1)`, [chargeId])
}

it.each<[string, () => Promise<unknown>, readonly string[]]>([
  ['payout and fee that are not the amount', ofCharge('amount = amount + 1'), ['spent', 'split']],
  ['a payout that the transfer does not have', ofCharge('net_amount = net_amount - 1'), ['legs', 'split']],
  ['another account of the business', ofCharge(`destination_ata = '${addressNo(5)}'`), ['legs']],
  ['another account of the platform', ofCharge(`fee_destination = '${addressNo(5)}'`), ['legs']],
  ['a leg of which less arrived', ofTransfer('transfer_legs', 'moved_amount = moved_amount - 1'), ['legs', 'legs']],
  ['a transfer that is not done', ofTransfer('transfers', `status = 'failed'`, 'id'), ['transfer']],
  ['a transfer of another period', ofCharge('period_index = 9'), ['next_period', 'transfer']],
  ['money that moved for a canceled charge', ofCharge(`status = 'canceled'`), ['spent', 'transaction', 'transfer']],
  ['a charge without its transaction', ofTransfer('transfer_attempts', `state = 'dead'`), ['ledger', 'transaction']],
  ['another transaction', ofCharge(`signature = '${signatureNo(9)}'`), ['transaction']],
  ['a transaction that the ledger alone has', () => addEntry(chargeId, null, signatureNo(9)), ['ledger']],
  [
    'two paid charges of one period',
    ofCharge(`period_start = period_start + interval '30 days', period_end = period_end + interval '30 days'`),
    ['period', 'period'],
  ],
  ['an amount that the subscription has not spent', ofSubscription('spent_amount = 0'), ['allowance', 'spent']],
  ['charges of an earlier slice that are missing', ofSubscription('earlier_amount = 0'), ['spent']],
  ['a paid period that is to be charged again', ofSubscription('next_charge_period = 1'), ['next_period']],
  ['the allowance of another wallet', ofSubscription(`subscriber_wallet = '${addressNo(5)}'`), ['owner']],
  [
    'an allowance that does not cover what is outstanding',
    () => db.query('UPDATE delegations SET chain_allowance = 1'),
    ['allowance'],
  ],
  [
    'an allowance for another delegate',
    () => db.query('UPDATE delegations SET chain_delegate = $1', [addressNo(5)]),
    ['allowance'],
  ],
])('finds %s', async (_case, alter, rules) => {
  await alter()
  const { code, billing } = await audit()
  expect(billing.findings.map(({ rule }: { rule: string }) => rule).sort()).toEqual(rules)
  expect(code).toBe(1)
})
