// Pages of payments in the order of their creation: the place of a payment, its cursor, and what a page may include.
import type { Prisma } from '#adapters/prisma/generated/client.ts'
import { ServiceError } from '#core/errors.ts'
import type { Context } from '#graphql/context.ts'
import { openCursor } from '#graphql/cursor.ts'
import { MAX_PAGE_BELOW } from '#graphql/page.ts'

type Position = { readonly createdAt: Date; readonly id: string }

/** Opens and seals the cursors of a list. The scope is the caller and the filters that they were given for. */
export const paymentPositions = ({ cursors }: Pick<Context, 'cursors'>, scope: string) => ({
  /** Throws `invalid_request` on a cursor of another scope. */
  positionOf(field: 'after' | 'before', cursor: string | undefined): Position | undefined {
    if (cursor === undefined) return undefined
    const [createdAt = '', id = ''] = openCursor(cursors, { scope, field, cursor }).split(' ')
    return { createdAt: new Date(createdAt), id }
  },
  toCursor: ({ createdAt, id }: Position): string => cursors.seal(scope, `${createdAt.toISOString()} ${id}`),
})

/** The rows on one side of a position, in the order of (created_at, id). */
export function beyondPayment(side: 'lt' | 'gt', position: Position | undefined): Prisma.PaymentIntentWhereInput {
  if (position === undefined) return {}
  const { createdAt, id } = position
  // The first condition is implied. It is the one by which an index begins at the position.
  const bound = side === 'lt' ? { lte: createdAt } : { gte: createdAt }
  return { createdAt: bound, OR: [{ createdAt: { [side]: createdAt } }, { id: { [side]: id } }] }
}

/** Throws `invalid_request` on a page below each payment that is too large: the page of payments multiplies it. */
export function requireSmallPages({
  select,
  include,
}: Pick<Prisma.PaymentIntentFindManyArgs, 'select' | 'include'>): void {
  for (const below of Object.values({ ...select, ...include })) {
    // A page is read with one entry more.
    const isLarge =
      typeof below === 'object' && below !== null && 'take' in below && Number(below.take) > MAX_PAGE_BELOW + 1
    if (isLarge)
      throw new ServiceError('invalid_request', {
        field: 'first',
        rule: `of a list below payments must be 1 to ${MAX_PAGE_BELOW} in a page of payments`,
      })
  }
}
