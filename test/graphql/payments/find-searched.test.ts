import { expect, it } from 'vitest'
import type { Prisma } from '#adapters/prisma/generated/client.ts'
import { findSearched } from '#graphql/payments/payment-page.ts'

const SEARCH = { text: 'order', parts: ['ORDER'] }
const LIST = {
  sellerId: null,
  statuses: null,
  from: null,
  to: null,
  olderThan: null,
  newerThan: null,
  order: 'desc',
} as const

/** Each page is of the payments that match when it is read. */
const payments = (near: readonly string[], isAll: boolean, matching: readonly string[]) => ({
  nearMatches: async () => ({ ids: near, isAll }),
  indexedMatches: async () => ({ ids: ['1', '2', '3', '4'], isAll: true }),
  orderedMatches: async () => ({ ids: [], isAll: true }),
  findMany: async ({ where = {}, take = 0 }: Prisma.PaymentIntentFindManyArgs) =>
    matching.filter((id) => JSON.stringify(where).includes(`"${id}"`)).slice(0, take),
})

it('a payment that stops to match between two statements does not end the list', async () => {
  const found = await findSearched(
    payments(['1', '2', '3'], false, ['1', '3', '4']),
    { where: {}, take: 3 },
    SEARCH,
    LIST,
  )
  expect(found).toEqual(['1', '3', '4'])
})
