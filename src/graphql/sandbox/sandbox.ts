// What only a sandbox can do: move its clock, hand out money and pay an intent without a wallet.
import { ServiceError } from '#core/errors.ts'
import type { SimulatedDeposit } from '#core/sandbox/simulated-deposit.ts'
import { builder } from '#graphql/builder.ts'
import { businessOf, requireOperator } from '#graphql/context.ts'
import { NetworkEnum } from '#graphql/network.ts'
import { REFUSED } from '#graphql/payments/refused.ts'
import type { SandboxServices } from '#services/services.ts'

type Simulated = Awaited<ReturnType<SandboxServices['simulateDeposit']>>

const MovedClock = builder.objectRef<{ readonly now: Date }>('MovedClock').implement({
  fields: (t) => ({ now: t.expose('now', { type: 'DateTimeISO' }) }),
})

const Funding = builder.objectRef<{ readonly signature: string | null }>('Funding').implement({
  fields: (t) => ({ signature: t.exposeString('signature', { nullable: true }) }),
})

const FaucetInput = builder.inputType('FaucetInput', {
  fields: (t) => ({
    network: t.field({ type: NetworkEnum, required: true }),
    address: t.field({ type: 'SolanaAddress', required: true }),
    asset: t.field({ type: 'Asset', required: true }),
    amount: t.field({ type: 'BaseUnits', required: true }),
  }),
})

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

builder.mutationFields((t) => ({
  simulateDeposit: t.field({
    type: SimulatedPayment,
    nullable: true,
    description: `Pays a payment of the business without a wallet, by a real transaction. Only in a sandbox. ${REFUSED}`,
    args: {
      index: t.arg.int({ required: true, description: 'The `derivationIndex` of the payment.' }),
      kind: t.arg({ type: SimulatedDepositKind, required: true, description: 'How much to pay.' }),
      asset: t.arg({ type: 'Asset', description: 'The asset to pay in. Ignored once the buyer has selected one.' }),
    },
    resolve: async (_root, { index, kind, asset }, context) =>
      await context.services.sandbox.simulateDeposit(await businessOf(context), { index, kind, asset: asset ?? null }),
  }),
  advanceClock: t.field({
    type: MovedClock,
    description: 'Operator only.',
    args: { seconds: t.arg.int({ required: true, description: 'Above 0: time only moves forward.' }) },
    resolve: (_root, { seconds }, context) => {
      requireOperator(context)
      if (seconds <= 0)
        throw new ServiceError('invalid_request', {
          field: 'seconds',
          rule: 'must be above 0: time only moves forward',
        })
      return context.services.sandbox.advanceClock(seconds)
    },
  }),
  faucet: t.field({
    type: Funding,
    description: 'Operator only.',
    args: { input: t.arg({ type: FaucetInput, required: true }) },
    resolve: (_root, { input }, context) => {
      requireOperator(context)
      return context.services.sandbox.faucet(input)
    },
  }),
}))
