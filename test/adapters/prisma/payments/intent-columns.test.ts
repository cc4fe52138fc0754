// Every field of a payment is a column, every column is a field, and each way of reading gives all of them.
import { beforeAll, expect, test } from 'vitest'
import type { Database } from '#adapters/prisma/engine/database.ts'
import { INTENT_COLUMNS } from '#adapters/prisma/payments/intent-columns.ts'
import { createTenantReads } from '#adapters/prisma/tenant-reads.ts'
import type { Tenant } from '#core/accounts/account.ts'
import { startChange } from '#core/payments/change.ts'
import {
  FIELD_NAMES,
  INTENT_FIELDS,
  intentFromJson,
  isWritten,
  type NewIntent,
  type PaymentIntent,
  type Written,
} from '#core/payments/payment-intent.ts'
import { describeOnBothEngines } from '../../../support/database.ts'
import { fullIntent } from '../../../support/example-intent.ts'
import { addBusiness, newIntent, type Stores, storesOf } from '../../../support/stores.ts'

describeOnBothEngines('a payment in the database', (open) => {
  let db: Database
  let stores: Stores
  let tenant: Tenant
  beforeAll(async () => {
    db = await open()
    stores = storesOf(db)
    tenant = await addBusiness(db)
  })

  const only = (intent: PaymentIntent, ...times: readonly Written[]) =>
    Object.fromEntries(FIELD_NAMES.filter((name) => isWritten(name, ...times)).map((name) => [name, intent[name]]))
  const atCreation = (intent: PaymentIntent) =>
    only(intent, 'once') as Pick<PaymentIntent, keyof NewIntent & keyof PaymentIntent>
  const byChanges = (intent: PaymentIntent) => only(intent, 'later', 'both') as Partial<PaymentIntent>
  const namesOf = (fields: object): string[] => Object.keys(fields).toSorted()

  /** The payment as each way of reading gives it. */
  async function readings({ id, derivationIndex }: PaymentIntent, clientSecretHash: Uint8Array) {
    const [event] = await db.query<{ data: unknown }>(
      'SELECT data FROM events WHERE subject_id = $1 ORDER BY sequence DESC LIMIT 1',
      [id],
    )
    return {
      byIndex: await stores.intents.findByIndex(tenant, derivationIndex),
      bySecret: await stores.checkout.findByClientSecretHash(clientSecretHash),
      facts: (await stores.work.facts(id))?.intent,
      reads: (await createTenantReads(db.prisma)(tenant).paymentIntent.findMany({ where: { id } }))[0],
      event: intentFromJson(event?.data),
    }
  }

  test('has each written column of the table, but for the hash of the client secret and the text of a search', async () => {
    const rows = await db.query<{ name: string }>(
      `SELECT column_name AS name FROM information_schema.columns
       WHERE table_name = 'payment_intents' AND is_generated = 'NEVER' AND column_name NOT IN ('client_secret_hash', 'search_text')`,
    )
    const read = INTENT_COLUMNS.split(', ').map((column) => column.split(' ')[0])
    expect(read.toSorted()).toEqual(rows.map(({ name }) => name).toSorted())
  })

  test('is read as it was created and as it was changed, with every field', async () => {
    const { id: _, accountId: _account, derivationIndex: _index, address: _address, ...given } = atCreation(fullIntent)
    const draft = await newIntent(stores, tenant, given)
    const { intent: before } = await stores.intents.create(tenant, draft)
    for (const [way, read] of Object.entries(await readings(before, draft.clientSecretHash)))
      expect(read, way).toEqual(before)

    const after = { ...before, ...byChanges(fullIntent) }
    for (const name of FIELD_NAMES)
      if (isWritten(name, 'later', 'both')) expect(after[name], name).not.toEqual(before[name])
    const change = { ...startChange(before), after, events: [{ type: 'intent.underpaid' as const, intent: after }] }
    expect(await stores.changes.apply(change)).toBe(true)
    for (const [way, read] of Object.entries(await readings(after, draft.clientSecretHash)))
      expect(read, way).toEqual(after)
  })

  test('of this test has a value in every field', () => {
    expect(namesOf(fullIntent)).toEqual(namesOf(INTENT_FIELDS))
    expect(FIELD_NAMES.filter((name) => fullIntent[name] === null)).toEqual([])
  })
})
