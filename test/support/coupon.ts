// Coupons for tests of money: half the price of the first three charges, unless a test says otherwise.
import type { Coupon } from '#core/billing/coupon.ts'
import { makeUsdCents } from '#core/money/amounts.ts'
import { NOW } from './payment.ts'

export const couponWith = (patch: Partial<Coupon> = {}): Coupon => ({
  id: '5d0a7a52-3f54-4f8e-9e0f-3b1c1f7a9e01',
  accountId: 'business',
  code: 'WELCOME',
  percentOff: 50,
  amountOffUsdCents: null,
  minPriceUsdCents: makeUsdCents(10),
  periods: 3,
  maxUses: null,
  maxUsesPerWallet: null,
  endsAt: null,
  productId: null,
  archivedAt: null,
  createdAt: NOW,
  ...patch,
})

/** Returns a coupon that takes off an amount. */
export const amountOff = (cents: number, patch: Partial<Coupon> = {}): Coupon =>
  couponWith({ percentOff: null, amountOffUsdCents: makeUsdCents(cents), ...patch })
