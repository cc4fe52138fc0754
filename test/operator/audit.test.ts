import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { createAuditStore } from '#adapters/prisma/audit/audit-store.ts'
import { createChargeAuditStore } from '#adapters/prisma/audit/charge-audit-store.ts'
import { createHaltStore } from '#adapters/prisma/audit/halt-store.ts'
import { createBillingStore } from '#adapters/prisma/billing/billing-store.ts'
import type { Database } from '#adapters/prisma/engine/engine.ts'
import { createStatsRollupStore } from '#adapters/prisma/stats/rollup-store.ts'
import { createStatsAuditStore } from '#adapters/prisma/stats/stats-audit-store.ts'
import { createDepositKeys } from '#adapters/solana/keys/deposit-keys.ts'
import type { Tier } from '#core/billing/tier.ts'
import { type Asset, type Network, type Signature, SOL } from '#core/chain/types.ts'
import { ServiceError } from '#core/errors.ts'
import { makeLamports } from '#core/money/amounts.ts'
import { runOperator, type Terminal } from '#operator/program.ts'
import { createProgress } from '#operator/shell.ts'
import { type AuditPage, createAuditServices } from '#services/audit/audit.ts'
import { createBillingAudit } from '#services/audit/charges.ts'
import type { Services } from '#services/services.ts'
import { createStatsAudit } from '#services/stats/audit-stats.ts'
import { NO_BILLING } from '../support/audited.ts'
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
import { MINT } from '../support/example-intent.ts'
import {
  addressNo,
  FEE_PAYER,
  later,
  leg,
  MARKETPLACE,
  NOW,
  PLATFORM,
  SOL_TOKEN,
  signatureNo,
  USDC,
  units,
} from '../support/payment.ts'
import { OPERATOR_TOKEN, startTestService, type TestService } from '../support/services.ts'
import { addBusiness, addIntent, planSweepOf, storesOf } from '../support/stores.ts'
import { addAccount } from '../support/webhook-rows.ts'

let service: TestService

let db: Database

