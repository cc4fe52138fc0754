import { expect, it } from 'vitest'
import type { KeyPermission } from '#core/accounts/permissions.ts'
import { ServiceError } from '#core/errors.ts'
import { NO_LIMITS } from '#graphql/limits.ts'
import { createIdentify, SessionSecret } from '#graphql/principal.ts'
import type { Proofs } from '#graphql/proofs.ts'
import { pendingIntent } from '../support/example-intent.ts'
import { API_KEY, credential, OPERATOR_TOKEN, startTestService, withKey } from '../support/services.ts'

const proofs: Pick<Proofs, 'prove'> = { prove: (_kind, _credential, _asker, ask) => ask() }
const noSession = {
  authenticate: async () => {
    throw new ServiceError('unauthenticated')
  },
}
const identify = createIdentify({ authenticate: async () => credential('live') }, noSession, proofs, NO_LIMITS)

it.each([
  [null, 'anonymous'],
  [`Bearer ${API_KEY}`, 'business'],
  [`bearer   ${API_KEY} `, 'business'],
])('%s is %s', async (authorization, kind) => {
  expect((await identify(authorization, '203.0.113.7')).kind).toBe(kind)
})

it.each(['', 'Bearer', 'Bearer ', `Basic ${API_KEY}`, API_KEY, `Bearer ${OPERATOR_TOKEN}`, `Bearer x ${API_KEY}`])(
  '%s identifies no business',
  async (authorization) => {
    await expect(identify(authorization, '203.0.113.7')).rejects.toMatchObject({ code: 'unauthenticated' })
  },
)

it('the secret of a session that is over is anonymous, and no header can be one', async () => {
  expect(await identify(new SessionSecret(`ss_${'a'.repeat(43)}`), '203.0.113.7')).toEqual({ kind: 'anonymous' })
  await expect(identify(`Bearer ss_${'a'.repeat(43)}`, '203.0.113.7')).rejects.toMatchObject({
    code: 'unauthenticated',
  })
})

it('a key does only what its scopes allow', async () => {
  const scopes: readonly KeyPermission[] = ['marketplace-view']
  const { key, ...rest } = credential('live')
  const service = await startTestService({
    services: {
      accounts: { authenticate: async () => ({ ...rest, key: { ...key, scopes } }) },
      intents: { findByIndex: async () => pendingIntent },
    },
  })
  const { status, body } = await service.get('/status?index=42', withKey())
  await service.close()
  expect([status, Object.keys(body)]).toEqual([403, ['error']])
})
