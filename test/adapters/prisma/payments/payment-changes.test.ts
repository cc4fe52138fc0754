// Waiting for a change of a payment: by a notice of any instance, and never longer than requested.
import { beforeAll, expect, it } from 'vitest'
import type { Database } from '#adapters/prisma/engine/database.ts'
import { INTENT_CHANGED } from '#adapters/prisma/engine/notices.ts'
import { createIntentChanges } from '#adapters/prisma/payments/payment-changes.ts'
import type { IntentChanges } from '#ports/payments.ts'
import { describeOnBothEngines } from '../../../support/database.ts'

const LONG = 60_000

describeOnBothEngines('a watch of an intent', (open) => {
  let db: Database
  let changes: IntentChanges
  beforeAll(async () => {
    db = await open()
    changes = await createIntentChanges(db)
  })
  const change = (id: string) => db.query('SELECT pg_notify($1, $2)', [INTENT_CHANGED, id])

  it('ends its wait at a change of that intent', async () => {
    const watch = changes.watch('a')
    const waited = watch.next(LONG)
    await change('a')
    expect(await waited).toBeLessThan(LONG / 2)
    watch.close()
  })

  it('misses no change between two waits, and then waits for the next change', async () => {
    const watch = changes.watch('b')
    await change('b')
    await change('b')
    const other = changes.watch('b')
    await change('b')
    await other.next(LONG)
    expect(await watch.next(LONG)).toBeLessThan(LONG / 2)
    expect(await watch.next(30)).toBeGreaterThanOrEqual(29)
    watch.close()
    other.close()
  })

  it('waits no longer than requested, whatever else changes', async () => {
    const watch = changes.watch('c')
    const waited = watch.next(300)
    await change('d')
    expect(await waited).toBeGreaterThanOrEqual(299)
    watch.close()
  })

  it('ends at once when its client has left', async () => {
    const client = new AbortController()
    const watch = changes.watch('e', client.signal)
    const waited = watch.next(LONG)
    client.abort()
    expect(await waited).toBeLessThan(LONG / 2)
    expect(await watch.next(LONG)).toBeLessThan(LONG / 2)
    expect(await changes.watch('e', client.signal).next(LONG)).toBeLessThan(LONG / 2)
  })
})

it('reads again when notices may have been lost', async () => {
  let lost = () => {}
  const changes = await createIntentChanges({
    listen: async (_channel, _onNotice, onReconnect = () => {}) => {
      lost = onReconnect
      return async () => {}
    },
  })
  const watch = changes.watch('a')
  const waited = watch.next(LONG)
  lost()
  expect(await waited).toBeLessThan(LONG / 2)
})
