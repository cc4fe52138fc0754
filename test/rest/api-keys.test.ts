import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { random } from '#adapters/node/random.ts'
import { createAccountStore } from '#adapters/prisma/accounts/account-store.ts'
import { createKeyStore } from '#adapters/prisma/accounts/key-store.ts'
import { createTenantReads } from '#adapters/prisma/tenant-reads.ts'
import { MAX_LIVE_KEYS } from '#core/accounts/api-key.ts'
import { KEY_SCOPES, type KeyPermission, USUAL_KEY_SCOPES } from '#core/accounts/permissions.ts'
import { createAuthenticator } from '#services/accounts/authenticate.ts'
import { createKeyServices } from '#services/accounts/keys.ts'
import { openTestDatabase } from '../support/database.ts'
import { addKey, createTestSecrets } from '../support/keys.ts'
import { startTestService, type TestService, withKey } from '../support/services.ts'
import { addAccount } from '../support/webhook-rows.ts'

const UNKNOWN = '00000000-0000-4000-8000-000000000000'

let service: TestService
let now = new Date('2026-11-20T10:00:00Z')
let business: () => Promise<{ readonly accountId: string; readonly secret: string; readonly id: string }>
let keyOf: (accountId: string, scopes: readonly KeyPermission[]) => Promise<string>

beforeAll(async () => {
  const database = await openTestDatabase()
  const apiKeys = createKeyStore(database.prisma)
  const secrets = createTestSecrets(random)
  const clock = { now: () => now }
  const authenticator = createAuthenticator({ clock, secrets, keys: apiKeys })
  const keys = createKeyServices({
    accounts: createAccountStore(database.prisma),
    apiKeys,
    directoryChanged: async () => authenticator.clear(),
    secrets,
    random,
    clock,
  })
  service = await startTestService({
    services: { accounts: { authenticate: authenticator.authenticate }, keys },
    reads: createTenantReads(database.prisma),
  })
  business = async () => {
    const accountId = await addAccount(database)
    const { key, secret } = await addKey(database, accountId, { scopes: KEY_SCOPES })
    return { accountId, secret, id: key.id }
  }
  keyOf = async (accountId, scopes) => (await addKey(database, accountId, { scopes })).secret
})
afterAll(() => service.close())

const create = (secret: string, body: object = {}) => service.post('/api-keys', body, withKey(secret))
const list = (secret: string) => service.get('/api-keys', withKey(secret))
const roll = (secret: string, id: string, body: object = {}) =>
  service.post(`/api-keys/${id}/roll`, body, withKey(secret))
const revoke = (secret: string, id: string) => service.ask('DELETE', `/api-keys/${id}`, withKey(secret))
const later = (seconds: number) => {
  now = new Date(now.getTime() + seconds * 1_000)
}

