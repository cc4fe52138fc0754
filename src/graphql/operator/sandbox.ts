// What the operator of a sandbox can do: move its clock, hand out money, and add made-up payments.
import { ServiceError } from '#core/errors.ts'
import { EXAMPLE_MONTHS } from '#core/sandbox/example-payments.ts'
import { builder, NetworkEnum } from '#graphql/operator/builder.ts'

const MovedClock = builder.objectRef<{ readonly now: Date }>('MovedClock').implement({
  description: 'The clock after a move.',
  fields: (t) => ({ now: t.expose('now', { type: 'DateTimeISO', description: 'The time that it is now.' }) }),
})

const ExamplePayments = builder.objectRef<{ readonly count: number }>('ExamplePayments').implement({
  description: 'Made-up payments.',
  fields: (t) => ({ count: t.exposeInt('count', { description: 'How many were added.' }) }),
})

const Funding = builder.objectRef<{ readonly signature: string | null }>('Funding').implement({
  description: 'Money that was handed out.',
  fields: (t) => ({
    signature: t.exposeString('signature', {
      nullable: true,
      description: 'Its transaction. Null where the chain reports none.',
    }),
  }),
})

const FaucetInput = builder.inputType('FaucetInput', {
  description: 'Money to hand out.',
  fields: (t) => ({
    network: t.field({ type: NetworkEnum, required: true, description: 'The network of the wallet.' }),
    address: t.field({ type: 'SolanaAddress', required: true, description: 'The wallet that receives it.' }),
    asset: t.field({ type: 'Asset', required: true, description: 'The asset.' }),
    amount: t.field({ type: 'BaseUnits', required: true, description: 'The amount, in base units.' }),
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
  addExamplePayments: t.field({
    type: ExamplePayments,
    description:
      'Adds made-up payments of a month to a business of a sandbox, so that its lists and figures have something to show. They have moved ' +
      'no money: an audit finds figures without transfers.',
    args: {
      accountId: t.arg({ type: 'UUID', required: true, description: 'The business.' }),
      monthsAgo: t.arg.int({
        required: true,
        description: `How many months of four weeks ago the month ended: 0 to ${EXAMPLE_MONTHS - 1}.`,
      }),
    },
    resolve: (_root, { accountId, monthsAgo }, { services }) =>
      services.sandbox.addExamplePayments(accountId, monthsAgo),
  }),
  faucet: t.field({
    type: Funding,
    description: "Hands out the sandbox's money, which is worth nothing.",
    args: {
      input: t.arg({ type: FaucetInput, required: true, description: 'What to hand out, and to which wallet.' }),
    },
    resolve: (_root, { input }, { services }) => services.sandbox.faucet(input),
  }),
}))
