// The capability of a marketplace: read and edited by the business, granted and revoked by the operator.
import type { Marketplace, Tenant } from '#core/accounts/account.ts'
import type { Actor } from '#core/accounts/audit.ts'
import type { Network } from '#core/chain/types.ts'
import { ServiceError } from '#core/errors.ts'
import { marketplaceEntries } from '#core/marketplace/audit.ts'
import { judgeFee } from '#core/marketplace/seller.ts'
import { type BasisPoints, makeBasisPoints } from '#core/money/amounts.ts'
import type { AccountStore } from '#ports/accounts.ts'
import type { Clock } from '#ports/clock.ts'
import type { MarketplaceStore } from '#ports/marketplaces.ts'
import type { DirectoryChanged } from '#services/accounts/directory.ts'
import type { JudgeSweepDestination } from '#services/accounts/sweep-destination.ts'
import { isUuid } from '#services/requests.ts'
import type { Approval, MarketplaceServices, MarketplaceWithCounts } from './marketplace-services.ts'

export type MarketplaceDeps = {
  readonly accounts: Pick<AccountStore, 'find'>
  readonly marketplaces: MarketplaceStore
  readonly directoryChanged: DirectoryChanged
  readonly judgeFeeWallet: JudgeSweepDestination
  readonly clock: Clock
  readonly maxMarketplaceFeeBps: BasisPoints
}

type TermsServices = Pick<MarketplaceServices, 'find' | 'update' | 'approve' | 'revoke' | 'show'>

const MAX_SELLER_LIMIT = 2 ** 31 - 1

export function createTermsServices(deps: MarketplaceDeps): TermsServices {
  const { marketplaces } = deps

  const withCounts = async (marketplace: Marketplace | null): Promise<MarketplaceWithCounts> => {
    const found = required(marketplace)
    return { ...found, ...(await marketplaces.counts(found.accountId)) }
  }

  const change = async (
    accountId: string,
    actor: Actor,
    decide: (current: Marketplace | null) => Marketplace,
  ): Promise<MarketplaceWithCounts> => {
    const stored = await marketplaces.change(accountId, { actor, at: deps.clock.now() }, (current) => {
      const next = decide(current)
      return { next, entries: marketplaceEntries(current, next) }
    })
    await deps.directoryChanged()
    return withCounts(stored)
  }

  const businessOf = async (id: string): Promise<Network> => {
    const account = isUuid(id) ? await deps.accounts.find(id) : null
    if (account === null) throw new ServiceError('account_not_found', { id })
    if (account.marketplaceAccountId !== null)
      throw new ServiceError('invalid_request', { field: 'account_id', rule: 'is a seller, not a business' })
    return account.network
  }

  return {
    find: async ({ accountId }) => withCounts(await marketplaces.find(accountId)),

    async update({ tenant, actor }, patch) {
      await requireActive(marketplaces, tenant)
      if (patch.defaultFeeBps === undefined && patch.feeWallet === undefined)
        throw new ServiceError('invalid_request', { rule: 'has nothing to update' })
      await judgeTerms(deps, tenant.network, patch)
      return change(tenant.accountId, actor, (current) => withTerms(requireStatus(current), patch))
    },

    async approve(accountId, terms, actor) {
      const network = await businessOf(accountId)
      await judgeTerms(deps, network, terms)
      return change(accountId, actor, (current) => withTerms(activeOf(current, accountId), terms))
    },

    async revoke(accountId, actor) {
      await businessOf(accountId)
      return change(accountId, actor, (current) => ({ ...required(current), status: 'disabled' }))
    },

    async show(accountId) {
      await businessOf(accountId)
      return withCounts(await marketplaces.find(accountId))
    },
  }
}

function required(marketplace: Marketplace | null): Marketplace {
  if (marketplace === null) throw new ServiceError('marketplace_not_found')
  return marketplace
}

/** Throws `marketplace_not_found`, or `marketplace_disabled` while the capability is revoked. */
function requireStatus(marketplace: Marketplace | null): Marketplace {
  const found = required(marketplace)
  if (found.status !== 'active') throw new ServiceError('marketplace_disabled')
  return found
}

export const requireActive = async (
  marketplaces: Pick<MarketplaceStore, 'find'>,
  { accountId }: Tenant,
): Promise<Marketplace> => requireStatus(await marketplaces.find(accountId))

const activeOf = (current: Marketplace | null, accountId: string): Marketplace => ({
  accountId,
  defaultFeeBps: makeBasisPoints(0),
  feeWallet: null,
  sellerLimit: null,
  ...current,
  status: 'active',
})

const withTerms = (marketplace: Marketplace, { defaultFeeBps, feeWallet, sellerLimit }: Approval): Marketplace => ({
  ...marketplace,
  ...(defaultFeeBps !== undefined && { defaultFeeBps: makeBasisPoints(defaultFeeBps) }),
  ...(feeWallet !== undefined && { feeWallet }),
  ...(sellerLimit !== undefined && { sellerLimit }),
})

async function judgeTerms(
  { maxMarketplaceFeeBps, judgeFeeWallet }: MarketplaceDeps,
  network: Network,
  { defaultFeeBps, feeWallet, sellerLimit }: Approval,
): Promise<void> {
  const refusal = judgeFee('default_fee_bps', defaultFeeBps, maxMarketplaceFeeBps) ?? judgeLimit(sellerLimit)
  if (refusal !== null) throw new ServiceError('invalid_request', refusal)
  if (feeWallet != null) await judgeFeeWallet(network, feeWallet)
}

function judgeLimit(limit: number | null | undefined) {
  if (limit === null || limit === undefined) return null
  if (Number.isInteger(limit) && limit >= 0 && limit <= MAX_SELLER_LIMIT) return null
  return { field: 'seller_limit', rule: `must be an integer from 0 to ${MAX_SELLER_LIMIT}` }
}
