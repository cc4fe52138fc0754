// The operations of a subscriber on the subscription of a portal link. Spec: "Hosted portal".
import {
  ActivatedTerms,
  AllowanceRevocation,
  SubscriptionPortal,
  TermOutcomeType,
} from '#graphql/billing/portal-type.ts'
import { PortalSubscription } from '#graphql/billing/subscription.ts'
import { PROOF } from '#graphql/billing/wallet-challenge.ts'
import { builder, REFUSED } from '#graphql/builder.ts'
import { whileDisabled, withPortalToken } from '#graphql/context.ts'

const TOKEN = { required: true, description: 'The token of the portal, from its URL.' } as const

builder.queryField('subscriptionPortal', (t) =>
  t.field({
    type: SubscriptionPortal,
    nullable: true,
    description: `Finds the subscription of a portal link. ${REFUSED}`,
    args: { token: t.arg.string(TOKEN) },
    resolve: async (_root, { token }, context) =>
      await withPortalToken(context, token, (portal) => portal.readPortal(token)),
  }),
)

builder.mutationFields((t) => ({
  cancelPortalSubscription: t.field({
    type: PortalSubscription,
    nullable: true,
    description: `Stops billing now: the subscription ends with the current period, or at once. The allowance stays on the chain. A repeat changes nothing. ${REFUSED}`,
    args: {
      token: t.arg.string(TOKEN),
      atPeriodEnd: t.arg.boolean({ defaultValue: true, description: 'Whether the current period is kept.' }),
    },
    resolve: async (_root, { token, atPeriodEnd }, context) =>
      await withPortalToken(whileDisabled(context), token, (portal) =>
        portal.cancelInPortal(token, atPeriodEnd ?? true),
      ),
  }),
  pausePortalSubscription: t.field({
    type: PortalSubscription,
    nullable: true,
    description: `Stops charging until the subscription is resumed. A repeat changes nothing. ${REFUSED}`,
    args: { token: t.arg.string(TOKEN) },
    resolve: async (_root, { token }, context) =>
      await withPortalToken(whileDisabled(context), token, (portal) => portal.pauseInPortal(token)),
  }),
  resumePortalSubscription: t.field({
    type: PortalSubscription,
    nullable: true,
    description: `Lets charging go on, and clears a cancellation at the end of the period. ${REFUSED}`,
    args: { token: t.arg.string(TOKEN) },
    resolve: async (_root, { token }, context) =>
      await withPortalToken(context, token, (portal) => portal.resumeInPortal(token)),
  }),
  changePortalTier: t.field({
    type: TermOutcomeType,
    nullable: true,
    description:
      `Changes the tier from the next charge on. A change that does not raise what is charged is made at once; another needs a ` +
      `signature of the wallet. ${REFUSED}`,
    args: {
      token: t.arg.string(TOKEN),
      tierId: t.arg.string({ required: true, description: 'The `uuid` of the new tier, of the same product.' }),
      nonce: t.arg.string(PROOF.nonce),
      signature: t.arg.string(PROOF.signature),
      signedMessage: t.arg.string(PROOF.signedMessage),
    },
    resolve: async (_root, { token, tierId, ...answer }, context) =>
      await withPortalToken(context, token, (portal) => portal.changeTierInPortal(token, tierId, answer)),
  }),
  renewPortalSubscription: t.field({
    type: TermOutcomeType,
    nullable: true,
    description: `Authorizes all periods of the tier again, with a signature of the wallet. ${REFUSED}`,
    args: {
      token: t.arg.string(TOKEN),
      nonce: t.arg.string(PROOF.nonce),
      signature: t.arg.string(PROOF.signature),
      signedMessage: t.arg.string(PROOF.signedMessage),
    },
    resolve: async (_root, { token, ...answer }, context) =>
      await withPortalToken(context, token, (portal) => portal.renewInPortal(token, answer)),
  }),
  revokePortalAllowance: t.field({
    type: AllowanceRevocation,
    nullable: true,
    description:
      'Prepares a transaction that ends the allowance of the wallet, after a cancellation that leaves nothing to charge. The wallet ' +
      `signs it, and \`activateSubscriptionTerms\` sends it. ${REFUSED}`,
    args: { token: t.arg.string(TOKEN) },
    resolve: async (_root, { token }, context) =>
      await withPortalToken(whileDisabled(context), token, (portal) => portal.revokeInPortal(token)),
  }),
  activateSubscriptionTerms: t.field({
    type: ActivatedTerms,
    nullable: true,
    description: `Sends the transaction that the wallet has signed, and waits up to 15 seconds until it is final. A repeat is harmless. ${REFUSED}`,
    args: {
      token: t.arg.string(TOKEN),
      approvalId: t.arg.string({ required: true, description: 'The `approvalId` of the request.' }),
      transaction: t.arg.string({ required: true, description: 'The signed transaction in base64.' }),
    },
    resolve: async (_root, { token, approvalId, transaction }, context) => {
      // Bytes that are not a transaction are refused like any other that was not prepared.
      const given = { approvalId, transaction: Uint8Array.from(Buffer.from(transaction, 'base64')) }
      return await withPortalToken(whileDisabled(context), token, async (portal) => ({
        activated: await portal.activateInPortal(token, given),
      }))
    },
  }),
}))
