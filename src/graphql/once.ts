// The argument `idempotencyKey` of every mutation that creates.
import type { Tenant } from '#core/accounts/account.ts'
import type { Context } from '#graphql/context.ts'
import type { Creation } from '#services/accounts/once.ts'

export const IDEMPOTENCY_KEY = {
  description:
    'Up to 255 characters that the client draws for this request. A repeat of the request within 24 hours creates nothing, and ' +
    'returns what the first one has created, also what is otherwise shown once. In REST the header `Idempotency-Key`.',
} as const

type Args = { readonly idempotencyKey?: string | null | undefined }

/** Creates what a mutation asks for once. `tenant` is the business that asks. Throws as `Once` does. */
export async function once<T>(
  context: Context,
  tenant: Tenant,
  { fieldName }: { readonly fieldName: string },
  { idempotencyKey = null, ...args }: Args,
  creation: Creation<T>,
): Promise<T> {
  // Arguments have the order of the schema, whatever the order in the request.
  const request = () =>
    JSON.stringify([fieldName, args], (_, value) => (typeof value === 'bigint' ? `${value}` : value))
  const { made, isRepeat } = await context.services.idempotency.once({ tenant, key: idempotencyKey, request }, creation)
  if (isRepeat) context.onRepeat?.()
  return made
}
