// Who asks for recurring billing, and for whom.
import { ServiceError } from '#core/errors.ts'
import { guardNode } from '#graphql/builder.ts'
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
  const { tenant, scopes } = principal
  return await services.billing.merchant({ tenant, scopes, scope, onBehalfOf: onBehalfOf ?? null })
}

/** Lets a business with the scope to view find a type of recurring billing by its global id. */
export const guardBillingNode = (typename: string): void =>
  guardNode(typename, (context) => merchantOf(context, 'subscriptions-view', null))
