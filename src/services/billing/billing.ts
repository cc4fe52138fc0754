// Admits callers to recurring billing, and shows its terms.
import { tenantOf } from '#core/accounts/account.ts'
import { explorerUrlOf } from '#core/billing/payload.ts'
import { walletChainOf } from '#core/chain/known-networks.ts'
import { ServiceError } from '#core/errors.ts'
import { makeBasisPoints } from '#core/money/amounts.ts'
import type { AccountStore } from '#ports/accounts.ts'
import type { Clock } from '#ports/clock.ts'
import type {
  BillingServices,
  Merchant,
  MerchantRequest,
  PlatformBillingFacts,
  PlatformBillingTerms,
} from '#services/billing/billing-services.ts'
import { isUuid } from '#services/requests.ts'
import { BILLING_NETWORK, problemsOf, type TermsDeps } from './terms.ts'

export type BillingDeps = TermsDeps & {
  readonly accounts: Pick<AccountStore, 'findMarketplace' | 'findSeller'>
  readonly clock: Clock
  /** The name of the chain on which charges are made. */
  readonly genesisHash: string
}

const NO_FEE = makeBasisPoints(0)

export function createBillingServices(deps: BillingDeps): BillingServices {
  return {
    facts: async () => (deps.billingTerms === null ? null : await factsOf(deps, deps.billingTerms)),

    now: () => deps.clock.now(),
    problems: () => problemsOf(deps),
    explorerUrl: (signature) => explorerUrlOf(signature, walletChainOf(deps.genesisHash)),

    async merchant({ tenant, permissions, scope, onBehalfOf }) {
      if (deps.billingTerms === null || tenant.network !== BILLING_NETWORK)
        throw new ServiceError('subscription_service_unavailable')
      if (!permissions.has(scope)) throw new ServiceError('permission_denied', { permission: scope })
      if (onBehalfOf === null) return { tenant, marketplaceFeeBps: NO_FEE }
      return await sellerOf(deps, { tenant, scope, sellerId: onBehalfOf })
    },
  }
}

async function factsOf({ directory }: BillingDeps, terms: PlatformBillingTerms): Promise<PlatformBillingFacts> {
  const token = (await directory.tokens(BILLING_NETWORK)).get(terms.mint)
  const isAllowed = token?.enabled === true
  const { mint, minPriceUsdCents, maxPriceUsdCents, platformFeeBps, subscriptionsPerWallet } = terms
  return {
    mint,
    minPriceUsdCents,
    maxPriceUsdCents,
    platformFeeBps,
    subscriptionsPerWallet,
    tokenProgram: isAllowed ? token.tokenProgram : null,
    decimals: isAllowed ? token.decimals : null,
  }
}

// A malformed, foreign or archived id, and an ordinary business that calls: one answer, so that callers cannot probe.
async function sellerOf(
  { accounts }: BillingDeps,
  { tenant, scope, sellerId }: Pick<MerchantRequest, 'tenant' | 'scope'> & { readonly sellerId: string },
): Promise<Merchant> {
  const unknown = new ServiceError('seller_not_found')
  if (!isUuid(sellerId)) throw unknown
  const marketplace = await accounts.findMarketplace(tenant.accountId)
  if (marketplace === null) throw unknown
  const seller = await accounts.findSeller(tenant, sellerId)
  if (seller === null || seller.archivedAt !== null) throw unknown
  if (scope === 'subscriptions-manage' && seller.disabledAt !== null) throw new ServiceError('account_disabled')
  if (scope === 'subscriptions-manage' && marketplace.status !== 'active')
    throw new ServiceError('marketplace_disabled')
  return { tenant: tenantOf(seller), marketplaceFeeBps: seller.marketplaceFeeBps ?? marketplace.defaultFeeBps }
}
