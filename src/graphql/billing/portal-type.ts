// The portal of a subscription, and what a change of its terms leads to. Spec: "Hosted portal".
import type { Charge } from '#core/billing/charge.ts'
import type { PortalSession } from '#core/billing/portal-session.ts'
import { secondsLeft } from '#core/payments/payment-intent.ts'
import { ChargeStatusEnum, FailureCodeEnum } from '#graphql/billing/charge.ts'
import { CheckoutProduct, CheckoutTier, TotalAuthorization } from '#graphql/billing/checkout-type.ts'
import { PortalSubscription } from '#graphql/billing/subscription.ts'
import { REPLACES_DELEGATE, WalletChallenge } from '#graphql/billing/wallet-challenge.ts'
import { BrandType } from '#graphql/brand.ts'
import { builder } from '#graphql/builder.ts'
import type {
  Activated,
  OfferedRevocation,
  PortalOffer,
  PortalView,
  TermOutcome,
} from '#services/billing/portal/portal-services.ts'

const PortalSessionType = builder.objectRef<PortalSession>('PortalSession').implement({
  description: 'What the link of the page permits.',
  fields: (t) => ({
    expiresAt: t.expose('expiresAt', { type: 'DateTimeISO', description: 'Until when it can be used.' }),
    mayIncrease: t.exposeBoolean('mayIncrease', { description: 'Whether it may raise what is charged.' }),
  }),
})

const PortalCharge = builder.objectRef<Charge>('PortalCharge').implement({
  description: 'A charge of the subscription, as its subscriber sees it.',
  fields: (t) => ({
    periodIndex: t.exposeInt('periodIndex', { description: 'Its period, counted from 0.' }),
    amount: t.expose('amount', { type: 'BaseUnits', description: 'What it pulls, in base units.' }),
    status: t.expose('status', { type: ChargeStatusEnum, description: 'Its state.' }),
    failureCode: t.expose('failureCode', {
      type: FailureCodeEnum,
      nullable: true,
      description: 'Why the last try failed.',
    }),
    signature: t.expose('signature', {
      type: 'Signature',
      nullable: true,
      description: 'The transaction that made it. Null until that is final.',
    }),
    periodStart: t.expose('periodStart', { type: 'DateTimeISO', description: 'The begin of its period.' }),
  }),
})

const PortalOfferType = builder.objectRef<PortalOffer>('PortalOffer').implement({
  description: 'The payments that a change of terms authorizes. Those with a discount come first.',
  fields: (t) => ({
    tierId: t.expose('tierId', { type: 'UUID', description: 'The `uuid` of the tier; the present one for a renewal.' }),
    payments: t.exposeInt('payments', { description: 'How many payments it authorizes.' }),
    discountedPayments: t.exposeInt('discountedPayments', { description: 'How many of them have the discount.' }),
    discountedPriceUsdCents: t.expose('discountedPriceUsdCents', {
      type: 'UsdCents',
      description: 'The price of a period with the discount.',
    }),
    totalUsdCents: t.expose('totalUsdCents', { type: 'Sum', description: 'The sum of the payments, in US cents.' }),
  }),
})

export const SubscriptionPortal = builder.objectRef<PortalView>('SubscriptionPortal').implement({
  description: 'The page of a subscriber.',
  fields: (t) => ({
    subscription: t.expose('subscription', { type: PortalSubscription, description: 'The subscription.' }),
    merchantName: t.exposeString('merchantName', { description: 'The name of the business that buyers see.' }),
    brand: t.field({
      type: BrandType,
      description:
        'How the pages of the business look. Those of a seller have its logo, and the rest of its marketplace.',
      resolve: ({ subscription }, _args, { services }) => services.accounts.brandOf(subscription.accountId),
    }),
    product: t.expose('product', { type: CheckoutProduct, description: 'The product.' }),
    tier: t.expose('tier', { type: CheckoutTier, description: 'The price.' }),
    options: t.field({
      type: [CheckoutTier],
      description: 'The other tiers to which the subscriber can change.',
      resolve: ({ options }) => [...options],
    }),
    charges: t.field({
      type: [PortalCharge],
      description: 'The charges of the latest 24 periods, the newest first.',
      resolve: ({ charges }) => [...charges],
    }),
    mint: t.field({
      type: 'Mint',
      description: 'The token of the charges.',
      resolve: ({ subscription }) => subscription.mint,
    }),
    session: t.expose('session', { type: PortalSessionType, description: 'What the link permits.' }),
    recoveryUrl: t.exposeString('recoveryUrl', { description: 'The page at which the wallet gets another link.' }),
    paymentsLeft: t.exposeInt('paymentsLeft', {
      description: 'How many more payments the authorization allows, an unpaid one included. 0 when it has ended.',
    }),
    totalAuthorization: t.expose('totalAuthorization', {
      type: TotalAuthorization,
      description: 'What a renewal authorizes.',
    }),
    offers: t.field({
      type: [PortalOfferType],
      description: 'What a renewal authorizes, and a change to each of the other tiers.',
      resolve: ({ offers }) => [...offers],
    }),
    revocable: t.exposeBoolean('revocable', {
      description: 'Whether `revokePortalAllowance` can end the allowance, by the last reading of the token account.',
    }),
  }),
})

