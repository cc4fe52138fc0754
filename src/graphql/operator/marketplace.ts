// Marketplaces: granted and revoked by the operator.
import type { Application } from '#core/marketplace/application.ts'
import { APPLICATION, APPLICATION_STATE, applicationFields } from '#graphql/application-fields.ts'
import { marketplaceFields } from '#graphql/marketplace-fields.ts'
import type { MarketplaceWithCounts } from '#services/marketplace/marketplace-services.ts'
import { AccountType } from './account.ts'
import { actorOf, builder } from './builder.ts'

const MarketplaceStatus = builder.enumType('MarketplaceStatus', {
  description: 'Whether a marketplace can be changed and take payments for its sellers.',
  values: {
    active: { description: 'It is approved.' },
    disabled: { description: 'It is revoked: it can be read, and not changed.' },
  } as const,
})

const MarketplaceType = builder.objectRef<MarketplaceWithCounts>('Marketplace').implement({
  description: 'The capability of a business to take payments for sellers.',
  fields: (t) => ({
    accountId: t.expose('accountId', { type: 'UUID', description: 'The account of the business.' }),
    ...marketplaceFields(t, MarketplaceStatus),
  }),
})

const MarketplaceTermsInput = builder.inputType('MarketplaceTermsInput', {
  description: 'A field that is left out is untouched, or has its default at the first approval.',
  fields: (t) => ({
    defaultFeeBps: t.int({ description: 'The default rate in basis points. 0 at the first approval.' }),
    feeWallet: t.field({ type: 'SolanaAddress', description: 'The wallet for the fees. Null clears it.' }),
    sellerLimit: t.int({ description: 'The highest number of sellers. Null is no limit.' }),
  }),
})

const ApplicationStateEnum = builder.enumType('MarketplaceApplicationState', APPLICATION_STATE)

const MarketplaceApplication = builder.objectRef<Application>('MarketplaceApplication').implement({
  description: APPLICATION,
  fields: (t) => ({
    accountId: t.expose('accountId', { type: 'UUID', description: 'The account of the business.' }),
    account: t.field({
      type: AccountType,
      description: 'The business.',
      resolve: ({ accountId }, _args, { services }) => services.accounts.find(accountId),
    }),
    ...applicationFields(t, ApplicationStateEnum),
  }),
})

const MOST_APPLICATIONS = 100

builder.queryField('marketplaceApplications', (t) =>
  t.field({
    type: [MarketplaceApplication],
    description: `Applications to be a marketplace, the oldest first, at most ${MOST_APPLICATIONS}.`,
    args: { pending: t.arg.boolean({ defaultValue: true, description: 'Only those that wait for the operator.' }) },
    resolve: async (_root, { pending }, { services }) => [
      ...(await services.applications.list({ isPending: pending ?? true, limit: MOST_APPLICATIONS })),
    ],
  }),
)

const ACCOUNT_ID = { type: 'UUID', required: true, description: 'The account of the business.' } as const

builder.queryField('accountMarketplace', (t) =>
  t.field({
    type: MarketplaceType,
    description: 'Finds the marketplace of a business.',
    args: { accountId: t.arg(ACCOUNT_ID) },
    resolve: (_root, { accountId }, { services }) => services.marketplaces.show(accountId),
  }),
)

builder.mutationFields((t) => ({
  approveMarketplace: t.field({
    type: MarketplaceType,
    description: 'Makes a business a marketplace, or makes it one again, and changes its terms.',
    args: {
      accountId: t.arg(ACCOUNT_ID),
      terms: t.arg({ type: MarketplaceTermsInput, description: 'The terms to change.' }),
    },
    resolve: (_root, { accountId, terms }, context) => {
      const { defaultFeeBps, ...clearable } = terms ?? {}
      const approval = { ...clearable, ...(typeof defaultFeeBps === 'number' && { defaultFeeBps }) }
      return context.services.marketplaces.approve(accountId, approval, actorOf(context))
    },
  }),
  refuseMarketplace: t.field({
    type: MarketplaceApplication,
    description: 'Refuses the application of a business to be a marketplace. The business reads the reason.',
    args: {
      accountId: t.arg(ACCOUNT_ID),
      reason: t.arg({ type: 'Line', required: true, description: 'Why.' }),
    },
    resolve: (_root, { accountId, reason }, context) =>
      context.services.applications.refuse(accountId, reason, actorOf(context)),
  }),
  revokeMarketplace: t.field({
    type: MarketplaceType,
    description: 'Disables a marketplace. Its reads stay open, and money in flight still settles.',
    args: { accountId: t.arg(ACCOUNT_ID) },
    resolve: (_root, { accountId }, context) => context.services.marketplaces.revoke(accountId, actorOf(context)),
  }),
}))

// Corrections of a seller by the operator.

const CorrectSellerInput = builder.inputType('CorrectSellerInput', {
  description: 'The fields to change, at least one. A field that is left out is untouched; null clears it.',
  fields: (t) => ({
    name: t.field({ type: 'Line', description: 'The name of the seller. It cannot be cleared.' }),
    label: t.field({ type: 'Line', description: 'The name that buyers see.' }),
    sweepDestination: t.field({ type: 'SolanaAddress', description: 'The wallet that receives its settlements.' }),
  }),
})

builder.mutationField('correctSeller', (t) =>
  t.field({
    type: AccountType,
    description:
      'Corrects a seller, also while its marketplace is revoked. The audit trail of the marketplace names the operator.',
    args: {
      id: t.arg({ type: 'UUID', required: true, description: 'The account of the seller.' }),
      input: t.arg({ type: CorrectSellerInput, required: true, description: 'The fields to change.' }),
    },
    resolve: (_root, { id, input: { name, ...patch } }, context) =>
      context.services.marketplaces.correctSeller(
        id,
        { ...patch, ...(typeof name === 'string' && { name }) },
        actorOf(context),
      ),
  }),
)
