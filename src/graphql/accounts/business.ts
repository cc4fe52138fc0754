// The settings of the business that asks: what its buyers see, and what its payments have unless they say otherwise.
import type { Account } from '#core/accounts/account.ts'
import type { PayoutChange } from '#core/accounts/payout-change.ts'
import type { Application } from '#core/marketplace/application.ts'
import { MAX_UNDERPAYMENT_TOLERANCE_BPS } from '#core/payments/payment-intent.ts'
import { APPLICATION, APPLICATION_STATE, applicationFields } from '#graphql/application-fields.ts'
import { builder, REFUSED } from '#graphql/builder.ts'
import { actorOf, businessOf, provenManagerOf } from '#graphql/context.ts'
import { givenAssets } from '#graphql/payments/given-asset.ts'
import { pendingPayoutFields } from '#graphql/payout-fields.ts'
import type { PayoutProblem } from '#services/accounts/payout-problems.ts'

const PendingPayoutChange = builder.objectRef<PayoutChange>('PendingPayoutChange').implement({
  description: 'Another payout wallet of a business, which waits until it takes effect.',
  fields: (t) => pendingPayoutFields(t),
})

const PayoutProblemRef = builder.objectRef<PayoutProblem>('PayoutProblem').implement({
  description: 'What keeps money from the payout wallet of a business now.',
  fields: (t) => ({
    ticker: t.exposeString('ticker', {
      nullable: true,
      description: 'The asset that the wallet cannot receive. Null when it can receive none.',
    }),
    reason: t.exposeString('reason', { description: 'A sentence for people.' }),
  }),
})

const ApplicationStateEnum = builder.enumType('MarketplaceApplicationState', APPLICATION_STATE)

const MarketplaceApplication = builder
  .objectRef<Application>('MarketplaceApplication')
  .implement({ description: APPLICATION, fields: (t) => applicationFields(t, ApplicationStateEnum) })

const Business = builder.objectRef<Account>('Business').implement({
  description: 'A business, as its members and keys see it.',
  fields: (t) => ({
    id: t.expose('id', { type: 'UUID', description: 'The id of the business.' }),
    livemode: t.boolean({
      description: 'False for a test account.',
      resolve: ({ network }) => network === 'live',
    }),
    name: t.exposeString('name', { description: 'Its name.' }),
    label: t.exposeString('label', { nullable: true, description: 'What buyers see. Null for its name.' }),
    sweepDestination: t.expose('sweepDestination', {
      type: 'SolanaAddress',
      nullable: true,
      description: 'The wallet that receives its money. Null while none is set.',
    }),
    pendingPayoutChange: t.field({
      type: PendingPayoutChange,
      nullable: true,
      description: 'A change of this wallet that waits. Null when none does.',
      resolve: ({ id }, _args, { services }) => services.payouts.pending(id),
    }),
    payoutProblems: t.field({
      type: [PayoutProblemRef],
      description:
        'What its payout wallet cannot receive, as the chain was at most a minute ago. Empty without a wallet, and while the chain cannot be read.',
      resolve: (account, _args, { services }) => services.payoutProblems(account),
    }),
    logoUrl: t.string({
      nullable: true,
      description: 'The logo on the pages of its buyers.',
      resolve: ({ brand }, _args, { services }) => services.images.urlOf(brand.logoName),
    }),
    accentColor: t.string({
      nullable: true,
      description: 'The color of buttons and links on these pages, as `#rrggbb`.',
      resolve: ({ brand }) => brand.accentColor,
    }),
    supportUrl: t.string({
      nullable: true,
      description: 'The page on which its buyers get help.',
      resolve: ({ brand }) => brand.supportUrl,
    }),
    supportEmail: t.string({
      nullable: true,
      description: 'The address at which its buyers get help.',
      resolve: ({ brand }) => brand.supportEmail,
    }),
    acceptedAssets: t.field({
      type: ['Asset'],
      description: 'The assets that a payment accepts when it names none. Empty when each payment has to name its own.',
      resolve: ({ defaults }) => [...defaults.acceptedAssets],
    }),
    successUrl: t.string({
      nullable: true,
      description: 'Where the buyer of a payment goes after paying when the payment names no page.',
      resolve: ({ defaults }) => defaults.successUrl,
    }),
    cancelUrl: t.string({
      nullable: true,
      description: 'Where the buyer of a payment that ended without success goes when the payment names no page.',
      resolve: ({ defaults }) => defaults.cancelUrl,
    }),
    underpaymentToleranceBps: t.int({
      description: `How much less than its price a payment may be and counts as paid, in basis points. At most ${MAX_UNDERPAYMENT_TOLERANCE_BPS}. Later payments have it.`,
      resolve: ({ defaults }) => defaults.underpaymentToleranceBps,
    }),
    marketplaceApplication: t.field({
      type: MarketplaceApplication,
      nullable: true,
      description: 'Its last application to be a marketplace. Null when it never applied.',
      resolve: ({ id }, _args, { services }) => services.applications.find(id),
    }),
    disabledAt: t.expose('disabledAt', {
      type: 'DateTimeISO',
      nullable: true,
      description:
        'The time at which the operator disabled it: it can be read, and each change is refused with `account_disabled`. Null while it is enabled.',
    }),
    disabledReason: t.exposeString('disabledReason', {
      nullable: true,
      description: 'Why it is disabled, in the words of the operator.',
    }),
    createdAt: t.expose('createdAt', { type: 'DateTimeISO', description: 'The time of its creation.' }),
    updatedAt: t.expose('updatedAt', { type: 'DateTimeISO', description: 'The time of the last change.' }),
  }),
})

