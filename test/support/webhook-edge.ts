// The edges over the webhooks of two businesses, with keys of every kind.
import { createHash } from 'node:crypto'
import { random } from '#adapters/node/random.ts'
import { createSecrets } from '#adapters/node/secrets.ts'
import { createKeyStore } from '#adapters/prisma/accounts/account-store.ts'
import type { Database } from '#adapters/prisma/engine/database.ts'
import { createEndpointStore } from '#adapters/prisma/events/endpoint-store.ts'
import { createTenantReads } from '#adapters/prisma/tenant-reads.ts'
import { KEY_SCOPES, type KeyScope, type Tenant } from '#core/accounts/account.ts'
import type { Network } from '#core/chain/types.ts'
import { createAuthenticator } from '#services/accounts/authenticate.ts'
import { createWebhookEndpointServices } from '#services/events/endpoints.ts'
import { openRecordedDatabase, type Statement } from './database.ts'
import { startTestService, type TestService } from './services.ts'
import { addBusiness } from './stores.ts'

/** A secret that names its endpoint and version. */
export const secretOf = (endpointId: string, version: number): Uint8Array =>
  createHash('sha256').update(`${endpointId}:${version}`).digest()

export type WebhookEdge = TestService & {
  readonly database: Database
  readonly statements: Statement[]
  readonly tenant: Tenant
  readonly other: Tenant
  /** Keys by their caller. */
  readonly keys: Readonly<Record<'own' | 'other' | 'test' | 'unscoped' | 'revoked', string>>
  keyOf(tenant: Tenant, scopes?: readonly KeyScope[]): Promise<string>
  /** The time of the service. */
  readonly world: { now: Date }
}

export async function startWebhookEdge(): Promise<WebhookEdge> {
  const { database, statements } = await openRecordedDatabase()
  const secrets = createSecrets(random)
  const keyStore = createKeyStore(database.prisma)
  const { authenticate } = createAuthenticator({ clock: { now: () => new Date() }, secrets, keys: keyStore })
  const world = { now: new Date('2026-11-20T12:00:00.000Z') }
  const tenant = await addBusiness(database)
  const other = await addBusiness(database)
  const ofTest = await addBusiness(database, 'test')
  const issue = async (accountId: string, network: Network, scopes: readonly KeyScope[]) => {
    const { secret, hash } = secrets.issueApiKey(network)
    const id = random.uuid()
    await keyStore.create({ id, accountId, hash, hint: secret.slice(-4), scopes })
    return { id, secret }
  }
  const keyOf: WebhookEdge['keyOf'] = async ({ accountId, network }, scopes = KEY_SCOPES) =>
    (await issue(accountId, network, scopes)).secret
  const revoked = await issue(tenant.accountId, 'live', KEY_SCOPES)
  await keyStore.revoke(revoked.id, world.now)
  const service = await startTestService({
    services: {
      accounts: { authenticate },
      webhookEndpoints: createWebhookEndpointServices({
        webhookEndpoints: createEndpointStore(database),
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
    keys: {
      own: await keyOf(tenant),
      other: await keyOf(other),
      test: await keyOf(ofTest),
      unscoped: await keyOf(
        tenant,
        KEY_SCOPES.filter((scope) => scope !== 'webhooks-manage'),
      ),
      revoked: revoked.secret,
    },
    async close() {
      await service.close()
      await database.close()
    },
  }
}
