// Accounts: businesses, and the sellers of a marketplace.
import type { Account } from '#core/accounts/account.ts'
import type { PayoutChange } from '#core/accounts/payout-change.ts'
import { actorOf, builder, NetworkEnum } from '#graphql/operator/builder.ts'
import { pendingPayoutFields } from '#graphql/payout-fields.ts'

const PendingPayoutChange = builder.objectRef<PayoutChange>('PendingPayoutChange').implement({
  description: 'Another payout wallet of a business, which waits until it takes effect.',
  fields: (t) => pendingPayoutFields(t),
})

export const AccountType = builder.objectRef<Account>('Account').implement({
  description: 'A business, or a seller of a marketplace.',
  fields: (t) => ({
    id: t.expose('id', { type: 'UUID', description: 'The id of the account.' }),
    mode: t.expose('network', { type: NetworkEnum, description: 'The network of its payments.' }),
    name: t.exposeString('name', { description: 'The name of the account.' }),
    label: t.exposeString('label', { nullable: true, description: 'What buyers see; null falls back to the name.' }),
    sweepDestination: t.expose('sweepDestination', {
      type: 'SolanaAddress',
      nullable: true,
      description: 'The wallet that receives settlements. Null while none is set.',
    }),
    pendingPayoutChange: t.field({
      type: PendingPayoutChange,
      nullable: true,
      description: 'A change of this wallet that waits, by an owner of the business. Null when none does.',
      resolve: ({ id }, _args, { services }) => services.payouts.pending(id),
    }),
    webhookUrl: t.string({
      nullable: true,
      description: 'Where its webhooks go.',
      resolve: ({ id }, _args, { services }) => services.accounts.webhookUrl(id),
    }),
    webhookEvents: t.stringList({
      description: 'The types of events that its webhooks deliver. Empty for every type.',
      resolve: async ({ id }, _args, { services }) => [...(await services.accounts.webhookEvents(id))],
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
    derivationIndex: t.exposeInt('derivationIndex', {
      description: 'Its place in the key tree: every deposit address derives from it.',
    }),
    marketplaceAccountId: t.expose('marketplaceAccountId', {
      type: 'UUID',
      nullable: true,
      description: 'Set on a seller.',
    }),
    externalId: t.exposeString('externalId', {
      nullable: true,
      description: 'The id that the marketplace gave it. Null on a business.',
    }),
    marketplaceFeeBps: t.exposeInt('marketplaceFeeBps', {
      nullable: true,
      description: 'The share of the marketplace in basis points. Null on a business.',
    }),
    archivedAt: t.expose('archivedAt', {
      type: 'DateTimeISO',
      nullable: true,
      description: 'The time at which it was archived. Null while it is in use.',
    }),
    disabledAt: t.expose('disabledAt', {
      type: 'DateTimeISO',
      nullable: true,
      description: 'The time at which it was disabled. Null while it is enabled.',
    }),
    disabledReason: t.exposeString('disabledReason', {
      nullable: true,
      description: 'Why it is disabled, as its people read it.',
    }),
    createdAt: t.expose('createdAt', { type: 'DateTimeISO', description: 'The time of its creation.' }),
    updatedAt: t.expose('updatedAt', { type: 'DateTimeISO', description: 'The time of the last change.' }),
  }),
})

type NewAccount = { readonly account: Account; readonly apiKey: string; readonly webhookSecret: string }

const CreatedAccount = builder.objectRef<NewAccount>('CreatedAccount').implement({
  description: 'An account after its creation, with its secrets.',
  fields: (t) => ({
    account: t.expose('account', { type: AccountType, description: 'The account.' }),
    apiKey: t.exposeString('apiKey', { description: 'Shown here and never again.' }),
    webhookSecret: t.exposeString('webhookSecret', { description: 'Shown here and never again.' }),
  }),
})

const CreateAccountInput = builder.inputType('CreateAccountInput', {
  description: 'An account to open.',
  fields: (t) => ({
    name: t.field({ type: 'Line', required: true, description: 'The name of the account.' }),
    mode: t.field({ type: NetworkEnum, required: true, description: 'The network of its payments.' }),
    label: t.field({ type: 'Line', description: 'The name that buyers see; `name` when left out.' }),
    sweepDestination: t.field({ type: 'SolanaAddress', description: 'The wallet that receives settlements.' }),
    webhookUrl: t.field({ type: 'Text', description: 'The URL that receives webhooks.' }),
  }),
})

const UpdateAccountInput = builder.inputType('UpdateAccountInput', {
  description: 'A field that is left out is untouched; null clears it.',
  fields: (t) => ({
    name: t.field({ type: 'Line', description: 'The name of the account. It cannot be cleared.' }),
    label: t.field({ type: 'Line', description: 'The name that buyers see.' }),
    sweepDestination: t.field({ type: 'SolanaAddress', description: 'The wallet that receives settlements.' }),
    webhookUrl: t.field({ type: 'Text', description: 'The URL that receives webhooks.' }),
    webhookEvents: t.field({
      type: ['Text'],
      description: 'The types of events that the URL receives. An empty list chooses every type, as null does.',
    }),
  }),
})

const BrandInput = builder.inputType('BrandInput', {
  description: 'How the pages of a business look. A field that is left out is untouched; null clears it.',
  fields: (t) => ({
    logo: t.field({ type: 'ImageData', description: 'The logo. It is encoded again, without metadata.' }),
    accentColor: t.string({ description: 'The color of buttons and links, such as `#00aa77`.' }),
    supportUrl: t.string({ description: 'The page on which buyers get help: an https URL without a port.' }),
    supportEmail: t.string({ description: 'The address at which buyers get help.' }),
  }),
})

builder.queryFields((t) => ({
  accounts: t.field({
    type: [AccountType],
    description: 'Every account, sellers included.',
    resolve: async (_root, _args, context) => {
      return [...(await context.services.accounts.list())]
    },
  }),
  account: t.field({
    type: AccountType,
    description: 'Finds an account by its id.',
    args: { id: t.arg({ type: 'UUID', required: true, description: 'The id of the account.' }) },
    resolve: (_root, { id }, context) => {
      return context.services.accounts.find(id)
    },
  }),
}))

builder.mutationFields((t) => ({
  cancelAccountPayoutChange: t.field({
    type: AccountType,
    description: 'Cancels a change of the payout wallet of a business that waits.',
    args: { accountId: t.arg({ type: 'UUID', required: true, description: 'The id of the account.' }) },
    resolve: async (_root, { accountId }, context) => {
      const { accounts, keys, payouts } = context.services
      await payouts.cancel(await keys.operatorOf(accountId, actorOf(context)))
      return await accounts.find(accountId)
    },
  }),
  createAccount: t.field({
    type: CreatedAccount,
    description: 'Opens an account with its first API key.',
    args: { input: t.arg({ type: CreateAccountInput, required: true, description: 'The account to open.' }) },
    resolve: (_root, { input }, context) => {
      return context.services.accounts.create(
        {
          name: input.name,
          network: input.mode,
          label: input.label ?? null,
          sweepDestination: input.sweepDestination ?? null,
          webhookUrl: input.webhookUrl ?? null,
        },
        actorOf(context),
      )
    },
  }),
  disableAccount: t.field({
    type: AccountType,
    description:
      'Disables a business or a seller: nothing new is made for it, and nothing is changed. Reads stay, and money under way is finished. A repeat changes the reason only.',
    args: {
      id: t.arg({ type: 'UUID', required: true, description: 'The id of the account.' }),
      reason: t.arg({ type: 'Line', required: true, description: 'Why. The people of the business read it.' }),
    },
    resolve: (_root, { id, reason }, context) => context.services.accounts.disable(id, reason, actorOf(context)),
  }),
  enableAccount: t.field({
    type: AccountType,
    description: 'Enables a disabled business or seller again. A repeat changes nothing.',
    args: { id: t.arg({ type: 'UUID', required: true, description: 'The id of the account.' }) },
    resolve: (_root, { id }, context) => context.services.accounts.enable(id, actorOf(context)),
  }),
  setBrand: t.field({
    type: AccountType,
    description: 'Changes how the pages of a business look to its buyers.',
    args: {
      id: t.arg({ type: 'UUID', required: true, description: 'The id of the account.' }),
      input: t.arg({ type: BrandInput, required: true, description: 'The fields to change.' }),
    },
    resolve: (_root, { id, input }, context) => context.services.accounts.update(id, input, actorOf(context)),
  }),
  updateAccount: t.field({
    type: AccountType,
    description: 'Changes an account.',
    args: {
      id: t.arg({ type: 'UUID', required: true, description: 'The id of the account.' }),
      input: t.arg({ type: UpdateAccountInput, required: true, description: 'The fields to change.' }),
    },
    resolve: (_root, { id, input: { name, ...patch } }, context) => {
      // A name can be changed but not cleared, so null leaves it as it is.
      return context.services.accounts.update(
        id,
        { ...patch, ...(typeof name === 'string' && { name }) },
        actorOf(context),
      )
    },
  }),
}))
