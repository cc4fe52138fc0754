// Accounts: businesses, and the sellers of a marketplace.
import type { Account } from '#core/accounts/account.ts'
import { builder } from '#graphql/operator/builder.ts'
import { NetworkEnum } from '#graphql/operator/network.ts'

export const AccountType = builder.objectRef<Account>('Account').implement({
  fields: (t) => ({
    id: t.expose('id', { type: 'UUID' }),
    mode: t.expose('network', { type: NetworkEnum }),
    name: t.exposeString('name'),
    label: t.exposeString('label', { nullable: true, description: 'What buyers see; null falls back to the name.' }),
    sweepDestination: t.expose('sweepDestination', { type: 'SolanaAddress', nullable: true }),
    webhookUrl: t.string({
      nullable: true,
      description: 'Where its webhooks go.',
      resolve: ({ id }, _args, { services }) => services.accounts.webhookUrl(id),
    }),
    derivationIndex: t.exposeInt('derivationIndex'),
    marketplaceAccountId: t.expose('marketplaceAccountId', {
      type: 'UUID',
      nullable: true,
      description: 'Set on a seller.',
    }),
    externalId: t.exposeString('externalId', { nullable: true }),
    marketplaceFeeBps: t.exposeInt('marketplaceFeeBps', { nullable: true }),
    archivedAt: t.expose('archivedAt', { type: 'DateTimeISO', nullable: true }),
    createdAt: t.expose('createdAt', { type: 'DateTimeISO' }),
    updatedAt: t.expose('updatedAt', { type: 'DateTimeISO' }),
  }),
})

type NewAccount = { readonly account: Account; readonly apiKey: string; readonly webhookSecret: string }

const CreatedAccount = builder.objectRef<NewAccount>('CreatedAccount').implement({
  fields: (t) => ({
    account: t.expose('account', { type: AccountType }),
    apiKey: t.exposeString('apiKey', { description: 'Shown here and never again.' }),
    webhookSecret: t.exposeString('webhookSecret', { description: 'Shown here and never again.' }),
  }),
})

const CreateAccountInput = builder.inputType('CreateAccountInput', {
  fields: (t) => ({
    name: t.field({ type: 'Text', required: true }),
    mode: t.field({ type: NetworkEnum, required: true }),
    label: t.field({ type: 'Text' }),
    sweepDestination: t.field({ type: 'SolanaAddress' }),
    webhookUrl: t.field({ type: 'Text' }),
  }),
})

const UpdateAccountInput = builder.inputType('UpdateAccountInput', {
  description: 'A field that is left out is untouched; null clears it.',
  fields: (t) => ({
    name: t.field({ type: 'Text' }),
    label: t.field({ type: 'Text' }),
    sweepDestination: t.field({ type: 'SolanaAddress' }),
    webhookUrl: t.field({ type: 'Text' }),
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
    args: { id: t.arg({ type: 'UUID', required: true }) },
    resolve: (_root, { id }, context) => {
      return context.services.accounts.find(id)
    },
  }),
}))

builder.mutationFields((t) => ({
  createAccount: t.field({
    type: CreatedAccount,
    description: 'Opens an account with its first API key.',
    args: { input: t.arg({ type: CreateAccountInput, required: true }) },
    resolve: (_root, { input }, context) => {
      return context.services.accounts.create({
        name: input.name,
        network: input.mode,
        label: input.label ?? null,
        sweepDestination: input.sweepDestination ?? null,
        webhookUrl: input.webhookUrl ?? null,
      })
    },
  }),
  updateAccount: t.field({
    type: AccountType,
    args: {
      id: t.arg({ type: 'UUID', required: true }),
      input: t.arg({ type: UpdateAccountInput, required: true }),
    },
    resolve: (_root, { id, input: { name, ...patch } }, context) => {
      // A name can be changed but not cleared, so null leaves it as it is.
      return context.services.accounts.update(id, { ...patch, ...(typeof name === 'string' && { name }) })
    },
  }),
}))
