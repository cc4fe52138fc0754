// paymentIntents, on a real database: order, pages, filters, and tenants.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Database } from '#adapters/prisma/engine/database.ts'
import type { Prisma } from '#adapters/prisma/generated/client.ts'
import { createTenantReads } from '#adapters/prisma/tenant-reads.ts'
import { findSearched } from '#graphql/payments/payment-page.ts'
import { openTestDatabase } from '../../support/database.ts'
import { pendingIntent } from '../../support/example-intent.ts'
import { addressNo } from '../../support/payment.ts'
import { startTestService, TEST_API_KEY, type TestService, withKey } from '../../support/services.ts'

describe('list', () => {
  const OWN = pendingIntent.accountId
  const SELLER = '0b9d7f4e-93b4-4a0a-8f0a-5f3a52b1d002'
  const STRANGER = '0b9d7f4e-93b4-4a0a-8f0a-5f3a52b1d003'
  const START = Date.parse('2026-11-20T12:00:00.000Z')

  let database: Database
  let service: TestService

  beforeAll(async () => {
    database = await openTestDatabase()
    for (const id of [OWN, SELLER, STRANGER]) {
      await database.prisma.account.create({ data: { id, network: 'live', name: id } })
    }
    // Seven intents of the business, two of them at the same time; one for a seller; one of another business; one of the
    // other network.
    for (const index of [1, 2, 3, 4, 5, 6, 7]) await insert(index, { createdAt: minute(index === 4 ? 3 : index) })
    await insert(8, { accountId: SELLER, createdAt: minute(8), status: 'swept' })
    await insert(9, { accountId: STRANGER, callerAccountId: STRANGER, createdAt: minute(9) })
    await insert(10, { network: 'test', createdAt: minute(10) })
    service = await startTestService({ reads: createTenantReads(database.prisma) })
  })
  afterAll(async () => {
    await service.close()
    await database.close()
  })

  const minute = (number: number) => new Date(START + number * 60_000)

  const insert = (index: number, fields: Partial<Prisma.PaymentIntentUncheckedCreateInput>) =>
    database.prisma.paymentIntent.create({
      data: {
        id: `6f1c1f6e-7f3b-4a58-9a0e-2f6c0f3f9a${String(index).padStart(2, '0')}`,
        network: 'live',
        accountId: OWN,
        callerAccountId: OWN,
        derivationIndex: index,
        address: addressNo(index),
        clientSecretHash: Uint8Array.of(index),
        priceUsdCents: 100n,
        acceptedAssets: ['SOL'],
        reference: `order-${index}`,
        expiresAt: minute(index + 10),
        payeeLabel: 'Shop',
        ...fields,
      },
    })

  const PAGE = `query Page($first: Int, $after: String, $last: Int, $before: String, $filter: PaymentIntentFilter) {
  paymentIntents(first: $first, after: $after, last: $last, before: $before, filter: $filter) {
    edges { cursor node { derivationIndex } }
    pageInfo { hasNextPage hasPreviousPage startCursor endCursor }
  }
}`

  async function page(variables: object, key?: string) {
    const answer = await service.graphql(PAGE, variables, withKey(key))
    const connection = answer.body.data?.paymentIntents
    return {
      answer,
      indexes: connection?.edges.map((edge: { node: { derivationIndex: number } }) => edge.node.derivationIndex),
      pageInfo: connection?.pageInfo,
      code: answer.body.errors?.[0].extensions.code,
    }
  }

  describe('paymentIntents', () => {
    it('lists the intents of the business and of its sellers, the newest first, and no others', async () => {
      expect((await page({})).indexes).toEqual([8, 7, 6, 5, 4, 3, 2, 1])
    })

    it('a test key sees only the test network', async () => {
      expect((await page({}, TEST_API_KEY)).indexes).toEqual([10])
    })

    it('reads forward through pages without a gap or a repeat, also where two intents have the same time', async () => {
      const seen: number[] = []
      let after: string | null = null
      do {
        const { indexes, pageInfo } = await page({ first: 3, after })
        seen.push(...indexes)
        after = pageInfo.hasNextPage ? pageInfo.endCursor : null
      } while (after !== null)
      expect(seen).toEqual([8, 7, 6, 5, 4, 3, 2, 1])
    })

    it('reads backward too', async () => {
      const { pageInfo } = await page({ first: 6 })
      expect((await page({ last: 2, before: pageInfo.endCursor })).indexes).toEqual([5, 4])
    })

    it('filters by status, reference and time of creation', async () => {
      expect((await page({ filter: { status: ['swept', 'refunded'] } })).indexes).toEqual([8])
      expect((await page({ filter: { reference: 'order-5' } })).indexes).toEqual([5])
      // `from` is inclusive, `to` is exclusive.
      const between = { from: minute(5).toISOString(), to: minute(7).toISOString() }
      expect((await page({ filter: between })).indexes).toEqual([6, 5])
    })

    it.each([{ first: 0 }, { first: 101 }, { last: 101, before: 'x' }])('refuses the page size %o', async (size) => {
      expect((await page(size)).code).toBe('invalid_request')
    })

    it.each([
      ['first', { first: 101 }],
      ['last', { last: 0, before: 'x' }],
    ])('names %s in the refusal of its size', async (name, size) => {
      const { answer } = await page(size)
      expect(answer.body.errors[0].message).toBe(`${name} must be 1 to 100`)
    })

    it.each(['from', 'to'])('refuses the year 0 as %s, which the database does not support', async (name) => {
      const { code, answer } = await page({ filter: { [name]: '0000-01-01T00:00:00Z' } })
      expect([code, answer.body.errors[0].message]).toEqual(['invalid_request', `${name} is before year 1`])
    })

    it('refuses a time before the other', async () => {
      const { code, answer } = await page({ filter: { from: minute(7).toISOString(), to: minute(5).toISOString() } })
      expect([code, answer.body.errors[0].message]).toEqual(['invalid_request', 'to must not be before from'])
    })

    it('finds nothing under a global id without a UUID', async () => {
      const id = Buffer.from('PaymentIntent:nope').toString('base64')
      const { body } = await service.graphql(`{ node(id: "${id}") { id } }`, {}, withKey())
      expect(body).toEqual({ data: { node: null } })
    })

    it('refuses a cursor that was tampered with', async () => {
      const { pageInfo } = await page({ first: 2 })
      const { code, answer } = await page({ first: 2, after: `${pageInfo.endCursor.slice(0, -2)}AA` })
      expect(code).toBe('invalid_request')
      expect(answer.body.errors[0].message).toBe('after is not valid')
    })

    it('refuses a cursor of other filters, and of another caller', async () => {
      const { pageInfo } = await page({ first: 2 })
      expect((await page({ first: 2, after: pageInfo.endCursor, filter: { status: ['pending'] } })).code).toBe(
        'invalid_request',
      )
      const others = (await page({ first: 1 }, TEST_API_KEY)).pageInfo.endCursor
      expect((await page({ after: others })).code).toBe('invalid_request')
    })

    it('an empty page has no cursors', async () => {
      const { indexes, pageInfo } = await page({ filter: { reference: 'no such order' } })
      expect(indexes).toEqual([])
      expect(pageInfo).toEqual({ hasNextPage: false, hasPreviousPage: false, startCursor: null, endCursor: null })
    })

    it('needs an API key', async () => {
      const answer = await service.graphql(PAGE)
      expect(answer.body.errors[0].extensions.code).toBe('unauthenticated')
    })
  })
})

describe('find searched', () => {
  const SEARCH = { text: 'order', parts: ['ORDER'] }
  const LIST = {
    isForSellers: true,
    sellerId: null,
    reference: null,
    metadata: [],
    asset: null,
    isHeld: null,
    hasProposal: false,
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
})
