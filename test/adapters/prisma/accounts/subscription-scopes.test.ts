// The migration from the scope of billing to those of subscriptions.
import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { expect, it } from 'vitest'
import { createKeyStore } from '#adapters/prisma/accounts/key-store.ts'
import { KEY_SCOPES } from '#core/accounts/account.ts'
import { openTestDatabase } from '../../../support/database.ts'
import { addAccount } from '../../../support/webhook-rows.ts'

const MIGRATION = resolve(
  import.meta.dirname,
  '../../../../prisma/migrations/20261122195950_subscription_scopes/migration.sql',
)

it('a stored key with the scope billing has both scopes of subscriptions, and a narrowed key stays narrowed', async () => {
  const db = await openTestDatabase()
  const accountId = await addAccount(db)
  const old = [['payments', 'marketplace-view', 'marketplace-manage', 'billing'], ['payments'], ['billing']]
  for (const [at, scopes] of old.entries())
    await db.query(
      `INSERT INTO api_keys (id, account_id, hash, hint, scopes, created_at)
       VALUES (gen_random_uuid(), $1, decode($2, 'hex'), 'x7Qa', $3, to_timestamp($4))`,
      [accountId, `0${at}`, scopes, at],
    )
  await db.session((session) => session.script(readFileSync(MIGRATION, 'utf8')))
  const keys = await createKeyStore(db.prisma).list(accountId)
  expect(keys.map(({ scopes }) => scopes)).toEqual([
    KEY_SCOPES,
    ['payments'],
    ['subscriptions-view', 'subscriptions-manage'],
  ])
  await db.close()
})
