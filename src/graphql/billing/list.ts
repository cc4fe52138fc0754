// Lists of recurring billing: the newest first, with refusals by their own codes.
import { hasCode, ServiceError } from '#core/errors.ts'
import type { Context } from '#graphql/context.ts'
import { newestFirst as newestOf, type PagedList, type PageQuery, type Position } from '#graphql/newest-first.ts'
import type { Merchant } from '#services/billing/billing-services.ts'

/** Returns a page of a merchant's list. Throws `invalid_limit` and `invalid_cursor`. */
export async function newestFirst<Row extends Position>(
  context: Pick<Context, 'cursors'>,
  { tenant }: Merchant,
  list: PagedList,
  read: (query: PageQuery) => Promise<readonly Row[]>,
) {
  try {
    return await newestOf(context, tenant, list, read)
  } catch (error) {
    throw named(error)
  }
}

/** Gives a refusal of the arguments of a page the code that it has in recurring billing. */
function named(error: unknown): unknown {
  if (!hasCode(error, 'invalid_request')) return error
  const { field } = error.context
  if (field === 'first' || field === 'last') return new ServiceError('invalid_limit', {}, { cause: error })
  if (field === 'after' || field === 'before') return new ServiceError('invalid_cursor', {}, { cause: error })
  return error
}
