import { beforeEach, describe, expect, it } from 'vitest'
import type { Account } from '#core/accounts/account.ts'
import type { ApiKey } from '#core/accounts/api-key.ts'
import type { KeyStore } from '#ports/accounts.ts'
import type { Clock } from '#ports/clock.ts'
import { type Authenticator, createAuthenticator } from '#services/accounts/authenticate.ts'
import { createTestSecrets } from '../../support/keys.ts'
import { credential } from '../../support/services.ts'

const { account, key } = credential('live')
const secrets = createTestSecrets({ bytes: (length) => crypto.getRandomValues(new Uint8Array(length)) })
const KEY = secrets.apiKeyOf('live', key.id).secret

type Stored = { key: ApiKey; account: Account; hash: Uint8Array; marketplace: 'active' | 'disabled' | null }

let now: Date
let stored: Stored | null
let reads: Uint8Array[]
let authenticator: Authenticator
const clock: Clock = { now: () => now }
const keys: Pick<KeyStore, 'findByHash' | 'markUsed'> = {
  markUsed: async () => {},
  async findByHash(hash) {
    reads.push(hash)
    return stored
  },
}
beforeEach(() => {
  now = new Date('2026-11-20T10:00:00Z')
  stored = { key, account, hash: secrets.hash(KEY), marketplace: null }
  reads = []
  authenticator = createAuthenticator({ clock, secrets, keys })
})

const refused = expect.objectContaining({ code: 'unauthenticated' })
const later = (ms: number) => {
  now = new Date(now.getTime() + ms)
}

it.each(['live', 'test'] as const)('a %s key of a sandbox says so, and works', async (network) => {
  const { secret, hash } = createTestSecrets(
    { bytes: (length) => new Uint8Array(length) },
    { isSandbox: true },
  ).apiKeyOf(network, key.id)
  expect(secret).toMatch(new RegExp(`^sk_${network}_sandbox_`))
  stored = { ...credential(network), hash }
  expect((await authenticator.authenticate(secret)).tenant.network).toBe(network)
})

describe('a key', () => {
  it('proves its business, and is looked up by its hash alone', async () => {
    const { tenant, key: proved } = await authenticator.authenticate(KEY)
    expect(tenant).toEqual({ accountId: account.id, network: 'live' })
    expect(proved).toBe(key)
    expect(reads).toEqual([Buffer.from(secrets.hash(KEY))])
  })

  it('is looked up once for all who send it within a few seconds', async () => {
    await Promise.all(Array.from({ length: 50 }, () => authenticator.authenticate(KEY)))
    later(4_000)
    await authenticator.authenticate(KEY)
    expect(reads).toHaveLength(1)
    later(2_000)
    await authenticator.authenticate(KEY)
    expect(reads).toHaveLength(2)
  })

  it('that is revoked stops immediately here, and within seconds on an instance that missed the notice', async () => {
    await authenticator.authenticate(KEY)
    stored = null
    await authenticator.authenticate(KEY)
    later(5_000)
    await expect(authenticator.authenticate(KEY)).rejects.toEqual(refused)
    stored = { key, account, hash: secrets.hash(KEY), marketplace: null }
    await authenticator.authenticate(KEY)
    stored = null
    authenticator.clear()
    await expect(authenticator.authenticate(KEY)).rejects.toEqual(refused)
  })

  it('works from the moment it is made, though it was tried before', async () => {
    const made = stored
    stored = null
    await expect(authenticator.authenticate(KEY)).rejects.toEqual(refused)
    stored = made
    await expect(authenticator.authenticate(KEY)).resolves.toMatchObject({ account })
  })

  it('is refused when what was found bears another hash', async () => {
    stored = { key, account, hash: secrets.hash('sk_live_another'), marketplace: null }
    await expect(authenticator.authenticate(KEY)).rejects.toEqual(refused)
  })

  it('is refused when its account is archived, or is of the other network', async () => {
    stored = { key, account: { ...account, archivedAt: now }, hash: secrets.hash(KEY), marketplace: null }
    await expect(authenticator.authenticate(KEY)).rejects.toEqual(refused)
    stored = { key, account: { ...account, network: 'test' }, hash: secrets.hash(KEY), marketplace: null }
    await expect(authenticator.authenticate(KEY)).rejects.toEqual(refused)
  })

  it.each([
    '',
    'sk_live_',
    'sk_prod_0123456789abcdef0123456789abcdef',
    'sk_live_short',
    `${KEY} `,
    'cs_abc',
    'x'.repeat(9_999),
  ])('that cannot be one costs no look at the database: %j', async (text) => {
    await expect(authenticator.authenticate(text)).rejects.toEqual(refused)
    expect(reads).toEqual([])
  })
})
