// Pages of payments in the order of their creation: the place of a payment, and its cursor.
import type { Prisma } from '#adapters/prisma/generated/client.ts'
import type { Position } from '#core/marketplace/payment-search.ts'
import type { Context } from '#graphql/context.ts'
import { openCursor } from '#graphql/cursor.ts'

/** Opens and seals the cursors of a list. The scope is the caller and the filters that they were given for. */
export const paymentPositions = ({ cursors }: Pick<Context, 'cursors'>, scope: string) => ({
  /** Throws `invalid_request` on a cursor of another scope. */
  positionOf(field: 'after' | 'before', cursor: string | undefined): Position | null {
    if (cursor === undefined) return null
    const [createdAt = '', id = ''] = openCursor(cursors, { scope, field, cursor }).split(' ')
    return { createdAt: new Date(createdAt), id }
  },
  toCursor: ({ createdAt, id }: Position): string => cursors.seal(scope, `${createdAt.toISOString()} ${id}`),
})

/** Selects the rows on one side of a position, in the order of (created_at, id). */
export function beyondPayment(side: 'lt' | 'gt', position: Position | null): Prisma.PaymentIntentWhereInput {
  if (position === null) return {}
  const { createdAt, id } = position
  // The first condition is implied. It is the one by which an index begins at the position.
  const bound = side === 'lt' ? { lte: createdAt } : { gte: createdAt }
  return { createdAt: bound, OR: [{ createdAt: { [side]: createdAt } }, { id: { [side]: id } }] }
}
