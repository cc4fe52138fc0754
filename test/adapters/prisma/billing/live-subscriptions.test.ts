// Live status of a subscription: its present state, then every later one, each once and in order.
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { createBillingStore } from '#adapters/prisma/billing/billing-store.ts'
import { createLiveSubscriptions } from '#adapters/prisma/billing/live-subscriptions.ts'
import type { Database } from '#adapters/prisma/engine/database.ts'
import { startChange, step } from '#core/billing/machine/change.ts'
import type { BillingSubscription } from '#core/billing/subscription.ts'
import { addSubscription, addTier } from '../../../support/billing-rows.ts'
import { openTestDatabase } from '../../../support/database.ts'
import { NOW } from '../../../support/payment.ts'
import { addBusiness } from '../../../support/stores.ts'
import { until } from '../../../support/until.ts'

let db: Database
let id: string
beforeAll(async () => {
  db = await openTestDatabase()
})
afterAll(() => db.close())
beforeEach(async () => {
  const tier = await addTier(db, await addBusiness(db))
  id = (await addSubscription(db, tier, NOW.getTime())).subscription.id
})

/** Changes the subscription once more, with an event or without. */
async function change(event: 'subscription.updated' | null): Promise<void> {
  const store = createBillingStore(db)
  const facts = await store.facts(id)
  if (facts === null) throw new Error('no subscription')
  const next = step(startChange(facts.subscription), facts, {}, NOW, event)
  expect(await store.apply(next, facts.delegation)).toBe(true)
}

/** Follows the subscription, and collects the versions that it receives. */
async function follow(database: Database = db) {
  const live = await createLiveSubscriptions(database)
  const controller = new AbortController()
  const states: BillingSubscription[] = []
  const ended = (async () => {
    for await (const state of live.follow(id, controller.signal)) states.push(state)
  })()
  await until(() => states.length === 1)
  const first = states[0]?.version ?? 0
  return {
    /** The versions after the present one. */
    later: () => states.slice(1).map(({ version }) => version - first),
    async end() {
      controller.abort()
      await ended
      await live.close()
    },
  }
}

test('skips none of many changes, and repeats none', async () => {
  const follower = await follow()
  for (let count = 0; count < 60; count += 1) await change('subscription.updated')
  await until(() => follower.later().length === 60)
  expect(follower.later()).toEqual(Array.from({ length: 60 }, (_, at) => at + 1))
  await follower.end()
})

test('shows a change without an event as well', async () => {
  const follower = await follow()
  await change(null)
  await until(() => follower.later().length === 1)
  await change('subscription.updated')
  await until(() => follower.later().length === 2)
  expect(follower.later()).toEqual([1, 2])
  await follower.end()
})

test('reads again when the connection of notices is back, without missing a state', async () => {
  let isBack = () => {}
  const deaf: Database = {
    ...db,
    async listen(_channel, _onNotice, onReconnect = () => {}) {
      isBack = onReconnect
      return async () => {}
    },
  }
  const follower = await follow(deaf)
  for (let count = 0; count < 3; count += 1) await change('subscription.updated')
  expect(follower.later()).toEqual([])
  isBack()
  await until(() => follower.later().length === 3)
  await follower.end()
})

test('ends at once for a subscription that does not exist', async () => {
  const live = await createLiveSubscriptions(db)
  const unknown = 'f47ac10b-58cc-4372-a567-0e02b2c3d479'
  for await (const _ of live.follow(unknown, new AbortController().signal)) throw new Error('not expected here')
  await live.close()
})