// The audit as the operator runs it: it sums all pages, shows differences, and has an exit code for scripts.
describe('the audit of payments', () => {
  /** The operation of an audit. */
  type AuditServices = Pick<Services['audit'], 'scope' | 'page'>
  type Audited = AuditPage['addresses'][number]

  const LAMPORTS = 1_000_000_000n
  const noRent = makeLamports(0n)

  /** An address without a difference that contains `held` of each of its assets. */
  const sound = (intentIndex: number, held: bigint, assets: readonly Asset[] = [SOL, MINT]): Audited => ({
    intentIndex,
    address: addressNo(intentIndex),
    derivedAddress: addressNo(intentIndex),
    tokenAccountLamports: noRent,
    balances: assets.map((asset) => ({
      account: addressNo(intentIndex),
      asset,
      ledger: held,
      chain: held,
      inFlight: 0n,
      unbooked: 0n,
      difference: 0n,
    })),
    flows: assets.map((asset) => ({
      asset,
      received: held + 30n,
      settled: 20n,
      returned: 10n,
      remaining: held,
      difference: 0n,
    })),
  })

  /** Pages of two addresses of one network. */
  function auditOf(addresses: readonly Audited[], served: readonly Network[] = ['live']): AuditServices {
    return {
      scope: async (network) =>
        served.includes(network)
          ? { addresses: addresses.length, feePayer: FEE_PAYER, feePayerLamports: makeLamports(LAMPORTS) }
          : null,
      async page(_network, { afterIndex }) {
        const left = addresses.filter(({ intentIndex }) => intentIndex > afterIndex)
        const page = left.slice(0, 2)
        return {
          addresses: page,
          feePayer: { spent: BigInt(page.length) * 5_000n, repaid: 1n, rent: 10n },
          nextIndex: left.length > 2 ? (page.at(-1)?.intentIndex ?? null) : null,
        }
      },
    }
  }

  let audit: AuditServices

  beforeAll(async () => {
    service = await startTestService({
      services: {
        audit: { scope: (network) => audit.scope(network), page: (network, page) => audit.page(network, page) },
        statsAudit: { page: async () => ({ accounts: 0, differences: [], next: null }) },
        billingAudit: NO_BILLING,
        tokens: { list: async () => [SOL_TOKEN, USDC] },
      },
    })
  })
  afterAll(() => service.close())

  async function run(args: readonly string[], given: AuditServices, terminal: Partial<Terminal> = {}) {
    audit = given
    const out: string[] = []
    const err: string[] = []
    const code = await runOperator(
      ['--url', service.url, 'audit', ...args],
      { OPERATOR_TOKEN },
      { out: (line) => out.push(line), err: (line) => err.push(line), ...terminal },
    )
    return { code, out: out.join('\n'), err }
  }

  const clean = [sound(3, 0n), sound(5, 1_500_000n), sound(9, 2n ** 62n), sound(10, 0n, [SOL])]

  describe('an audit without a difference', () => {
    it('exits with 0 and prints one JSON object with the exact sums of all pages', async () => {
      const { code, out } = await run(['--json'], auditOf(clean))
      expect(code).toBe(0)
      const held = (2n ** 62n + 1_500_000n).toString()
      expect(out).toContain(`"ledger":${held},"chain":${held},"in_flight":0,"unbooked":0,"difference":0`)
      expect(JSON.parse(out)).toMatchObject({
        clean: true,
        networks: [
          {
            network: 'live',
            addresses: 4,
            assets: [
              { asset: 'SOL', addresses: 4, settled: 80, returned: 40 },
              { asset: MINT, addresses: 3, settled: 60, returned: 30 },
            ],
            fee_payer: { address: FEE_PAYER, spent: 20_000, repaid: 2, rent_returned: 20, funded: 1_000_019_978 },
          },
        ],
        differences: [],
      })
    })

    it('is a table for people, each asset in its own units, and says that nothing differs', async () => {
      const { out } = await run([], auditOf([sound(5, 1_500_000n)]))
      const [headers, lamports, tokens] = out.split('\n')
      expect(headers).toMatch(/^network +asset +addresses +ledger +chain +in flight +not booked +difference$/)
      expect(lamports).toMatch(/^live +SOL +1 +0\.0015 +0\.0015 +0 +0 +0$/)
      expect(tokens).toMatch(/^live +USDC +1 +1\.5 +1\.5 +0 +0 +0$/)
      expect(out).toContain(
        'holds 1 SOL: it was funded with 1.000004989 SOL, and spent 0.000005 SOL on fees and rent. ' +
          'Transfers in SOL repaid 0.000000001 SOL, and closed token accounts returned 0.00000001 SOL.',
      )
      expect(out).toContain('Every lamport and every token is accounted for.')
    })

    it('covers both networks where both are served, or the named network', async () => {
      const both = auditOf(clean, ['live', 'test'])
      const networks = async (...args: string[]) =>
        JSON.parse((await run([...args, '--json'], both)).out).networks.map(
          ({ network }: { network: Network }) => network,
        )
      expect(await networks()).toEqual(['live', 'test'])
      expect(await networks('--network', 'test')).toEqual(['test'])
    })
  })

  describe('a difference', () => {
    const [first, second] = [sound(5, 7n, [SOL]), sound(6, 7n, [MINT])]
    const balance = (audited: Audited, difference: bigint): Audited => ({
      ...audited,
      balances: audited.balances.map((one) => ({ ...one, chain: one.chain + difference, difference })),
    })

    it.each([
      [
        'more on the chain',
        balance(first, 9n),
        'balance',
        9,
        /a payment that was not booked.*audit again after a minute/,
      ],
      [
        'less on the chain',
        balance(first, -9n),
        'balance',
        -9,
        /send nothing from there any more.*When many differ at once, stop/,
      ],
      [
        'a flow',
        { ...first, flows: [{ ...sound(5, 7n, [SOL]).flows[0], difference: 4n }] } as Audited,
        'flow',
        4,
        /deposits and transfers of payment 5/,
      ],
      ['an address', { ...first, address: 'altered' }, 'address', null, /The seed gives .* from a backup/],
    ])('in %s exits with 1, and says where it is and what to do', async (_case, bent, kind, difference, next) => {
      const { code, out, err } = await run(['--json'], auditOf([sound(2, 1n), bent]))
      const message = 'one address differs: the books are not what the chain says'
      expect([code, JSON.parse(err.at(-1) ?? '')]).toEqual([1, { error: { code: 'differences_found', message } }])
      const answer = JSON.parse(out)
      expect(answer.clean).toBe(false)
      expect(answer.differences).toMatchObject([{ network: 'live', intent_index: 5, kind, difference }])
      expect(answer.differences[0].next).toMatch(next)
    })

    it('is not cancelled out by an opposite difference', async () => {
      const { code, out } = await run(
        [],
        auditOf([balance(first, 9n), balance(second, -9n), balance(sound(8, 0n, [SOL]), -9n)]),
      )
      expect(code).toBe(1)
      expect(out).toMatch(/^ {2}- live payment 5, \S+, 0\.000000009 SOL\. The chain holds more/m)
      expect(out).toMatch(/^ {2}- live payment 6, \S+, -0\.000009 USDC\. The chain holds less/m)
      expect(out).not.toContain('is accounted for')
    })
  })

  describe('a token in an account that is not watched, and that is not in the books', () => {
    const first = sound(5, 7n, [MINT])
    const account = addressNo(77)
    const other = { account, asset: MINT, ledger: 0n, chain: 40n, inFlight: 0n, unbooked: 40n, difference: 0n }
    const given = auditOf([{ ...first, balances: [...first.balances, other] }])

    it('is listed separately, and the exit code is 0', async () => {
      const { code, out } = await run(['--json'], given)
      expect(code).toBe(0)
      expect(JSON.parse(out)).toMatchObject({
        clean: true,
        networks: [{ assets: [{ asset: MINT, ledger: 7, chain: 47, unbooked: 40, difference: 0 }] }],
        differences: [],
        unbooked: [{ network: 'live', intent_index: 5, account, asset: MINT, amount: 40 }],
      })
    })

    it('has its account and amount in the text for people', async () => {
      const { out } = await run([], given)
      expect(out).toMatch(/^live +USDC +2 +0\.000007 +0\.000047 +0 +0\.00004 +0$/m)
      expect(out).toContain(`  - live payment 5, ${account}, 0.00004 USDC`)
      expect(out).toContain('Every lamport and every token is accounted for.')
    })
  })

  describe('what cannot be audited', () => {
    it('exits with 3 when the chain is unreachable, without a result', async () => {
      const away = () => Promise.reject(new ServiceError('chain_unavailable'))
      expect(await run(['--json'], { ...auditOf(clean), page: away })).toMatchObject({ code: 3, out: '' })
    })

    it('exits with 1 when the network is not served', async () => {
      const { code, out, err } = await run(['--network', 'test'], auditOf(clean))
      expect([code, out, err]).toEqual([1, '', ['this deployment does not serve that network']])
    })
  })

  describe('while it runs', () => {
    it('a terminal shows a bar that disappears at the end', async () => {
      const drawn: string[] = []
      await run(['--json'], auditOf(clean), { redraw: (text) => drawn.push(text) })
      expect(drawn).toEqual([
        `\r\x1b[KAuditing the live network [${'#'.repeat(15)}${'-'.repeat(15)}] 50%  2 of 4`,
        `\r\x1b[KAuditing the live network [${'#'.repeat(30)}] 100%  4 of 4`,
        '\r\x1b[K',
      ])
    })

    it('without a terminal it is a line with the percentage, separate from the result', async () => {
      const { err } = await run(['--json'], auditOf(clean))
      expect(err).toEqual(['Auditing the live network: 50%, 2 of 4', 'Auditing the live network: 100%, 4 of 4'])
    })

    it('at most one line for every ten percent', () => {
      const lines: string[] = []
      const progress = createProgress('Walking', null, (line) => lines.push(line))
      for (let at = 0; at <= 1_000; at += 1) progress.at(at, 1_000)
      expect(lines).toHaveLength(11)
    })
  })

  describe('over a real database', () => {
    let db: Database
    beforeAll(async () => {
      db = await openTestDatabase()
    })
    afterAll(() => db.close())

    it('a planted entry changes the exit code from 0 to 1', async () => {
      const keys = createDepositKeys(new Uint8Array(64).fill(3))
      const chain = {
        readAccounts: async (accounts: readonly unknown[]) => ({ slot: 900n, states: accounts.map(() => null) }),
        tokenAccounts: async () => [],
      }
      const given = createAuditServices({
        audit: createAuditStore(db),
        halts: createHaltStore(db),
        wallClock: { now: () => NOW },
        keys,
        directory: { tokens: async () => new Map([[SOL, SOL_TOKEN]]) },
        networks: { live: { chain, feePayer: FEE_PAYER }, test: null },
      })
      const accountId = await addAccount(db)
      const [account] = await db.query<{ index: number }>('SELECT derivation_index AS index FROM accounts')
      const address = keys.addressOf({ network: 'live', branch: 'deposit', account: account?.index ?? 0, intent: 40 })
      await db.query(
        `INSERT INTO payment_intents (id, network, account_id, caller_account_id, derivation_index, address,
         client_secret_hash, price_usd_cents, accepted_assets, payee_label, expires_at)
       VALUES (gen_random_uuid(), 'live', $1, $1, 40, $2, $3, 2500, '{SOL}', 'Corner Shop', now())`,
        [accountId, address, randomBytes(32)],
      )
      expect(await run([], given)).toMatchObject({ code: 0 })
      await db.query(
        `INSERT INTO ledger_entries (network, address, account, asset, delta, signature, slot, kind)
       VALUES ('live', $1, $1, 'SOL', 12345, $2, 5, 'deposit')`,
        [address, signatureNo(1)],
      )
      const { code, out } = await run([], given)
      expect(code).toBe(1)
      expect(out).toContain(`live payment 40, ${address}, -0.000012345 SOL.`)
    })
  })
})

