// The marketplace of a business: its terms, and how many sellers it has.
import type { Marketplace } from '#core/accounts/account.ts'
import { builder, REFUSED } from '#graphql/builder.ts'
import { marketplaceOf, requireProof } from '#graphql/context.ts'
import { marketplaceFields } from '#graphql/marketplace-fields.ts'
import type { MarketplaceWithCounts, TermsPatch } from '#services/marketplace/marketplace-services.ts'

const MarketplaceStatus = builder.enumType('MarketplaceStatus', {
  description: 'Whether a marketplace can be changed and take payments for its sellers.',
  values: {
    active: { description: 'It is approved.' },
    disabled: { description: 'The operator has revoked it: it can be read, and not changed.' },
  } satisfies Record<Marketplace['status'], object>,
})

const MarketplaceType = builder.objectRef<MarketplaceWithCounts>('Marketplace').implement({
  description: 'The capability of a business to take payments for sellers.',
  fields: (t) => ({
    ...marketplaceFields(t, MarketplaceStatus),
  }),
})

const UpdateMarketplaceInput = builder.inputType('UpdateMarketplaceInput', {
  description: 'The terms to change, at least one. A field that is left out is untouched.',
  fields: (t) => ({
    defaultFeeBps: t.int({ description: 'The default rate in basis points.' }),
    feeWallet: t.field({
      type: 'SolanaAddress',
      description: 'The wallet that receives the fees. Null clears it.',
    }),
  }),
})

builder.queryField('marketplace', (t) =>
  t.field({
    type: MarketplaceType,
    nullable: true,
    description: `The marketplace of the business. ${REFUSED}`,
    resolve: async (_root, _args, context) => {
      const { tenant } = await marketplaceOf(context, 'marketplace-view')
      return await context.services.marketplaces.find(tenant)
    },
  }),
)

builder.mutationField('updateMarketplace', (t) =>
  t.field({
    type: MarketplaceType,
    nullable: true,
    description: `Changes the terms of the marketplace. For the wallet, a member needs the permission \`payout-manage\`, and a proof of the last five minutes. ${REFUSED}`,
    args: { input: t.arg({ type: UpdateMarketplaceInput, required: true, description: 'The terms to change.' }) },
    resolve: async (_root, { input: { defaultFeeBps, feeWallet } }, context) => {
      const caller = await marketplaceOf(context, 'marketplace-manage')
      if (feeWallet !== undefined) requireProof(context, 'payout-manage')
      // A rate can be changed and not cleared, so null leaves it as it is.
      const patch: TermsPatch = { feeWallet, ...(typeof defaultFeeBps === 'number' && { defaultFeeBps }) }
      return await context.services.marketplaces.update(caller, patch)
    },
  }),
)
