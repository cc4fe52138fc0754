// Businesses, endpoints and staged events, as the service itself writes them.
import { randomBytes, randomUUID } from 'node:crypto'
import type { Database } from '#adapters/prisma/engine/engine.ts'
import { QUEUE_DELIVERIES } from '#adapters/prisma/events/outbox.ts'
import type { Network } from '#core/chain/types.ts'
import { intentToJson } from '#core/payments/payment-intent.ts'
import { pendingIntent } from './example-intent.ts'

type Db = Pick<Database, 'query'>

export async function addAccount(
  db: Db,
  account: { name?: string; network?: Network; marketplaceId?: string; externalId?: string } = {},
): Promise<string> {
  const id = randomUUID()
  await db.query(
    `INSERT INTO accounts (id, network, name, marketplace_account_id, external_id, updated_at)
     VALUES ($1, $2, $3, $4, $5, now())`,
    [
      id,
      account.network ?? 'live',
      account.name ?? 'Corner Shop',
      account.marketplaceId ?? null,
      account.externalId ?? null,
    ],
  )
  return id
}

export async function addEndpoint(db: Db, accountId: string, url = 'https://shop.example/hook'): Promise<string> {
  const id = randomUUID()
  await db.query(
    `INSERT INTO webhook_endpoints (id, account_id, url, event_types, api_version) VALUES ($1, $2, $3, '{}', '2026-11-01')`,
    [id, accountId, url],
  )
  return id
}

export async function addIntent(db: Db, accountId: string): Promise<string> {
  const id = randomUUID()
  await db.query(
    `INSERT INTO payment_intents (id, network, account_id, caller_account_id, address, client_secret_hash,
       price_usd_cents, accepted_assets, payee_label, expires_at)
     VALUES ($1, 'live', $2, $2, $3, $4, 2500, '{SOL}', 'Corner Shop', now())`,
    [id, accountId, `address of ${id}`, randomBytes(32)],
  )
  return id
}

export type Staged = { readonly eventId: string; readonly deliveryId: string }

/**
 * Stages one event with its delivery to one endpoint. Without an intent it gets a new intent, and waits for no other
 * event.
 */
export async function stage(
  db: Db,
  event: {
    accountId: string
    endpointId: string
    dueAt: Date
    intentId?: string
    type?: string
    data?: Readonly<Record<string, unknown>>
  },
): Promise<Staged> {
  const [row] = await db.query<{ event_id: string; id: string }>(
    `WITH staged AS (
       INSERT INTO events (network, account_id, receiver_account_id, type, subject_kind, subject_id, intent_id, data,
         created_at)
       SELECT network, id, coalesce(marketplace_account_id, id), $2, 'payment', $3::uuid, $3::uuid, $4, $6
       FROM accounts WHERE id = $1
       RETURNING id, receiver_account_id, type, subject_id, sequence
     ), wanted AS (
       SELECT id AS event_id, $5::uuid AS endpoint_id, receiver_account_id AS account_id, type, subject_id, sequence,
         $6::timestamptz AS staged_at FROM staged
     ), ${QUEUE_DELIVERIES}
     SELECT id, event_id FROM queued`,
    [
      event.accountId,
      event.type ?? 'intent.created',
      event.intentId ?? (await addIntent(db, event.accountId)),
      event.data ?? intentToJson(pendingIntent),
      event.endpointId,
      event.dueAt,
    ],
  )
  if (row === undefined) throw new Error('there is no such account')
  return { eventId: row.event_id, deliveryId: row.id }
}

/** Stages several events in order. */
export async function stageMany(db: Db, count: number, event: Parameters<typeof stage>[1]): Promise<Staged[]> {
  const staged: Staged[] = []
  for (let at = 0; at < count; at += 1) staged.push(await stage(db, event))
  return staged
}
