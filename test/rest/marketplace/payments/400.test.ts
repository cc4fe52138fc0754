import { afterAll, beforeAll, expect, it } from 'vitest'
import { startTestMarketplace, type TestMarketplace } from '../../../support/marketplace.ts'
import { withKey } from '../../../support/services.ts'

let bazaar: TestMarketplace
let cursor: string
beforeAll(async () => {
  bazaar = await startTestMarketplace()
  await bazaar.pay(bazaar.sellers[0], '2026-11-01T00:00:00.000Z')
  await bazaar.pay(bazaar.sellers[0], '2026-11-02T00:00:00.000Z')
  cursor = (await bazaar.service.get('/marketplace/payments?limit=1', withKey())).body.next_cursor
})
afterAll(() => bazaar.close())

const refusal = async (query: string) => {
  const { status, body } = await bazaar.service.get(`/marketplace/payments?${query}`, withKey())
  expect([status, Object.keys(body)]).toEqual([400, ['error']])
  return body.error
}

it.each([
  ['limit=0', /^limit must be an integer from 1 to 100$/],
  ['limit=101', /^limit must be an integer from 1 to 100$/],
  ['limit=1.5', /^limit must be an integer from 1 to 100$/],
  ['limit=', /^limit must be an integer from 1 to 100$/],
  ['limit=2&limit=3', /^limit must be an integer from 1 to 100$/],
  ['cursor=', /^cursor must not be empty$/],
  ['cursor=MTIz', /^cursor is not valid$/],
  ['status=', /^status\S* must be one or more of pending, /],
  ['status=swept,paid out', /^status\S* must be one or more of pending, /],
  ['status=SWEPT', /^status\S* must be one or more of pending, /],
  ['status=swept&status=paid', /^status must be one or more of pending, /],
  [`status=${Array(12).fill('paid').join(',')}`, /^status must name at most 11 statuses$/],
  [`search=${'a'.repeat(101)}`, /^search must have at most 100 characters$/],
  ['search=a&search=b', /^search must be a string$/],
  ['from=yesterday', /^from must be a time as in RFC 3339/],
  ['from=2026-11-01T12:00:60Z', /^from must be a time as in RFC 3339/],
  ['from=2026-11-01T23:59:61Z', /^from must be a time as in RFC 3339/],
  ['from=2026-02-30T23:59:60Z', /^from must be a time as in RFC 3339/],
  ['to=2026-11-20', /^to must be a time as in RFC 3339/],
  ['from=0000-01-01T00:00:00Z', /^from is before year 1$/],
  ['from=0000-01-01T00:00:00%2B12:00', /^from is before year 1$/],
  ['to=0000-01-01T00:00:00%2B12:00', /^to is before year 1$/],
  ['from=2026-11-20T00:00:01Z&to=2026-11-20T00:00:00Z', /^to must not be before from$/],
  ['seller_id=a&seller_id=b', /^seller_id must be given once$/],
])('GET /marketplace/payments?%s answers 400', async (query, message) => {
  expect(await refusal(query)).toMatch(message)
})

it('GET /marketplace/payments refuses a cursor of other filters, and one that was changed', async () => {
  expect(await refusal(`cursor=${cursor}&status=swept`)).toBe('cursor is not valid')
  expect(await refusal(`cursor=${cursor.slice(0, -2)}AA`)).toBe('cursor is not valid')
})
