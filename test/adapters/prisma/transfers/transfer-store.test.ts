// Leases, fences and attempts: the writes of the money protocol. The stores in memory, which tests of services use,
// follow the same rules.
import { randomUUID } from 'node:crypto'
import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { createHaltStore } from '#adapters/prisma/audit/halt-store.ts'
import type { Database } from '#adapters/prisma/engine/database.ts'
import { createTransferStore } from '#adapters/prisma/transfers/transfer-store.ts'
import { makeBlockhash } from '#core/chain/base58.ts'
import { type Signature, SOL } from '#core/chain/types.ts'
import { startChange, step } from '#core/payments/change.ts'
import type { PaymentIntent } from '#core/payments/payment-intent.ts'
import type { NewLedgerEntry } from '#core/transfers/transfer.ts'
import {
  type AttemptOutcome,
  type AttemptState,
  type Lease,
  type LeasedTransfer,
  LIVE_ATTEMPT_STATES,
} from '#core/transfers/transfer.ts'
import type { IntentWorkStore } from '#ports/payments.ts'
import type { TransferStore } from '#ports/transfers.ts'
import { describeOnBothEngines, emptyTables } from '../../../support/database.ts'
import { createMemoryStores } from '../../../support/memory-stores.ts'
import { addressNo, deposit, intentWith, later, NOW, signatureNo, units } from '../../../support/payment.ts'
import {
  addBusiness,
  addIntent,
  claimAll,
  nextNumber,
  planSweepOf,
  queuesOf,
  storesOf,
} from '../../../support/stores.ts'

type Setup = {
  readonly work: IntentWorkStore
  readonly transfers: TransferStore
  /** An intent with a planned sweep. */
  plan(patch?: Parameters<typeof planSweepOf>[2]): Promise<PaymentIntent>
  /** Halts the intent's address, and ends the halt. */
  halt(intent: PaymentIntent): Promise<() => Promise<void>>
}

const LEASE_MS = 60_000
const afterLease = new Date(NOW.getTime() + LEASE_MS + 1)

const attemptOf = ({ transfer }: LeasedTransfer, number = 1, source = transfer.source) => ({
  id: randomUUID(),
  transferId: transfer.id,
  number,
  source,
  message: Uint8Array.of(1, 2, 3),
  harvestWithheld: false,
  lifetime: { blockhash: makeBlockhash(addressNo(1)), lastValidBlockHeight: 150n },
  knownSignature: signatureNo(1),
  createdAt: NOW,
})
function one<T>(items: readonly T[]): T {
  const [item] = items
  if (item === undefined || items.length !== 1) throw new Error(`expected one, not ${items.length}`)
  return item
}

