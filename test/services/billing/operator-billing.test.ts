// The operator reads subscriptions and charges of all businesses, and has a failed charge tried again.
import { randomUUID } from 'node:crypto'
import { beforeAll, beforeEach, expect, it } from 'vitest'
import { createApprovalStore } from '#adapters/prisma/billing/approval-store.ts'
import { createBillingStore } from '#adapters/prisma/billing/billing-store.ts'
import { createOperatorBillingStore } from '#adapters/prisma/billing/operator-billing-store.ts'
import type { Database } from '#adapters/prisma/engine/database.ts'
import { createDepositKeys } from '#adapters/solana/keys/deposit-keys.ts'
import type { Charge } from '#core/billing/charge.ts'
import type { Address } from '#core/chain/types.ts'
import { createOperatorBillingServices } from '#services/billing/operator-billing.ts'
import {
  addDelegation,
  addSubscriptionIntent,
  addTier,
  changeOf,
  DELEGATE,
  newSubscription,
} from '../../support/billing-rows.ts'
import { describeOnBothEngines, emptyTables } from '../../support/database.ts'
import { addressNo, later, NOW } from '../../support/payment.ts'
import { addBusiness } from '../../support/stores.ts'

const ALL = { status: null, accountId: null, wallet: null, limit: 20 }
const ALL_CHARGES = { ...ALL, subscriptionId: null }

