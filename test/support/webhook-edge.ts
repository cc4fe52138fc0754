// The edges over the webhooks of two businesses, with keys of every kind.
import { createHash } from 'node:crypto'
import { random } from '#adapters/node/random.ts'
import { createKeyStore } from '#adapters/prisma/accounts/key-store.ts'
import type { Database } from '#adapters/prisma/engine/database.ts'
import { createDeliveryLog } from '#adapters/prisma/events/delivery-log.ts'
import { createDeliveryStore } from '#adapters/prisma/events/delivery-store.ts'
import { createEndpointStore } from '#adapters/prisma/events/endpoint-store.ts'
import { createEventLog } from '#adapters/prisma/events/event-log.ts'
import { createLiveEventLog } from '#adapters/prisma/events/live-events.ts'
import { createTenantReads } from '#adapters/prisma/tenant-reads.ts'
import { createWebhookSender } from '#adapters/webhook-http/sender.ts'
import type { Tenant } from '#core/accounts/account.ts'
import { type KeyPermission, USUAL_KEY_SCOPES } from '#core/accounts/permissions.ts'
import { createAuthenticator } from '#services/accounts/authenticate.ts'
import { createDeliverer } from '#services/events/deliver.ts'
import { createWebhookEndpointServices } from '#services/events/endpoints.ts'
import { createEventLogServices } from '#services/events/event-log.ts'
import { openRecordedDatabase, type Statement } from './database.ts'
import { AUTHOR, addKey, createTestSecrets } from './keys.ts'
import { startTestService, type TestService } from './services.ts'
import { addBusiness } from './stores.ts'

/** A secret that names its endpoint and version. */
export const secretOf = (endpointId: string, version: number): Uint8Array =>
  createHash('sha256').update(`${endpointId}:${version}`).digest()

const chainName = () => 'solana:localnet'

export type WebhookEdge = TestService & {
  readonly database: Database
  readonly statements: Statement[]
  readonly tenant: Tenant
  readonly other: Tenant
  /** Keys by their caller. */
  readonly keys: Readonly<Record<'own' | 'other' | 'test' | 'unscoped' | 'revoked', string>>
  keyOf(tenant: Tenant, scopes?: readonly KeyPermission[]): Promise<string>
  /** Revokes every key of a business. */
  revokeKeys(tenant: Tenant): Promise<void>
  /** Sends what is due. */
  deliver(timeoutMs?: number): Promise<void>
  /** The time of the service. */
  readonly world: { now: Date }
}

export async function startWebhookEdge(): Promise<WebhookEdge> {
  const { database, statements } = await openRecordedDatabase()
  const secrets = createTestSecrets(random)
  const keyStore = createKeyStore(database.prisma)
  const { authenticate, clear } = createAuthenticator({ clock: { now: () => new Date() }, secrets, keys: keyStore })
  const world = { now: new Date('2026-11-20T12:00:00.000Z') }
  const tenant = await addBusiness(database)
  const other = await addBusiness(database)
  const ofTest = await addBusiness(database, 'test')
  const keyOf: WebhookEdge['keyOf'] = async ({ accountId, network }, scopes) =>
    (await addKey(database, accountId, { network, ...(scopes && { scopes }) })).secret
  const revoked = await addKey(database, tenant.accountId)
  await keyStore.revoke(tenant, revoked.key.id, AUTHOR)
  const deliver: WebhookEdge['deliver'] = async (timeoutMs = 5_000) => {
    const sender = createWebhookSender({ allowPrivate: true, timeoutMs })
    const { runOnce } = createDeliverer({
      worker: random.uuid(),
      store: createDeliveryStore(database),
      sender,
      secrets: { secret: secretOf },
      chainName,
      clock: { now: () => world.now },
      wallClock: { now: () => new Date() },
      random: { fraction: () => 0 },
    })
    await runOnce().finally(() => sender.close())
  }
  // No notice may be lost: the pause without one is longer than a test.
  const liveLog = await createLiveEventLog(database, { idle: 3_600_000, pending: 20 })
  const service = await startTestService({
    liveLog,
    services: {
      eventLog: createEventLogServices({ eventLog: createEventLog(database), chainName }),
      accounts: { authenticate },
      webhookEndpoints: createWebhookEndpointServices({
        webhookEndpoints: createEndpointStore(database),
        deliveryLog: createDeliveryLog(database),
        webhookSecrets: { secret: secretOf },
        random,
        clock: { now: () => world.now },
        allowPrivateWebhooks: true,
      }),
    },
    reads: createTenantReads(database.prisma),
  })
  return {
    ...service,
    database,
    statements,
    tenant,
    other,
    world,
    keyOf,
    async revokeKeys({ accountId }) {
      await database.query('UPDATE api_keys SET revoked_at = now() WHERE account_id = $1', [accountId])
      clear()
    },
    deliver,
    keys: {
      own: await keyOf(tenant),
      other: await keyOf(other),
      test: await keyOf(ofTest),
      unscoped: await keyOf(
        tenant,
        USUAL_KEY_SCOPES.filter((scope) => scope !== 'webhooks-manage'),
      ),
      revoked: revoked.secret,
    },
    async close() {
      await service.close()
      await liveLog.close()
      await database.close()
    },
  }
}
