// The logo of a seller.
import { builder, REFUSED } from '#graphql/builder.ts'
import { marketplaceOf } from '#graphql/context.ts'
import { SellerNode } from '#graphql/marketplace/seller.ts'

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
      if (image) await context.limits.newImage(caller.tenant.accountId)
      return await context.services.marketplaces.setSellerLogo(caller, id, image ?? null)
    },
  }),
)
