// Tokens that are not allowed and were seen at deposit addresses: recorded, never taken into the books.
import { builder, limitOf, NetworkEnum } from '#graphql/operator/builder.ts'
import type { UnacceptedToken } from '#ports/held.ts'

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
