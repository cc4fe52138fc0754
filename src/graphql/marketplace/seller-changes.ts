// The operations of a marketplace on its sellers.
import { ServiceError } from '#core/errors.ts'
import type { Seller } from '#core/marketplace/seller.ts'
import { isMetadata, METADATA_RULE, type Metadata } from '#core/metadata.ts'
import { builder, REFUSED } from '#graphql/builder.ts'
import {
  type Context,
  countKey,
  marketplaceOf,
  requireEnabled,
  requireProof,
  uncountedMarketplaceOf,
} from '#graphql/context.ts'
import { IDEMPOTENCY_KEY, once } from '#graphql/once.ts'
import type { MarketplaceCaller } from '#services/marketplace/marketplace-services.ts'
import { SellerNode } from './sellers.ts'

// Any string, because a text that is no seller's id gets the one answer that no seller has it.
const ID = { required: true, description: 'The `uuid` of the seller.' } as const

const DESCRIPTION = 'The description of the seller, of at most 500 characters.'
const METADATA = 'Data of the marketplace: an object of at most 50 keys. It is replaced as a whole.'
const LABEL = 'The name that buyers see, of at most 200 characters.'
const DESTINATION = 'The wallet that receives its settlements.'
const RATE = 'The rate of the marketplace in basis points.'

const CreateSellerInput = builder.inputType('CreateSellerInput', {
  description: 'A seller to create.',
  fields: (t) => ({
    name: t.field({ type: 'Line', required: true, description: 'The name, of at most 200 characters.' }),
    externalId: t.field({
      type: 'Text',
      description:
        'The idempotency key, of at most 255 characters. A repeat returns the stored seller, and the other fields have no effect.',
    }),
    description: t.field({ type: 'FormText', description: DESCRIPTION }),
    metadata: t.field({ type: 'JSONObject', description: METADATA }),
    label: t.field({ type: 'Line', description: LABEL }),
    sweepDestination: t.field({ type: 'SolanaAddress', description: DESTINATION }),
    marketplaceFeeBps: t.int({ description: RATE }),
  }),
})

const UpdateSellerInput = builder.inputType('UpdateSellerInput', {
  description: 'The fields to change, at least one. A field that is left out is untouched; null clears it.',
  fields: (t) => ({
    name: t.field({ type: 'Line', description: 'The name. It cannot be cleared.' }),
    description: t.field({ type: 'FormText', description: DESCRIPTION }),
    metadata: t.field({ type: 'JSONObject', description: METADATA }),
    label: t.field({ type: 'Line', description: LABEL }),
    sweepDestination: t.field({ type: 'SolanaAddress', description: DESTINATION }),
    marketplaceFeeBps: t.int({ description: RATE }),
  }),
})

type Created = { readonly seller: Seller; readonly created: boolean }

const CreatedSeller = builder.objectRef<Created>('CreatedSeller').implement({
  description: 'A seller after its creation.',
  fields: (t) => ({
    seller: t.expose('seller', { type: SellerNode, description: 'The seller.' }),
    created: t.exposeBoolean('created', { description: 'False when the external id existed already.' }),
  }),
})

builder.queryField('seller', (t) =>
  t.field({
    type: SellerNode,
    nullable: true,
    description: `Finds a seller of the marketplace by its id. ${REFUSED}`,
    args: { id: t.arg.string(ID) },
    resolve: async (_root, { id }, context) => {
      const { tenant } = await marketplaceOf(context, 'marketplace-view')
      return await context.services.marketplaces.findSeller(tenant, id)
    },
  }),
)

builder.mutationFields((t) => ({
  createSeller: t.field({
    type: CreatedSeller,
    nullable: true,
    description: `Creates a seller. ${REFUSED}`,
    args: {
      input: t.arg({ type: CreateSellerInput, required: true, description: 'The seller to create.' }),
      idempotencyKey: t.arg.string(IDEMPOTENCY_KEY),
    },
    resolve: (_root, args, context, info) => {
      const { input } = args
      const seller = {
        name: input.name,
        externalId: input.externalId ?? null,
        description: input.description ?? null,
        metadata: metadataOf(input.metadata),
        label: input.label ?? null,
        sweepDestination: input.sweepDestination ?? null,
        marketplaceFeeBps: input.marketplaceFeeBps ?? null,
      }
      return createCounted(context, (marketplace, admit) => {
        const { marketplaces } = context.services
        const { tenant } = marketplace
        return once(context, tenant, info, args, {
          create: (id) => marketplaces.createSeller(marketplace, seller, admit, id),
          find: async (id) => ({ seller: await marketplaces.findSeller(tenant, id), created: true }),
        })
      })
    },
  }),
  updateSeller: t.field({
    type: SellerNode,
    nullable: true,
    description: `Changes a seller. In a session, another wallet needs a proof of the last five minutes. ${REFUSED}`,
    args: {
      id: t.arg.string(ID),
      input: t.arg({ type: UpdateSellerInput, required: true, description: 'The fields to change.' }),
    },
    resolve: async (_root, { id, input: { name, metadata, ...patch } }, context) => {
      const caller = await marketplaceOf(context, 'marketplace-manage')
      if (patch.sweepDestination !== undefined) requireProof(context)
      return await context.services.marketplaces.updateSeller(caller, id, {
        ...patch,
        ...(typeof name === 'string' && { name }),
        ...(metadata !== undefined && { metadata: metadataOf(metadata) }),
      })
    },
  }),
  archiveSeller: t.field({
    type: SellerNode,
    nullable: true,
    description: `Archives a seller: it accepts no new payments. A repeat changes nothing. ${REFUSED}`,
    args: { id: t.arg.string(ID) },
    resolve: async (_root, { id }, context) => {
      const caller = await marketplaceOf(context, 'marketplace-manage')
      return await context.services.marketplaces.archiveSeller(caller, id)
    },
  }),
}))

/**
 * Creates a seller. A new one counts against the rate of the marketplace. A repeat or a refusal counts against the tally of
 * the key, as any other call: so the limit of the key does not stop a burst of new sellers.
 */
async function createCounted(
  context: Context,
  create: (marketplace: MarketplaceCaller, admit: () => Promise<void>) => Promise<Created>,
): Promise<Created> {
  const { limits, onCounted } = context
  let isNew = false
  try {
    const caller = uncountedMarketplaceOf(context, 'marketplace-manage')
    await requireEnabled(context)
    return await create(caller, async () => {
      await limits.newSeller(caller.tenant.accountId, onCounted)
      isNew = true
    })
  } finally {
    if (!isNew) await countKey(context)
  }
}

function metadataOf(given: unknown): Metadata {
  if (given === null || given === undefined) return {}
  if (!isMetadata(given)) throw new ServiceError('invalid_request', { field: 'metadata', rule: METADATA_RULE })
  return given
}

// The logo of a seller.

builder.mutationField('setSellerLogo', (t) =>
  t.field({
    type: SellerNode,
    nullable: true,
    description: `Sets the logo of a seller. The image is encoded again, without metadata. ${REFUSED}`,
    args: {
      // Any string, because a text that is no id gets the answer of an id that no seller has.
      id: t.arg.string({ required: true, description: 'The `uuid` of the seller.' }),
      image: t.arg({ type: 'ImageData', description: 'The image. Null removes the logo.' }),
    },
    resolve: async (_root, { id, image }, context) => {
      const caller = await marketplaceOf(context, 'marketplace-manage')
      if (image) await context.limits.newImage(caller.tenant.accountId, context.onCounted)
      return await context.services.marketplaces.setSellerLogo(caller, id, image ?? null)
    },
  }),
)
