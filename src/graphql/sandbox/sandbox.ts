// Funds that only a sandbox gives: to the demo wallet of the pages, and to a payment.

import type { SimulatedDeposit } from '#core/sandbox/simulated-deposit.ts'
import { builder, REFUSED } from '#graphql/builder.ts'
import { businessOf, countPublic } from '#graphql/context.ts'
import { givenAsset } from '#graphql/payments/given-asset.ts'
import type { SandboxServices } from '#services/platform/sandbox.ts'

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

// A payment without a wallet: what a business can do in a sandbox only.

type Simulated = Awaited<ReturnType<SandboxServices['simulateDeposit']>>

const SimulatedDepositKind = builder.enumType('SimulatedDeposit', {
  description: 'How much a simulated deposit pays.',
  values: {
    exact: { description: 'The amount that is still due.' },
    under: { description: 'Half of it.' },
    over: { description: 'Half more than it.' },
    wrong_asset: { description: 'Another asset than the selected one.' },
  } satisfies Record<SimulatedDeposit, { readonly description: string }>,
})

const SimulatedPayment = builder.objectRef<Simulated>('SimulatedPayment').implement({
  description: 'A deposit that the sandbox made.',
  fields: (t) => ({
    signature: t.expose('signature', { type: 'Signature', description: 'The transaction of the deposit.' }),
    asset: t.expose('asset', { type: 'Asset', description: 'The asset of the deposit.' }),
    amount: t.expose('amount', { type: 'BaseUnits', description: 'The amount, in base units.' }),
  }),
})

builder.mutationField('simulateDeposit', (t) =>
  t.field({
    type: SimulatedPayment,
    nullable: true,
    description: `Pays a payment of the business without a wallet, by a real transaction. Only in a sandbox. ${REFUSED}`,
    args: {
      index: t.arg.int({ required: true, description: 'The `derivationIndex` of the payment.' }),
      kind: t.arg({ type: SimulatedDepositKind, required: true, description: 'How much to pay.' }),
      asset: t.arg({ type: 'Asset', description: 'The asset to pay in. Ignored once the buyer has selected one.' }),
    },
    resolve: async (_root, { index, kind, asset }, context) =>
      await context.services.sandbox.simulateDeposit(await businessOf(context, 'payments'), {
        index,
        kind,
        asset: asset ? givenAsset(asset) : null,
      }),
  }),
)