describe('POST /api-keys', () => {
  it('shows a new key once, and the key works at once', async () => {
    const { secret } = await business()
    const { status, body } = await create(secret, { name: 'Shop', scopes: ['keys-manage', 'payments-view'] })
    expect(status).toBe(201)
    expect(body).toEqual({
      id: expect.any(String),
      name: 'Shop',
      hint: body.api_key.slice(-4),
      scopes: ['payments-view', 'keys-manage'],
      created_by: `sk_live_…${secret.slice(-4)}`,
      created_at: now.toISOString(),
      last_used_at: null,
      revoked_at: null,
      api_key: expect.stringMatching(/^sk_live_[\w-]{43}$/),
    })
    const { body: listed, text } = await list(body.api_key)
    expect(listed.api_keys.map(({ id }: { id: string }) => id)).toContain(body.id)
    expect(text).not.toContain(body.api_key)
  })

  it('gives a key the usual scopes of its creator when none are chosen, and no scope that manages keys', async () => {
    const { secret } = await business()
    expect((await create(secret)).body).toMatchObject({ name: 'API key', scopes: USUAL_KEY_SCOPES })
  })

  it('refuses a scope that the creator lacks, and names it', async () => {
    const { accountId } = await business()
    const manager = await keyOf(accountId, ['keys-manage', 'payments'])
    const { status, body } = await create(manager, { scopes: ['payments', 'subscriptions-manage'] })
    expect([status, body]).toEqual([403, { error: 'this needs the permission subscriptions-manage' }])
    expect((await create(manager)).body).toMatchObject({ scopes: ['payments'] })
  })

  it.each([
    [{ scopes: ['everything'] }, 'scopes[0] must be one of payments, '],
    [{ scopes: [] }, 'scopes must name at least one scope'],
    [{ scopes: 'payments' }, 'scopes must be a list of scopes'],
    [{ name: 5 }, 'name must be a string'],
    [{ name: ' ' }, 'name '],
    [{ name: 'x'.repeat(300) }, 'name '],
  ])('refuses %j and names the field', async (given, message) => {
    const { secret } = await business()
    const { status, body } = await create(secret, given)
    expect([status, body]).toEqual([400, { error: expect.stringContaining(message) }])
    expect((await list(secret)).body.api_keys).toHaveLength(1)
  })

  it('refuses more live keys than a business can have, also when they are made at the same time', async () => {
    const { secret, accountId } = await business()
    for (let made = 1; made < MAX_LIVE_KEYS - 2; made += 1) await keyOf(accountId, ['payments'])
    const answers = await Promise.all(Array.from({ length: 6 }, () => create(secret)))
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 201, 409, 409, 409, 409])
    expect(answers.find(({ status }) => status === 409)?.headers.get('error-code')).toBe('key_limit_reached')
  })
})

describe('GET /api-keys', () => {
  it('lists live keys before revoked ones, and no key of another business', async () => {
    const { secret, id } = await business()
    const other = await business()
    later(1)
    const { body: first } = await create(secret, { name: 'First' })
    later(1)
    const { body: second } = await create(secret, { name: 'Second' })
    await revoke(secret, first.id)
    const { status, body } = await list(secret)
    expect(status).toBe(200)
    expect(body.api_keys.map((key: { id: string }) => key.id)).toEqual([second.id, id, first.id])
    expect(JSON.stringify(body)).not.toContain(other.id)
  })

  it('shows when a key was last used', async () => {
    const { secret, id } = await business()
    await list(secret)
    const find = async () =>
      (await list(secret)).body.api_keys.find((key: { id: string }) => key.id === id).last_used_at
    await expect.poll(find).toBe(now.toISOString())
  })
})

describe('POST /api-keys/:id/roll', () => {
  it('makes a key with the same name and scopes, and the old one works to the end of the overlap', async () => {
    const { secret } = await business()
    const { body: old } = await create(secret, { name: 'Till', scopes: ['keys-manage', 'payments'] })
    const { status, body } = await roll(secret, old.id, { overlap_seconds: 600 })
    expect(status).toBe(201)
    expect(body).toMatchObject({ name: 'Till', scopes: ['payments', 'keys-manage'], revoked_at: null })
    expect(body.old).toMatchObject({ id: old.id, revoked_at: new Date(now.getTime() + 600_000).toISOString() })
    expect((await list(old.api_key)).status).toBe(200)
    later(599)
    expect((await list(old.api_key)).status).toBe(200)
    later(1)
    expect((await list(old.api_key)).status).toBe(401)
    expect((await list(body.api_key)).status).toBe(200)
  })

  it('lets a key that was rolled live no longer when it is rolled again', async () => {
    const { secret } = await business()
    const { body: old } = await create(secret, { scopes: ['keys-manage'] })
    const { body: first } = await roll(secret, old.id, { overlap_seconds: 60 })
    const { body: second } = await roll(old.api_key, old.id, { overlap_seconds: 600 })
    expect(second.old.revoked_at).toBe(first.old.revoked_at)
    expect((await roll(secret, old.id)).body.old.revoked_at).toBe(now.toISOString())
  })

  it('stops the old key at once without an overlap', async () => {
    const { secret } = await business()
    const { body: old } = await create(secret, { scopes: ['keys-manage'] })
    expect((await list(old.api_key)).status).toBe(200)
    await roll(secret, old.id)
    expect((await list(old.api_key)).status).toBe(401)
  })

  it.each([-1, 604_801, 1.5, 'day'])('refuses an overlap of %s', async (overlap_seconds) => {
    const { secret, id } = await business()
    const { status, body } = await roll(secret, id, { overlap_seconds })
    expect([status, body.error]).toEqual([400, expect.stringContaining('overlap_seconds must be an integer')])
  })

  it('finds no revoked key, no key of another business, and no id that is none', async () => {
    const { secret } = await business()
    const { body: revoked } = await create(secret)
    await revoke(secret, revoked.id)
    for (const id of [revoked.id, (await business()).id, UNKNOWN, 'x'])
      expect((await roll(secret, id)).status).toBe(404)
  })

  it('does not give a manager the scopes of a stronger key', async () => {
    const { accountId, id } = await business()
    expect((await roll(await keyOf(accountId, ['keys-manage']), id)).status).toBe(403)
  })
})

