// Tiers: created with everything that a charge depends on, and from then on only named, described and archived.
import type { Account } from '#core/accounts/account.ts'
import { editedEntry, withCleanedTexts } from '#core/billing/catalogue.ts'
import type { Product } from '#core/billing/product.ts'
import { judgeTier, judgeTierTexts, newTier, type Tier, type TierTerms } from '#core/billing/tier.ts'
import type { Address } from '#core/chain/types.ts'
import { isNeverWallet, unpayableBy } from '#core/chain/unpayable.ts'
import { ServiceError } from '#core/errors.ts'
import type { AccountStore } from '#ports/accounts.ts'
import type { SubscriptionProductStore, SubscriptionTierStore } from '#ports/catalogue.ts'
import type { BalanceReader, DepositKeys } from '#ports/chain.ts'
import type { Clock } from '#ports/clock.ts'
import type { Random } from '#ports/random.ts'
import { isUuid, refuse } from '#services/requests.ts'
import type { Merchant, PlatformBillingTerms } from './billing-services.ts'
import type { TierServices } from './catalogue-services.ts'
import { requireTerms, settlementMint, type TermsDeps } from './terms.ts'

// Where the charges of a business are paid: its sweep destination, judged by what it is on the chain.

/**
 * Returns the wallet that receives charges. Throws `payout_destination_missing`, `payout_destination_invalid` for a token
 * account, a mint and a program, and `chain_unavailable`: a payout is frozen into a tier, so it is not taken unread.
 */
async function payoutOwnerOf(
  { sweepDestination }: Pick<Account, 'sweepDestination'>,
  chain: Pick<BalanceReader, 'readAccounts'>,
): Promise<Address> {
  if (sweepDestination === null) throw new ServiceError('payout_destination_missing')
  if (isNeverWallet(sweepDestination)) throw new ServiceError('payout_destination_invalid')
  const [state] = (await chain.readAccounts([sweepDestination])).states
  if (state != null && unpayableBy(state.ownerProgram) !== null) throw new ServiceError('payout_destination_invalid')
  return sweepDestination
}

export type TierDeps = TermsDeps & {
  readonly accounts: Pick<AccountStore, 'find'>
  readonly subscriptionProducts: Pick<SubscriptionProductStore, 'find'>
  readonly subscriptionTiers: SubscriptionTierStore
  /** The network of live accounts. */
  readonly liveChain: Pick<BalanceReader, 'readAccounts'>
  readonly keys: Pick<DepositKeys, 'tokenAccountOf'>
  readonly random: Pick<Random, 'uuid'>
  readonly clock: Clock
}

export function createTierServices(deps: TierDeps): TierServices {
  const { subscriptionTiers: tiers, clock } = deps
  return {
    async createTier(merchant, productId, given, id = deps.random.uuid()) {
      const input = withCleanedTexts(given)
      const terms = requireTerms(deps)
      const refusal = judgeTier(input, terms)
      if (refusal !== null) throw new ServiceError(refusal.code, refusal.context)
      const product = await requireProduct(deps, merchant, productId)
      const frozen = await frozenTermsOf(deps, merchant, terms)
      const { accountId } = merchant.tenant
      const tier = newTier(input, frozen, { id, accountId, productId: product.id, at: clock.now() })
      if (tier === null) throw new ServiceError('authorization_total_too_large')
      if (!(await tiers.create(merchant.tenant, tier))) throw new ServiceError('product_archived')
      return tier
    },

    findTier: async ({ tenant }, id) => required(isUuid(id) ? await tiers.find(tenant, id) : null),

    async updateTier({ tenant }, id, given) {
      if (!isUuid(id)) throw new ServiceError('tier_not_found')
      const patch = withCleanedTexts(given)
      refuse(judgeTierTexts(patch))
      const at = clock.now()
      const changed = await tiers.change(tenant, id, ({ tier, isProductArchived }) => {
        const next = editedEntry(tier, patch, at)
        const becomesActive = tier.archivedAt !== null && next.archivedAt === null
        if (becomesActive && isProductArchived) throw new ServiceError('product_archived')
        return next
      })
      return required(changed)
    },
  }
}

/** Throws `product_not_found` and `product_archived`. */
async function requireProduct({ subscriptionProducts }: TierDeps, { tenant }: Merchant, id: string): Promise<Product> {
  const product = isUuid(id) ? await subscriptionProducts.find(tenant, id) : null
  if (product === null) throw new ServiceError('product_not_found')
  if (product.archivedAt !== null) throw new ServiceError('product_archived')
  return product
}

/** Returns what is frozen into a tier of the merchant now. */
async function frozenTermsOf(
  deps: TierDeps,
  { tenant, marketplaceFeeBps }: Merchant,
  { platformFeeBps, platformWallet }: PlatformBillingTerms,
): Promise<TierTerms> {
  if (marketplaceFeeBps > 0)
    throw new ServiceError('marketplace_fee_unsupported', { marketplace_fee_bps: marketplaceFeeBps })
  const mint = await settlementMint(deps)
  if (platformFeeBps > 0 && platformWallet === null) throw new ServiceError('platform_wallet_unconfigured')
  // Read from the database, because a cached account may have its former destination.
  const account = await deps.accounts.find(tenant.accountId)
  if (account === null) throw new ServiceError('account_not_found', { id: tenant.accountId })
  const payoutOwner = await payoutOwnerOf(account, deps.liveChain)
  const payoutAta = await deps.keys.tokenAccountOf(payoutOwner, mint.mint, mint.tokenProgram)
  return { ...mint, payoutOwner, payoutAta, platformFeeBps, platformWallet }
}

function required(tier: Tier | null): Tier {
  if (tier === null) throw new ServiceError('tier_not_found')
  return tier
}
