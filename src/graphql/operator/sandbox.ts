// What the operator of a sandbox can do: move its clock and hand out money.
import { ServiceError } from '#core/errors.ts'
import { builder } from '#graphql/operator/builder.ts'
import { NetworkEnum } from '#graphql/operator/network.ts'

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
    description: "Moves the sandbox's clock, and each chain's that can be moved.",
    args: { seconds: t.arg.int({ required: true, description: 'Above 0: time only moves forward.' }) },
    resolve: (_root, { seconds }, { services }) => {
      if (seconds <= 0)
        throw new ServiceError('invalid_request', {
          field: 'seconds',
          rule: 'must be above 0: time only moves forward',
        })
      return services.sandbox.advanceClock(seconds)
    },
  }),
  faucet: t.field({
    type: Funding,
    description: "Hands out the sandbox's money, which is worth nothing.",
    args: { input: t.arg({ type: FaucetInput, required: true }) },
    resolve: (_root, { input }, { services }) => services.sandbox.faucet(input),
  }),
}))
