// A decision is applied completely or not at all, and only while its facts are unchanged.
import { randomUUID } from 'node:crypto'
import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { Database } from '#adapters/prisma/engine/database.ts'
import { DELIVERIES_DUE, INTENT_CHANGED, TRANSFERS_DUE } from '#adapters/prisma/engine/notices.ts'
import type { Tenant } from '#core/accounts/account.ts'
import { SOL } from '#core/chain/types.ts'
import { makeBasisPoints } from '#core/money/amounts.ts'
import { type IntentChange, moveTo, startChange, step } from '#core/payments/change.ts'
import { SHOWN_WHOLE } from '#core/payments/intent-values.ts'
import { INTENT_STATUSES, intentFromJson, type PaymentIntent } from '#core/payments/payment-intent.ts'
import type { ExpiredIntent } from '#ports/payments.ts'
import { describeOnBothEngines, emptyTables } from '../../../support/database.ts'
import { MERCHANT, MINT, pendingIntent } from '../../../support/example-intent.ts'
import {
  addressNo,
  BUYER,
  choice,
  deposit,
  depositAuthority,
  FEE_PAYER,
  later,
  leg,
  NOW,
  signatureNo,
  UNKNOWN_MINT,
  units,
} from '../../../support/payment.ts'
import {
  addBusiness,
  addIntent,
  claimAll,
  nextNumber,
  patchIntent,
  planSweepOf,
  type Stores,
  storesOf,
} from '../../../support/stores.ts'
import { until } from '../../../support/until.ts'
import { addEndpoint } from '../../../support/webhook-rows.ts'

