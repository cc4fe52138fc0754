// Credentials in the database, and those of a service whose master seed everyone knows.

import { hash } from 'node:crypto'
import { random } from '#adapters/node/random.ts'
import { createSecrets } from '#adapters/node/secrets.ts'
import { createKeyStore } from '#adapters/prisma/accounts/key-store.ts'
import type { Database } from '#adapters/prisma/engine/engine.ts'
import type { ApiKey } from '#core/accounts/api-key.ts'
import { type Authorship, operatorActor } from '#core/accounts/audit.ts'
import { type KeyPermission, USUAL_KEY_SCOPES } from '#core/accounts/permissions.ts'
import type { Network } from '#core/chain/types.ts'
import type { Random } from '#ports/random.ts'
import type { Secrets } from '#ports/secrets.ts'
import { issueKey } from '#services/accounts/keys.ts'

// Credentials of a service whose master seed everyone knows.

const derive = (label: string): Uint8Array => hash('sha256', label, 'buffer')

export const createTestSecrets = ({ bytes }: Pick<Random, 'bytes'>, options?: { isSandbox: boolean }): Secrets =>
  createSecrets({ bytes, derive }, options)

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
