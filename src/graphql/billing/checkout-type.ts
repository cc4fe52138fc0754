// The checkout of a subscription as the person who subscribes sees it. Spec: "Hosted checkout".

import type { RecoveryAction } from '#core/billing/charge.ts'
import type { Coupon } from '#core/billing/coupon.ts'
import { discountedCents } from '#core/billing/discount.ts'
import type { FirstCharge, FirstChargeStatus } from '#core/billing/first-charge.ts'
import type { Product } from '#core/billing/product.ts'
import type { SubscriptionIntentStatus } from '#core/billing/subscription-intent.ts'
import type { Tier } from '#core/billing/tier.ts'
import { secondsLeft } from '#core/payments/payment-intent.ts'
import { CatalogueProduct } from '#graphql/billing/product.ts'
import { CatalogueTier } from '#graphql/billing/tier.ts'
import { BrandType } from '#graphql/brand.ts'
import { builder } from '#graphql/builder.ts'
import type { CheckoutView } from '#services/billing/checkout/checkout-services.ts'

const StatusEnum = builder.enumType('SubscriptionCheckoutStatus', {
  description: 'The status of a checkout.',
  values: {
    open: { description: 'A wallet can subscribe.' },
    completed: { description: 'It has led to a subscription.' },
    canceled: { description: 'The business has canceled it.' },
    expired: { description: 'Its time is over.' },
  } satisfies Record<SubscriptionIntentStatus, object>,
})

const ChargeStatusEnum = builder.enumType('FirstChargeStatus', {
  description: 'The status of the first charge.',
  values: {
    pending: { description: 'It is being made.' },
    succeeded: { description: 'It is final: the subscription is active.' },
    failed: { description: 'It failed. `recoveryAction` says what helps.' },
  } satisfies Record<FirstChargeStatus, object>,
})

const RecoveryEnum = builder.enumType('FirstChargeRecovery', {
  description: 'What makes a failed charge possible again.',
  values: {
    retry: { description: 'Another try, once its cause is gone.' },
    reapprove: { description: 'A new authorization by the wallet.' },
    none: { description: 'Nothing that the subscriber can do.' },
  } satisfies Record<RecoveryAction, object>,
})

export const FirstChargeType = builder.objectRef<FirstCharge>('FirstCharge').implement({
  description: 'The charge of the first period.',
  fields: (t) => ({
    status: t.expose('status', { type: ChargeStatusEnum, description: 'Its status.' }),
    failureCode: t.exposeString('failureCode', { nullable: true, description: 'Why the last try failed.' }),
    failureMessage: t.exposeString('failureMessage', { nullable: true, description: 'The same for people.' }),
    recoveryAction: t.expose('recoveryAction', {
      type: RecoveryEnum,
      nullable: true,
      description: 'What makes it possible again. Null while it has not failed.',
    }),
    isGivenUp: t.exposeBoolean('isGivenUp', {
      description:
        'Whether it is never tried again: it did not succeed within 23 hours, and the subscription has failed.',
    }),
    signature: t.expose('signature', { type: 'Signature', nullable: true, description: 'Its transaction.' }),
    explorerUrl: t.exposeString('explorerUrl', {
      nullable: true,
      description: 'A page about the transaction. Null on a chain that the explorer does not know.',
    }),
  }),
})

export const CheckoutProduct = builder.objectRef<Product>('CheckoutProduct').implement({
  description: 'The product that is sold.',
  interfaces: [CatalogueProduct],
})

export const CheckoutTier = builder.objectRef<Tier>('CheckoutTier').implement({
  description: 'The price for each period.',
  interfaces: [CatalogueTier],
})

/** A coupon for a price. */
type PricedCoupon = Pick<CheckoutView, 'tier'> & { readonly coupon: Coupon }

const CheckoutCoupon = builder.objectRef<PricedCoupon>('CheckoutCoupon').implement({
  description: 'The coupon that a checkout uses.',
  fields: (t) => ({
    code: t.string({ description: 'Its code, in capital letters.', resolve: ({ coupon }) => coupon.code }),
    percentOff: t.int({
      nullable: true,
      description: 'What it takes off the price of a period, in percent. Null for an amount.',
      resolve: ({ coupon }) => coupon.percentOff,
    }),
    amountOffUsdCents: t.field({
      type: 'UsdCents',
      nullable: true,
      description: 'What it takes off the price of a period. Null for a percentage.',
      resolve: ({ coupon }) => coupon.amountOffUsdCents,
    }),
    periods: t.int({
      nullable: true,
      description: 'How many charges have the discount, from the first one. Null for all.',
      resolve: ({ coupon }) => coupon.periods,
    }),
    priceUsdCents: t.field({
      type: 'UsdCents',
      description: 'The price of a period with the discount.',
      resolve: ({ coupon, tier }) => discountedCents(tier.priceUsdCents, coupon),
    }),
  }),
})

