// The figures of subscriptions over GraphQL: their calendar, and whose they are.
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type BillingEdge, startBillingEdge } from '../../support/billing-edge.ts'
import { addSubscription, addTier } from '../../support/billing-rows.ts'
import { withKey } from '../../support/services.ts'

let edge: BillingEdge
beforeAll(async () => {
  edge = await startBillingEdge()
  await addSubscription(edge.database, await addTier(edge.database, edge.tenant), edge.world.now)
})
afterAll(() => edge.close())

const ask = async (document: string, key: string) => (await edge.graphql(`{ ${document} }`, {}, withKey(key))).body

it('has a bucket for each month of the time zone, also for one in which nothing began', async () => {
  const document = `found: subscriptionTimeseries(from: "2026-09-15T00:00:00Z", timezone: "Europe/Berlin") { start begun ended }`
  const { data } = await ask(document, edge.keys.own)
  expect(data.found).toEqual([
    { start: '2026-09-15T00:00:00.000Z', begun: 0, ended: 0 },
    { start: '2026-09-30T22:00:00.000Z', begun: 0, ended: 0 },
    { start: '2026-10-31T23:00:00.000Z', begun: 1, ended: 0 },
  ])
})

it('forecasts 30 days, of which the first and the last are parts', async () => {
  const { data } = await ask('found: chargeForecast { start end count usdCents coveredUsdCents }', edge.keys.own)
  expect(data.found).toHaveLength(31)
  const { start } = data.found[0]
  expect(Date.parse(data.found[30].end) - Date.parse(start)).toBe(30 * 86_400_000)
  expect(data.found.filter(({ count }: { count: number }) => count > 0)).toMatchObject([
    { count: 1, usdCents: '100', coveredUsdCents: '100' },
  ])
})

it('shows a business nothing of another one', async () => {
  const document = `subscriptionTimeseries { begun } chargeFailures { count } chargeForecast { count }`
  const { data } = await ask(document, edge.keys.other)
  expect(Object.values(data).flat()).not.toContainEqual(expect.objectContaining({ begun: 1 }))
  expect(data.chargeForecast).not.toContainEqual({ count: 1 })
})

it('refuses a time zone that does not exist, and a range that ends before it begins', async () => {
  for (const [field, document] of [
    ['timezone', 'chargeForecast(timezone: "Mars/Base") { count }'],
    ['to', 'chargeFailures(from: "2026-02-01T00:00:00Z", to: "2026-01-01T00:00:00Z") { count }'],
  ]) {
    const { errors } = await ask(document ?? '', edge.keys.own)
    expect(errors[0].extensions.code).toBe('invalid_request')
    expect(errors[0].message).toContain(field)
  }
})
