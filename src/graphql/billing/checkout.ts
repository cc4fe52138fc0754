// The operations of a subscriber on the checkout of its token. Spec: "Hosted checkout".
import { secondsLeft } from '#core/payments/payment-intent.ts'
import { FirstChargeType, SubscriptionCheckout, TotalAuthorization } from '#graphql/billing/checkout-type.ts'
import { PROOF, REPLACES_DELEGATE, WalletChallenge } from '#graphql/billing/wallet-challenge.ts'
import { builder, REFUSED } from '#graphql/builder.ts'
import { whileDisabled, withCheckoutToken } from '#graphql/context.ts'
import type { ActivatedCheckout, PreparedCheckout } from '#services/billing/checkout/checkout-services.ts'

const TOKEN = { required: true, description: 'The token of the checkout, from its URL.' } as const

const PreparedType = builder.objectRef<PreparedCheckout>('PreparedSubscriptionCheckout').implement({
  description:
    'What the wallet signs: a transaction, which the fee payer has signed so that the wallet needs no SOL, or a text.',
  fields: (t) => ({
    subscriptionId: t.expose('subscriptionId', { type: 'UUID', description: 'The id of the subscription to be.' }),
    trialDays: t.exposeInt('trialDays', {
      description: 'The days before the first charge. 0 when it is made at once.',
    }),
    totalAuthorization: t.expose('totalAuthorization', {
      type: TotalAuthorization,
      description: 'What the wallet authorizes for this subscription, with the coupon that is entered now.',
    }),
    requiresSignature: t.exposeBoolean('requiresSignature', {
      description: 'Whether the wallet signs a transaction. Otherwise it signs the text of `challenge`.',
    }),
    transaction: t.string({
      nullable: true,
      description: 'The transaction in base64.',
      resolve: (prepared) => (prepared.requiresSignature ? Buffer.from(prepared.transaction).toString('base64') : null),
    }),
    amountBaseUnits: t.field({
      type: 'BaseUnits',
      nullable: true,
      description: 'The new allowance of the token account.',
      resolve: (prepared) => (prepared.requiresSignature ? prepared.amount : null),
    }),
    delegate: t.field({
      type: 'SolanaAddress',
      nullable: true,
      description: 'The key that may pull the allowance.',
      resolve: (prepared) => (prepared.requiresSignature ? prepared.delegate : null),
    }),
    replacesDelegate: t.field({
      type: 'SolanaAddress',
      nullable: true,
      description: REPLACES_DELEGATE,
      resolve: (prepared) => (prepared.requiresSignature ? prepared.replacesDelegate : null),
    }),
    expiresAt: t.field({
      type: 'DateTimeISO',
      nullable: true,
      description: 'About when the transaction can no longer land.',
      resolve: (prepared) => (prepared.requiresSignature ? prepared.expiresAt : null),
    }),
    expiresInSeconds: t.int({
      nullable: true,
      description: 'The seconds until then.',
      resolve: (prepared, _args, { services }) =>
        prepared.requiresSignature ? secondsLeft(prepared, services.billing.now()) : null,
    }),
    challenge: t.field({
      type: WalletChallenge,
      nullable: true,
      description: 'The text. Null when the wallet signs a transaction.',
      resolve: (prepared) => (prepared.requiresSignature ? null : prepared.challenge),
    }),
  }),
})

const ActivationStatus = builder.enumType('SubscriptionActivationStatus', {
  description: 'What an activation has led to.',
  values: {
    completed: { description: 'The checkout is completed.' },
    confirmation_pending: { description: 'The transaction is not final yet. Read the checkout again.' },
  } satisfies Record<ActivatedCheckout['status'], object>,
})

const ActivatedType = builder.objectRef<ActivatedCheckout>('ActivatedSubscriptionCheckout').implement({
  description: 'A checkout whose transaction was sent, or whose text was signed.',
  fields: (t) => ({
    status: t.expose('status', { type: ActivationStatus, description: 'Whether it is completed.' }),
    subscriptionId: t.expose('subscriptionId', { type: 'UUID', description: 'The id of the subscription.' }),
  }),
})

builder.queryField('subscriptionCheckout', (t) =>
  t.field({
    type: SubscriptionCheckout,
    nullable: true,
    description: `Finds the subscription checkout of a token. ${REFUSED}`,
    args: { token: t.arg.string(TOKEN) },
    resolve: async (_root, { token }, context) =>
      await withCheckoutToken(context, token, (checkouts) => checkouts.readCheckout(token)),
  }),
)

builder.mutationFields((t) => ({
  enterSubscriptionCheckoutCoupon: t.field({
    type: SubscriptionCheckout,
    nullable: true,
    description: `Enters the code of a coupon in place of another one, and returns the checkout with the new price. ${REFUSED}`,
    args: {
      token: t.arg.string(TOKEN),
      code: t.arg.string({ description: 'The code, in any case. Null takes the coupon back.' }),
    },
    resolve: async (_root, { token, code }, context) =>
      await withCheckoutToken(context, token, (checkouts) => checkouts.enterCoupon(token, code ?? null)),
  }),
  prepareSubscriptionCheckout: t.field({
    type: PreparedType,
    nullable: true,
    description: `Prepares what a wallet signs to authorize the charges. A repeat returns the same transaction while there is time to sign it. ${REFUSED}`,
    args: {
      token: t.arg.string(TOKEN),
      wallet: t.arg.string({ required: true, description: 'The address of the wallet.' }),
    },
    resolve: async (_root, { token, wallet }, context) =>
      await withCheckoutToken(context, token, (checkouts) => checkouts.prepareCheckout(token, wallet)),
  }),
  activateSubscriptionCheckout: t.field({
    type: ActivatedType,
    nullable: true,
    description: `Sends the transaction that the wallet has signed, and waits up to 15 seconds until it is final. A repeat is harmless. ${REFUSED}`,
    args: {
      token: t.arg.string(TOKEN),
      subscriptionId: t.arg.string({ required: true, description: 'The id that `prepareSubscriptionCheckout` gave.' }),
      transaction: t.arg.string({ required: true, description: 'The signed transaction in base64.' }),
    },
    resolve: async (_root, { token, subscriptionId, transaction }, context) => {
      // Bytes that are not a transaction are refused like any other that was not prepared.
      const given = { subscriptionId, transaction: Uint8Array.from(Buffer.from(transaction, 'base64')) }
      return await withCheckoutToken(whileDisabled(context), token, (checkouts) =>
        checkouts.activateCheckout(token, given),
      )
    },
  }),
  confirmSubscriptionCheckout: t.field({
    type: ActivatedType,
    nullable: true,
    description: `Completes the checkout by the text that the wallet has signed. A repeat answers the same. ${REFUSED}`,
    args: {
      token: t.arg.string(TOKEN),
      wallet: t.arg.string({ required: true, description: 'The address of the wallet.' }),
      nonce: t.arg.string(PROOF.nonce),
      signature: t.arg.string(PROOF.signature),
      signedMessage: t.arg.string(PROOF.signedMessage),
    },
    resolve: async (_root, { token, ...given }, context) =>
      await withCheckoutToken(context, token, (checkouts) => checkouts.confirmCheckout(token, given)),
  }),
  retrySubscriptionCheckout: t.field({
    type: FirstChargeType,
    nullable: true,
    description: `Tries a first charge that failed once more. ${REFUSED}`,
    args: { token: t.arg.string(TOKEN) },
    resolve: async (_root, { token }, context) =>
      await withCheckoutToken(context, token, (checkouts) => checkouts.retryCheckout(token)),
  }),
}))
