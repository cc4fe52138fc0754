// Money that waits for a person, across all businesses, and its release.
import type { HeldMoney } from '#core/payments/intent-values.ts'
import { INTENT_STATUS_VALUES } from '#graphql/enum-values.ts'
import type { HeldPayment, HeldSender, Release, UnacceptedToken } from '#ports/held.ts'
import type { HeldPage } from '#services/payments/held.ts'
import { AccountType } from './account.ts'
import { builder, limitOf, NetworkEnum } from './builder.ts'
import { TransferStatusEnum } from './transfer.ts'

const IntentStatusEnum = builder.enumType('IntentStatus', {
  description: 'How far a payment is.',
  values: INTENT_STATUS_VALUES,
})

const HeldMoneyType = builder.objectRef<HeldMoney>('HeldMoney').implement({
  description: 'Money whose owner is not known, or that cannot go back.',
  fields: (t) => ({
    mint: t.exposeString('mint', { nullable: true, description: 'Null for SOL.' }),
    amount: t.expose('amount', { type: 'BaseUnits', description: 'The amount, in base units.' }),
    reason: t.exposeString('reason', { description: 'For people.' }),
  }),
})

const HeldSenderType = builder.objectRef<HeldSender>('HeldSender').implement({
  description: 'A wallet that sent an asset to a payment.',
  fields: (t) => ({
    asset: t.expose('asset', { type: 'Asset', description: 'The asset.' }),
    wallet: t.expose('wallet', { type: 'SolanaAddress', description: 'The wallet.' }),
    amount: t.expose('amount', { type: 'SignedUnits', description: 'What it sent, in base units.' }),
  }),
})

const HeldPaymentType = builder.objectRef<HeldPayment>('HeldPayment').implement({
  description: 'A payment at whose address something is held.',
  fields: (t) => ({
    intentId: t.expose('intentId', { type: 'UUID', description: 'The id of the payment.' }),
    intentIndex: t.exposeInt('intentIndex', { description: 'The `derivation_index` of the payment.' }),
    accountId: t.expose('accountId', { type: 'UUID', description: 'The business of the payment.' }),
    account: t.field({
      type: AccountType,
      description: 'The business, with the wallet that receives its settlements.',
      resolve: ({ accountId }, _args, { services }) => services.accounts.find(accountId),
    }),
    network: t.expose('network', { type: NetworkEnum, description: 'The network of the payment.' }),
    address: t.exposeString('address', { description: 'The deposit address.' }),
    status: t.expose('status', { type: IntentStatusEnum, description: 'The status of the payment.' }),
    held: t.field({ description: 'What is held, by asset.', type: [HeldMoneyType], resolve: ({ held }) => [...held] }),
    proposedAddress: t.expose('proposedAddress', {
      type: 'SolanaAddress',
      nullable: true,
      description:
        'The address that the buyer proposes, while it waits for the business. A release closes the proposal.',
    }),
    senders: t.field({
      description:
        'The wallets that are known to have sent each asset, the largest amount first, at most three of an asset. The reason says ' +
        'why nothing goes back by itself.',
      type: [HeldSenderType],
      resolve: async ({ intentId }, _args, { services }) => [...(await services.held.senders(intentId))],
    }),
    updatedAt: t.expose('updatedAt', { type: 'DateTimeISO', description: 'The time of its last change.' }),
  }),
})

const HeldPageType = builder.objectRef<HeldPage>('HeldPage').implement({
  description: 'A page of payments with held money.',
  fields: (t) => ({
    payments: t.field({
      description: 'The payments.',
      type: [HeldPaymentType],
      resolve: ({ payments }) => [...payments],
    }),
    nextIndex: t.exposeInt('nextIndex', {
      nullable: true,
      description: 'The next page’s `afterIndex`; null at the end.',
    }),
    dustPayments: t.exposeInt('dustPayments', {
      description: 'How many payments all pages leave out because they hold only dust; 1,000 when there are more.',
    }),
  }),
})

const ReleaseType = builder.objectRef<Release>('Release').implement({
  description: 'The word of the operator or the business on held money, and the transfer that carries it out.',
  fields: (t) => ({
    transferId: t.expose('transferId', { type: 'UUID', description: 'The id of the transfer.' }),
    intentIndex: t.exposeInt('intentIndex', { description: 'The `derivation_index` of the payment.' }),
    network: t.expose('network', { type: NetworkEnum, description: 'The network of the payment.' }),
    asset: t.expose('asset', { type: 'Asset', description: 'The asset of the money.' }),
    sourceAccount: t.expose('sourceAccount', {
      type: 'SolanaAddress',
      nullable: true,
      description: 'The token account that the money leaves. Null for the associated one, and for SOL.',
    }),
    amount: t.expose('amount', { type: 'BaseUnits', description: 'What goes there, net of the network fee.' }),
    to: t.expose('to', { type: 'SolanaAddress', description: 'The wallet that receives the money.' }),
    reason: t.exposeString('reason', { description: 'Why, for people.' }),
    releasedBy: t.exposeString('releasedBy', {
      description: 'The one who decided: `operator`, or `business` for an address that the buyer proposed.',
    }),
    releasedAt: t.expose('releasedAt', { type: 'DateTimeISO', description: 'The time of the order.' }),
    status: t.expose('status', { type: TransferStatusEnum, description: 'How far the transfer is.' }),
    problem: t.exposeString('problem', { nullable: true, description: 'Why the transfer waits or failed.' }),
    signature: t.exposeString('signature', { nullable: true, description: 'The final transaction. Null until then.' }),
  }),
})