describeOnBothEngines('the operator of recurring billing', (open) => {
  let db: Database
  beforeAll(async () => {
    db = await open()
  })
  beforeEach(() => emptyTables(db, 'accounts', 'transfers', 'delegations'))

  const services = () =>
    createOperatorBillingServices({
      billing: createBillingStore(db),
      operatorBilling: createOperatorBillingStore(db),
      approvals: createApprovalStore(db),
      keys: createDepositKeys(new Uint8Array(64).fill(7)),
      clock: { now: () => NOW },
      random: { uuid: () => randomUUID() },
    })

  /** Adds a subscription of the wallet to another business, with its first charge. */
  async function add(wallet: Address, patch: Partial<Charge> = {}, delegate = DELEGATE.address) {
    const tier = await addTier(db, await addBusiness(db))
    const delegation = await addDelegation(db, tier, { wallet })
    const { subscription, charge, transfer } = newSubscription(tier, await addSubscriptionIntent(db, tier), delegation)
    const change = {
      ...changeOf(null, subscription),
      charges: [charge],
      transfers: [{ ...transfer, authority: { ...DELEGATE, address: delegate } }],
    }
    if (!(await createBillingStore(db).apply(change, delegation))) throw new Error('not stored')
    if (patch.status === 'failed') {
      const failed = { status: 'failed', reason: 'The account is frozen.' } as const
      await db.prisma.transfer.updateMany({ where: { subjectId: charge.id }, data: failed })
      const { status, failureCode = null, nextAttemptAt = null } = patch
      await db.prisma.charge.update({ where: { id: charge.id }, data: { status, failureCode, nextAttemptAt } })
    }
    return { subscription, charge }
  }
  const statusOf = async (chargeId: string) =>
    (await db.prisma.transfer.findFirstOrThrow({ where: { subjectId: chargeId } })).status

  it('lists what matches every filter, across businesses', async () => {
    const [mine, other] = [await add(addressNo(1)), await add(addressNo(2), { status: 'failed' })]
    const { subscriptions, charges } = services()
    const idsOf = (rows: readonly { readonly id: string }[]) => rows.map(({ id }) => id).sort()
    expect(idsOf(await subscriptions(ALL))).toEqual(idsOf([mine.subscription, other.subscription]))
    expect(idsOf(await subscriptions({ ...ALL, wallet: addressNo(2) }))).toEqual([other.subscription.id])
    expect(idsOf(await subscriptions({ ...ALL, accountId: mine.subscription.accountId }))).toEqual([
      mine.subscription.id,
    ])
    expect(await subscriptions({ ...ALL, status: 'past_due' })).toEqual([])
    expect(await subscriptions({ ...ALL, limit: 1 })).toHaveLength(1)
    expect(idsOf(await charges(ALL_CHARGES))).toEqual(idsOf([mine.charge, other.charge]))
    expect(idsOf(await charges({ ...ALL_CHARGES, wallet: addressNo(1) }))).toEqual([mine.charge.id])
    expect(idsOf(await charges({ ...ALL_CHARGES, accountId: mine.charge.accountId }))).toEqual([mine.charge.id])
    expect(idsOf(await charges({ ...ALL_CHARGES, subscriptionId: other.subscription.id }))).toEqual([other.charge.id])
    expect(await charges({ ...ALL_CHARGES, status: 'failed' })).toEqual([
      expect.objectContaining({ id: other.charge.id, wallet: addressNo(2), reason: 'The account is frozen.' }),
    ])
  })

  it('says that an id is of no subscription and no charge', async () => {
    for (const id of [randomUUID(), 'no-id']) {
      await expect(services().subscription(id)).rejects.toMatchObject({ code: 'subscription_not_found' })
      await expect(services().charge(id)).rejects.toMatchObject({ code: 'charge_not_found' })
      await expect(services().retryCharge(id)).rejects.toMatchObject({ code: 'charge_not_found' })
    }
  })

  it('plans a failed charge again, once', async () => {
    const waiting = { status: 'failed', failureCode: 'destination_unavailable', nextAttemptAt: later(3_600) } as const
    const { charge } = await add(addressNo(1), waiting)
    const [first, second] = await Promise.allSettled([
      services().retryCharge(charge.id),
      services().retryCharge(charge.id),
    ])
    const outcomes = [first, second].map(({ status }) => status).sort()
    expect(outcomes).toEqual(['fulfilled', 'rejected'])
    expect(await statusOf(charge.id)).toBe('planned')
    expect(await services().charge(charge.id)).toMatchObject({ status: 'pending', nextAttemptAt: NOW })
    await expect(services().retryCharge(charge.id)).rejects.toMatchObject({ code: 'charge_in_progress' })
  })

  it('leaves a charge that needs a new approval as it is', async () => {
    const { charge } = await add(addressNo(1), { status: 'failed', failureCode: 'delegate_revoked' })
    await expect(services().retryCharge(charge.id)).rejects.toMatchObject({ code: 'charge_not_retryable' })
    expect(await statusOf(charge.id)).toBe('failed')
  })

  const overview = (now = NOW) => createOperatorBillingStore(db).overview('live', { now, delegate: DELEGATE.address })

  it('counts subscriptions and allowances by status, and the charges that are due or in flight', async () => {
    const [first] = [await add(addressNo(1)), await add(addressNo(2))]
    await db.prisma.charge.update({ where: { id: first.charge.id }, data: { status: 'submitted' } })
    expect(await overview()).toMatchObject({
      subscriptions: [{ status: 'incomplete', count: 2 }],
      delegations: [{ status: 'active', count: 2 }],
      due: 1,
      inFlight: 1,
      oldest: { since: NOW },
    })
    expect(await overview(later(-1))).toMatchObject({ due: 0, oldest: null })
  })

  it('counts a period that is due before its charge is planned, and no charge that waits for its next try', async () => {
    const { subscription, charge } = await add(addressNo(1), { status: 'failed', nextAttemptAt: later(60) })
    expect(await overview()).toMatchObject({ due: 0, oldest: null })
    await db.prisma.charge.update({ where: { id: charge.id }, data: { status: 'succeeded' } })
    const due = { dueAt: later(-120), nextChargeAt: later(-120) }
    await db.prisma.billingSubscription.update({ where: { id: subscription.id }, data: due })
    expect(await overview()).toMatchObject({
      due: 1,
      oldest: { subscriptionId: subscription.id, since: later(-120), reason: null },
    })
  })

  it('shows what stops charges: a receiver, the service, its signer, or another delegate key', async () => {
    await add(addressNo(1), { status: 'failed', failureCode: 'destination_unavailable' })
    const { charge } = await add(addressNo(2), { status: 'failed', failureCode: 'platform_error' })
    expect(await overview()).toMatchObject({ unpayable: 1, broken: 1, key: { unsigned: 0, otherKeys: 0 } })
    const { id: transferId } = await db.prisma.transfer.findFirstOrThrow({ where: { subjectId: charge.id } })
    const attempt = { number: 1, state: 'dead', source: addressNo(2), message: Buffer.from([1]), fence: 1 } as const
    await db.prisma.transferAttempt.create({
      data: { ...attempt, transferId, blockhash: 'hash', lastValidBlockHeight: 1, knownSignature: 'known' },
    })
    expect(await overview()).toMatchObject({ broken: 1, key: { unsigned: 1 } })
    await add(addressNo(3), {}, addressNo(99))
    expect(await overview()).toMatchObject({ key: { otherKeys: 1 } })
    const where = { wallet: addressNo(2) }
    await db.prisma.delegation.updateMany({ data: { chainDelegate: DELEGATE.address } })
    await db.prisma.delegation.updateMany({ where, data: { chainDelegate: addressNo(99) } })
    expect(await overview()).toMatchObject({ key: { ownDelegations: 2, otherDelegations: 1 } })
  })

  it('finds charges of the last week whose transfer is done with a reason: they moved another amount', async () => {
    const [older, newest, right, old] = [
      await add(addressNo(1)),
      await add(addressNo(2)),
      await add(addressNo(3)),
      await add(addressNo(4)),
    ]
    const end = ({ charge }: typeof older, reason: string | null, seconds: number) =>
      db.prisma.transfer.updateMany({
        where: { subjectId: charge.id },
        data: { status: 'done', reason, doneAt: later(seconds) },
      })
    await end(older, 'Another amount.', -120)
    await end(newest, 'Another amount.', -60)
    await end(right, null, -1)
    await end(old, 'Another amount.', -7 * 86_400)
    expect(await overview()).toMatchObject({ differing: { count: 2, newest: newest.charge.id } })
  })
})
