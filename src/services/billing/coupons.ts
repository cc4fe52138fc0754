// Coupons: created, used by checkouts, archived, and never changed. docs/billing.md, "Coupons".
import {
  type Coupon,
  couponCodeOf,
  isCouponCode,
  judgeCoupon,
  judgeCouponInput,
  newCoupon,
} from '#core/billing/coupon.ts'
import type { Address } from '#core/chain/types.ts'
import { ServiceError } from '#core/errors.ts'
import type { CountedCoupon, SubscriptionCouponStore, SubscriptionProductStore } from '#ports/catalogue.ts'
import type { Clock } from '#ports/clock.ts'
import type { Random } from '#ports/random.ts'
import type { CouponServices } from '#services/billing/catalogue-services.ts'
import { requireTerms, type TermsDeps } from '#services/billing/terms.ts'
import { isUuid, refuse } from '#services/requests.ts'

export type CouponDeps = Pick<TermsDeps, 'billingTerms'> & {
  readonly subscriptionProducts: Pick<SubscriptionProductStore, 'find'>
  readonly subscriptionCoupons: SubscriptionCouponStore
  readonly random: Pick<Random, 'uuid'>
  readonly clock: Clock
}

export function createCouponServices(deps: CouponDeps): CouponServices {
  const { subscriptionCoupons: store, random, clock } = deps
  const counted = async (coupon: Coupon | null): Promise<CountedCoupon> => {
    if (coupon === null) throw new ServiceError('coupon_not_found')
    return { ...coupon, uses: await store.countUses(coupon) }
  }
  return {
    async createCoupon({ tenant }, input, id = random.uuid()) {
      const at = clock.now()
      const field = judgeCouponInput(input, at)
      if (field !== null) throw new ServiceError('invalid_coupon', { field })
      const { productId } = input
      if (productId !== null) {
        const product = isUuid(productId) ? await deps.subscriptionProducts.find(tenant, productId) : null
        if (product === null) throw new ServiceError('product_not_found')
        if (product.archivedAt !== null) throw new ServiceError('product_archived')
      }
      const { minPriceUsdCents } = requireTerms(deps)
      const coupon = newCoupon(input, { id, accountId: tenant.accountId, minPriceUsdCents, at })
      if (!(await store.create(tenant, coupon))) {
        // The same request at the same moment has the same id.
        const stored = await store.find(tenant, id)
        if (stored === null) throw new ServiceError('coupon_exists')
        return await counted(stored)
      }
      return { ...coupon, uses: 0 }
    },

    findCoupon: async ({ tenant }, id) => await counted(isUuid(id) ? await store.find(tenant, id) : null),

    archiveCoupon: async ({ tenant }, id) =>
      await counted(isUuid(id) ? await store.archive(tenant, id, clock.now()) : null),
  }
}

/** The checkout that is to use a coupon. `wallet`: null while it is not known who subscribes. */
type Use = {
  readonly accountId: string
  readonly productId: string
  readonly intentId: string
  readonly wallet: Address | null
}

type UseDeps = {
  readonly subscriptionCoupons: Pick<SubscriptionCouponStore, 'find' | 'findByCode' | 'usesBy'>
  readonly clock: Clock
}

/** Returns the coupon that a code or an id names. Throws `coupon_not_found`, and as `requireUsable` does. */
export async function findUsable(deps: UseDeps, given: string, use: Use): Promise<Coupon> {
  const code = couponCodeOf(given)
  const { subscriptionCoupons: store } = deps
  const coupon = isUuid(given)
    ? await store.find(use, given)
    : isCouponCode(code)
      ? await store.findByCode(use, code)
      : null
  if (coupon === null) throw new ServiceError('coupon_not_found')
  await requireUsable(deps, coupon, use)
  return coupon
}

/** Throws `coupon_not_found` for an archived coupon, `coupon_ended`, `coupon_not_for_product` and `coupon_used_up`. */
export async function requireUsable(
  { subscriptionCoupons, clock }: UseDeps,
  coupon: Coupon,
  { productId, intentId, wallet }: Use,
): Promise<void> {
  const uses = await subscriptionCoupons.usesBy(coupon, { wallet, intentId })
  refuse(judgeCoupon(coupon, { ...uses, productId, now: clock.now() }))
}
