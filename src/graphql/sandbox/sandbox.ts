// What only a sandbox can do: move its clock and hand out money. Operator only.
import { ServiceError } from '#core/errors.ts'
import { builder } from '#graphql/builder.ts'
import { requireOperator } from '#graphql/context.ts'
import { NetworkEnum } from '#graphql/network.ts'

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

builder.mutationFields((t) => ({
  advanceClock: t.field({
    type: MovedClock,
    description: 'Operator only.',
    args: { seconds: t.arg.int({ required: true, description: 'Above 0: time only moves forward.' }) },
    resolve: (_root, { seconds }, context) => {
      requireOperator(context)
      if (seconds <= 0) throw new ServiceError('invalid_request', { field: 'seconds' })
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
