// Live status of recurring billing, over a websocket or as server-sent events.
import { ServiceError } from '#core/errors.ts'
import { SubscriptionCheckout } from '#graphql/billing/checkout-type.ts'
import { merchantOf, ON_BEHALF_OF } from '#graphql/billing/merchant.ts'
import { BillingSubscriptionNode } from '#graphql/billing/subscription.ts'
import { builder } from '#graphql/builder.ts'
import { type Context, withCheckoutToken } from '#graphql/context.ts'
import { holdersOfAccount, holdersOfIntent } from '#graphql/payments/live/streams.ts'
import { follow } from '#graphql/payments/live/subscriptions.ts'
import type { CheckoutView } from '#services/billing/checkout/checkout-services.ts'

builder.subscriptionFields((t) => ({
  billingSubscriptionUpdated: t.field({
    type: BillingSubscriptionNode,
    description: 'A subscription of the business as it is, then every change of it.',
    args: {
      id: t.arg.string({ required: true, description: 'The `uuid` of the subscription.' }),
      onBehalfOf: t.arg.string(ON_BEHALF_OF),
    },
    subscribe: async (_root, { id, onBehalfOf }, context) => {
      const merchant = await merchantOf(context, 'subscriptions-view', onBehalfOf)
      const subscription = await context.services.subscriptions.findSubscription(merchant, id)
      return follow(context, {
        open: (signal) => context.liveSubscriptions.follow(subscription.id, signal),
        holders: holdersOfAccount(accountOf(context)),
        stillAllowed: () => mayStillRead(context, onBehalfOf),
      })
    },
    resolve: (subscription) => subscription,
  }),
  subscriptionCheckoutUpdated: t.field({
    type: SubscriptionCheckout,
    description: 'The checkout of a token as it is, then every change of it and of its first charge.',
    args: { token: t.arg.string({ required: true, description: 'The token of the checkout, from its URL.' }) },
    subscribe: async (_root, { token }, context) => {
      const { intent } = await withCheckoutToken(context, token, (checkouts) => checkouts.readCheckout(token))
      return follow(context, {
        open: (signal) => checkoutStates(context, token, signal),
        holders: holdersOfIntent(intent, context.address),
        // The token of a checkout is never revoked, so there is nothing to ask again.
        stillAllowed: () => Promise.resolve(),
      })
    },
    resolve: (checkout) => checkout,
  }),
}))

/** Returns the business whose key asks, also when it acts for a seller. Throws `unauthenticated`. */
function accountOf({ principal }: Pick<Context, 'principal'>): string {
  if (principal.kind === 'anonymous') throw new ServiceError('unauthenticated')
  return principal.tenant.accountId
}

/** Throws once the key is revoked or the session is over, or may no longer read for the business. */
async function mayStillRead(context: Context, onBehalfOf: string | null | undefined): Promise<void> {
  const principal = await context.identify(context.sent, context.address)
  if (principal.kind === 'anonymous') throw new ServiceError('unauthenticated')
  const { tenant, permissions } = principal
  const scope = 'subscriptions-view'
  await context.services.billing.merchant({ tenant, permissions, scope, onBehalfOf: onBehalfOf ?? null })
}

/** A state that equals the last one is not delivered: a change may concern what the page does not show. */
async function* checkoutStates(
  { liveSubscriptions, services }: Pick<Context, 'liveSubscriptions' | 'services'>,
  token: string,
  signal: AbortSignal,
): AsyncIterable<CheckoutView> {
  const watch = liveSubscriptions.watch(signal)
  let last: string | null = null
  do {
    const view = await nextView(services, watch.include, token)
    const state = JSON.stringify(view, asText)
    if (state !== last) yield view
    last = state
  } while (await watch.changed())
}

/** A change between the read and the wait for a subject that the read has shown is read once more. */
async function nextView(
  services: Pick<Context['services'], 'subscriptionCheckout'>,
  include: (ids: readonly (string | null)[]) => boolean,
  token: string,
): Promise<CheckoutView> {
  for (;;) {
    const view = await services.subscriptionCheckout.readCheckout(token)
    if (!include([view.intent.id, view.intent.subscriptionId])) return view
  }
}

const asText = (_name: string, value: unknown): unknown => (typeof value === 'bigint' ? value.toString() : value)
