// A payment as its buyer sees it: everything that a client secret shows, and nothing that only the business may see.
import { type Deposit, type PaymentIntent, secondsLeft } from '#core/payments/payment-intent.ts'
import { namedTokens } from '#core/payments/status-view.ts'
import { BrandType } from '#graphql/brand.ts'
import { builder } from '#graphql/builder.ts'
import { Payment } from '#graphql/payments/payment.ts'
import { TokenType } from '#graphql/tokens/token.ts'

const CountedDeposit = builder.objectRef<Deposit>('CountedDeposit').implement({
  description: 'Money that arrived and counts for the price, by one final transaction.',
  fields: (t) => ({
    asset: t.expose('asset', { type: 'Asset', description: 'The asset that arrived.' }),
    amount: t.expose('amount', { type: 'BaseUnits', description: 'The amount that arrived, in base units.' }),
    signature: t.expose('signature', { type: 'Signature', description: 'The transaction of the payer.' }),
    arrivedAt: t.field({
      type: 'DateTimeISO',
      description: 'The time of its block, or of its detection while that is not known.',
      resolve: ({ blockTime, seenAt }) => blockTime ?? seenAt,
    }),
  }),
})

export const Checkout = builder.objectRef<PaymentIntent>('Checkout').implement({
  description: 'A payment as its buyer sees it. The client secret of the payment gives access to it.',
  interfaces: [Payment],
  fields: (t) => ({
    id: t.expose('id', { type: 'UUID', description: 'The id of the payment. `PaymentIntent` shows it as `uuid`.' }),
    merchantName: t.exposeString('payeeLabel', { description: 'The name of the business that buyers see.' }),
    brand: t.field({
      type: BrandType,
      description:
        'How the pages of the business look. Those of a seller have its logo, and the rest of its marketplace.',
      resolve: ({ accountId }, _args, { services }) => services.accounts.brandOf(accountId),
    }),
    acceptedTokens: t.field({
      type: [TokenType],
      description: 'The accepted assets that are still on the allowlist, as they are shown to buyers.',
      resolve: async ({ network, acceptedAssets }, _args, { services }) => {
        const allowed = await services.tokens.allowed(network)
        return allowed.filter(({ asset }) => acceptedAssets.includes(asset))
      },
    }),
    namedTokens: t.field({
      type: [TokenType],
      description:
        'The selected asset, and the assets of money that is returned or held, also when they are no longer on the allowlist.',
      resolve: async (intent, _args, { services }) => [
        ...namedTokens(intent, await services.tokens.known(intent.network)),
      ],
    }),
    countedDeposits: t.field({
      type: [CountedDeposit],
      description: 'What was paid for the price: the newest 20 deposits, oldest first.',
      resolve: async (intent, _args, { services }) => [...(await services.intents.deposits(intent))],
    }),
    expiresInSeconds: t.int({
      description: 'The seconds until the checkout window ends; 0 after its end.',
      resolve: (intent, _args, { services }) => secondsLeft(intent, services.billing.now()),
    }),
    mayBeEmbeddedIn: t.boolean({
      description:
        'Whether a page of this origin may show the checkout: its host is a registered domain of the business.',
      args: { origin: t.arg.string({ description: 'Such as `https://shop.example`. None never may.' }) },
      resolve: async ({ callerAccountId: accountId, network }, { origin }, { services }) =>
        origin ? await services.catalogue.mayEmbed({ accountId, network }, origin) : false,
    }),
  }),
})
