// How often a coupon is used, and that no number of parallel completions exceeds its limits.
import { randomBytes, randomUUID } from 'node:crypto'
import { beforeAll, beforeEach, expect, test } from 'vitest'
import { createApprovalStore } from '#adapters/prisma/billing/approval-store.ts'
import { createBillingStore } from '#adapters/prisma/billing/billing-store.ts'
import { createSubscriptionCheckoutStore } from '#adapters/prisma/billing/checkout-store.ts'
import { createSubscriptionCouponStore } from '#adapters/prisma/billing/coupon-store.ts'
import type { Database } from '#adapters/prisma/engine/database.ts'
import type { Tenant } from '#core/accounts/account.ts'
import { type Coupon, discountOf } from '#core/billing/coupon.ts'
import type { Delegation } from '#core/billing/delegation.ts'
import { pricesOf, totalWith } from '#core/billing/discount.ts'
import type { BillingChange } from '#core/billing/machine/change.ts'
import type { SubscriptionIntent } from '#core/billing/subscription-intent.ts'
import type { Tier } from '#core/billing/tier.ts'
import { makeBlockhash } from '#core/chain/base58.ts'
import { makeBaseUnits, makeLamports } from '#core/money/amounts.ts'
import type { SubscriptionCheckoutStore } from '#ports/checkouts.ts'
import {
  addCoupon,
  addDelegation,
  addSubscriptionIntent,
  addTier,
  changeOf,
  newSubscription,
} from '../../../support/billing-rows.ts'
import { couponWith } from '../../../support/coupon.ts'
import { describeOnBothEngines, emptyTables } from '../../../support/database.ts'
import { addressNo, later, NOW, signatureNo } from '../../../support/payment.ts'
import { addBusiness } from '../../../support/stores.ts'

