// A decision about a subscription is applied completely or not at all, and only while its facts are unchanged.
import { randomBytes, randomUUID } from 'node:crypto'
import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { createBillingStore } from '#adapters/prisma/billing/billing-store.ts'
import { createSubscriptionIntentStore } from '#adapters/prisma/billing/catalogue-store.ts'
import { createSubscriptionCheckoutStore } from '#adapters/prisma/billing/checkout-store.ts'
import { createDelegationStore } from '#adapters/prisma/billing/delegation-store.ts'
import type { Database } from '#adapters/prisma/engine/database.ts'
import { createTransferStore } from '#adapters/prisma/transfers/transfer-store.ts'
import { tenantOf } from '#core/accounts/account.ts'
import type { Delegation } from '#core/billing/delegation.ts'
import type { BillingChange } from '#core/billing/machine/change.ts'
import type { BillingSubscription } from '#core/billing/subscription.ts'
import type { SubscriptionIntent } from '#core/billing/subscription-intent.ts'
import type { Tier } from '#core/billing/tier.ts'
import { makeBlockhash } from '#core/chain/base58.ts'
import type { PayoutClaim } from '#core/transfers/payout-creation.ts'
import type { LeasedTransfer } from '#core/transfers/transfer.ts'
import type { BillingStore, DelegationStore } from '#ports/billing.ts'
import type { TransferStore } from '#ports/transfers.ts'
import {
  addDelegation,
  addSubscriptionIntent,
  addSubscriptionOn,
  addTier,
  changeOf,
  chargeOf,
  newSubscription,
} from '../../../support/billing-rows.ts'
import { describeOnBothEngines, emptyTables } from '../../../support/database.ts'
import { addressNo, later, NOW, signatureNo, units } from '../../../support/payment.ts'
import { countBlocked } from '../../../support/statements.ts'
import { addBusiness, nextNumber } from '../../../support/stores.ts'
import { until } from '../../../support/until.ts'

