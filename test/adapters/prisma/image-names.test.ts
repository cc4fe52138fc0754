// The migration from URLs of images to their names.
import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { expect, it } from 'vitest'
import { openTestDatabase } from '../../support/database.ts'

const MIGRATION = resolve(import.meta.dirname, '../../../prisma/migrations/20261122194405_image_names/migration.sql')
const NAME = `${'0123456789abcdef'.repeat(4)}.webp`

it('an image that was stored by its URL keeps its name, and any other address is no image', async () => {
  const db = await openTestDatabase()
  await db.query('ALTER TABLE accounts RENAME COLUMN logo_name TO logo_url')
  await db.query('ALTER TABLE tokens RENAME COLUMN image_name TO image_url')
  const urls = [
    `https://pay.example.com/images/${NAME}`,
    `http://localhost:4000/images/${NAME}`,
    null,
    'https://a.example/b',
  ]
  for (const [at, url] of urls.entries()) {
    await db.query(
      `INSERT INTO accounts (id, network, name, logo_url, updated_at) VALUES (gen_random_uuid(), 'live', $1, $2, now())`,
      [String(at), url],
    )
    await db.query(
      `INSERT INTO tokens (network, asset, mint, is_native, name, ticker, decimals, extensions, feed_key, image_url, updated_at)
       VALUES ('live', $1, $1, false, $1, $1, 6, '{}', $1, $2, now())`,
      [String(at), url],
    )
  }
  await db.session((session) => session.script(readFileSync(MIGRATION, 'utf8')))
  const expected = [NAME, NAME, null, null]
  const accounts = await db.query<{ name: string }>('SELECT logo_name AS name FROM accounts ORDER BY accounts.name')
  const tokens = await db.query<{ name: string }>('SELECT image_name AS name FROM tokens ORDER BY ticker')
  expect(accounts.map(({ name }) => name)).toEqual(expected)
  expect(tokens.map(({ name }) => name)).toEqual(expected)
  await db.close()
})
