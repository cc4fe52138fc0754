// API keys in the database.
import { random } from '#adapters/node/random.ts'
import { createKeyStore } from '#adapters/prisma/accounts/key-store.ts'
import type { Database } from '#adapters/prisma/engine/engine.ts'
import type { ApiKey } from '#core/accounts/api-key.ts'
import { type Authorship, operatorActor } from '#core/accounts/audit.ts'
import { type KeyPermission, USUAL_KEY_SCOPES } from '#core/accounts/permissions.ts'
import type { Network } from '#core/chain/types.ts'
import { issueKey } from '#services/accounts/keys.ts'
import { createTestSecrets } from './secrets.ts'

const secrets = createTestSecrets(random)

/** The operator, at some time. */
export const AUTHOR: Authorship = { actor: operatorActor('192.0.2.1'), at: new Date('2026-11-20T09:00:00Z') }

/** Makes a key of a business. */
export async function addKey(
  { prisma }: Pick<Database, 'prisma'>,
  accountId: string,
  { network = 'live', scopes = USUAL_KEY_SCOPES }: { network?: Network; scopes?: readonly KeyPermission[] } = {},
): Promise<{ readonly key: ApiKey; readonly secret: string; readonly hash: Uint8Array }> {
  const { secret, ...issued } = issueKey({ secrets, random }, network)
  const key = await createKeyStore(prisma).create({ ...issued, accountId, name: 'Test key', scopes }, AUTHOR)
  if (key === null) throw new Error('the business has too many keys')
  return { key, secret, hash: issued.hash }
}
