// An application and an approval at the same moment.
import { expect, it } from 'vitest'
import { createApplicationStore } from '#adapters/prisma/marketplace/application-store.ts'
import { openTestDatabase } from '../../../support/database.ts'
import { AUTHOR } from '../../../support/keys.ts'
import { countBlocked } from '../../../support/statements.ts'
import { until } from '../../../support/until.ts'
import { addAccount } from '../../../support/webhook-rows.ts'

// The embedded engine has one connection: nothing happens at the same time.
it('an application waits for the approval of its business, and is then refused', async () => {
  const db = await openTestDatabase('postgresql')
  const accountId = await addAccount(db)
  const applications = createApplicationStore(db)
  const text = { accountId, website: 'https://bazaar.example/', sells: 'Mugs', expectedVolume: 'Many' }
  const entry = { action: 'business.applied', sellerId: null, changes: {} } as const
  const applying = await db.session(async ({ query }) => {
    await query('BEGIN')
    await query('SELECT FROM accounts WHERE id = $1 FOR NO KEY UPDATE', [accountId])
    await query(
      `INSERT INTO marketplaces (account_id, status, default_fee_bps, updated_at) VALUES ($1, 'active', 0, now())`,
      [accountId],
    )
    const applied = applications.apply(text, AUTHOR, entry)
    await until(async () => (await countBlocked(db)) > 0)
    await query('COMMIT')
    return { applied }
  })
  expect(await applying.applied).toBeNull()
  expect(await applications.find(accountId)).toBeNull()
  await db.close()
})