export const TotalAuthorization = builder
  .objectRef<CheckoutView['totalAuthorization']>('TotalAuthorization')
  .implement({
    description: 'The charges of all periods that the wallet authorizes.',
    fields: (t) => ({
      usdCents: t.expose('usdCents', { type: 'Sum', description: 'In US cents.' }),
      baseUnits: t.expose('baseUnits', { type: 'Sum', description: 'In base units of the token.' }),
    }),
  })

export const SubscriptionCheckout = builder.objectRef<CheckoutView>('SubscriptionCheckout').implement({
  description: 'One checkout of a subscription.',
  fields: (t) => ({
    status: t.expose('status', { type: StatusEnum, description: 'The status of the checkout.' }),
    subscriptionId: t.field({
      type: 'UUID',
      nullable: true,
      description: 'The id of the subscription. It is reserved when the checkout is prepared.',
      resolve: ({ intent }) => intent.subscriptionId,
    }),
    firstCharge: t.expose('firstCharge', {
      type: FirstChargeType,
      nullable: true,
      description:
        'The first charge. Null before the checkout is completed, and with a trial: the portal shows its charges.',
    }),
    trialDays: t.exposeInt('trialDays', {
      description:
        'The days before the first charge: those of the tier, or of the subscription. 0 without a trial, and when the `subscriberWallet` has had one of the product.',
    }),
    trialEndsAt: t.expose('trialEndsAt', {
      type: 'DateTimeISO',
      nullable: true,
      description:
        'The end of the trial. While the checkout is open: the end if it were completed now. Null without a trial.',
    }),
    merchantName: t.exposeString('merchantName', { description: 'The name of the business that buyers see.' }),
    brand: t.field({
      type: BrandType,
      description:
        'How the pages of the business look. Those of a seller have its logo, and the rest of its marketplace.',
      resolve: ({ intent }, _args, { services }) => services.accounts.brandOf(intent.accountId),
    }),
    product: t.expose('product', { type: CheckoutProduct, description: 'The product.' }),
    tier: t.expose('tier', { type: CheckoutTier, description: 'The price.' }),
    totalAuthorization: t.expose('totalAuthorization', {
      type: TotalAuthorization,
      description: 'What the wallet authorizes.',
    }),
    coupon: t.field({
      type: CheckoutCoupon,
      nullable: true,
      description: 'The coupon that is entered. Null without one.',
      resolve: ({ coupon, tier }) => (coupon === null ? null : { coupon, tier }),
    }),
    acceptsCoupons: t.exposeBoolean('acceptsCoupons', {
      description: 'Whether the business has an active coupon for this product, so that a code can be entered.',
    }),
    mint: t.field({ type: 'Mint', description: 'The token of the charges.', resolve: ({ tier }) => tier.mint }),
    subscriberWallet: t.field({
      type: 'SolanaAddress',
      nullable: true,
      description: 'The wallet that the business gave, or that prepared the checkout last.',
      resolve: ({ intent }) => intent.subscriberWallet,
    }),
    walletPinned: t.boolean({
      description: 'Whether no other wallet may subscribe.',
      resolve: ({ intent }) => intent.walletPinned,
    }),
    successUrl: t.string({
      nullable: true,
      description: 'The page of the business after the checkout.',
      resolve: ({ intent }) => intent.successUrl,
    }),
    cancelUrl: t.string({
      nullable: true,
      description: 'The page of the business when the subscriber gives up.',
      resolve: ({ intent }) => intent.cancelUrl,
    }),
    expiresAt: t.field({
      type: 'DateTimeISO',
      description: 'The time at which an open checkout expires.',
      resolve: ({ intent }) => intent.expiresAt,
    }),
    expiresInSeconds: t.int({
      description: 'The seconds until then; 0 after that time.',
      resolve: ({ intent }, _args, { services }) => secondsLeft(intent, services.billing.now()),
    }),
  }),
})
