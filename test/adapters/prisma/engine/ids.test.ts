import { expect, it } from 'vitest'
import { describeOnBothEngines } from '../../../support/database.ts'

describeOnBothEngines('an id that the database draws', (open) => {
  it('is a UUID of version 7, which sorts after the ids before it', async () => {
    const db = await open()
    const rows = await db.query<{ id: string }>('SELECT time_ordered_uuid()::text AS id FROM generate_series(1, 100)')
    const ids = rows.map(({ id }) => id)
    expect(ids.every((id) => /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/.test(id))).toBe(
      true,
    )
    expect(ids).toEqual(ids.toSorted())
    const time = Number.parseInt(ids[0]?.replace('-', '').slice(0, 12) ?? '', 16)
    expect(Math.abs(Date.now() - time)).toBeLessThan(60_000)
  })

  it('is drawn so for every table', async () => {
    const db = await open()
    const drawn = await db.query<{ default: string }>(
      `SELECT DISTINCT column_default AS default FROM information_schema.columns
       WHERE table_schema = 'public' AND data_type = 'uuid' AND column_default IS NOT NULL`,
    )
    expect(drawn).toEqual([{ default: 'time_ordered_uuid()' }])
  })
})