describeOnBothEngines('the store of subscriptions', (open) => {
  let db: Database
  let store: BillingStore
  let transfers: TransferStore
  let delegations: DelegationStore
  let tier: Tier
  let intent: SubscriptionIntent
  let delegation: Delegation
  beforeAll(async () => {
    db = await open()
    store = createBillingStore(db)
    transfers = createTransferStore(db)
    delegations = createDelegationStore(db)
  })
  beforeEach(async () => {
    await emptyTables(db, 'accounts', 'delegations', 'ledger_entries')
    tier = await addTier(db, await addBusiness(db))
    intent = await addSubscriptionIntent(db, tier)
    delegation = await addDelegation(db, tier)
  })

  /** The completion of the checkout: subscription, charge, transfer, delegation and checkout in one change. */
  const completion = () => {
    const { subscription, charge, transfer } = newSubscription(tier, intent, delegation)
    const completed = { ...intent, status: 'completed', version: 2, subscriptionId: subscription.id } as const
    const change: BillingChange = {
      ...changeOf(null, subscription),
      events: [
        { type: 'subscription.created', subscription },
        { type: 'charge.created', charge },
      ],
      charges: [charge],
      transfers: [transfer],
      delegation: { before: delegation, after: { ...delegation, epoch: 2 } },
      checkout: { before: intent, after: completed },
    }
    return { subscription, charge, transfer, change }
  }

  const complete = async (): Promise<BillingSubscription> => {
    const { change, subscription } = completion()
    expect(await store.apply(change, delegation)).toBe(true)
    return subscription
  }

  const factsOf = async (id: string) => {
    const facts = await store.facts(id)
    if (facts === null) throw new Error('no facts')
    return facts
  }

  test('a completed checkout is read back with its charge, transfer and delegation', async () => {
    const { change, subscription, charge, transfer } = completion()
    expect(await store.apply(change, delegation)).toBe(true)
    const facts = await factsOf(subscription.id)
    expect(facts).toMatchObject({ subscription, tier, others: [] })
    expect(facts.delegation).toEqual({ ...delegation, epoch: 2, version: 2 })
    expect(facts.charge).toMatchObject({ charge, live: null, transfer: { ...transfer, status: 'planned' } })
    expect(await store.factsOfCharge(charge.id)).toEqual(facts)
    const stored = await db.prisma.subscriptionIntent.findUniqueOrThrow({ where: { id: intent.id } })
    expect(stored).toMatchObject({ status: 'completed', version: 2, subscriptionId: subscription.id })
  })

  test('a change stages its events in order, for the account that receives them', async () => {
    const { subscription, change, charge } = completion()
    const receiverAccountId = (await addBusiness(db)).accountId
    const after = { ...subscription, receiverAccountId }
    await store.apply({ ...change, after }, delegation)
    const events = await db.prisma.event.findMany({ orderBy: { sequence: 'asc' } })
    expect(events).toMatchObject([
      { type: 'subscription.created', subjectKind: 'subscription', subjectId: subscription.id, receiverAccountId },
      { type: 'charge.created', subjectKind: 'charge', subjectId: charge.id, accountId: tier.accountId },
    ])
    expect(events[1]?.data).toMatchObject({ amount: '1000000', periodIndex: 0 })
  })

  test('nothing is written when the delegation has changed since it was read', async () => {
    const { change } = completion()
    expect(await store.apply(change, { ...delegation, version: 7 })).toBe(false)
    expect(await db.prisma.billingSubscription.count()).toBe(0)
    expect(await db.prisma.transfer.count({ where: { kind: 'charge' } })).toBe(0)
  })

  test('nothing is written when the checkout has changed since it was read', async () => {
    const { change } = completion()
    await db.prisma.subscriptionIntent.update({ where: { id: intent.id }, data: { status: 'canceled', version: 2 } })
    expect(await store.apply(change, delegation)).toBe(false)
    expect(await db.prisma.charge.count()).toBe(0)
  })

  test('no checkout of an archived business is completed, or created, also when the archive comes at the same time', async () => {
    if (db.kind === 'embedded') return // One connection: nothing happens at the same time.
    const tenant = tenantOf({ id: tier.accountId, network: 'live' })
    const { change } = completion()
    const other = await addSubscriptionIntent(db, tier)
    const prepared = { before: other, after: { ...other, version: 2 } }
    const unused = await addDelegation(db, tier)
    const waiting = await db.session(async (session) => {
      await session.script('BEGIN')
      await session.query('UPDATE accounts SET archived_at = now() WHERE id = $1', [tier.accountId])
      const begun = [
        () => createSubscriptionIntentStore(db).create(tenant, { ...intent, id: randomUUID() }, randomBytes(32)),
        () => store.apply(change, delegation),
        () => createSubscriptionCheckoutStore(db).reserve({ delegation: unused, version: 1, checkout: prepared }),
      ].map((begin) => begin())
      await until(async () => (await countBlocked(db)) >= 3)
      await session.script('COMMIT')
      return begun
    })
    expect(await Promise.all(waiting)).toEqual(['seller_archived', false, false])
    expect(await db.prisma.billingSubscription.count()).toBe(0)
    const stored = await db.prisma.subscriptionIntent.findMany()
    expect(stored.map(({ status, version }) => [status, version])).toEqual([
      ['open', 1],
      ['open', 1],
    ])
  })

  test('of two changes from the same facts, one is applied', async () => {
    const { id } = await complete()
    const { subscription, delegation: read } = await factsOf(id)
    const change = changeOf(subscription, { ...subscription, status: 'paused', version: 2 })
    const applied = await Promise.all([store.apply(change, read), store.apply(change, read)])
    expect(applied.toSorted()).toEqual([false, true])
    expect((await factsOf(id)).subscription).toEqual({ ...subscription, status: 'paused', version: 2 })
  })

  test('two checkouts of one wallet do not both take the same room', async () => {
    const first = completion()
    intent = await addSubscriptionIntent(db, tier)
    const second = completion()
    const applied = await Promise.all([first, second].map(({ change }) => store.apply(change, delegation)))
    expect(applied.toSorted()).toEqual([false, true])
  })

  describe('changes that are decided at one moment', () => {
    /** Checkouts of wallets that each have a delegation of their own. */
    const completions = async (count: number) => {
      const all: { change: BillingChange; delegation: Delegation }[] = []
      for (let at = 0; at < count; at += 1) {
        all.push({ change: completion().change, delegation })
        intent = await addSubscriptionIntent(db, tier)
        delegation = await addDelegation(db, tier)
      }
      return all
    }

    test('share a transaction, with all that each of them writes', async () => {
      const decided = await completions(8)
      const applied = await Promise.all(decided.map((one) => store.apply(one.change, one.delegation)))
      expect(applied).toEqual(decided.map(() => true))
      const [written] = await db.query(
        'SELECT count(DISTINCT xmin::text)::int AS transactions FROM billing_subscriptions',
      )
      expect(written).toEqual({ transactions: 1 })
      for (const { change } of decided) {
        const { charge } = await factsOf(change.after.id)
        const [transfer] = change.transfers
        expect(charge).toMatchObject({
          charge: change.charges[0],
          transfer: { key: transfer?.key, legs: transfer?.legs },
        })
      }
      expect(await db.prisma.event.count()).toBe(16)
    })

    test('are applied without a change whose facts have changed, and without a change that the database refuses', async () => {
      const decided = await completions(6)
      const [stale, refused] = decided
      if (stale === undefined || refused === undefined) throw new Error('too few')
      await delegations.save(stale.delegation, 1)
      const after = { ...refused.change.after, spentAmount: units(12_000_001n) }
      decided[1] = { ...refused, change: { ...refused.change, after } }
      const applied = await Promise.allSettled(decided.map((one) => store.apply(one.change, one.delegation)))
      expect(applied.map((one) => (one.status === 'fulfilled' ? one.value : 'refused'))).toEqual([
        false,
        'refused',
        true,
        true,
        true,
        true,
      ])
      expect(await db.prisma.billingSubscription.count()).toBe(4)
      expect(await db.prisma.transfer.count({ where: { kind: 'charge' } })).toBe(4)
    })
  })

  test('the slices of the other subscriptions of the delegation are known, with what may land', async () => {
    const first = await complete()
    const { delegation: read } = await factsOf(first.id)
    await db.prisma.charge.updateMany({ data: { status: 'submitted' } })
    intent = await addSubscriptionIntent(db, tier)
    const { subscription, charge, transfer } = newSubscription(tier, intent, read)
    const change = { ...changeOf(null, subscription), charges: [charge], transfers: [transfer] }
    expect(await store.apply(change, read)).toBe(true)
    expect((await factsOf(subscription.id)).others).toEqual([
      {
        subscriptionId: first.id,
        status: 'incomplete',
        remaining: units(12_000_000n),
        inFlight: units(1_000_000n),
        createdAt: first.createdAt,
      },
    ])
  })

  test('the latest charge is among the facts', async () => {
    const { id } = await complete()
    const { subscription, delegation: read } = await factsOf(id)
    await db.prisma.charge.updateMany({ data: { status: 'succeeded' } })
    const { charge, transfer } = chargeOf(subscription, tier, read, 1)
    const after = { ...subscription, version: 2 }
    await store.apply({ ...changeOf(subscription, after), charges: [charge], transfers: [transfer] }, read)
    expect((await factsOf(id)).charge?.charge.id).toBe(charge.id)
  })

  test('the database refuses a second charge that may move money, and a slice that is overdrawn', async () => {
    const { id } = await complete()
    const { subscription, delegation: read } = await factsOf(id)
    const { charge, transfer } = chargeOf(subscription, tier, read, 1)
    const after = { ...subscription, version: 2 }
    const two = { ...changeOf(subscription, after), charges: [charge], transfers: [transfer] }
    await expect(store.apply(two, read)).rejects.toThrow('charges_open')
    const overdrawn = changeOf(subscription, { ...after, spentAmount: units(12_000_001n) })
    await expect(store.apply(overdrawn, read)).rejects.toThrow('billing_subscriptions_slice')
  })

  /** Stores an unsigned attempt of the claimed transfer. */
  const prepareAttempt = ({ transfer, lease }: LeasedTransfer) =>
    transfers.prepareAttempt(lease, {
      id: randomUUID(),
      transferId: transfer.id,
      number: 1,
      source: transfer.source,
      message: Uint8Array.of(1),
      harvestWithheld: false,
      lifetime: { blockhash: makeBlockhash(addressNo(1)), lastValidBlockHeight: 150n },
      knownSignature: signatureNo(1),
      createdAt: NOW,
    })

  describe('a charge that is no longer wanted', () => {
    const claim = async () => {
      const [leased] = await transfers.claim('live', {
        now: later(60),
        leaseMs: 60_000,
        queues: [{ kind: 'charge', most: 10 }],
      })
      if (leased === undefined) throw new Error('nothing is claimed')
      return leased
    }

    const withdraw = async (id: string): Promise<boolean> => {
      const { subscription, delegation: read, charge } = await factsOf(id)
      if (charge === null) throw new Error('no charge')
      const statusOverride = {
        transferId: charge.transfer.id,
        status: 'failed',
        reason: 'paused',
        fence: null,
      } as const
      const change = changeOf(subscription, { ...subscription, version: subscription.version + 1 })
      return await store.apply({ ...change, statusOverride }, read)
    }

    test('is withdrawn from a worker that has claimed it, and no attempt of it is stored any more', async () => {
      const { id } = await complete()
      const leased = await claim()
      expect(await withdraw(id)).toBe(true)
      expect((await factsOf(id)).charge?.transfer).toMatchObject({ status: 'failed', reason: 'paused' })
      expect(await prepareAttempt(leased)).toBeNull()
    })

    test('is withdrawn while its attempt is unsigned, which is then never signed', async () => {
      const { id } = await complete()
      const leased = await claim()
      const attempt = await prepareAttempt(leased)
      expect((await factsOf(id)).charge?.live).toBe('prepared')
      expect(await withdraw(id)).toBe(true)
      expect((await factsOf(id)).charge).toMatchObject({ live: null, transfer: { status: 'failed' } })
      const signature = signatureNo(71_000)
      expect(await transfers.recordSigned(leased.lease, attempt?.id ?? '', Uint8Array.of(9), signature)).toBe(false)
    })

    /** A live attempt of another transfer from the same account, which delays the next one until its transaction ends. */
    const OTHER_ATTEMPT = `
      INSERT INTO transfer_attempts (id, transfer_id, number, state, source, message, harvest_withheld, known_signature,
        created_at, blockhash, last_valid_block_height, fence)
      SELECT gen_random_uuid(), id, 1, 'prepared', source, '\\x01', false, $2, now(), $3, 150, fence FROM transfers WHERE id = $1`

    test('is withdrawn while its attempt is being stored, which is then never signed', async () => {
      if (db.kind === 'embedded') return // One connection: nothing happens at the same time.
      const { id } = await complete()
      const leased = await claim()
      intent = await addSubscriptionIntent(db, tier)
      delegation = (await factsOf(id)).delegation
      const other = (await factsOf((await complete()).id)).charge?.transfer.id ?? ''
      const [isStoring, isWithdrawing] = await db.session(async (session) => {
        await session.script('BEGIN')
        await session.query(OTHER_ATTEMPT, [other, signatureNo(1), makeBlockhash(addressNo(1))])
        const storing = prepareAttempt(leased)
        await until(async () => (await countBlocked(db)) >= 1)
        const withdrawing = withdraw(id)
        await until(async () => (await countBlocked(db)) >= 2)
        await session.script('ROLLBACK')
        return [storing, withdrawing] as const
      })
      const attempt = await isStoring
      expect([attempt?.state, await isWithdrawing]).toEqual(['prepared', true])
      expect((await factsOf(id)).charge).toMatchObject({ live: null, transfer: { status: 'failed' } })
      const signature = signatureNo(71_003)
      expect(await transfers.recordSigned(leased.lease, attempt?.id ?? '', Uint8Array.of(9), signature)).toBe(false)
    })

    test('is not withdrawn once its attempt is signed', async () => {
      const { id } = await complete()
      const leased = await claim()
      const attempt = await prepareAttempt(leased)
      await transfers.recordSigned(leased.lease, attempt?.id ?? '', Uint8Array.of(9), signatureNo(71_001))
      expect(await withdraw(id)).toBe(false)
      expect((await factsOf(id)).charge).toMatchObject({ live: 'signed', transfer: { status: 'in_progress' } })
    })

    test('is either withdrawn or signed, whichever comes first', async () => {
      const { id } = await complete()
      const leased = await claim()
      const attempt = await prepareAttempt(leased)
      const [isWithdrawn, isSigned] = await Promise.all([
        withdraw(id),
        transfers.recordSigned(leased.lease, attempt?.id ?? '', Uint8Array.of(9), signatureNo(71_002)),
      ])
      expect([isWithdrawn, isSigned].toSorted()).toEqual([false, true])
    })
  })

  test('subscriptions are due in the order of their times, and those without one never', async () => {
    const ids: string[] = []
    for (const dueAt of [later(30), later(10), null, later(99)]) {
      const { id } = await complete()
      await db.prisma.billingSubscription.update({ where: { id }, data: { dueAt } })
      ids.push(id)
      intent = await addSubscriptionIntent(db, tier)
      delegation = await addDelegation(db, tier)
    }
    expect(await store.due('live', later(30), 10)).toEqual([ids[1], ids[0]])
    expect(await store.due('live', later(30), 1)).toEqual([ids[1]])
    expect(await store.due('test', later(30), 10)).toEqual([])
    // What time does to a subscription of a disabled business is no charge alone.
    await db.prisma.account.update({ where: { id: tier.accountId }, data: { disabledAt: NOW } })
    expect(await store.due('live', later(30), 10)).toEqual([ids[1], ids[0]])
  })

  test('subscriptions that lack funds come in pages, with the account that has to be filled and the amount of their charge', async () => {
    const { id } = await complete()
    expect(await store.pastDue('live', { after: null, limit: 10 })).toEqual([])
    // The tier was changed after the charge was planned.
    const data = { status: 'past_due', pastDueSince: NOW, unitAmount: 1, discountedAmount: 1 }
    await db.prisma.billingSubscription.update({ where: { id }, data })
    const fail = (failureCode: string) =>
      db.prisma.charge.updateMany({ where: { subscriptionId: id }, data: { status: 'failed', failureCode } })
    await fail('account_frozen')
    expect(await store.pastDue('live', { after: null, limit: 10 })).toEqual([])
    await fail('insufficient_funds')
    const { wallet, mint, tokenAccount } = delegation
    const page = [{ subscriptionId: id, wallet, mint, tokenAccount, amount: tier.unitBaseUnits }]
    expect(await store.pastDue('live', { after: null, limit: 10 })).toEqual(page)
    expect(await store.pastDue('live', { after: id, limit: 10 })).toEqual([])
    // The first charge of a checkout.
    await db.prisma.billingSubscription.update({ where: { id }, data: { status: 'incomplete', pastDueSince: null } })
    expect(await store.pastDue('live', { after: null, limit: 10 })).toEqual(page)
  })

  test('delegations that can be charged are read again, the oldest reading first, in turn with those of the future', async () => {
    const older = await addDelegation(db, tier, { chainCheckedAt: later(-60) })
    await addDelegation(db, tier, { chainCheckedAt: later(60) })
    await addDelegation(db, tier, { status: 'revoked' })
    // Read by a clock that was a day ahead, and is right again.
    const wrong = await addDelegation(db, tier, { chainCheckedAt: later(86_400) })
    const times = { before: NOW, now: later(70) }
    const stale = async (limit: number) => (await delegations.stale('live', times, limit)).map(({ id }) => id)
    expect(await stale(10)).toEqual([older.id, wrong.id, delegation.id])
    expect((await delegations.stale('live', times, 10))[2]).toEqual(delegation)
    expect(await stale(1)).toEqual([older.id])
    // As many old ones as are asked for leave a place for the others.
    expect(await stale(2)).toEqual([older.id, wrong.id])
    const nextWrong = await addDelegation(db, tier, { chainCheckedAt: later(86_401) })
    expect(await stale(10)).toEqual([older.id, wrong.id, delegation.id, nextWrong.id])
  })

  test('a delegation is written over the version that was read only', async () => {
    const revoked = { ...delegation, status: 'revoked' } as const
    expect(await delegations.save(revoked, 1)).toBe(true)
    expect(await delegations.save({ ...delegation, status: 'active' }, 1)).toBe(false)
    const row = await db.prisma.delegation.findUniqueOrThrow({ where: { id: delegation.id } })
    expect(row).toMatchObject({ status: 'revoked', version: 2 })
  })

  test('delegations that are saved at one moment share a transaction, and one that has changed costs only itself', async () => {
    const others = await Promise.all(Array.from({ length: 5 }, () => addDelegation(db, tier)))
    const read = (one: Delegation) => ({ ...one, chainSlot: 7n })
    const transactions = async () =>
      await db.query('SELECT count(DISTINCT xmin::text)::int AS count FROM delegations WHERE chain_slot = 7')
    const saveAll = (some: readonly Delegation[]) => Promise.all(some.map((one) => delegations.save(read(one), 1)))
    expect(await saveAll(others)).toEqual(others.map(() => true))
    expect(await transactions()).toEqual([{ count: 1 }])
    const [changed = delegation] = others
    expect(await saveAll([changed, delegation, delegation])).toEqual([false, true, false])
    expect(await delegations.slices(delegation.id)).toEqual([])
  })

  test('delegations that are saved at one moment are locked in the order of their ids', async () => {
    // The table has them in the opposite order.
    const last = await addDelegation(db, tier, { id: 'ffffffff-0000-4000-8000-000000000000' })
    const first = await addDelegation(db, tier, { id: '00000000-0000-4000-8000-000000000000' })
    const lock = 'SELECT id FROM delegations WHERE id = $1::uuid FOR UPDATE NOWAIT'
    let saved: Promise<readonly boolean[]> | undefined
    await db.prisma.$transaction(async (tx) => {
      await tx.$executeRawUnsafe(lock, first.id)
      saved = Promise.all([last, first].map((one) => delegations.save(one, 1)))
      // On the engine with one connection the save begins after this transaction.
      if (db.kind === 'postgresql') await until(async () => (await countBlocked(db)) === 1)
      await tx.$executeRawUnsafe(lock, last.id)
    })
    expect(await saved).toEqual([true, true])
  })

  test('slices that are asked for at one moment are those of each delegation', async () => {
    const first = await complete()
    intent = await addSubscriptionIntent(db, tier)
    delegation = await addDelegation(db, tier)
    const second = await complete()
    const asked = [second.delegationId, delegation.id.toUpperCase(), randomUUID(), first.delegationId]
    const found = await Promise.all(asked.map((id) => delegations.slices(id)))
    expect(found.map((slices) => slices.map(({ subscriptionId }) => subscriptionId))).toEqual([
      [second.id],
      [second.id],
      [],
      [first.id],
    ])
  })

  test('the booked pulls of a delegation after a slot are known', async () => {
    /** The charge of another subscription succeeded in this slot. Returns the id of the subscription. */
    const pulled = async (slot: bigint, on = delegation): Promise<string> => {
      const { subscription, charge } = await addSubscriptionOn(db, tier, NOW.getTime(), on)
      const signature = signatureNo(72_000 + nextNumber())
      await db.prisma.charge.update({ where: { id: charge.id }, data: { signature } })
      const { id: transferId } = await db.prisma.transfer.findFirstOrThrow({ where: { subjectId: charge.id } })
      const attempt = { transferId, number: 1, source: on.wallet, message: Uint8Array.of(1), wire: Uint8Array.of(9) }
      const lifetime = { blockhash: makeBlockhash(addressNo(1)), lastValidBlockHeight: 150n }
      const known = { knownSignature: signatureNo(1), fence: 0n, createdAt: NOW, resolvedAt: NOW }
      await db.prisma.transferAttempt.create({
        data: { ...attempt, ...lifetime, ...known, state: 'final_ok', signature, slot },
      })
      return subscription.id
    }
    await pulled(100n)
    const [one, other] = [await pulled(101n), await pulled(300n)]
    await pulled(300n, await addDelegation(db, tier))
    const { version } = await db.prisma.delegation.findUniqueOrThrow({ where: { id: delegation.id } })
    delegation = { ...delegation, version }
    await complete()
    const amount = tier.unitBaseUnits
    const pulls = await delegations.pullsAfter(delegation.id, 100n)
    expect(new Set(pulls)).toEqual(new Set([one, other].map((subscriptionId) => ({ subscriptionId, amount }))))
    expect(await delegations.pullsAfter(delegation.id, 300n)).toEqual([])
  })

  describe('the creation of a token account of the business', () => {
    /** Claims of charges of one business, for their first attempts. */
    const planned = async () => {
      const claims: PayoutClaim[] = []
      for (let count = 0; count < 2; count += 1) {
        const { id } = await complete()
        intent = await addSubscriptionIntent(db, tier)
        delegation = await addDelegation(db, tier)
        const transferId = (await factsOf(id)).charge?.transfer.id ?? ''
        const of = { network: 'live', accountId: tier.accountId, asset: tier.mint } as const
        claims.push({ ...of, transferId, attempt: 1, at: NOW, sellerLimit: null })
      }
      const [one, other] = claims
      if (one === undefined || other === undefined) throw new Error('two claims')
      const [leased] = await leaseAll()
      return leased?.transfer.id === one.transferId ? { one, other, leased } : { one: other, other: one, leased }
    }
    const leaseAll = () =>
      transfers.claim('live', { now: later(60), leaseMs: 60_000, queues: [{ kind: 'charge', most: 10 }] })
    const claim = (given: PayoutClaim, since = later(-60)) => transfers.claimPayoutCreation(given, since)
    const end = (state: 'final_ok' | 'final_err' | 'dead') =>
      db.prisma.transferAttempt.updateMany({
        data: { state, resolvedAt: NOW, wire: Uint8Array.of(9), signature: signatureNo(71_003) },
      })

    test('is one of claims at the same moment, and a repeat for the same attempt is allowed', async () => {
      const { one, other } = await planned()
      const answers = await Promise.all([claim(one), claim(other)])
      expect(answers.toSorted()).toEqual(['allowed', 'pending'])
      const [first, second] = answers[0] === 'allowed' ? [one, other] : [other, one]
      expect([await claim(first), await claim(second)]).toEqual(['allowed', 'pending'])
      expect(await claim({ ...second, accountId: randomUUID() })).toBe('allowed')
      expect(await claim({ ...second, asset: addressNo(12) })).toBe('allowed')
    })

    test('is pending while the attempt may land, and free again when it created nothing', async () => {
      for (const state of ['final_err', 'dead'] as const) {
        const { one, other, leased } = await planned()
        expect(await claim(one)).toBe('allowed')
        if (leased === undefined) throw new Error('nothing is claimed')
        await prepareAttempt(leased)
        expect(await claim(other)).toBe('pending')
        await end(state)
        expect(await claim(other)).toBe('allowed')
        await emptyTables(db, 'transfers', 'charges')
      }
    })

    test('is spent when the attempt succeeded, for its time, whatever the rent was', async () => {
      const { one, other, leased } = await planned()
      await claim(one)
      if (leased === undefined) throw new Error('nothing is claimed')
      await prepareAttempt(leased)
      await end('final_ok')
      expect(await claim(other)).toBe('spent')
      expect(await claim(other, NOW)).toBe('allowed')
    })

    test('is within a limit for charges of all sellers of a marketplace, which settlements and others have not', async () => {
      const { one, other } = await planned()
      await leaseAll()
      const sellerOf = async (marketplaceAccountId: string) => {
        const data = { id: randomUUID(), network: 'live', name: 'Seller', marketplaceAccountId } as const
        return (await db.prisma.account.create({ data })).id
      }
      const owner = tier.accountId
      const { accountId: another } = await addBusiness(db)
      const sellers = [await sellerOf(owner), await sellerOf(owner), await sellerOf(owner)] as const
      const sellerLimit = { most: 2, since: later(-60) }
      const first = { ...one, accountId: sellers[0], sellerLimit }
      const third = { ...other, accountId: sellers[2], sellerLimit }
      expect(await claim(first)).toBe('allowed')
      expect(await claim({ ...other, accountId: sellers[1], sellerLimit })).toBe('allowed')
      expect(await claim(first)).toBe('allowed')
      expect(await claim(third)).toBe('spent')
      expect(await claim({ ...third, accountId: await sellerOf(another) })).toBe('allowed')
      expect(await claim({ ...third, accountId: owner })).toBe('allowed')
      expect(await claim({ ...third, sellerLimit: { most: 2, since: NOW } })).toBe('allowed')
      expect(await claim({ ...third, accountId: await sellerOf(owner), sellerLimit: null })).toBe('allowed')
    })

    test('is free again when the transfer was given back without the attempt, which is stored under another lease only', async () => {
      const { one, other, leased } = await planned()
      await claim(one)
      if (leased === undefined) throw new Error('nothing is claimed')
      await transfers.giveBack([leased.lease], later(60))
      expect(await prepareAttempt(leased)).toBeNull()
      expect(await claim(other)).toBe('allowed')
      expect(await claim(one)).toBe('pending')
    })

    test('is free again when the charge was withdrawn before its attempt', async () => {
      const { one, other } = await planned()
      await claim(one)
      await db.prisma.transfer.update({ where: { id: one.transferId }, data: { status: 'failed' } })
      expect(await claim(other)).toBe('allowed')
    })
  })

  test('a subscription that does not exist has no facts', async () => {
    expect(await store.facts(randomUUID())).toBeNull()
  })
})
