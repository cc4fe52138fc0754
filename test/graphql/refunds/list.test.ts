// The refunds of a business in GraphQL: their order, pages, filters and cursors, and how they are found.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Database } from '#adapters/prisma/engine/database.ts'
import { openRecordedDatabase, type Statement } from '../../support/database.ts'
import { createRefundWorld, type RefundWorld } from '../../support/refund-world.ts'
import { withKey } from '../../support/services.ts'
import { indexesOf } from '../../support/statements.ts'

let db: Database
let world: RefundWorld
let statements: Statement[]
const ids: string[] = []
let payment: { readonly id: string }
beforeAll(async () => {
  const recorded = await openRecordedDatabase()
  db = recorded.database
  statements = recorded.statements
  world = await createRefundWorld(db)
  payment = await world.settled({ amount: 1_000n })
  const other = await world.settled()
  for (const of of [payment, payment, payment, other, other]) {
    world.pass(1_000)
    const { body } = await world.create({ payment: of.id, amount: 10, reference: `refund-${ids.length}` })
    ids.unshift(body.id)
  }
  await world.cancel(ids[0] ?? '')
})
afterAll(async () => {
  await world.close()
  await db.close()
})

const LIST = `query ($first: Int, $after: String, $last: Int, $before: String, $filter: BusinessRefundFilter) {
  refunds(first: $first, after: $after, last: $last, before: $before, filter: $filter) {
    edges { cursor node { id uuid status } } pageInfo { hasNextPage hasPreviousPage endCursor } } }`
const ask = async (query: string, variables: object = {}) =>
  (await world.service.graphql(query, variables, withKey())).body
const page = async (variables: object = {}) => (await ask(LIST, variables)).data.refunds
const found = async (filter: object): Promise<readonly string[]> =>
  (await page({ filter })).edges.map(({ node }: { node: { uuid: string } }) => node.uuid)

describe('the list of refunds', () => {
  it('shows the newest first, in pages without gaps, by one statement each', async () => {
    const seen: string[] = []
    let after: string | null = null
    for (let pages = 0; pages < 3; pages += 1) {
      const before = statements.length
      const { edges, pageInfo } = await page({ first: 2, after })
      expect(statements.length - before).toBe(1)
      seen.push(...edges.map(({ node }: { node: { uuid: string } }) => node.uuid))
      after = pageInfo.endCursor
      expect(pageInfo.hasNextPage).toBe(pages < 2)
    }
    expect(seen).toEqual(ids)
  })

  it('finds refunds by payment, status, reference and time', async () => {
    expect(await found({ paymentId: payment.id })).toEqual(ids.slice(2))
    expect(await found({ status: ['canceled'] })).toEqual(ids.slice(0, 1))
    expect(await found({ status: ['open'], paymentId: payment.id })).toEqual(ids.slice(2))
    expect(await found({ reference: 'refund-0' })).toEqual(ids.slice(-1))
    expect(await found({ chargeId: payment.id })).toEqual([])
    expect(await found({ to: '2020-01-01T00:00:00Z' })).toEqual([])
  })

  it('refuses a cursor of other filters, and an id that is none', async () => {
    const { pageInfo } = await page({ first: 1 })
    const { errors } = await ask(LIST, { after: pageInfo.endCursor, filter: { status: ['open'] } })
    expect(errors[0].extensions.code).toBe('invalid_request')
    expect((await ask(LIST, { filter: { paymentId: 'x' } })).errors[0].extensions.code).toBe('intent_not_found')
    expect((await ask(LIST, { filter: { chargeId: 'x' } })).errors[0].extensions.code).toBe('charge_not_found')
  })
})

it('a page of one status reads as many refunds as it shows, by an index', async () => {
  const last = ids.at(-1) ?? ''
  const at = `'2020-01-01'::timestamptz + number * interval '1 second'`
  await db.query(
    `INSERT INTO refunds SELECT (jsonb_populate_record(refund, jsonb_build_object('id', gen_random_uuid(), 'reference_key', number,
       'reference', null, 'status', 'expired', 'ended_at', ${at}, 'next_look_at', null, 'created_at', ${at}))).*
     FROM refunds refund CROSS JOIN generate_series(1, 5000) number WHERE refund.id = $1::uuid`,
    [last],
  )
  await db.session(({ script }) => script('VACUUM ANALYZE refunds'))
  statements.splice(0)
  expect(await found({ status: ['canceled'] })).toEqual(ids.slice(0, 1))
  expect(await indexesOf(db, statements[0])).toEqual(['refunds_caller_account_id_status_created_at_id_idx'])
  await db.query(`DELETE FROM refunds WHERE status = 'expired'`)
})

it('a refund is found by its id and by its global id, and its transaction is a field of its own', async () => {
  const { edges } = await page({ first: 1 })
  const [{ node }] = edges
  const query = `query ($id: String!, $node: ID!) {
    refund(id: $id) { uuid } refundTransaction(id: $id) { transaction reason }
    node(id: $node) { ... on BusinessRefund { uuid } } }`
  const { data } = await ask(query, { id: node.uuid, node: node.id })
  expect(data).toEqual({
    refund: { uuid: node.uuid },
    refundTransaction: { transaction: null, reason: 'The refund has ended.' },
    node: { uuid: node.uuid },
  })
  for (const id of ['x', crypto.randomUUID()])
    expect((await ask(query, { id, node: node.id })).errors[0].extensions.code).toBe('refund_not_found')
})

it('a page of payments shows the refunds and what is left of each by two statements more', async () => {
  const query = '{ paymentIntents { edges { node { uuid refundableAmount businessRefunds { uuid } } } } }'
  const before = statements.length
  const { data } = await ask(query)
  expect(statements.length - before).toBe(3)
  const { node } = data.paymentIntents.edges.find((one: { node: { uuid: string } }) => one.node.uuid === payment.id)
  expect([node.refundableAmount, node.businessRefunds.length]).toEqual(['970', 3])
})