describe('DELETE /api-keys/:id', () => {
  it('stops a key, and a repeat keeps the time of the first', async () => {
    const { secret } = await business()
    const { body: made } = await create(secret, { scopes: ['keys-manage'] })
    expect((await list(made.api_key)).status).toBe(200)
    const { status, body } = await revoke(secret, made.id)
    expect([status, body.revoked_at]).toEqual([200, now.toISOString()])
    expect((await list(made.api_key)).status).toBe(401)
    later(5)
    expect((await revoke(secret, made.id)).body).toEqual(body)
  })

  it('finds no key of another business, and no id that is none', async () => {
    const { secret } = await business()
    for (const id of [(await business()).id, UNKNOWN, 'x']) expect((await revoke(secret, id)).status).toBe(404)
  })
})

it('a key without the scope manages no keys, and no key at all is 401', async () => {
  const { accountId, id } = await business()
  const usual = await keyOf(accountId, USUAL_KEY_SCOPES)
  for (const answer of [await create(usual), await list(usual), await roll(usual, id), await revoke(usual, id)])
    expect([answer.status, answer.body]).toEqual([403, { error: 'this needs the permission keys-manage' }])
  for (const [method, path] of [
    ['POST', '/api-keys'],
    ['GET', '/api-keys'],
    ['POST', `/api-keys/${id}/roll`],
    ['DELETE', `/api-keys/${id}`],
  ] as const)
    expect((await service.ask(method, path)).status).toBe(401)
})

it('the audit log says who made, rolled and revoked which key, and never shows a key', async () => {
  const { secret } = await business()
  const { body: made } = await create(secret, { name: 'Till' })
  const { body: rolled } = await roll(secret, made.id, { overlap_seconds: 60 })
  await revoke(secret, rolled.id)
  const query = '{ auditLog { edges { node { action actor { kind credential ip } changes } } } }'
  const { body, text } = await service.graphql(query, {}, withKey(secret))
  const actor = { kind: 'api_key', credential: `sk_live_…${secret.slice(-4)}`, ip: '127.0.0.1' }
  expect(body.data.auditLog.edges.map(({ node }: { node: object }) => node).slice(0, 3)).toEqual([
    {
      action: 'key_revoked',
      actor,
      changes: {
        id: [rolled.id, rolled.id],
        name: ['Till', 'Till'],
        hint: [rolled.hint, rolled.hint],
        revoked_at: [null, now.toISOString()],
      },
    },
    { action: 'key_rolled', actor, changes: expect.objectContaining({ id: [made.id, rolled.id] }) },
    { action: 'key_created', actor, changes: expect.objectContaining({ name: [null, 'Till'] }) },
  ])
  for (const shown of [secret, made.api_key, rolled.api_key]) expect(text).not.toContain(shown)
})

it('the audit log is for callers with the scope, and shows no other business', async () => {
  const { accountId, secret, id } = await business()
  const other = await business()
  const ask = (key: string) => service.graphql('{ auditLog { edges { node { changes } } } }', {}, withKey(key))
  expect((await ask(await keyOf(accountId, USUAL_KEY_SCOPES))).body.errors[0].extensions.code).toBe('forbidden')
  expect((await ask(secret)).text).toContain(id)
  expect((await ask(other.secret)).text).not.toContain(id)
})
