// Products: created once for each external id, edited, archived, and never deleted.
import { editedEntry, withCleanedTexts } from '#core/billing/catalogue.ts'
import { judgeProduct, newProduct, type Product } from '#core/billing/product.ts'
import { ServiceError } from '#core/errors.ts'
import type { SubscriptionProductStore } from '#ports/catalogue.ts'
import type { Clock } from '#ports/clock.ts'
import type { Random } from '#ports/random.ts'
import type { ProductServices } from '#services/billing/catalogue-services.ts'
import { isUuid, refuse } from '#services/requests.ts'

export type ProductDeps = {
  readonly subscriptionProducts: SubscriptionProductStore
  readonly random: Pick<Random, 'uuid'>
  readonly clock: Clock
}

export function createProductServices({ subscriptionProducts: store, random, clock }: ProductDeps): ProductServices {
  return {
    async createProduct({ tenant }, given, id = random.uuid()) {
      const input = withCleanedTexts(given)
      const { externalId } = input
      // Judged first, because a database cannot look for every text.
      refuse(judgeProduct({ externalId }))
      const stored = externalId === null ? null : await store.findByExternalId(tenant, externalId)
      if (stored !== null) return repeated(stored)
      refuse(judgeProduct(input))
      const of = { id, accountId: tenant.accountId, at: clock.now() }
      const { product, created } = await store.create(tenant, newProduct(input, of))
      return created ? { product, created } : repeated(product)
    },

    findProduct: async ({ tenant }, id) => required(isUuid(id) ? await store.find(tenant, id) : null),

    async updateProduct({ tenant }, id, given) {
      if (!isUuid(id)) throw new ServiceError('product_not_found')
      const patch = withCleanedTexts(given)
      refuse(judgeProduct(patch))
      const at = clock.now()
      return required(await store.change(tenant, id, (product) => editedEntry(product, patch, at)))
    },
  }
}

/** Throws `product_exists` when the product with the external id is archived. */
function repeated(product: Product): { product: Product; created: false } {
  if (product.archivedAt !== null) throw new ServiceError('product_exists')
  return { product, created: false }
}

function required(product: Product | null): Product {
  if (product === null) throw new ServiceError('product_not_found')
  return product
}
