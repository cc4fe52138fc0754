// A payment from its creation to the sweep, behind PgBouncer.
import { afterEach, describe, expect, it } from 'vitest'
import { createPostgresDatabase } from '../support/database.ts'
import { PGBOUNCER, ROLE_LIMITS, setInDatabase, startPgBouncer, WITHOUT_PGBOUNCER } from '../support/pgbouncer.ts'
import { openIntent, STORY_TIMEOUT_MS, startStory, untilStatus } from '../support/running-service.ts'

const ends: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end()
})

describe.skipIf(PGBOUNCER === null)(`behind PgBouncer${WITHOUT_PGBOUNCER}`, () => {
  it.each(['session', 'transaction'] as const)(
    'a payment is settled (%s mode)',
    async (pool_mode) => {
      const { url, drop } = await createPostgresDatabase()
      ends.push(drop)
      await setInDatabase(url, ...ROLE_LIMITS)
      const pooler = await startPgBouncer(url, { pool_mode })
      ends.push(pooler.stop)
      const direct: Readonly<Record<string, string>> = pool_mode === 'session' ? {} : { DATABASE_DIRECT_URL: url }
      const story = await startStory({ DATABASE_URL: pooler.url, ...direct })
      ends.push(story.stop)
      const intent = await openIntent(story, 'SOL')
      await story.pay(intent.deposit, 'SOL', intent.expected)
      await expect(untilStatus(story, intent.index, 'swept')).resolves.toMatchObject({
        received_lamports: Number(intent.expected),
      })
    },
    STORY_TIMEOUT_MS,
  )
})