describeOnBothEngines('the store of coupons', (open) => {
  let db: Database
  let checkouts: SubscriptionCheckoutStore
  let coupons: ReturnType<typeof createSubscriptionCouponStore>
  let tenant: Tenant
  let tier: Tier
  beforeAll(async () => {
    db = await open()
    coupons = createSubscriptionCouponStore(db)
    checkouts = createSubscriptionCheckoutStore(db)
  })
  beforeEach(async () => {
    await emptyTables(db, 'accounts', 'delegations', 'ledger_entries', 'wallet_challenges')
    tenant = await addBusiness(db)
    tier = await addTier(db, tenant)
  })

  const usesOf = (coupon: Coupon) => coupons.countUses(coupon)

  /** A checkout with a coupon, as a wallet completes it by a signed text. */
  async function completion(coupon: Coupon, known?: Delegation) {
    const intent = await addSubscriptionIntent(db, tier, coupon.id)
    const delegation = known ?? (await addDelegation(db, tier))
    const { subscription, charge, transfer } = newSubscription(tier, intent, delegation)
    const after = {
      ...subscription,
      ...pricesOf(tier, coupon),
      couponId: coupon.id,
      discount: discountOf(coupon),
      authorizedAmount: totalWith(tier, coupon),
    }
    const change: BillingChange = {
      ...changeOf(null, after),
      charges: [charge],
      transfers: [transfer],
      checkout: {
        before: intent,
        after: { ...intent, status: 'completed', version: 2, subscriptionId: after.id, completedAt: NOW },
      },
    }
    const nonceHash = Uint8Array.from(randomBytes(32))
    const challenge = {
      nonceHash,
      tokenHash: null,
      purpose: 'checkout',
      network: 'live',
      wallet: delegation.wallet,
      subjectId: intent.id,
      message: 'text',
      terms: {},
      termsHash: Uint8Array.from(randomBytes(32)),
      expiresAt: later(600),
      createdAt: NOW,
    } as const
    await db.prisma.walletChallenge.create({ data: challenge })
    const proof = { nonceHash, signature: new Uint8Array(64), signedMessage: null, at: NOW }
    return { change, delegation, proof }
  }

  /** An open checkout whose approve may still land. */
  async function prepared(coupon: Coupon, delegation: Delegation): Promise<SubscriptionIntent> {
    const intent = await addSubscriptionIntent(db, tier, coupon.id)
    await db.prisma.approval.create({
      data: {
        id: randomUUID(),
        network: 'live',
        delegationId: delegation.id,
        intentId: intent.id,
        subscriptionId: randomUUID(),
        businessId: tier.accountId,
        terms: { purpose: 'checkout' },
        total: '1',
        state: 'prepared',
        message: Uint8Array.of(1),
        blockhash: makeBlockhash(addressNo(1)),
        lastValidBlockHeight: 1n,
        spendCost: 1n,
        knownSignature: 'x',
        createdAt: NOW,
      },
    })
    return intent
  }

  test('a hundred parallel completions never exceed the limit in all', async () => {
    const coupon = await addCoupon(db, tenant, { maxUses: 10 })
    const all = await Promise.all(Array.from({ length: 100 }, () => completion(coupon)))
    // Each store is a process of its own.
    const stores = Array.from({ length: 4 }, () => createBillingStore(db))
    const applied = await Promise.all(
      all.map(async ({ change, delegation, proof }, at) => {
        const store = stores[at % 4]
        // Changes that are decided together and cannot all be applied are tried alone.
        for (let tries = 0; tries < 3; tries += 1)
          if (await store?.apply(change, delegation, { by: 'proof', proof })) return true
        return false
      }),
    )
    expect(applied.filter(Boolean)).toHaveLength(10)
    expect(await usesOf(coupon)).toBe(10)
    expect(await db.prisma.billingSubscription.count({ where: { couponId: coupon.id } })).toBe(10)
  })

  test('parallel completions of one wallet never exceed its limit', async () => {
    const coupon = await addCoupon(db, tenant, { maxUsesPerWallet: 2 })
    const delegation = await addDelegation(db, tier)
    const all = await Promise.all(Array.from({ length: 6 }, () => completion(coupon, delegation)))
    const other = await completion(coupon)
    const applied = await Promise.all(
      all.map(async ({ change, proof }) => {
        for (let version = 1; version < 12; version += 1)
          if (await createBillingStore(db).apply(change, { ...delegation, version }, { by: 'proof', proof }))
            return true
        return false
      }),
    )
    expect(applied.filter(Boolean)).toHaveLength(2)
    const own = createBillingStore(db)
    expect(await own.apply(other.change, other.delegation, { by: 'proof', proof: other.proof })).toBe(true)
  })

  test('an approve that may still land keeps the place of its checkout, and frees it when it is dead', async () => {
    const coupon = await addCoupon(db, tenant, { maxUses: 1, maxUsesPerWallet: 1 })
    const delegation = await addDelegation(db, tier)
    const intent = await prepared(coupon, delegation)
    const { change, delegation: others, proof } = await completion(coupon)
    const store = createBillingStore(db)
    expect(await usesOf(coupon)).toBe(1)
    expect(await coupons.usesBy(coupon, { wallet: delegation.wallet, intentId: null })).toEqual({
      uses: 1,
      usesOfWallet: 1,
    })
    // The checkout itself is judged without its own place.
    expect(await coupons.usesBy(coupon, { wallet: delegation.wallet, intentId: intent.id })).toEqual({
      uses: 0,
      usesOfWallet: 0,
    })
    expect(await store.apply(change, others, { by: 'proof', proof })).toBe(false)
    await db.prisma.approval.updateMany({ where: { intentId: intent.id }, data: { state: 'dead' } })
    expect(await usesOf(coupon)).toBe(0)
    expect(await store.apply(change, others, { by: 'proof', proof })).toBe(true)
  })

  test('uses are counted only as far as a limit needs them, and not at all without one', async () => {
    const coupon = await addCoupon(db, tenant)
    const delegation = await addDelegation(db, tier)
    for (let version = 1; version <= 3; version += 1) {
      const { change, proof } = await completion(coupon, delegation)
      expect(await createBillingStore(db).apply(change, { ...delegation, version }, { by: 'proof', proof })).toBe(true)
    }
    const by = { wallet: delegation.wallet, intentId: null }
    const counted = (maxUses: number | null, maxUsesPerWallet: number | null) =>
      coupons.usesBy({ id: coupon.id, maxUses, maxUsesPerWallet }, by)
    expect(await counted(null, null)).toEqual({ uses: 0, usesOfWallet: 0 })
    expect(await counted(null, 2)).toEqual({ uses: 0, usesOfWallet: 2 })
    expect(await counted(1, null)).toEqual({ uses: 1, usesOfWallet: 0 })
    expect(await counted(9, 9)).toEqual({ uses: 3, usesOfWallet: 3 })
    expect(await usesOf(coupon)).toBe(3)
  })

  test('a coupon that is used up does not wait for the budget of approves', async () => {
    // The embedded engine has one connection, so nothing happens during a transaction.
    if (db.kind === 'embedded') return
    const coupon = await addCoupon(db, tenant, { maxUses: 1 })
    await prepared(coupon, await addDelegation(db, tier))
    const delegation = await addDelegation(db, tier)
    const before = await addSubscriptionIntent(db, tier, coupon.id)
    const approval = {
      id: randomUUID(),
      network: 'live',
      delegationId: delegation.id,
      purpose: { kind: 'checkout', intentId: before.id, trialDays: 0 },
      subscriptionId: randomUUID(),
      businessId: tier.accountId,
      total: makeBaseUnits(1),
      message: Uint8Array.of(1),
      lifetime: { blockhash: makeBlockhash(addressNo(1)), lastValidBlockHeight: 1n },
      spendCost: makeLamports(1n),
      knownSignature: signatureNo(1),
      createdAt: NOW,
    } as const
    const decided = { delegation, version: 1, checkout: { before, after: { ...before, version: 2 } } }
    await db.prisma.$transaction(async (tx) => {
      await tx.$executeRaw`SELECT pg_advisory_xact_lock(hashtextextended('budget of approvals on live', 0))`
      const limits = { perDay: makeLamports(10n ** 9n), provenAt: null }
      expect(await createApprovalStore(db).prepare(approval, { ...decided, ...limits })).toBe('moved_on')
    })
  })

  test('the coupon of a checkout does not change under an approve that may still land', async () => {
    const coupon = await addCoupon(db, tenant)
    const intent = await prepared(coupon, await addDelegation(db, tier))
    const checkout = { before: intent, after: { ...intent, couponId: null, version: 2 } }
    expect(await checkouts.enterCoupon(checkout)).toBe('pending')
    await db.prisma.approval.updateMany({ where: { intentId: intent.id }, data: { state: 'final_err' } })
    expect(await checkouts.enterCoupon(checkout)).toBe('stored')
    expect(await checkouts.enterCoupon(checkout)).toBe('moved_on')
    expect((await checkouts.find(intent.id))?.coupon).toBeNull()
  })

  test('of two active coupons with one code one is stored, and an archived one frees its code', async () => {
    const made = [1, 2].map(() => couponWith({ id: randomUUID(), accountId: tenant.accountId, code: 'ONCE' }))
    const stored = await Promise.all(made.map((coupon) => coupons.create(tenant, coupon)))
    expect(stored.toSorted()).toEqual([false, true])
    const first = await coupons.findByCode(tenant, 'ONCE')
    expect(await coupons.archive(tenant, first?.id ?? '', NOW)).toMatchObject({ archivedAt: NOW })
    expect(await coupons.archive(tenant, first?.id ?? '', later(9))).toMatchObject({ archivedAt: NOW })
    expect(await coupons.findByCode(tenant, 'ONCE')).toBeNull()
    expect(await coupons.create(tenant, couponWith({ id: randomUUID(), code: 'ONCE' }))).toBe(true)
  })

  test('a coupon is no coupon of another business', async () => {
    const coupon = await addCoupon(db, tenant)
    const other = await addBusiness(db)
    expect(await coupons.find(other, coupon.id)).toBeNull()
    expect(await coupons.findByCode(other, coupon.code)).toBeNull()
    expect(await coupons.archive(other, coupon.id, NOW)).toBeNull()
    expect(await coupons.find(tenant, coupon.id)).toEqual(coupon)
  })
})