const TermOutcomeEnum = builder.enumType('SubscriptionTermOutcome', {
  description: 'What a request for other terms has led to.',
  values: {
    changed: { description: 'The subscription has the other tier.' },
    renewed: { description: 'All periods of the tier are authorized again.' },
    proof_required: { description: 'The wallet signs the text of `challenge`, and the request is sent again with it.' },
    approval_required: { description: 'The wallet signs `transaction`, which `activateSubscriptionTerms` sends.' },
  } satisfies Record<TermOutcome['outcome'], object>,
})

export const TermOutcomeType = builder.objectRef<TermOutcome>('SubscriptionTerms').implement({
  description: 'What a request for other terms has led to.',
  fields: (t) => ({
    outcome: t.expose('outcome', { type: TermOutcomeEnum, description: 'The outcome.' }),
    subscription: t.field({
      type: PortalSubscription,
      nullable: true,
      description: 'The subscription after the change. Null while the wallet has to sign.',
      resolve: (result) => ('subscription' in result ? result.subscription : null),
    }),
    challenge: t.field({
      type: WalletChallenge,
      nullable: true,
      description: 'The text to sign. Null for another outcome.',
      resolve: (result) => ('challenge' in result ? result.challenge : null),
    }),
    approvalId: t.field({
      type: 'UUID',
      nullable: true,
      description: 'The id of the approve. Null for another outcome.',
      resolve: (result) => approveOf(result)?.approvalId ?? null,
    }),
    transaction: t.string({
      nullable: true,
      description: 'The transaction to sign, in base64. The fee payer has signed it.',
      resolve: (result) => {
        const approve = approveOf(result)
        return approve === null ? null : Buffer.from(approve.transaction).toString('base64')
      },
    }),
    amountBaseUnits: t.field({
      type: 'BaseUnits',
      nullable: true,
      description: 'The new allowance of the token account.',
      resolve: (result) => approveOf(result)?.amount ?? null,
    }),
    replacesDelegate: t.field({
      type: 'SolanaAddress',
      nullable: true,
      description: REPLACES_DELEGATE,
      resolve: (result) => approveOf(result)?.replacesDelegate ?? null,
    }),
    expiresAt: t.field({
      type: 'DateTimeISO',
      nullable: true,
      description: 'About when the transaction can no longer land.',
      resolve: (result) => approveOf(result)?.expiresAt ?? null,
    }),
    expiresInSeconds: t.int({
      nullable: true,
      description: 'The seconds until then.',
      resolve(result, _args, { services }) {
        const approve = approveOf(result)
        return approve === null ? null : secondsLeft(approve, services.billing.now())
      },
    }),
  }),
})

const approveOf = (result: TermOutcome) => ('approve' in result ? result.approve : null)

export const AllowanceRevocation = builder.objectRef<OfferedRevocation>('AllowanceRevocation').implement({
  description: 'A transaction that ends the allowance of the wallet.',
  fields: (t) => ({
    approvalId: t.expose('approvalId', { type: 'UUID', description: 'Its id for `activateSubscriptionTerms`.' }),
    transaction: t.string({
      description: 'The transaction to sign, in base64. The fee payer has signed it.',
      resolve: ({ transaction }) => Buffer.from(transaction).toString('base64'),
    }),
    expiresAt: t.expose('expiresAt', {
      type: 'DateTimeISO',
      description: 'About when the transaction can no longer land.',
    }),
    expiresInSeconds: t.int({
      description: 'The seconds until then.',
      resolve: (offered, _args, { services }) => secondsLeft(offered, services.billing.now()),
    }),
  }),
})

const ActivationEnum = builder.enumType('SubscriptionTermActivation', {
  description: 'What the transaction that the wallet has signed has led to.',
  values: {
    changed: { description: 'The subscription has the other tier.' },
    renewed: { description: 'All periods of the tier are authorized again.' },
    revoked: { description: 'The allowance has ended.' },
    confirmation_pending: { description: 'The transaction is not final yet. Send the request again.' },
  } satisfies Record<Activated['outcome'] | 'confirmation_pending', object>,
})

/** null: not final yet. */
type Activation = { readonly activated: Activated | null }

export const ActivatedTerms = builder.objectRef<Activation>('ActivatedSubscriptionTerms').implement({
  description: 'Other terms, or the end of the allowance, whose transaction was sent.',
  fields: (t) => ({
    outcome: t.field({
      type: ActivationEnum,
      description: 'The outcome.',
      resolve: ({ activated }) => activated?.outcome ?? 'confirmation_pending',
    }),
    subscription: t.field({
      type: PortalSubscription,
      nullable: true,
      description: 'The subscription after the change. Null while the transaction is not final.',
      resolve: ({ activated }) => activated?.subscription ?? null,
    }),
  }),
})