function rules(open: () => Promise<Setup>): void {
  let setup: Setup
  let transfers: TransferStore
  beforeEach(async () => {
    setup = await open()
    transfers = setup.transfers
  })

  /** A claimed sweep with an attempt in that state. */
  async function attempted(state: AttemptState = 'prepared') {
    await setup.plan()
    const leased = one(await claimAll(transfers))
    const attempt = attemptOf(leased)
    expect(await transfers.prepareAttempt(leased.lease, attempt)).not.toBeNull()
    if (state !== 'prepared') {
      await transfers.recordSigned(leased.lease, attempt.id, Uint8Array.of(9), signatureNo(70_000 + nextNumber()))
    }
    if (state !== 'prepared' && state !== 'signed' && state !== 'final_ok' && state !== 'final_err') {
      await transfers.recordAttempt(leased.lease, attempt.id, state, { now: NOW })
    }
    return { leased, lease: leased.lease, attempt }
  }
  const reclaim = async () => one(await claimAll(transfers, afterLease))
  const outcome = (lease: Lease, attemptId: string, patch: Partial<AttemptOutcome> = {}): AttemptOutcome => ({
    attemptId,
    transferId: lease.transferId,
    fence: lease.fence,
    attemptState: 'final_ok',
    transferStatus: 'done',
    reason: null,
    signature: signatureNo(80_000 + nextNumber()),
    slot: 5n,
    moved: [units(994_000n), units(5_000n)],
    at: NOW,
    ...patch,
  })
  const book = async (lease: Lease, attemptId: string, patch: Partial<AttemptOutcome> = {}) => {
    const intentId = one(
      (await setup.work.watchList('live', { afterIndex: 0, limit: 10, open: true })).map(({ id }) => id),
    )
    const facts = await setup.work.facts(intentId)
    if (facts === null) throw new Error('no facts')
    const change = { ...step(startChange(facts.intent), {}, NOW, null), outcome: outcome(lease, attemptId, patch) }
    return { applied: await setup.work.apply(change), facts: await setup.work.facts(intentId) }
  }

  describe('a claim', () => {
    test('takes due transfers, begins them, and gives each its own growing fence', async () => {
      const intent = await setup.plan()
      const first = one(await claimAll(transfers))
      expect(first).toMatchObject({
        transfer: { subject: { kind: 'payment', id: intent.id }, status: 'in_progress', attemptCount: 0, reason: null },
        live: null,
        lease: { transferId: first.transfer.id },
      })
      expect(first.transfer.legs.map(({ role, amount }) => [role, amount])).toEqual([
        ['merchant', 995_000n],
        ['network_fee', 5_000n],
      ])
      expect((await reclaim()).lease.fence).toBe(first.lease.fence + 1n)
    })

    test('takes no transfer with a lease until the lease has ended', async () => {
      await setup.plan()
      await claimAll(transfers)
      expect(await claimAll(transfers)).toEqual([])
      expect(await claimAll(transfers, new Date(NOW.getTime() + LEASE_MS))).toEqual([])
      expect(await claimAll(transfers, afterLease)).toHaveLength(1)
    })

    test('takes each kind up to its limit, so a burst of one kind leaves room for the others', async () => {
      for (let at = 0; at < 4; at += 1) await setup.plan({ kind: 'refund', key: `refund:burst:${nextNumber()}` })
      await setup.plan()
      const queues = ['refund', 'sweep'].map((kind) => ({ kind, most: 2 }))
      const claimed = await transfers.claim('live', { now: NOW, leaseMs: LEASE_MS, queues })
      expect(claimed.map(({ transfer }) => transfer.kind).sort()).toEqual(['refund', 'refund', 'sweep'])
    })

    test('takes no more than the limit, and nothing of another network', async () => {
      for (let count = 0; count < 3; count += 1) await setup.plan()
      expect(await claimAll(transfers, NOW, 'test')).toEqual([])
      expect(await transfers.claim('live', { now: NOW, leaseMs: LEASE_MS, queues: queuesOf(2) })).toHaveLength(2)
      expect(await transfers.claim('live', { now: NOW, leaseMs: LEASE_MS, queues: queuesOf(2) })).toHaveLength(1)
    })

    test('includes the only attempt that may still land', async () => {
      const { attempt } = await attempted('sent')
      expect((await reclaim()).live).toMatchObject({
        id: attempt.id,
        state: 'sent',
        message: Uint8Array.of(1, 2, 3),
        wire: Uint8Array.of(9),
        lifetime: attempt.lifetime,
        knownSignature: signatureNo(1),
        sentAt: NOW,
      })
    })

    test('excludes an attempt that cannot land any more', async () => {
      await attempted('dead')
      expect((await reclaim()).live).toBeNull()
    })
  })

  describe('giving back', () => {
    test('makes it due again at the given time', async () => {
      await setup.plan()
      const { lease } = one(await claimAll(transfers))
      await transfers.giveBack([lease], later(5))
      expect(await claimAll(transfers, later(4))).toEqual([])
      expect(await claimAll(transfers, later(5))).toHaveLength(1)
    })

    test('for later stores the reason', async () => {
      await setup.plan()
      const { lease } = one(await claimAll(transfers))
      await transfers.postpone([lease], 'The fee payer is empty.', later(5))
      expect(await claimAll(transfers, later(4))).toEqual([])
      expect(one(await claimAll(transfers, later(5))).transfer.reason).toBe('The fee payer is empty.')
    })

    test('for a person removes it from the queue', async () => {
      await setup.plan()
      const { lease } = one(await claimAll(transfers))
      await transfers.hold(lease, 'The account is frozen.')
      expect(await claimAll(transfers, later(86_400))).toEqual([])
    })
  })

  describe('an attempt', () => {
    test('is stored unsigned, and counted', async () => {
      await setup.plan()
      const leased = one(await claimAll(transfers))
      const attempt = attemptOf(leased)
      expect(await transfers.prepareAttempt(leased.lease, attempt)).toEqual({
        ...attempt,
        state: 'prepared',
        wire: null,
        signature: null,
        sentAt: null,
      })
      expect((await reclaim()).transfer.attemptCount).toBe(1)
    })

    test.each(LIVE_ATTEMPT_STATES)('is the only attempt while it is %s', async (state) => {
      const { leased, lease } = await attempted(state)
      expect(await transfers.prepareAttempt(lease, attemptOf(leased, 2))).toBeNull()
      expect((await reclaim()).transfer.attemptCount).toBe(1)
    })

    test('is not stored or counted while its address is halted, and is stored after the halt', async () => {
      const intent = await setup.plan()
      const leased = one(await claimAll(transfers))
      const letGo = await setup.halt(intent)
      expect(await transfers.prepareAttempt(leased.lease, attemptOf(leased))).toBeNull()
      expect(await transfers.haltsOn([intent.address, addressNo(1)])).toEqual(
        new Map([[intent.address, 'Look at it.']]),
      )
      await letGo()
      expect(await transfers.haltsOn([intent.address])).toEqual(new Map())
      expect(await transfers.prepareAttempt(leased.lease, attemptOf(leased))).not.toBeNull()
      expect((await reclaim()).transfer.attemptCount).toBe(1)
    })

    test('of another address is stored while one address is halted', async () => {
      await setup.halt(await setup.plan())
      await setup.plan()
      const [, other] = await claimAll(transfers)
      if (other === undefined) throw new Error('two transfers were not claimed')
      expect(await transfers.prepareAttempt(other.lease, attemptOf(other))).not.toBeNull()
    })

    test('has a successor when it is abandoned', async () => {
      const { leased, lease } = await attempted('dead')
      expect(await transfers.prepareAttempt(lease, attemptOf(leased, 2))).toMatchObject({
        number: 2,
        state: 'prepared',
      })
    })

    test('has no successor when it landed, even if the transfer is still open', async () => {
      const { leased, lease, attempt } = await attempted('sent')
      expect((await book(lease, attempt.id)).applied).toBe(true)
      expect(await transfers.prepareAttempt(lease, attemptOf(leased, 2))).toBeNull()
    })

    test('is the only live attempt of its address, whatever the transfer', async () => {
      const { attempt } = await attempted()
      await setup.plan()
      const other = one(await claimAll(transfers))
      expect(await transfers.prepareAttempt(other.lease, attemptOf(other, 1, attempt.source))).toBeNull()
      expect(await transfers.prepareAttempt(other.lease, attemptOf(other, 1))).not.toBeNull()
    })

    test('is signed once', async () => {
      const { lease, attempt } = await attempted()
      expect(await transfers.recordSigned(lease, attempt.id, Uint8Array.of(9), signatureNo(1))).toBe(true)
      expect(await transfers.recordSigned(lease, attempt.id, Uint8Array.of(8), signatureNo(2))).toBe(false)
      expect((await reclaim()).live).toMatchObject({
        state: 'signed',
        signature: signatureNo(1),
        wire: Uint8Array.of(9),
      })
    })

    test('that has ended is never live again', async () => {
      const { lease, attempt } = await attempted('dead')
      for (const state of ['sent', 'unknown'] as const) {
        expect(await transfers.recordAttempt(lease, attempt.id, state, { now: NOW })).toBe(false)
      }
      expect((await reclaim()).live).toBeNull()
    })
  })

  describe('attempts of one moment', () => {
    const claimed = async (count: number) => {
      for (let at = 0; at < count; at += 1) await setup.plan()
      return await claimAll(transfers)
    }

    test('are stored without an attempt whose address is halted, has a live attempt, or lost its lease', async () => {
      const halted = await setup.plan()
      const [stopped, taken, late, again, ...others] = [one(await claimAll(transfers)), ...(await claimed(6))]
      if (stopped === undefined || taken === undefined || late === undefined || again === undefined) throw new Error()
      await setup.halt(halted)
      const live = attemptOf(taken)
      await transfers.prepareAttempt(taken.lease, live)
      const stored = await Promise.all([
        transfers.prepareAttempt(stopped.lease, attemptOf(stopped)),
        transfers.prepareAttempt({ ...late.lease, fence: late.lease.fence - 1n }, attemptOf(late)),
        transfers.prepareAttempt(again.lease, attemptOf(again, 1, live.source)),
        ...others.map((other) => transfers.prepareAttempt(other.lease, attemptOf(other))),
      ])
      expect(stored.map((attempt) => attempt !== null)).toEqual([false, false, false, true, true, true])
      const counts = (await claimAll(transfers, afterLease)).map(({ transfer }) => transfer.attemptCount)
      expect(counts.toSorted()).toEqual([0, 0, 0, 1, 1, 1, 1])
    })

    test('are signed and sent without an attempt whose lease is lost', async () => {
      const leased = await claimed(5)
      const attempts = leased.map((one) => ({ lease: one.lease, attempt: attemptOf(one) }))
      await Promise.all(attempts.map(({ lease, attempt }) => transfers.prepareAttempt(lease, attempt)))
      const [lost, ...kept] = attempts.map((one, at) => ({
        ...one,
        wire: Uint8Array.of(at),
        signature: signatureNo(60_000 + nextNumber()),
      }))
      if (lost === undefined) throw new Error('too few')
      const late = { ...lost, lease: { ...lost.lease, fence: lost.lease.fence - 1n } }
      const signed = [late, ...kept].map((one) =>
        transfers.recordSigned(one.lease, one.attempt.id, one.wire, one.signature),
      )
      expect(await Promise.all(signed)).toEqual([false, true, true, true, true])
      const sent = kept.map((one, at) =>
        transfers.recordAttempt(one.lease, one.attempt.id, 'sent', { now: later(at), error: `refused ${at}` }),
      )
      expect(
        await Promise.all([...sent, transfers.recordAttempt(late.lease, late.attempt.id, 'sent', { now: NOW })]),
      ).toEqual([true, true, true, true, false])
      const lives = (await claimAll(transfers, afterLease)).map(({ live }) => live)
      for (const [at, { attempt, wire, signature }] of kept.entries()) {
        expect(lives.find((live) => live?.id === attempt.id)).toMatchObject({
          state: 'sent',
          wire,
          signature,
          sentAt: later(at),
        })
      }
      expect(lives.find((live) => live?.id === late.attempt.id)).toMatchObject({ state: 'prepared', signature: null })
    })
  })

  describe('a worker that has lost the lease', () => {
    const taken = async (state: AttemptState) => {
      const before = await attempted(state)
      return { ...before, after: await reclaim() }
    }

    test('stores no attempt', async () => {
      await setup.plan()
      const old = one(await claimAll(transfers))
      await reclaim()
      expect(await transfers.prepareAttempt(old.lease, attemptOf(old))).toBeNull()
      expect(
        (await transfers.claim('live', { now: later(300), leaseMs: LEASE_MS, queues: queuesOf(9) }))[0]?.live,
      ).toBeNull()
    })

    test('stores no signature, and so sends nothing', async () => {
      const { lease, attempt, after } = await taken('prepared')
      expect(await transfers.recordSigned(lease, attempt.id, Uint8Array.of(9), signatureNo(3))).toBe(false)
      expect(await transfers.recordSigned(after.lease, attempt.id, Uint8Array.of(9), signatureNo(3))).toBe(true)
    })

    test('marks no attempt as sent, unknown or dead', async () => {
      const { lease, attempt, after } = await taken('signed')
      for (const state of ['sent', 'unknown', 'dead'] as const) {
        expect(await transfers.recordAttempt(lease, attempt.id, state, { now: NOW })).toBe(false)
      }
      expect(await transfers.recordAttempt(after.lease, attempt.id, 'sent', { now: NOW })).toBe(true)
    })

    test('books no outcome, while the worker that took over does', async () => {
      const { lease, attempt, after } = await taken('sent')
      expect((await book(lease, attempt.id)).applied).toBe(false)
      expect((await book(after.lease, attempt.id)).applied).toBe(true)
    })

    test('gives back, holds and ends nothing', async () => {
      const { lease, attempt } = await taken('sent')
      await transfers.giveBack([lease], NOW)
      await transfers.postpone([lease], 'late', NOW)
      expect(await transfers.hold(lease, 'late')).toBe(false)
      const ended = await transfers.finish(lease, {
        attemptId: attempt.id,
        attemptState: 'final_ok',
        status: 'done',
        reason: null,
        signature: signatureNo(4),
        slot: 1n,
        at: NOW,
        ledger: [],
      })
      expect(ended).toBe(false)
      expect(await claimAll(transfers, afterLease)).toEqual([])
      expect(
        (await transfers.claim('live', { now: later(300), leaseMs: LEASE_MS, queues: queuesOf(9) }))[0],
      ).toMatchObject({
        transfer: { status: 'in_progress', reason: null },
        live: { state: 'sent' },
      })
    })
  })

  describe('the end of an attempt', () => {
    test('is booked once, with the amount that arrived for each leg', async () => {
      const { lease, attempt } = await attempted('sent')
      const { applied, facts } = await book(lease, attempt.id)
      expect(applied).toBe(true)
      expect(facts?.transfers[0]).toMatchObject({ status: 'done', moved: [994_000n, 5_000n], doneAt: NOW })
      expect((await book(lease, attempt.id)).applied).toBe(false)
      expect(await claimAll(transfers, later(999))).toEqual([])
    })

    test('stays as it was booked when the worker did not get the answer, and gives back or holds', async () => {
      const { lease, attempt } = await attempted('sent')
      await book(lease, attempt.id, { attemptState: 'final_err', transferStatus: 'failed', reason: 'why' })
      await transfers.postpone([lease], 'later', later(5))
      await transfers.hold(lease, 'held')
      const { facts } = await book(lease, attempt.id)
      expect(facts?.transfers[0]).toMatchObject({ status: 'failed', reason: 'why' })
    })

    test('with a leg that the transfer does not have is refused, and nothing is booked', async () => {
      const { lease, attempt } = await attempted('sent')
      const moved = [units(1n), units(2n), units(3n)]
      await expect(book(lease, attempt.id, { moved })).rejects.toThrow('3 legs moved, and 2 are known')
      expect((await book(lease, attempt.id)).applied).toBe(true)
    })

    test('that failed leaves no signature and no amounts', async () => {
      const { lease, attempt } = await attempted('sent')
      const { facts } = await book(lease, attempt.id, {
        attemptState: 'final_err',
        transferStatus: 'failed',
        reason: 'why',
        moved: [],
      })
      expect(facts?.transfers[0]).toMatchObject({
        status: 'failed',
        reason: 'why',
        signature: null,
        moved: [null, null],
      })
    })

    test('is not booked for an attempt whose expiry is proved', async () => {
      const { lease, attempt } = await attempted('dead')
      expect((await book(lease, attempt.id)).applied).toBe(false)
    })
  })

  describe('a transfer whose subject has no state', () => {
    const end = (patch: Partial<Parameters<TransferStore['finish']>[1]> = {}) => ({
      attemptId: null,
      attemptState: null,
      status: 'done' as const,
      reason: null,
      signature: null,
      slot: null,
      at: NOW,
      ledger: [],
      ...patch,
    })

    test('ends once, with its attempt', async () => {
      const { lease, attempt } = await attempted('sent')
      const landed = end({ attemptId: attempt.id, attemptState: 'final_ok', signature: signatureNo(6), slot: 7n })
      expect(await transfers.finish(lease, landed)).toBe(true)
      expect(await transfers.finish(lease, landed)).toBe(false)
      expect(await claimAll(transfers, later(999))).toEqual([])
    })

    test('begins again after an attempt that failed', async () => {
      const { lease, attempt } = await attempted('sent')
      await transfers.finish(
        lease,
        end({ attemptId: attempt.id, attemptState: 'final_err', status: 'planned', reason: 'x' }),
      )
      expect(one(await claimAll(transfers))).toMatchObject({ live: null, transfer: { doneAt: null, attemptCount: 1 } })
    })

    test('does not end with an attempt that has already ended', async () => {
      const { lease, attempt } = await attempted('dead')
      await expect(
        transfers.finish(lease, end({ attemptId: attempt.id, attemptState: 'final_ok', signature: signatureNo(6) })),
      ).rejects.toThrow()
      expect(await claimAll(transfers, afterLease)).toHaveLength(1)
    })
  })

  test('the required transaction is the newest final transaction of the network, of any subject', async () => {
    const intent = await setup.plan()
    const { transfer } = one(await claimAll(transfers))
    const [late, paid, recent] = [70_000, 70_001, 70_002].map((number) => number + nextNumber()).map(signatureNo)
    if (late === undefined || paid === undefined || recent === undefined)
      throw new Error('three transfers were not claimed')
    const place = { network: intent.network, account: intent.address } as const
    const entry = (signature: Signature, slot: bigint): NewLedgerEntry => ({
      ...place,
      subjectId: intent.id,
      address: intent.address,
      asset: SOL,
      delta: 1n,
      signature,
      slot,
      kind: 'other',
      transferId: null,
    })
    const before = (await setup.work.facts(intent.id))?.intent ?? intent
    await setup.work.apply({
      ...step(startChange(before), {}, NOW, null),
      deposits: [deposit(1, 1n, { ...place, intentId: intent.id, signature: late, slot: 5n })],
      ledger: [entry(late, 5n), entry(recent, 8_000_000n), { ...entry(paid, 9_000_000n), network: 'test' }],
    })
    expect(await transfers.knownTransactions([transfer.id])).toEqual(
      new Map([[transfer.id, { signature: recent, slot: 8_000_000n, at: NOW }]]),
    )
  })
}

