// Money that waits for a person, across all businesses, and its release.
import type { HeldMoney } from '#core/payments/payment-intent.ts'
import { INTENT_STATUS_VALUES } from '#graphql/enum-values.ts'
import { limitOf } from '#graphql/limit-argument.ts'
import { builder } from '#graphql/operator/builder.ts'
import { NetworkEnum } from '#graphql/operator/network.ts'
import { TransferStatusEnum } from '#graphql/operator/transfer.ts'
import type { HeldPayment, Release } from '#services/services.ts'

const IntentStatusEnum = builder.enumType('IntentStatus', {
  description: 'How far a payment is.',
  values: INTENT_STATUS_VALUES,
})

const HeldMoneyType = builder.objectRef<HeldMoney>('HeldMoney').implement({
  description: 'Money whose owner is not known, or that cannot go back.',
  fields: (t) => ({
    mint: t.exposeString('mint', { nullable: true, description: 'null for SOL.' }),
    amount: t.expose('amount', { type: 'BaseUnits' }),
    reason: t.exposeString('reason', { description: 'For people.' }),
  }),
})

const HeldPaymentType = builder.objectRef<HeldPayment>('HeldPayment').implement({
  description: 'A payment at whose address something is held.',
  fields: (t) => ({
    intentId: t.expose('intentId', { type: 'UUID' }),
    intentIndex: t.exposeInt('intentIndex'),
    accountId: t.expose('accountId', { type: 'UUID' }),
    network: t.expose('network', { type: NetworkEnum }),
    address: t.exposeString('address'),
    status: t.expose('status', { type: IntentStatusEnum }),
    held: t.field({ type: [HeldMoneyType], resolve: ({ held }) => [...held] }),
    updatedAt: t.expose('updatedAt', { type: 'DateTimeISO' }),
  }),
})

const ReleaseType = builder.objectRef<Release>('Release').implement({
  description: "The operator's word on held money, and the transfer that carries it out.",
  fields: (t) => ({
    transferId: t.expose('transferId', { type: 'UUID' }),
    intentIndex: t.exposeInt('intentIndex'),
    network: t.expose('network', { type: NetworkEnum }),
    asset: t.expose('asset', { type: 'Asset' }),
    amount: t.expose('amount', { type: 'BaseUnits', description: 'What goes there, net of the network fee.' }),
    to: t.expose('to', { type: 'SolanaAddress' }),
    reason: t.exposeString('reason', { description: 'Why, as the operator said.' }),
    releasedBy: t.exposeString('releasedBy'),
    releasedAt: t.expose('releasedAt', { type: 'DateTimeISO' }),
    status: t.expose('status', { type: TransferStatusEnum }),
    problem: t.exposeString('problem', { nullable: true, description: 'Why the transfer waits or failed.' }),
    signature: t.exposeString('signature', { nullable: true }),
  }),
})

const ReleaseHeldInput = builder.inputType('ReleaseHeldInput', {
  fields: (t) => ({
    intent: t.field({ type: 'Text', required: true, description: "The payment's derivation index, or its id." }),
    asset: t.field({ type: 'Asset', required: true }),
    to: t.field({ type: 'SolanaAddress', required: true, description: 'The wallet that gets all of it.' }),
    reason: t.field({ type: 'Text', required: true, description: 'Why, in 1 to 500 characters; it is kept.' }),
  }),
})

builder.queryFields((t) => ({
  heldPayments: t.field({
    type: [HeldPaymentType],
    description: 'Payments with money that waits for a person, the latest change first.',
    args: { network: t.arg({ type: NetworkEnum }), accountId: t.arg({ type: 'UUID' }), limit: t.arg.int() },
    resolve: async (_root, { network, accountId, limit }, context) => {
      const filter = { network: network ?? null, accountId: accountId ?? null, limit: limitOf(limit) }
      return [...(await context.services.held.payments(filter))]
    },
  }),
  releases: t.field({
    type: [ReleaseType],
    description: 'What was released, the newest first.',
    args: { network: t.arg({ type: NetworkEnum }), limit: t.arg.int() },
    resolve: async (_root, { network, limit }, context) => {
      return [...(await context.services.held.releases({ network: network ?? null, limit: limitOf(limit) }))]
    },
  }),
}))

builder.mutationField('releaseHeld', (t) =>
  t.field({
    type: [ReleaseType],
    description:
      'Sends what is held of an asset, and reserved by no transfer, to an address. A repeat while it is under way ' +
      'answers with the same release.',
    args: { input: t.arg({ type: ReleaseHeldInput, required: true }) },
    resolve: async (_root, { input }, context) => {
      const { intent, asset, to, reason } = input
      return [...(await context.services.held.release({ intent, asset, to, reason }))]
    },
  }),
)