// The audit compares charges, subscriptions and allowances, and finds each row that was altered.
describe('the audit of billing', () => {
  const DOLLAR = 1_000_000n
  const PLATFORM_ACCOUNT = addressNo(9_506)

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
})

// The audit recounts figures from payments, transfers and charges, and finds each figure that was altered.
describe('the audit of figures', () => {
  beforeAll(async () => {
    db = await openTestDatabase()
    const noLamports = makeLamports(0n)
    service = await startTestService({
      services: {
        statsAudit: createStatsAudit({ statsAudit: createStatsAuditStore(db) }),
        audit: {
          scope: async (network) =>
            network === 'live' ? { addresses: 0, feePayer: FEE_PAYER, feePayerLamports: noLamports } : null,
          page: async () => ({
            addresses: [],
            feePayer: { spent: 0n, repaid: 0n, rent: 0n },
            nextIndex: null,
          }),
        },
        billingAudit: NO_BILLING,
        tokens: { list: async () => [] },
      },
    })
  })
  afterAll(async () => {
    await service.close()
    await db.close()
  })

  /** A marketplace with three payments for one seller in two months: two of them are swept. */
  beforeEach(async () => {
    await db.query('TRUNCATE payment_intents, stats_deltas, stats_rollups CASCADE')
    await db.query('DELETE FROM accounts')
    const stores = storesOf(db)
    const marketplace = await addBusiness(db)
    const { accountId } = await addBusiness(db, 'live', marketplace.accountId)
    const pay = async (createdAt: string) => {
      const payment = await addIntent(stores, marketplace, { accountId, createdAt: new Date(createdAt) })
      const legs = [leg('seller', PLATFORM, 900_000n), leg('marketplace', MARKETPLACE, 100_000n)]
      await planSweepOf(stores, payment, { legs })
      return payment.id
    }
    await addIntent(stores, marketplace, { accountId, createdAt: new Date('2026-09-01T00:00:00Z') })
    for (const id of [await pay('2026-11-01T00:07:00Z'), await pay('2026-11-01T09:00:00Z')]) {
      await db.query(
        `UPDATE transfer_legs SET moved_amount = amount WHERE transfer_id IN (SELECT id FROM transfers WHERE intent_id = $1)`,
        [id],
      )
      await db.query(`UPDATE transfers SET status = 'done' WHERE intent_id = $1`, [id])
      await db.query(
        `UPDATE payment_intents SET status = 'swept', asset = 'SOL', asset_decimals = 9, expected_amount = 1000000,
         settlement = jsonb_build_object('legs', (SELECT jsonb_agg(jsonb_build_object('role', role, 'amount', amount::text))
           FROM transfer_legs JOIN transfers ON transfers.id = transfer_id WHERE intent_id = $1)) WHERE id = $1`,
        [id],
      )
    }
  })

  const compact = () => createStatsRollupStore(db).compact(1_000)

  async function run(...args: readonly string[]) {
    const out: string[] = []
    const err: string[] = []
    const terminal = { out: (line: string) => out.push(line), err: (line: string) => err.push(line) }
    const code = await runOperator(['--url', service.url, 'audit', ...args], { OPERATOR_TOKEN }, terminal)
    return { code, out: out.join('\n'), err: err.join('\n') }
  }

  it('an audit recounts the figures, whether or not they are compacted', async () => {
    const sentence = 'The figures of 2 businesses and sellers equal a recount.'
    expect(await run()).toMatchObject({ code: 0, out: expect.stringContaining(sentence) })
    await compact()
    expect(await run()).toMatchObject({ code: 0, out: expect.stringContaining(sentence) })
    expect(JSON.parse((await run('--json')).out)).toMatchObject({
      clean: true,
      stats: { accounts: 2, differences: [] },
    })
  })

  it.each([
    [
      'a lost change',
      `DELETE FROM stats_deltas WHERE status = 'swept' AND id = (SELECT max(id) FROM stats_deltas)`,
      'swept -1',
    ],
    ['an altered count', 'UPDATE stats_rollups SET cancelled = cancelled + 1 WHERE span = 900', 'cancelled 2'],
    [
      'an altered amount',
      `UPDATE stats_rollups SET fee_revenue = 0 WHERE span = 86400 AND asset = 'SOL'`,
      'fee_revenue -200000',
    ],
    [
      'an altered count of the longest span',
      'UPDATE stats_rollups SET swept = swept - 1 WHERE span = 1382400 AND swept > 0',
      'spans of 1382400 s, SOL: swept -1',
    ],
    [
      'a leg that moved less',
      `UPDATE transfer_legs SET moved_amount = 1 WHERE role = 'marketplace'`,
      'fee_revenue 199998',
    ],
  ])('an audit exits with 1 for %s, and names the figure', async (_case, change, figure) => {
    if (change.includes('rollups')) await compact()
    await db.query(change)
    const { code, out, err } = await run()
    expect([code, err]).toEqual([1, expect.stringMatching(/figures differ from a recount$/)])
    expect(out).toContain(figure)
  })

  it('a rebuild counts every figure again', async () => {
    await compact()
    await db.query('UPDATE stats_rollups SET swept = 7, volume = 0')
    expect((await run()).code).toBe(1)
    await db.query('SELECT rebuild_stats()')
    expect((await run()).code).toBe(0)
  })
})
