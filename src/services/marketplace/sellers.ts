// The sellers of a marketplace: created, edited and archived by its key, and never deleted.
import { ServiceError } from '#core/errors.ts'
import { archiveEntry, creationEntry, sellerEntries } from '#core/marketplace/audit.ts'
import { judgeSeller, type Seller, type SellerPatch } from '#core/marketplace/seller.ts'
import { type BasisPoints, makeBasisPoints } from '#core/money/amounts.ts'
import { createTurns } from '#lib/parallel.ts'
import type { Clock } from '#ports/clock.ts'
import type { InFlight, MarketplaceStore, SellerState, SellerStore } from '#ports/marketplaces.ts'
import type { Random } from '#ports/random.ts'
import type { DirectoryChanged } from '#services/accounts/directory.ts'
import type { JudgeSweepDestination } from '#services/accounts/sweep-destination.ts'
import type { SaveImage } from '#services/images/images.ts'
import { isUuid } from '#services/requests.ts'
import type { MarketplaceServices } from './marketplace-services.ts'
import { requireActive } from './marketplaces.ts'

export type SellerDeps = {
  readonly marketplaces: Pick<MarketplaceStore, 'find'>
  readonly sellers: SellerStore
  readonly directoryChanged: DirectoryChanged
  readonly judgePayout: JudgeSweepDestination
  readonly saveImage: SaveImage
  readonly random: Pick<Random, 'uuid'>
  readonly clock: Clock
  readonly maxMarketplaceFeeBps: BasisPoints
}

type SellerServices = Pick<
  MarketplaceServices,
  'createSeller' | 'findSeller' | 'updateSeller' | 'setSellerLogo' | 'archiveSeller'
>

export function createSellerServices(deps: SellerDeps): SellerServices {
  const { sellers, marketplaces } = deps
  const turns = createTurns()
  const judge = (fields: Parameters<typeof judgeSeller>[0]): void => {
    const refusal = judgeSeller(fields, deps.maxMarketplaceFeeBps)
    if (refusal !== null) throw new ServiceError('invalid_request', refusal)
  }

  const create: SellerServices['createSeller'] = async ({ tenant, actor }, input, admit, id = deps.random.uuid()) => {
    const { marketplaceFeeBps } = input
    judge(input)
    await admit()
    if (input.sweepDestination !== null) await deps.judgePayout(tenant.network, input.sweepDestination)
    const draft = {
      ...input,
      id,
      marketplaceFeeBps: marketplaceFeeBps === null ? null : makeBasisPoints(marketplaceFeeBps),
    }
    const created = await sellers.create(tenant, draft, { actor, at: deps.clock.now() }, creationEntry)
    if (created.outcome === 'disabled') throw new ServiceError('marketplace_disabled')
    if (created.outcome === 'limit_reached') throw new ServiceError('seller_limit_reached')
    return { seller: created.seller, created: created.outcome === 'created' }
  }

  return {
    async createSeller(caller, input, admit, id) {
      const { tenant } = caller
      const { externalId } = input
      await requireActive(marketplaces, tenant)
      if (externalId === null) return await create(caller, input, admit, id)
      // Judged first, because a database cannot look for every text.
      judge({ externalId })
      // In turns, so that a repeat finds the seller of the first create, and only the first is admitted.
      return await turns(`${tenant.accountId} ${externalId}`, async () => {
        const existing = await sellers.findByExternalId(tenant, externalId)
        return existing === null ? await create(caller, input, admit, id) : { seller: existing, created: false }
      })
    },

    findSeller: async (tenant, id) => required(isUuid(id) ? await sellers.find(tenant, id) : null),

    async updateSeller({ tenant, actor }, id, patch) {
      await requireActive(marketplaces, tenant)
      if (!isUuid(id)) throw new ServiceError('seller_not_found')
      if (Object.values(patch).every((value) => value === undefined))
        throw new ServiceError('invalid_request', { rule: 'has nothing to update' })
      judge(patch)
      // A seller of another marketplace answers as an unknown one, before its address is judged.
      if (patch.sweepDestination != null) {
        required(await sellers.find(tenant, id))
        await deps.judgePayout(tenant.network, patch.sweepDestination)
      }
      const changed = await sellers.change(tenant, id, { actor, at: deps.clock.now() }, (state) => {
        const seller = requireEditable(state)
        const next = patched(seller, patch)
        return { next, entries: sellerEntries(seller, next) }
      })
      await deps.directoryChanged()
      return required(changed)
    },

    async setSellerLogo({ tenant, actor }, id, image) {
      await requireActive(marketplaces, tenant)
      // Nothing is stored for a seller of another marketplace.
      required(isUuid(id) ? await sellers.find(tenant, id) : null)
      const logoName = image === null ? null : await deps.saveImage(image)
      const changed = await sellers.change(tenant, id, { actor, at: deps.clock.now() }, (state) => {
        const seller = requireEditable(state)
        const next = { ...seller, logoName }
        return { next, entries: sellerEntries(seller, next) }
      })
      return required(changed)
    },

    async archiveSeller({ tenant, actor }, id) {
      await requireActive(marketplaces, tenant)
      if (!isUuid(id)) throw new ServiceError('seller_not_found')
      const at = deps.clock.now()
      const archived = await sellers.change(tenant, id, { actor, at }, async (state) => {
        const seller = requireEditable(state)
        if (seller.archivedAt !== null) return { next: seller, entries: [] }
        requireAtRest(await state.inFlight())
        return { next: { ...seller, archivedAt: at }, entries: [archiveEntry(seller, at)] }
      })
      await deps.directoryChanged()
      return required(archived)
    },
  }
}

function required(seller: Seller | null): Seller {
  if (seller === null) throw new ServiceError('seller_not_found')
  return seller
}

function requireEditable({ seller, isActive }: SellerState): Seller {
  if (!isActive) throw new ServiceError('marketplace_disabled')
  return seller
}

/** Throws `seller_money_in_flight`. */
function requireAtRest({ intentIds, subscriptionIds, subscriptionIntentIds }: InFlight): void {
  if (intentIds.length + subscriptionIds.length + subscriptionIntentIds.length === 0) return
  throw new ServiceError('seller_money_in_flight', {
    intent_ids: intentIds,
    subscription_ids: subscriptionIds,
    subscription_intent_ids: subscriptionIntentIds,
  })
}

/** Returns the seller with the fields that a patch gives. */
export function patched(seller: Seller, { marketplaceFeeBps: rate, ...fields }: SellerPatch): Seller {
  const { name, description, metadata, label, sweepDestination } = fields
  return {
    ...seller,
    ...(name !== undefined && { name }),
    ...(description !== undefined && { description }),
    ...(metadata !== undefined && { metadata }),
    ...(label !== undefined && { label }),
    ...(sweepDestination !== undefined && { sweepDestination }),
    ...(rate !== undefined && { marketplaceFeeBps: rate === null ? null : makeBasisPoints(rate) }),
  }
}