describeOnBothEngines('the change store', (open) => {
  let db: Database
  let stores: Stores
  let tenant: Tenant
  let intent: PaymentIntent
  beforeAll(async () => {
    db = await open()
    stores = storesOf(db)
  })
  beforeEach(async () => {
    await emptyTables(db, 'accounts', 'ledger_entries')
    tenant = await addBusiness(db)
    intent = await addIntent(stores, tenant)
  })

  const facts = async (id = intent.id) => {
    const known = await stores.work.facts(id)
    if (known === null) throw new Error('no facts')
    return known
  }
  const counts = async () => {
    const [row] = await db.query<Record<string, bigint>>(
      `SELECT (SELECT count(*) FROM deposits) AS deposits, (SELECT count(*) FROM ledger_entries) AS ledger,
         (SELECT count(*) FROM transfers) AS transfers, (SELECT count(*) FROM events WHERE type <> 'intent.created') AS events,
         (SELECT count(*) FROM webhook_deliveries) AS deliveries`,
    )
    return Object.fromEntries(Object.entries(row ?? {}).map(([name, count]) => [name, Number(count)]))
  }
  /** A change with every optional part. */
  const everything = (patch: Partial<IntentChange> = {}): IntentChange => {
    const number = 20_000 + nextNumber()
    const place = { intentId: intent.id, account: intent.address, signature: signatureNo(number) }
    const paid = moveTo(
      startChange(intent),
      'paid',
      { selection: choice(SOL, 9n), received: units(9n), refundSender: BUYER },
      NOW,
    )
    return {
      ...moveTo(paid, 'settling', {}, NOW),
      deposits: [deposit(number, 9n, { ...place })],
      ledger: [
        {
          network: 'live',
          address: intent.address,
          account: intent.address,
          asset: SOL,
          delta: 9n,
          signature: place.signature,
          slot: 1n,
          kind: 'deposit',
          subjectId: intent.id,
          transferId: null,
        },
      ],
      transfers: [
        {
          key: `sweep:intent:${intent.derivationIndex}:1`,
          portion: 'main',
          sourceAccount: null,
          kind: 'sweep',
          network: 'live',
          accountId: intent.accountId,
          subject: { kind: 'payment', id: intent.id },
          source: intent.address,
          authority: depositAuthority(intent.address, 1, intent.derivationIndex),
          asset: SOL,
          decimals: 9,
          tokenProgram: null,
          round: 1,
          legs: [leg('merchant', MERCHANT, 8n), leg('network_fee', FEE_PAYER, 1n, 25)],
        },
      ],
      ...patch,
    }
  }

  describe('a change', () => {
    test('is read back as decided: intent, deposits, transfers and payee', async () => {
      const change = everything()
      expect(await stores.work.apply(change)).toBe(true)
      expect(await facts()).toEqual({
        intent: change.after,
        payee: { accountIndex: expect.any(Number), sweepDestination: null, marketplace: null },
        deposits: change.deposits,
        transfers: [
          {
            ...change.transfers[0],
            id: expect.any(String),
            moved: [null, null],
            status: 'planned',
            reason: null,
            attemptCount: 0,
            fence: 0n,
            signature: null,
            createdAt: expect.any(Date),
            plannedVersion: change.after.version,
            doneAt: null,
          },
        ],
      })
      expect(await counts()).toEqual({ deposits: 1, ledger: 1, transfers: 1, events: 2, deliveries: 0 })
    })

    test('keeps deposits and legs exactly, up to the largest amount of a chain', async () => {
      const change = everything()
      const most = units(2n ** 64n - 1n)
      const deposits = change.deposits.map((one) => ({ ...one, amount: most, slot: 2n ** 53n + 1n }))
      const transfers = change.transfers.map((one) => ({ ...one, legs: [leg('merchant', MERCHANT, most)] }))
      await stores.work.apply({ ...change, deposits, transfers, ledger: [] })
      const read = await facts()
      expect(read?.deposits).toEqual(deposits)
      expect(read?.transfers.map(({ legs }) => legs)).toEqual(transfers.map(({ legs }) => legs))
    })

    test('gives a buyer the newest deposits that count, the oldest first', async () => {
      const change = everything()
      const deposits = change.deposits.flatMap((one) =>
        [3n, 1n, 2n, 4n].map((slot) => ({
          ...one,
          slot,
          signature: signatureNo(900_000 + Number(slot)),
          use: slot === 4n ? ('late' as const) : one.use,
        })),
      )
      await stores.work.apply({ ...change, deposits, ledger: [] })
      const counted = await stores.checkout.countedDeposits(change.after.id, 2)
      expect(counted.map(({ slot }) => slot)).toEqual([2n, 3n])
    })

    test('gives transfers in the order of their planning, also when the clock of the first instance was ahead', async () => {
      const first = everything()
      await stores.work.apply(first)
      const behind = new Date(NOW.getTime() - 86_400_000)
      const [sweep] = first.transfers
      if (sweep === undefined) throw new Error('no sweep')
      const refund = { ...sweep, key: 'another', kind: 'refund' as const, asset: MINT }
      await stores.work.apply({ ...step(startChange(first.after), {}, behind, null), transfers: [refund] })
      const { transfers } = await facts()
      expect(transfers.map(({ key, createdAt }) => [key, createdAt])).toEqual([
        [sweep.key, NOW],
        ['another', behind],
      ])
    })

    test('plans transfers at its own time, by the clock that saw their deposits', async () => {
      await stores.changes.apply(everything())
      const facts = await stores.work.facts(intent.id)
      expect(facts?.transfers.map(({ createdAt }) => createdAt)).toEqual([NOW])
    })

    test('keeps every status, the largest amounts, and lists and settlements exactly', async () => {
      const huge = units(2n ** 64n - 1n)
      const settlement = {
        asset: 'SOL',
        decimals: 9,
        destinationAmount: huge,
        platformFeeAmount: units(1n),
        pendingAmount: units(1n),
        signatures: [signatureNo(1)],
        legs: [
          {
            ...leg('merchant', MERCHANT, 2n ** 64n - 1n, 25),
            mint: MINT,
            asset: 'X',
            decimals: 6,
            signature: signatureNo(1),
          },
        ],
      }
      let known = intent
      for (const status of INTENT_STATUSES) {
        const patch = {
          status,
          statusReason: `why ${status}`,
          selection: choice(MINT, 2n ** 64n - 1n),
          received: huge,
          settlement,
          refunds: [{ mint: MINT, amount: huge, signatures: [signatureNo(3)] }],
          tokenRefunds: [{ mint: MINT, status: 'failed' as const, amount: huge, refund: null }],
          latePayments: [
            {
              mint: null,
              amount: huge,
              status: 'held' as const,
              signature: signatureNo(2),
              count: 2,
              refund: { amount: huge, signatures: [signatureNo(3)] },
            },
          ],
          listTotals: { ...SHOWN_WHOLE, held: { count: 21, totals: [{ mint: MINT, amount: huge, count: 21 }] } },
        }
        known = await patchIntent(stores.work, known, patch)
        expect((await facts()).intent).toEqual(known)
      }
    })

    test('is applied only while the intent is unchanged since it was read', async () => {
      const change = everything()
      await patchIntent(stores.work, intent, {})
      expect(await stores.work.apply(change)).toBe(false)
      expect(await counts()).toEqual({ deposits: 0, ledger: 0, transfers: 0, events: 0, deliveries: 0 })
    })

    test('is the only applied change of those decided from the same state', async () => {
      const changes = Array.from({ length: 10 }, (_, at) => ({
        ...step(startChange(intent), { received: units(BigInt(at) + 1n) }, NOW, 'intent.underpaid'),
      }))
      const applied = await Promise.all(changes.map((change) => stores.work.apply(change)))
      expect(applied.filter(Boolean)).toHaveLength(1)
      expect((await facts()).intent.received).toBe(BigInt(applied.indexOf(true)) + 1n)
      expect((await counts()).events).toBe(1)
    })

    test('of an unknown intent changes nothing', async () => {
      expect(await stores.work.apply(everything({ before: { ...intent, id: randomUUID() } }))).toBe(false)
    })
  })

  describe('all or nothing', () => {
    test.each<[string, () => Promise<IntentChange> | IntentChange]>([
      [
        'an event that cannot be staged, as the last part',
        () => {
          const change = everything()
          // PostgreSQL cannot store such a text, and the service never writes one.
          return {
            ...change,
            events: [...change.events, { type: 'intent.paid', intent: { ...intent, payeeLabel: '\0' } }],
          }
        },
      ],
      [
        'a transfer whose key exists',
        async () => {
          const other = await addIntent(stores, tenant)
          const { transfers } = everything()
          await stores.work.apply({
            ...startChange(other),
            transfers: transfers.map((one) => ({ ...one, intentId: other.id })),
          })
          return everything()
        },
      ],
      ['an invalid amount', () => everything({ deposits: [deposit(1, 0n, { intentId: intent.id })] })],
    ])('%s rolls everything else back', async (_, make) => {
      const change = await make()
      const before = await counts()
      await expect(stores.work.apply(change)).rejects.toThrow()
      expect(await counts()).toEqual(before)
      expect((await facts()).intent).toEqual(intent)
    })

    test('an attempt’s end that is already booked rolls everything else back, and requires a new reading', async () => {
      const settling = await planSweepOf(stores, intent)
      const [leased] = await claimAll(stores.transfers)
      if (leased === undefined) throw new Error('nothing was claimed')
      const before = await counts()
      const change: IntentChange = {
        ...moveTo(startChange(settling), 'swept', {}, NOW),
        ledger: everything().ledger,
        outcome: {
          attemptId: randomUUID(),
          transferId: leased.transfer.id,
          fence: leased.lease.fence,
          attemptState: 'final_ok',
          transferStatus: 'done',
          reason: null,
          signature: signatureNo(3),
          slot: 1n,
          moved: [],
          at: NOW,
        },
      }
      expect(await stores.work.apply(change)).toBe(false)
      expect(await counts()).toEqual(before)
      expect((await facts()).intent.status).toBe('settling')
    })
  })

  describe('a deposit', () => {
    const place = () => ({ intentId: intent.id, account: intent.address })
    const store = async (...deposits: ReturnType<typeof deposit>[]) => {
      const known = (await facts()).intent
      expect(await stores.work.apply({ ...step(startChange(known), {}, later(9), null), deposits })).toBe(true)
    }

    test('is one for each transaction, account and asset, however often it is reported', async () => {
      const first = deposit(1, 5n, place())
      const token = { asset: UNKNOWN_MINT, use: 'unaccepted' } as const
      await store(
        first,
        deposit(1, 6n, { ...place(), ...token }),
        deposit(1, 7n, { ...place(), ...token, account: addressNo(3) }),
      )
      await store({ ...first, use: 'late' })
      expect((await facts()).deposits.map(({ amount, use }) => [amount, use])).toEqual(
        expect.arrayContaining([
          [5n, 'late'],
          [6n, 'unaccepted'],
          [7n, 'unaccepted'],
        ]),
      )
      expect((await facts()).deposits).toHaveLength(3)
    })

    test('stays as it was read when it is stored again, except its use and its senders', async () => {
      const first = deposit(1, 5n, place())
      await store(first)
      const senders = [{ address: addressNo(4), amount: units(4n), obstacle: 'frozen_account' as const }]
      await store({ ...first, amount: units(4n), slot: 77n, seenAt: later(99), use: 'late', senders })
      expect((await facts()).deposits).toEqual([{ ...first, use: 'late', senders }])
    })
  })

  describe('the ledger', () => {
    test('has one entry for each transaction, account and asset, however often it is reported', async () => {
      const change = everything()
      await stores.work.apply({ ...change, ledger: [...change.ledger, ...change.ledger] })
      const again = step(startChange(change.after), {}, NOW, null)
      await stores.work.apply({ ...again, ledger: change.ledger.map((entry) => ({ ...entry, delta: 99n })) })
      expect(await db.query('SELECT delta FROM ledger_entries')).toEqual([{ delta: '9' }])
    })

    test.each(['UPDATE ledger_entries SET delta = 0', 'DELETE FROM ledger_entries'])(
      'is append-only: %s',
      async (sql) => {
        await stores.work.apply(everything())
        await expect(db.query(sql)).rejects.toThrow('ledger entries are never changed or removed')
      },
    )

    test('keeps the sign of outgoing amounts, and the largest amounts', async () => {
      const change = everything()
      const entries = change.ledger.map((entry) => ({ ...entry, delta: -(2n ** 64n - 1n) }))
      await stores.work.apply({ ...change, ledger: entries })
      expect(await db.query('SELECT delta FROM ledger_entries')).toEqual([{ delta: '-18446744073709551615' }])
    })
  })

  describe('the legs of a transfer', () => {
    test.each([
      `UPDATE transfer_legs SET destination = 'elsewhere'`,
      'UPDATE transfer_legs SET amount = amount + 1',
      `UPDATE transfer_legs SET role = 'refund'`,
      'UPDATE transfer_legs SET position = position + 5',
      'UPDATE transfer_legs SET fee_bps = 9000',
      'DELETE FROM transfer_legs',
    ])('never change after they are planned: %s', async (sql) => {
      await stores.work.apply(everything())
      await expect(db.query(sql)).rejects.toThrow('the legs of a transfer are frozen')
    })

    const addLeg = `INSERT INTO transfer_legs (transfer_id, position, role, destination, amount)
      SELECT id, 99, 'merchant', '${MERCHANT}', 1 FROM transfers`

    test('can be added before the transfer is started, and never afterwards', async () => {
      await stores.work.apply(everything())
      await db.query(addLeg)
      await claimAll(stores.transfers)
      await expect(db.query(addLeg.replace('99', '100'))).rejects.toThrow(
        'a transfer that was started gets no more legs',
      )
    })

    test('cannot be added to a transfer that is planned again after an attempt', async () => {
      await stores.work.apply(everything())
      await db.query(`INSERT INTO transfer_attempts (transfer_id, number, state, source, message, blockhash,
        last_valid_block_height, known_signature, fence) SELECT id, 1, 'dead', source, '', '', 1, '', 1 FROM transfers`)
      await expect(db.query(addLeg)).rejects.toThrow('a transfer that was started gets no more legs')
    })

    test('store the moved amounts', async () => {
      await stores.work.apply(everything())
      await db.query('UPDATE transfer_legs SET moved_amount = 3')
      expect((await facts()).transfers[0]?.moved).toEqual([3n, 3n])
    })
  })

  describe('the subject of a transfer', () => {
    test.each([
      "key = 'sweep:intent:0:0'",
      "network = 'test'",
      "kind = 'refund'",
      'account_id = gen_random_uuid()',
      'intent_id = NULL',
      "source = 'elsewhere'",
      "source_account = 'elsewhere'",
      "subject_kind = 'rent'",
      "authority = 'elsewhere'",
      "authority_key = 'deposit/7/7'",
      "asset = 'another'",
      'decimals = 3',
      "token_program = 'another'",
      'round = 9',
    ])('never changes: %s', async (assignment) => {
      await stores.work.apply(everything())
      await expect(db.query(`UPDATE transfers SET ${assignment}`)).rejects.toThrow(
        'what a transfer is about never changes',
      )
    })
  })

  describe('the events of a change', () => {
    const events = async () =>
      await db.query<{ type: string; data: unknown; account_id: string; sequence: bigint; endpoint_id: string | null }>(
        `SELECT events.type, data, events.account_id, events.sequence, endpoint_id FROM events
         LEFT JOIN webhook_deliveries ON event_id = events.id WHERE events.type <> 'intent.created' ORDER BY events.sequence`,
      )

    test('are staged with the state of the intent at each step, in order, and a delivery for the endpoint', async () => {
      const endpoint = await addEndpoint(db, tenant.accountId)
      const change = everything()
      await stores.work.apply(change)
      const staged = await events()
      expect(staged.map(({ type, endpoint_id }) => [type, endpoint_id])).toEqual([
        ['intent.paid', endpoint],
        ['intent.settling', endpoint],
      ])
      expect(staged.map(({ data }) => intentFromJson(data))).toEqual(change.events.map((event) => event.intent))
    })

    test('go to enabled endpoints that subscribe to them, and to no other business', async () => {
      const all = await addEndpoint(db, tenant.accountId, 'https://all.example/')
      const some = await addEndpoint(db, tenant.accountId, 'https://some.example/')
      const none = await addEndpoint(db, tenant.accountId, 'https://none.example/')
      await addEndpoint(db, (await addBusiness(db)).accountId)
      await db.query(`UPDATE webhook_endpoints SET event_types = '{intent.paid}' WHERE id = $1`, [some])
      await db.query('UPDATE webhook_endpoints SET disabled_at = now() WHERE id = $1', [none])
      await stores.work.apply(everything())
      const queued = (await events()).map(({ type, endpoint_id }) => `${type} ${endpoint_id}`)
      expect(queued.sort()).toEqual([`intent.paid ${all}`, `intent.paid ${some}`, `intent.settling ${all}`].sort())
    })

    test('do not include a change without an event: no endpoint receives one, and only a seller’s payment has an entry', async () => {
      const seller = await addBusiness(db, 'live', tenant.accountId)
      await addEndpoint(db, tenant.accountId)
      const sold = await addIntent(stores, tenant, {
        accountId: seller.accountId,
        marketplaceFeeBps: makeBasisPoints(250),
      })
      for (const payment of [intent, sold]) await patchIntent(stores.work, payment, { received: units(1n) })
      const staged = await events()
      expect(staged.map(({ type, account_id, endpoint_id }) => [type, account_id, endpoint_id])).toEqual([
        ['intent.updated', seller.accountId, null],
      ])
    })

    test('of a seller’s payment belong to the seller, and go to its marketplace', async () => {
      const seller = await addBusiness(db, 'live', tenant.accountId)
      const ours = await addEndpoint(db, tenant.accountId)
      await addEndpoint(db, seller.accountId)
      intent = await addIntent(stores, tenant, { accountId: seller.accountId, marketplaceFeeBps: makeBasisPoints(250) })
      await db.query('DELETE FROM webhook_deliveries')
      await stores.work.apply(everything())
      const staged = await events()
      expect(new Set(staged.map(({ account_id }) => account_id))).toEqual(new Set([seller.accountId]))
      expect(new Set(staged.map(({ endpoint_id }) => endpoint_id))).toEqual(new Set([ours]))
      expect(await facts()).toMatchObject({ payee: { marketplace: { feeDestination: null } } })
    })

    test('send notices when the change is applied, and none otherwise', async () => {
      const notices: string[] = []
      const stop = [
        await db.listen(INTENT_CHANGED, (id) => notices.push(id)),
        await db.listen(DELIVERIES_DUE, () => notices.push('delivery')),
        await db.listen(TRANSFERS_DUE, () => notices.push('transfer')),
      ]
      await addEndpoint(db, tenant.accountId)
      const change = everything()
      await stores.work.apply({ ...change, before: { ...intent, version: 9 } })
      await expect(
        stores.work.apply({ ...change, deposits: [deposit(1, 0n, { intentId: intent.id })] }),
      ).rejects.toThrow()
      await stores.work.apply(change)
      await until(() => new Set(notices).size >= 3)
      // A payment that another test has created can still send its notice of a delivery.
      expect(new Set(notices)).toEqual(new Set([intent.id, 'delivery', 'transfer']))
      await Promise.all(stop.map((end) => end()))
    })

    test('send no notice of transfers or deliveries without a plan', async () => {
      const notices: string[] = []
      const stop = [
        await db.listen(INTENT_CHANGED, () => notices.push('change')),
        await db.listen(DELIVERIES_DUE, () => notices.push('delivery')),
        await db.listen(TRANSFERS_DUE, () => notices.push('transfer')),
      ]
      await stores.work.apply({ ...everything(), transfers: [], ledger: [], outcome: null, statusOverride: null })
      await until(() => notices.length > 0)
      await patchIntent(stores.work, everything().after, {})
      await until(() => notices.length > 1)
      expect(notices).toEqual(['change', 'change'])
      await Promise.all(stop.map((end) => end()))
    })

    describe('a status override of a transfer', () => {
      const takeUp = async (status: string, attempt?: string) => {
        const planned = await planSweepOf(stores, intent)
        const [transfer] = (await facts()).transfers
        if (transfer === undefined) throw new Error('it was planned')
        const { id: transferId, source } = transfer
        await db.query(
          `UPDATE transfers SET status = $2::transfer_status, fence = 4, reason = 'because' WHERE id = $1`,
          [transferId, status],
        )
        if (attempt !== undefined)
          await db.query(
            `INSERT INTO transfer_attempts (transfer_id, number, state, source, message, wire, signature, blockhash,
               last_valid_block_height, known_signature, fence)
             VALUES ($1, 1, $2::attempt_state, $3, $4, $4, $5, 'hash', 1, 'known', 4)`,
            [transferId, attempt, source, new Uint8Array(8), randomUUID()],
          )
        const statusOverride = { transferId, status: 'planned', reason: null, fence: null } as const
        return await stores.work.apply({ ...step(startChange(planned), {}, later(9), null), statusOverride })
      }

      test.each(['failed', 'held'])('that is %s ends the lease of its worker', async (status) => {
        expect(await takeUp(status, 'dead')).toBe(true)
        const columns = 'status::text, reason, next_attempt_at, lease_until, done_at, fence'
        expect(await db.query(`SELECT ${columns} FROM transfers`)).toEqual([
          {
            status: 'planned',
            reason: null,
            next_attempt_at: later(9),
            lease_until: null,
            done_at: null,
            fence: 5n,
          },
        ])
      })

      test.each(['planned', 'in_progress', 'done'])('is not applied to a transfer that is %s', async (status) => {
        expect(await takeUp(status)).toBe(false)
      })

      test('is not applied to a transfer that once succeeded, which would pay twice', async () => {
        expect(await takeUp('held', 'final_ok')).toBe(false)
      })
    })

    test('lists when its asset was selected, the newest first, and of no other intent', async () => {
      const chosenAt = (intentId: string, most = 10) => stores.work.selectionTimes(intentId, most)
      const other = await addIntent(stores, tenant)
      expect(await chosenAt(intent.id)).toEqual([])
      const first = step(startChange(intent), { selection: choice(SOL, 9n) }, NOW, 'intent.token_selected')
      const second = step(first, { selection: choice(SOL, 8n) }, later(1_000), 'intent.token_selected')
      expect(await stores.work.apply(moveTo(second, 'cancelled', {}, later(2_000)))).toBe(true)
      expect(await chosenAt(intent.id)).toEqual([later(1_000), NOW])
      expect(await chosenAt(intent.id, 1)).toEqual([later(1_000)])
      expect(await chosenAt(other.id)).toEqual([])
    })

    test('keeps its events in order', async () => {
      const change = everything()
      const types = ['intent.paid', 'intent.settling', 'intent.late_payment', 'intent.swept'] as const
      await stores.work.apply({ ...change, events: types.map((type) => ({ type, intent: change.after })) })
      const rows = await db.query<{ type: string }>('SELECT type FROM events WHERE intent_id = $1 ORDER BY sequence', [
        intent.id,
      ])
      expect(rows.map(({ type }) => type).filter((type) => type !== 'intent.created')).toEqual(types)
    })
  })

  describe('the reads of workers', () => {
    test('the watch list has pages by index, open and ended separately, for one network at a time', async () => {
      const rows = [intent]
      for (let count = 0; count < 4; count += 1) rows.push(await addIntent(stores, tenant))
      await patchIntent(stores.work, rows[1] ?? intent, { status: 'swept' })
      await addIntent(stores, await addBusiness(db, 'test'))
      const list = async (open: boolean) => {
        const indexes: number[] = []
        for (let afterIndex = 0; ; ) {
          const page = await stores.work.watchList('live', { afterIndex, limit: 2, open })
          indexes.push(...page.map(({ derivationIndex }) => derivationIndex))
          const last = page.at(-1)
          if (last === undefined || page.length < 2) return indexes
          afterIndex = last.derivationIndex
        }
      }
      const open = rows.filter((_, at) => at !== 1).map(({ derivationIndex }) => derivationIndex)
      expect(await list(true)).toEqual(open)
      expect(await list(false)).toEqual([rows[1]?.derivationIndex])
      expect(await stores.work.watched([intent.id, randomUUID()])).toMatchObject([
        {
          id: intent.id,
          version: intent.version,
          network: 'live',
          address: intent.address,
          acceptedAssets: [SOL],
          asset: null,
          status: 'pending',
        },
      ])
    })

    test('expired intents are pending and underpaid intents past their window, the oldest first', async () => {
      const end = pendingIntent.expiresAt.getTime()
      const ending = async (ms: number) => await addIntent(stores, tenant, { expiresAt: new Date(end + ms) })
      const [late, early, underpaid, swept] = [await ending(-1), await ending(-3), await ending(-2), await ending(-4)]
      await patchIntent(stores.work, underpaid, { status: 'underpaid' })
      await patchIntent(stores.work, swept, { status: 'swept' })
      const inOrder = [early, underpaid, late].map(({ id, expiresAt }) => ({ id, expiresAt }))
      const all = { after: null, limit: 9 }
      expect(await stores.work.expired('live', new Date(end), all)).toEqual(inOrder)
      expect(await stores.work.expired('live', new Date(end), { after: null, limit: 1 })).toEqual(inOrder.slice(0, 1))
      expect(await stores.work.expired('test', new Date(end), all)).toEqual([])
    })

    test('expired intents are read in pages without a gap or a repeat, also where many end at the same time', async () => {
      const end = pendingIntent.expiresAt
      const before = new Date(end.getTime() + 1)
      const added = await Promise.all(Array.from({ length: 7 }, () => addIntent(stores, tenant, { expiresAt: end })))
      const read: string[] = []
      for (let after: ExpiredIntent | null = null; ; ) {
        const page: readonly ExpiredIntent[] = await stores.work.expired('live', before, { after, limit: 3 })
        read.push(...page.map(({ id }) => id))
        after = page.at(-1) ?? null
        if (after === null) break
      }
      expect(read.filter((id) => added.some((intent) => intent.id === id))).toHaveLength(7)
      expect(new Set(read).size).toBe(read.length)
    })

    test('facts of an unknown intent are null', async () => {
      expect(await stores.work.facts(randomUUID())).toBeNull()
    })
  })
})
