// Funds for the demo wallet of the pages.
import { builder, REFUSED } from '#graphql/builder.ts'
import { countPublic } from '#graphql/context.ts'

builder.mutationField('fundDemoWallet', (t) =>
  t.field({
    type: ['Asset'],
    nullable: true,
    description: `Gives a wallet worthless SOL and demo tokens, and returns what it got. Only in a sandbox. ${REFUSED}`,
    args: { wallet: t.arg({ type: 'SolanaAddress', required: true, description: 'The wallet.' }) },
    resolve: async (_root, { wallet }, context) => {
      await countPublic(context)
      return [...(await context.services.sandbox.fundWallet(wallet))]
    },
  }),
)