const ReleaseHeldInput = builder.inputType('ReleaseHeldInput', {
  description: 'Held money to release.',
  fields: (t) => ({
    intent: t.field({ type: 'Text', required: true, description: "The payment's derivation index, or its id." }),
    asset: t.field({ type: 'Asset', required: true, description: 'The asset to release.' }),
    to: t.field({ type: 'SolanaAddress', required: true, description: 'The wallet that gets all of it.' }),
    reason: t.field({ type: 'Text', required: true, description: 'Why, in 1 to 500 characters; it is kept.' }),
  }),
})

builder.queryFields((t) => ({
  heldPayments: t.field({
    type: HeldPageType,
    description: 'Payments with money that waits for a person, the newest payment first.',
    args: {
      network: t.arg({ type: NetworkEnum, description: 'One network; both when left out.' }),
      accountId: t.arg({ type: 'UUID', description: 'Shows payments of this business only.' }),
      afterIndex: t.arg.int({ description: 'Continues after this payment: shows lower indexes. All when left out.' }),
      includeDust: t.arg.boolean({
        defaultValue: false,
        description: 'Shows payments whose held money is worth no more than its return, too.',
      }),
      limit: t.arg.int({ description: 'The most entries: 20 unless it is given, at most 100.' }),
    },
    resolve: (_root, { network, accountId, afterIndex, includeDust, limit }, context) =>
      context.services.held.payments({
        network: network ?? null,
        accountId: accountId ?? null,
        afterIndex: afterIndex ?? null,
        includeDust: includeDust ?? false,
        limit: limitOf(limit),
      }),
  }),
  releases: t.field({
    type: [ReleaseType],
    description: 'What was released, the newest first.',
    args: {
      network: t.arg({ type: NetworkEnum, description: 'One network; both when left out.' }),
      limit: t.arg.int({ description: 'The most entries: 20 unless it is given, at most 100.' }),
    },
    resolve: async (_root, { network, limit }, context) => {
      return [...(await context.services.held.releases({ network: network ?? null, limit: limitOf(limit) }))]
    },
  }),
}))

builder.mutationField('releaseHeld', (t) =>
  t.field({
    type: [ReleaseType],
    description:
      'Sends what is held of an asset, and reserved by no transfer, to an address; of a token that is not allowed, all that ' +
      'the address has. One release for each token account, at most 11. A repeat while they are under way answers with the ' +
      'same releases.',
    args: {
      input: t.arg({ type: ReleaseHeldInput, required: true, description: 'What to release, and to which wallet.' }),
    },
    resolve: async (_root, { input }, context) => {
      const { intent, asset, to, reason } = input
      return [...(await context.services.held.release({ intent, asset, to, reason }))]
    },
  }),
)

// Tokens that are not allowed and were seen at deposit addresses: recorded, never taken into the books.

const UnacceptedTokenType = builder.objectRef<UnacceptedToken>('UnacceptedToken').implement({
  description:
    'What was seen of a token that is not allowed at the address of one payment. It is no deposit, and counts nowhere. ' +
    'Once the token is allowed, what lies there is read from the chain and goes back or is held.',
  fields: (t) => ({
    intentId: t.expose('intentId', { type: 'UUID', description: 'The id of the payment.' }),
    intentIndex: t.exposeInt('intentIndex', { description: 'The `derivation_index` of the payment.' }),
    network: t.expose('network', { type: NetworkEnum, description: 'The network of the payment.' }),
    address: t.exposeString('address', { description: 'The deposit address.' }),
    mint: t.expose('mint', {
      type: 'SolanaAddress',
      nullable: true,
      description: 'Null in the row that sums up all mints beyond the most that one payment records.',
    }),
    isAllowed: t.exposeBoolean('isAllowed', { description: 'Whether the token has been allowed since.' }),
    arrivals: t.expose('arrivals', { type: 'UInt64', description: 'Transactions that brought it, as far as seen.' }),
    amount: t.expose('amount', {
      type: 'SignedUnits',
      nullable: true,
      description: 'Base units of all arrivals together, of any size; null for several mints.',
    }),
    firstSignature: t.exposeString('firstSignature', { description: 'The first transaction that brought it.' }),
    lastSignature: t.exposeString('lastSignature', { description: 'The last transaction that brought it.' }),
    firstSeenAt: t.expose('firstSeenAt', { type: 'DateTimeISO', description: 'The time at which it was seen first.' }),
    lastSeenAt: t.expose('lastSeenAt', { type: 'DateTimeISO', description: 'The time at which it was seen last.' }),
  }),
})

builder.queryField('unacceptedTokens', (t) =>
  t.field({
    type: [UnacceptedTokenType],
    description: 'Tokens that are not allowed and were seen at deposit addresses, the latest first.',
    args: {
      network: t.arg({ type: NetworkEnum, description: 'One network; both when left out.' }),
      intent: t.arg({ type: 'Text', description: "A payment's derivation index, or its id." }),
      limit: t.arg.int({ description: 'The most entries: 20 unless it is given, at most 100.' }),
    },
    resolve: async (_root, { network, intent, limit }, context) => {
      const filter = { network: network ?? null, intent: intent ?? null, limit: limitOf(limit) }
      return [...(await context.services.held.unaccepted(filter))]
    },
  }),
)
