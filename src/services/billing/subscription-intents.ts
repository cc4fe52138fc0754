// Checkouts as a business creates, reads and cancels them. A subscriber opens one by the token in its URL.
import {
  checkIntent,
  newSubscriptionIntent,
  type SubscriptionIntent,
  subscriptionIntentStatus,
} from '#core/billing/subscription-intent.ts'
import type { Tier } from '#core/billing/tier.ts'
import { ServiceError } from '#core/errors.ts'
import type {
  RedirectDomainStore,
  SubscriptionCouponStore,
  SubscriptionIntentStore,
  SubscriptionProductStore,
  SubscriptionTierStore,
} from '#ports/catalogue.ts'
import type { DepositKeys } from '#ports/chain.ts'
import type { Clock } from '#ports/clock.ts'
import type { Random } from '#ports/random.ts'
import type { Secrets } from '#ports/secrets.ts'
import type { Merchant } from '#services/billing/billing-services.ts'
import type { CreatedSubscriptionIntent, SubscriptionIntentServices } from '#services/billing/catalogue-services.ts'
import { findUsable } from '#services/billing/coupons.ts'
import { serviceKeysOf } from '#services/billing/decide.ts'
import { BILLING_NETWORK, requireTerms, settlementMint, type TermsDeps } from '#services/billing/terms.ts'
import { isUuid, requireTierId } from '#services/requests.ts'
import { CHANGED_MEANWHILE, retryWhenChanged } from '#services/retry-when-changed.ts'
import { judgeDomains } from './domains.ts'

export type SubscriptionIntentDeps = TermsDeps & {
  readonly subscriptionProducts: Pick<SubscriptionProductStore, 'find'>
  readonly subscriptionTiers: Pick<SubscriptionTierStore, 'find'>
  readonly subscriptionCoupons: Pick<SubscriptionCouponStore, 'find' | 'findByCode' | 'usesBy'>
  readonly subscriptionIntents: SubscriptionIntentStore
  readonly redirectDomains: Pick<RedirectDomainStore, 'active'>
  readonly secrets: Pick<Secrets, 'checkoutTokenOf'>
  /** {pay_url}, without a slash at the end. */
  readonly payUrl: string
  readonly keys: Pick<DepositKeys, 'addressOf'>
  readonly random: Pick<Random, 'uuid'>
  readonly clock: Clock
}

export function createSubscriptionIntentServices(deps: SubscriptionIntentDeps): SubscriptionIntentServices {
  const { subscriptionIntents: intents, clock } = deps
  const find = async ({ tenant }: Merchant, id: string): Promise<SubscriptionIntent> => {
    const intent = isUuid(id) ? await intents.find(tenant, id) : null
    if (intent === null) throw new ServiceError('intent_not_found')
    return intent
  }
  const shown = (intent: SubscriptionIntent): CreatedSubscriptionIntent => {
    const { secret } = deps.secrets.checkoutTokenOf(intent.id)
    return { intent, checkoutToken: secret, checkoutUrl: `${deps.payUrl}/s/${secret}` }
  }
  return {
    async createIntent(merchant, input, id = deps.random.uuid()) {
      requireTierId(input.tierId)
      const checked = checkIntent(input, serviceKeysOf(deps, BILLING_NETWORK))
      if ('code' in checked) throw new ServiceError(checked.code, checked.context)
      const tier = await requireTier(deps, merchant, input.tierId)
      const { tenant } = merchant
      const strange = await judgeDomains(deps, [tenant], checked.redirects)
      if (strange !== null) throw strange
      const { accountId } = tenant
      const { productId } = tier
      const coupon =
        input.coupon === null
          ? null
          : await findUsable(deps, input.coupon, { accountId, productId, intentId: id, wallet: checked.wallet })
      const of = { id, accountId, couponId: coupon?.id ?? null, at: clock.now() }
      const intent = newSubscriptionIntent({ ...input, tierId: tier.id }, checked, of)
      const { hash } = deps.secrets.checkoutTokenOf(id)
      const created = await intents.create(tenant, intent, hash)
      if (created === 'tier_archived') throw new ServiceError('tier_archived')
      if (created === 'seller_archived') throw new ServiceError('seller_not_found')
      return shown(intent)
    },

    findCreatedIntent: async (merchant, id) => shown(await find(merchant, id)),

    findIntent: find,

    cancelIntent: (merchant, id) =>
      retryWhenChanged(async () => {
        const intent = await find(merchant, id)
        const now = clock.now()
        const status = subscriptionIntentStatus(intent, now)
        if (status === 'canceled') return intent
        if (status !== 'open')
          throw new ServiceError('intent_not_open', {
            status,
            subscription_id: status === 'completed' ? intent.subscriptionId : null,
          })
        const { version } = intent
        const canceled = {
          ...intent,
          status: 'canceled',
          canceledAt: now,
          updatedAt: now,
          version: version + 1,
        } as const
        return (await intents.replace(merchant.tenant, canceled, version)) ? canceled : CHANGED_MEANWHILE
      }),
  }
}

/** Throws `tier_not_found`, `product_archived`, `tier_archived`, `tier_mint_mismatch`, and as `settlementMint` does. */
async function requireTier(deps: SubscriptionIntentDeps, { tenant }: Merchant, id: string): Promise<Tier> {
  const tier = await deps.subscriptionTiers.find(tenant, id)
  if (tier === null) throw new ServiceError('tier_not_found')
  const product = await deps.subscriptionProducts.find(tenant, tier.productId)
  if (product?.archivedAt != null) throw new ServiceError('product_archived')
  if (tier.archivedAt !== null) throw new ServiceError('tier_archived')
  const { mint } = requireTerms(deps)
  if (tier.mint !== mint) throw new ServiceError('tier_mint_mismatch', { tier_mint: tier.mint, platform_mint: mint })
  await settlementMint(deps)
  return tier
}
