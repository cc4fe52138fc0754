// The operator reads subscriptions and charges of all businesses, and has a failed charge tried again.
import { randomUUID } from 'node:crypto'
import { beforeAll, beforeEach, expect, it } from 'vitest'
import { createBillingStore } from '#adapters/prisma/billing/billing-store.ts'
import { createOperatorBillingStore } from '#adapters/prisma/billing/operator-billing-store.ts'
import type { Database } from '#adapters/prisma/engine/database.ts'
import { createDepositKeys } from '#adapters/solana/keys/deposit-keys.ts'
import type { Charge } from '#core/billing/charge.ts'
import type { Address } from '#core/chain/types.ts'
import { createOperatorBillingServices } from '#services/billing/operator-billing.ts'
import { addDelegation, addSubscriptionIntent, addTier, changeOf, newSubscription } from '../../support/billing-rows.ts'
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
      keys: createDepositKeys(new Uint8Array(64).fill(7)),
      clock: { now: () => NOW },
      random: { uuid: () => randomUUID() },
    })

  /** Adds a subscription of the wallet to another business, with its first charge. */
  async function add(wallet: Address, patch: Partial<Charge> = {}) {
    const tier = await addTier(db, await addBusiness(db))
    const delegation = await addDelegation(db, tier, { wallet })
    const { subscription, charge, transfer } = newSubscription(tier, await addSubscriptionIntent(db, tier), delegation)
    const change = { ...changeOf(null, subscription), charges: [charge], transfers: [transfer] }
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
})
