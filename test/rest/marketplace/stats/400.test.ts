import { afterAll, beforeAll, expect, it } from 'vitest'
import { startTestMarketplace, type TestMarketplace } from '../../../support/marketplace.ts'
import { withKey } from '../../../support/services.ts'

let bazaar: TestMarketplace
beforeAll(async () => {
  bazaar = await startTestMarketplace()
})
afterAll(() => bazaar.close())

it.each([
  ['from=yesterday', /^from must be a time as in RFC 3339/],
  ['from=2026-02-30T00:00:00Z', /^from must be a time as in RFC 3339/],
  ['to=2026-11-20', /^to must be a time as in RFC 3339/],
  ['to=2026-11-20T00:00:00', /^to must be a time as in RFC 3339/],
  ['from=2026-11-20T00:00:00Z&from=2026-11-21T00:00:00Z', /^from must be a time as in RFC 3339/],
  ['from=2026-11-20T00:00:01Z&to=2026-11-20T00:00:00Z', /^to must not be before from$/],
  ['from=0000-01-01T00:00:00Z', /^from is before year 1$/],
  ['from=0000-01-01T00:00:00%2B12:00', /^from is before year 1$/],
  ['to=0000-01-01T00:00:00%2B12:00', /^to is before year 1$/],
  ['seller_id=a&seller_id=b', /^seller_id must be given once$/],
])('GET /marketplace/stats/summary?%s answers 400', async (query, message) => {
  const { status, body } = await bazaar.service.get(`/marketplace/stats/summary?${query}`, withKey())
  expect([status, Object.keys(body)]).toEqual([400, ['error']])
  expect(body.error).toMatch(message)
})

it.each([
  ['timezone=Mars/Olympus', /^timezone must be the name of an IANA time zone/],
  ['timezone=%2B05:30', /^timezone must be the name of an IANA time zone/],
  ['timezone=', /^timezone must not be blank$/],
  ['timezone=UTC&timezone=UTC', /^timezone must be a string$/],
  ['interval=minute', /^interval must be one of hour, day, week, month$/],
  ['interval=hour&from=2026-01-01T00:00:00Z&to=2026-02-11T16:00:01Z', /^interval gives more than 1000 buckets/],
  ['from=0001-01-01T00:00:00Z&to=9999-01-01T00:00:00Z', /^interval gives more than 1000 buckets/],
  ['from=2026-11-20T00:00:01Z&to=2026-11-20T00:00:00Z', /^to must not be before from$/],
  ['from=0000-01-01T00:00:00%2B12:00', /^from is before year 1$/],
  ['to=0000-01-01T00:00:00%2B12:00', /^to is before year 1$/],
  ['from=x', /^from must be a time as in RFC 3339/],
])('GET /marketplace/stats/timeseries?%s answers 400', async (query, message) => {
  const { status, body } = await bazaar.service.get(`/marketplace/stats/timeseries?${query}`, withKey())
  expect([status, Object.keys(body)]).toEqual([400, ['error']])
  expect(body.error).toMatch(message)
})
