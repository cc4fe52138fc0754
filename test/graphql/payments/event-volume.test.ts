// A business sees its own events. Nothing in them may show how many events others had in between.
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { Database } from '#adapters/prisma/engine/database.ts'
import { createTenantReads } from '#adapters/prisma/tenant-reads.ts'
import type { Tenant } from '#core/accounts/account.ts'
import { startChange, step } from '#core/payments/change.ts'
import { openTestDatabase } from '../../support/database.ts'
import { choice, NOW } from '../../support/payment.ts'
import { credential, startTestService, withKey } from '../../support/services.ts'
import { addBusiness, addIntent, type Stores, storesOf } from '../../support/stores.ts'

let database: Database
let stores: Stores
beforeAll(async () => {
  database = await openTestDatabase()
  stores = storesOf(database)
})
afterAll(() => database.close())

type Edge<Node> = { readonly node: Node }

const FIELDS = '{ __type(name: "IntentEvent") { fields { name } } }'

it('two events of a business look the same whether or not others had any in between', async () => {
  const without = await eventsShown(0)
  const many = await eventsShown(60)
  expect(Object.keys(without[0] ?? {}).length).toBeGreaterThanOrEqual(3)
  expect(many).toEqual(without)
})

/** Returns all visible data of the events of two intents, with this many events of another business between them. */
async function eventsShown(others: number): Promise<Record<string, unknown>[]> {
  const business = await addBusiness(database)
  await selectIn(business)
  const stranger = await addBusiness(database)
  for (let count = 0; count < others; count += 1) await addIntent(stores, stranger)
  await selectIn(business)
  const service = await startTestService({
    services: { accounts: { authenticate: async () => ({ ...credential('live'), tenant: business }) } },
    reads: createTenantReads(database.prisma),
  })
  try {
    const names = (await service.graphql(FIELDS, {}, withKey())).body.data.__type.fields
    const selection = names.map(({ name }: { name: string }) => name).join(' ')
    const list = `{ paymentIntents { edges { node { events { edges { node { ${selection} } } } } } } }`
    const { edges } = (await service.graphql(list, {}, withKey())).body.data.paymentIntents
    const eventsOf = ({ node }: Edge<{ events: { edges: Edge<Record<string, unknown>>[] } }>) => node.events.edges
    return edges.flatMap(eventsOf).map((edge: Edge<Record<string, unknown>>) => masked(edge.node))
  } finally {
    await service.close()
  }
}

/** Without the ids, which are the time and random bits. */
const masked = ({ id, ...event }: Record<string, unknown>) => ({
  ...event,
  id: /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/.test(String(id)) ? 'drawn' : id,
})

async function selectIn(business: Tenant): Promise<void> {
  const intent = await addIntent(stores, business)
  const selected = step(startChange(intent), { selection: choice('SOL', 9n) }, NOW, 'intent.token_selected')
  if (!(await stores.work.apply(selected))) throw new Error('the intent was changed in between')
}
