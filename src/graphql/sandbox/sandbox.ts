// What only a sandbox can do: move its clock, hand out money and pay an intent without a wallet.
import { ServiceError } from '#core/errors.ts'
import { SIMULATED_DEPOSITS } from '#core/sandbox/simulated-deposit.ts'
import { builder } from '#graphql/builder.ts'
import { businessOf, requireOperator } from '#graphql/context.ts'
import { NetworkEnum } from '#graphql/network.ts'
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
  description: 'What to send: what is missing of the price, half of it, half more, or another asset.',
  values: SIMULATED_DEPOSITS,
})

const SimulatedPayment = builder.objectRef<Simulated>('SimulatedPayment').implement({
  fields: (t) => ({
    signature: t.exposeString('signature'),
    asset: t.expose('asset', { type: 'Asset' }),
    amount: t.expose('amount', { type: 'BaseUnits' }),
  }),
})

builder.mutationFields((t) => ({
  simulateDeposit: t.field({
    type: SimulatedPayment,
    description: 'Pays an intent of one’s own without a wallet, by a real transaction on the sandbox’s chain.',
    args: {
      index: t.arg.int({ required: true }),
      kind: t.arg({ type: SimulatedDepositKind, required: true }),
      asset: t.arg({ type: 'Asset', description: 'Before a selection: what to pay in.' }),
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
