// Who asks for recurring billing, and for whom.
import { ServiceError } from '#core/errors.ts'
import { builder, guardNode, REFUSED } from '#graphql/builder.ts'
import { type Context, countKey } from '#graphql/context.ts'
import type { BillingScope, Merchant } from '#services/billing/billing-services.ts'

/** Any string, because a text that is no seller's id gets the one answer that no seller has it. */
export const ON_BEHALF_OF = {
  description: 'The `uuid` of the seller that a marketplace acts for. The business itself when left out.',
} as const

/**
 * Returns whom a caller acts for, and counts the call. Throws `unauthenticated`, `rate_limited`, and as
 * `BillingServices.merchant` does. Every operation of a business on recurring billing begins with it.
 */
export async function merchantOf(
  context: Context,
  scope: BillingScope,
  onBehalfOf: string | null | undefined,
): Promise<Merchant> {
  await countKey(context)
  const { principal, services } = context
  if (principal.kind === 'anonymous') throw new ServiceError('unauthenticated')
  const { tenant, permissions } = principal
  return await services.billing.merchant({ tenant, permissions, scope, onBehalfOf: onBehalfOf ?? null })
}

/** Lets a business with the scope to view find a type of recurring billing by its global id. */
export const guardBillingNode = (typename: string): void =>
  guardNode(typename, (context) => merchantOf(context, 'subscriptions-view', null))

const BillingScopeEnum = builder.enumType('BillingScope', {
  description: 'What a key may do with recurring billing.',
  values: {
    subscriptions_view: { value: 'subscriptions-view', description: 'Read it.' },
    subscriptions_manage: { value: 'subscriptions-manage', description: 'Change it.' },
  } satisfies Record<string, { readonly value: BillingScope; readonly description: string }>,
})

builder.queryField('billingAccess', (t) =>
  t.boolean({
    nullable: true,
    description: `True for a caller that may use recurring billing with a scope. ${REFUSED}`,
    args: {
      scope: t.arg({ type: BillingScopeEnum, required: true, description: 'The scope.' }),
      onBehalfOf: t.arg.string(ON_BEHALF_OF),
    },
    resolve: async (_root, { scope, onBehalfOf }, context) => {
      await merchantOf(context, scope, onBehalfOf)
      return true
    },
  }),
)