describe('transfers in memory', () => {
  rules(async () => {
    const { intents: work, transfers, put, halt } = createMemoryStores()
    return {
      work,
      transfers,
      async halt({ address }) {
        halt(address, 'Look at it.')
        return async () => halt(address, null)
      },
      async plan(patch) {
        const number = nextNumber()
        const intent = intentWith({ id: randomUUID(), derivationIndex: number, address: addressNo(number) })
        put(intent)
        return await planSweepOf({ work }, intent, patch)
      },
    }
  })
})

describeOnBothEngines('the transfer store', (open) => {
  let db: Database
  beforeAll(async () => {
    db = await open()
  })
  const start = async (): Promise<Setup> => {
    const stores = storesOf(db)
    const tenant = await addBusiness(db)
    const halts = createHaltStore(db)
    return {
      ...stores,
      plan: async (patch) => await planSweepOf(stores, await addIntent(stores, tenant), patch),
      async halt({ id: intentId, network, address }) {
        await halts.halt({ network, address, intentId, reason: 'Look at it.', faults: [], haltedAt: NOW })
        const [halt] = await halts.open(network)
        return async () => void (await halts.clear(halt?.id ?? '', { by: 'reconciled', reason: null, at: NOW }))
      },
    }
  }
  rules(async () => {
    await emptyTables(db, 'accounts', 'ledger_entries')
    return await start()
  })

  test('concurrent claims never return the same transfer', async () => {
    await emptyTables(db, 'accounts')
    const setup = await start()
    for (let count = 0; count < 12; count += 1) await setup.plan()
    const claims = await Promise.all(
      Array.from({ length: 8 }, () =>
        createTransferStore(db).claim('live', { now: NOW, leaseMs: LEASE_MS, queues: queuesOf(3) }),
      ),
    )
    const ids = claims.flat().map(({ transfer }) => transfer.id)
    expect(new Set(ids).size).toBe(ids.length)
    expect(ids).toHaveLength(12)
  })

  test('concurrent preparations store one attempt', async () => {
    await emptyTables(db, 'accounts')
    const setup = await start()
    await setup.plan()
    const leased = one(await claimAll(setup.transfers))
    const prepared = await Promise.all(
      Array.from({ length: 6 }, (_, at) => setup.transfers.prepareAttempt(leased.lease, attemptOf(leased, at + 1))),
    )
    expect(prepared.filter((attempt) => attempt !== null)).toHaveLength(1)
  })
})