const UpdateBusinessInput = builder.inputType('UpdateBusinessInput', {
  description: 'The settings to change. What is left out stays, and null clears.',
  fields: (t) => ({
    name: t.field({ type: 'Line', description: 'Its name, which cannot be cleared.' }),
    label: t.field({ type: 'Line', description: 'What buyers see.' }),
    accentColor: t.string({ description: 'The color of buttons and links, such as `#00aa77`.' }),
    supportUrl: t.string({ description: 'The page on which buyers get help: an https URL without a port.' }),
    supportEmail: t.string({ description: 'The address at which buyers get help.' }),
    acceptedAssets: t.field({ type: ['Asset'], description: 'Each must be among `allowedTokens`. At most 100.' }),
    successUrl: t.string({ description: 'An https URL at an active redirect domain of the business.' }),
    cancelUrl: t.string({ description: 'An https URL at an active redirect domain of the business.' }),
    underpaymentToleranceBps: t.int({
      description: `How much less than its price a payment may be, in basis points, from 0 to ${MAX_UNDERPAYMENT_TOLERANCE_BPS}. Null is 0.`,
    }),
  }),
})

const MarketplaceApplicationInput = builder.inputType('MarketplaceApplicationInput', {
  description: 'An application to be a marketplace.',
  fields: (t) => ({
    website: t.string({ required: true, description: 'Where it sells: an https URL without a port.' }),
    sells: t.field({
      type: 'FormText',
      required: true,
      description: 'What its sellers sell, in at most 500 characters.',
    }),
    expectedVolume: t.field({
      type: 'FormText',
      required: true,
      description: 'What it expects to be sold in a month, in at most 500 characters.',
    }),
  }),
})

const NEEDED = 'Needs the permission `settings-manage`.'

builder.queryField('business', (t) =>
  t.field({
    type: Business,
    nullable: true,
    description: `The business that asks, with its settings. Every key and member may read it. ${REFUSED}`,
    resolve: async (_root, _args, context) =>
      await context.services.accounts.find((await businessOf(context)).accountId),
  }),
)

builder.mutationFields((t) => ({
  changePayoutWallet: t.field({
    type: Business,
    nullable: true,
    description: `Changes the wallet that receives the money of the business, now or after the delay that the operator has set. Needs the permission \`payout-manage\`, and a proof of the last five minutes. ${REFUSED}`,
    args: { wallet: t.arg({ type: 'SolanaAddress', description: 'The wallet. Null clears it: money then waits.' }) },
    resolve: async (_root, { wallet }, context) => {
      const manager = await provenManagerOf(context, 'payout-manage')
      await context.services.payouts.change(manager, wallet ?? null)
      return await context.services.accounts.find(manager.tenant.accountId)
    },
  }),
  cancelPayoutChange: t.field({
    type: Business,
    nullable: true,
    description: `Cancels a change of the payout wallet that waits. Needs the permission \`payout-manage\`. ${REFUSED}`,
    resolve: async (_root, _args, context) => {
      const tenant = await businessOf(context, 'payout-manage')
      await context.services.payouts.cancel({ tenant, actor: actorOf(context) })
      return await context.services.accounts.find(tenant.accountId)
    },
  }),
  updateBusiness: t.field({
    type: Business,
    nullable: true,
    description: `Changes settings of the business. ${NEEDED} ${REFUSED}`,
    args: { input: t.arg({ type: UpdateBusinessInput, required: true, description: 'The settings to change.' }) },
    resolve: async (_root, { input: { name, acceptedAssets, ...settings } }, context) => {
      const { accountId } = await businessOf(context, 'settings-manage')
      const patch = {
        ...settings,
        ...(typeof name === 'string' && { name }),
        ...(acceptedAssets !== undefined && { acceptedAssets: acceptedAssets && givenAssets(acceptedAssets) }),
      }
      return await context.services.accounts.update(accountId, patch, actorOf(context))
    },
  }),
  applyForMarketplace: t.field({
    type: MarketplaceApplication,
    nullable: true,
    description: `Applies to be a marketplace. The operator decides. Another application replaces it. ${NEEDED} ${REFUSED}`,
    args: {
      input: t.arg({ type: MarketplaceApplicationInput, required: true, description: 'What the operator reads.' }),
    },
    resolve: async (_root, { input }, context) => {
      const tenant = await businessOf(context, 'settings-manage')
      return await context.services.applications.apply({ tenant, actor: actorOf(context) }, input)
    },
  }),
  setBusinessLogo: t.field({
    type: Business,
    nullable: true,
    description: `Sets the logo of the business. The image is encoded again, without metadata. ${NEEDED} ${REFUSED}`,
    args: { image: t.arg({ type: 'ImageData', description: 'The image. Null removes the logo.' }) },
    resolve: async (_root, { image }, context) => {
      const { accountId } = await businessOf(context, 'settings-manage')
      if (image) await context.limits.newImage(accountId, context.onCounted)
      return await context.services.accounts.update(accountId, { logo: image ?? null }, actorOf(context))
    },
  }),
}))
