// Payment by a wallet that is connected to a page: the service makes the transaction, the wallet signs it.
import type { Signature } from '#core/chain/types.ts'
import { secondsLeft } from '#core/payments/payment-intent.ts'
import { builder, REFUSED } from '#graphql/builder.ts'
import { whileDisabled, withSecret } from '#graphql/context.ts'
import type { PreparedPayment, WalletFunds } from '#services/payments/wallet-payments.ts'

const SECRET = { required: true, description: 'The client secret of the payment.' } as const

const PreparedPaymentType = builder.objectRef<PreparedPayment>('PreparedPayment').implement({
  description: 'A transaction by which a wallet pays.',
  fields: (t) => ({
    transaction: t.string({
      description: 'The transaction to sign, in base64.',
      resolve: ({ transaction }) => Buffer.from(transaction).toString('base64'),
    }),
    expiresInSeconds: t.int({
      description: 'The seconds in which it can land.',
      resolve: (prepared, _args, { services }) => secondsLeft(prepared, services.billing.now()),
    }),
    asset: t.expose('asset', { type: 'Asset', description: 'The asset that it pays.' }),
    amount: t.expose('amount', {
      type: 'BaseUnits',
      description: 'The amount, in base units.',
    }),
  }),
})

const SubmittedPayment = builder.objectRef<{ readonly signature: Signature }>('SubmittedPayment').implement({
  description: 'A payment that was sent. It counts when the chain shows it.',
  fields: (t) => ({
    signature: t.expose('signature', { type: 'Signature', description: 'The transaction.' }),
  }),
})

const WalletFundsType = builder.objectRef<WalletFunds>('WalletFunds').implement({
  description: 'What a wallet can spend of an asset.',
  fields: (t) => ({
    asset: t.expose('asset', { type: 'Asset', description: 'The asset.' }),
    amount: t.expose('amount', { type: 'BaseUnits', description: 'What the wallet can spend, in base units.' }),
    cost: t.expose('cost', {
      type: 'BaseUnits',
      description: 'What a payment in this asset costs the wallet besides its amount, in lamports: fee and rent.',
    }),
  }),
})

builder.queryField('walletFunds', (t) =>
  t.field({
    type: [WalletFundsType],
    nullable: true,
    description: `What a wallet can spend of each asset that can be selected; empty once no more can be paid. ${REFUSED}`,
    args: {
      clientSecret: t.arg.string(SECRET),
      wallet: t.arg({ type: 'SolanaAddress', required: true, description: 'The wallet.' }),
    },
    resolve: async (_root, { clientSecret, wallet }, context) =>
      await withSecret(context, clientSecret, async () => [
        ...(await context.services.walletPayments.walletFunds(clientSecret, wallet)),
      ]),
  }),
)

builder.mutationFields((t) => ({
  preparePayment: t.field({
    type: PreparedPaymentType,
    nullable: true,
    description: `Makes the transaction by which a wallet pays what is due. Nothing is stored. ${REFUSED}`,
    args: {
      clientSecret: t.arg.string(SECRET),
      wallet: t.arg({
        type: 'SolanaAddress',
        required: true,
        description: 'The wallet. It also pays the network fee.',
      }),
    },
    resolve: async (_root, { clientSecret, wallet }, context) =>
      await withSecret(context, clientSecret, () =>
        context.services.walletPayments.preparePayment(clientSecret, wallet),
      ),
  }),
  submitPayment: t.field({
    type: SubmittedPayment,
    nullable: true,
    description: `Sends a signed transaction of \`preparePayment\`, for wallets that do not send. It can be repeated. ${REFUSED}`,
    args: {
      clientSecret: t.arg.string(SECRET),
      transaction: t.arg.string({ required: true, description: 'The signed transaction, in base64.' }),
    },
    resolve: async (_root, { clientSecret, transaction }, context) => {
      const bytes = Buffer.from(transaction, 'base64')
      return await withSecret(whileDisabled(context), clientSecret, async () => ({
        signature: await context.services.walletPayments.submitPayment(clientSecret, bytes),
      }))
    },
  }),
}))
