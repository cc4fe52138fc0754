// How the pages of a business look to its buyers.
import type { Brand } from '#core/accounts/brand.ts'
import { builder } from '#graphql/builder.ts'

export const BrandType = builder.objectRef<Brand>('Brand').implement({
  description: 'How the pages of a business look to its buyers, and where these get help.',
  fields: (t) => ({
    logoUrl: t.string({
      nullable: true,
      description: 'The URL of the logo.',
      resolve: ({ logoName }, _args, { services }) => services.images.urlOf(logoName),
    }),
    accentColor: t.exposeString('accentColor', { nullable: true, description: 'The accent color, as `#rrggbb`.' }),
    supportUrl: t.exposeString('supportUrl', { nullable: true, description: 'The page on which buyers get help.' }),
    supportEmail: t.exposeString('supportEmail', {
      nullable: true,
      description: 'The address at which buyers get help.',
    }),
  }),
})
