// New links to the portals of a wallet, which proves itself by a signed text. Spec: "Hosted portal".
import { CheckoutProduct, CheckoutTier } from '#graphql/billing/checkout-type.ts'
import { PortalSubscription } from '#graphql/billing/subscription.ts'
import { PROOF, WalletChallenge } from '#graphql/billing/wallet-challenge.ts'
import { builder, REFUSED } from '#graphql/builder.ts'
import { countPublic, countRecoveryText, withWalletProof } from '#graphql/context.ts'
import type { RecoveredLink, Recovery } from '#services/billing/portal/portal-services.ts'

const WALLET = { required: true, description: 'The address of the wallet.' } as const

const RecoveredLinkType = builder.objectRef<RecoveredLink>('RecoveredPortalLink').implement({
  description: 'A subscription of the wallet, with a new link to its portal. The link may raise what is charged.',
  fields: (t) => ({
    subscription: t.expose('subscription', { type: PortalSubscription, description: 'The subscription.' }),
    merchantName: t.exposeString('merchantName', { description: 'The name of the business that buyers see.' }),
    product: t.expose('product', { type: CheckoutProduct, description: 'The product.' }),
    tier: t.expose('tier', { type: CheckoutTier, description: 'The price.' }),
    portalUrl: t.string({
      description: 'The page of the subscription. Shown here and never again.',
      resolve: ({ link }) => link.portalUrl,
    }),
    expiresAt: t.field({
      type: 'DateTimeISO',
      description: 'Until when the link can be used.',
      resolve: ({ link }) => link.expiresAt,
    }),
  }),
})

const RecoveryType = builder.objectRef<Recovery>('PortalRecovery').implement({
  description: 'Where a wallet gets links to its subscriptions.',
  fields: (t) => ({
    challengeUrl: t.exposeString('challengeUrl', { description: 'Where it asks for a text.' }),
    verifyUrl: t.exposeString('verifyUrl', { description: 'Where it sends the signed text.' }),
  }),
})

builder.queryField('portalRecovery', (t) =>
  t.field({
    type: RecoveryType,
    nullable: true,
    description: `Where a wallet gets links to its subscriptions. ${REFUSED}`,
    resolve: async (_root, _args, context) => {
      await countPublic(context)
      return context.services.subscriptionPortal.recovery()
    },
  }),
)

builder.mutationFields((t) => ({
  challengeWallet: t.field({
    type: WalletChallenge,
    nullable: true,
    description: `Returns a text by which a wallet asks for links to its subscriptions. ${REFUSED}`,
    args: { wallet: t.arg.string(WALLET) },
    resolve: async (_root, { wallet }, context) => {
      await countRecoveryText(context)
      return await context.services.subscriptionPortal.challengeForLinks(wallet)
    },
  }),
  recoverPortalLinks: t.field({
    type: [RecoveredLinkType],
    nullable: true,
    description: `Returns a link to each subscription of the wallet that can be managed, the newest first. ${REFUSED}`,
    args: {
      wallet: t.arg.string(WALLET),
      nonce: t.arg.string(PROOF.nonce),
      signature: t.arg.string(PROOF.signature),
      signedMessage: t.arg.string(PROOF.signedMessage),
    },
    resolve: async (_root, { wallet, ...answer }, context) => [
      ...(await withWalletProof(context, wallet, (portal) => portal.recoverLinks(wallet, answer))),
    ],
  }),
}))
