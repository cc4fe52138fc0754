// The full lists of which a status shows the newest entries, in pages, for the business alone.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { PaymentIntent } from '#core/payments/payment-intent.ts'
import type { FullLists } from '#core/payments/returns/return-lists.ts'
import { pendingIntent } from '../../support/example-intent.ts'
import { later, signatureNo, units } from '../../support/payment.ts'
import { startTestService, type TestService, withKey } from '../../support/services.ts'

const COUNT = 25
const late = Array.from({ length: COUNT }, (_, at): FullLists['latePayments'][number] => ({
  key: `deposit ${at}`,
  mint: null,
  amount: units(BigInt(at)),
  status: 'refunded',
  signature: signatureNo(at),
  count: 1,
  seenAt: later(at),
  refund: { amount: units(BigInt(at)), signatures: [signatureNo(100 + at)] },
}))
const full: FullLists = {
  latePayments: late,
  tokenRefunds: [{ key: 'a', mint: 'a', status: 'pending', amount: units(7n), refund: null }],
  held: [{ key: 'b', mint: null, amount: units(8n), reason: 'why' }],
}

let service: TestService
let stored: FullLists = full
beforeAll(async () => {
  const findByIndex = async (): Promise<PaymentIntent> => pendingIntent
  service = await startTestService({
    services: { intents: { findByIndex, lists: async () => stored } },
  })
})
afterAll(() => service.close())

const PAGE = `query ($first: Int, $after: String, $last: Int, $before: String) {
  paymentIntent(index: 42) {
    latePaymentHistory(first: $first, after: $after, last: $last, before: $before) {
      edges { cursor node { mint amount status signature seenAt refund { amount signatures } } }
      pageInfo { hasNextPage endCursor startCursor }
    }
  }
}`

async function page(variables: object) {
  const { body } = await service.graphql(PAGE, variables, withKey())
  const connection = body.data?.paymentIntent?.latePaymentHistory
  return {
    amounts: connection?.edges.map((edge: { node: { amount: string } }) => Number(edge.node.amount)),
    nodes: connection?.edges.map((edge: { node: object }) => edge.node),
    ...connection?.pageInfo,
    code: body.errors?.[0].extensions.code,
  }
}
const down = (from: number, to: number) => Array.from({ length: from - to + 1 }, (_, at) => from - at)

describe('late payments in full', () => {
  it('have pages, the newest first, each entry with its outcome', async () => {
    const first = await page({})
    expect(first.amounts).toEqual(down(24, 5))
    expect(first.nodes[0]).toEqual({
      mint: null,
      amount: '24',
      status: 'refunded',
      signature: signatureNo(24),
      seenAt: later(24).toISOString(),
      refund: { amount: '24', signatures: [signatureNo(124)] },
    })
    expect(first.hasNextPage).toBe(true)
    const second = await page({ after: first.endCursor })
    expect(second).toMatchObject({ amounts: down(4, 0), hasNextPage: false })
    expect((await page({ last: 2, before: second.startCursor })).amounts).toEqual([6, 5])
  })

  it('keep their position when new payments arrive between two pages', async () => {
    const { endCursor } = await page({ first: 3 })
    const [newest] = late.slice(-1)
    if (newest === undefined) throw new Error('the payment does not exist')
    stored = { ...full, latePayments: [...late, { ...newest, key: 'new', amount: units(99n) }] }
    expect((await page({ first: 2, after: endCursor })).amounts).toEqual([21, 20])
    stored = full
  })

  it('are refused with a cursor of another list, or of an entry that no longer exists', async () => {
    expect((await page({ after: 'bm9uZQ' })).code).toBe('invalid_request')
    const { startCursor } = await page({ first: 1 })
    stored = { ...full, latePayments: late.slice(0, -1) }
    expect((await page({ after: startCursor })).code).toBe('invalid_request')
    stored = full
  })
})

it('token refunds and held money have pages too', async () => {
  const query = `{ paymentIntent(index: 42) {
    tokenRefundHistory { edges { node { mint status amount refund { amount } } } }
    heldHistory { edges { node { mint amount reason } } }
  } }`
  const { body } = await service.graphql(query, {}, withKey())
  expect(body.data.paymentIntent).toEqual({
    tokenRefundHistory: { edges: [{ node: { mint: 'a', status: 'pending', amount: '7', refund: null } }] },
    heldHistory: { edges: [{ node: { mint: null, amount: '8', reason: 'why' } }] },
  })
})
