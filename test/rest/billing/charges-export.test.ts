// GET /exports/charges.csv: its records, and whose they are.
import { afterAll, beforeAll, expect, it } from 'vitest'
import { tenantOf } from '#core/accounts/account.ts'
import { type BillingEdge, startBillingEdge } from '../../support/billing-edge.ts'
import { addSubscription, addTier } from '../../support/billing-rows.ts'
import { withKey } from '../../support/services.ts'
import { addBusiness } from '../../support/stores.ts'

const HEADER =
  'id,subscription_id,period_index,created_at,settled_at,status,mint,amount,fee_amount,net_amount,destination_ata,' +
  'fee_destination,attempts,failure_code,signature'

let edge: BillingEdge
/** The charges of the business, the oldest first, and one of a seller. */
let own: Awaited<ReturnType<typeof charge>>[]
let sellers: Awaited<ReturnType<typeof charge>>

async function charge(accountId: string, at: number) {
  const tier = await addTier(edge.database, tenantOf({ id: accountId, network: 'live' }))
  return { tier, ...(await addSubscription(edge.database, tier, at)) }
}

beforeAll(async () => {
  edge = await startBillingEdge()
  own = [await charge(edge.tenant.accountId, edge.world.now), await charge(edge.tenant.accountId, edge.world.now)]
  sellers = await charge(edge.sellers.market, edge.world.now)
  await charge((await addBusiness(edge.database)).accountId, edge.world.now)
})
afterAll(() => edge.close())

const download = (query = '', key = edge.keys.own) => edge.get(`/exports/charges.csv${query}`, withKey(key))
const idsOf = (text: string) =>
  text
    .trimEnd()
    .split('\r\n')
    .slice(1)
    .map((line) => line.split(',')[0])

it('has each charge of the business, with its amounts', async () => {
  const { status, text } = await download()
  expect([status, text.split('\r\n')[0]]).toEqual([200, HEADER])
  expect(new Set(idsOf(text))).toEqual(new Set(own.map(({ charge }) => charge.id)))
  const [{ tier, charge, subscription } = sellers] = own
  expect(text).toContain(
    `${charge.id},${subscription.id},0,${charge.createdAt.toISOString()},${charge.settledAt.toISOString()},succeeded,` +
      `${tier.mint},1000000,10000,990000,${tier.payoutAta},${charge.feeDestination},1,,\r\n`,
  )
})

it('has the charges of a range', async () => {
  const [first = sellers] = own
  const at = (ms: number) => new Date(first.charge.createdAt.getTime() + ms).toISOString()
  expect(idsOf((await download(`?from=${at(0)}&to=${at(1)}`)).text)).toContain(first.charge.id)
  expect(idsOf((await download(`?to=${at(0)}`)).text)).not.toContain(first.charge.id)
  expect((await download(`?from=${at(1)}&to=${at(0)}`)).status).toBe(400)
})

it('has the charges of a seller for its marketplace alone', async () => {
  const query = `?seller_id=${edge.sellers.market}`
  expect(idsOf((await download(query, edge.keys.market)).text)).toEqual([sellers.charge.id])
  expect(idsOf((await download('', edge.keys.market)).text)).toEqual([])
  expect((await download(query)).status).toBe(404)
})

it('needs the scope to view subscriptions', async () => {
  expect((await download('', edge.keys.viewer)).status).toBe(200)
  for (const key of [edge.keys.payer, edge.keys.manager]) expect((await download('', key)).status).toBe(403)
})
