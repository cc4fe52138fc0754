import { expect, it } from 'vitest'
import { withParts } from '#core/accounts/permissions.ts'
import { ServiceError } from '#core/errors.ts'
import type { Principal } from '#graphql/principal.ts'
import { createUploads } from '#graphql/uploads.ts'
import { credential } from '../support/services.ts'

const { key, tenant } = credential('live')
const business = (accountId: string): { principal: Principal; address: string } => ({
  address: '192.0.2.1',
  principal: {
    kind: 'business',
    tenant: { ...tenant, accountId },
    credential: { kind: 'key', id: key.id, hint: key.hint },
    marketplace: 'active',
    permissions: withParts(key.scopes),
  },
})
const limited = expect.objectContaining({ code: 'rate_limited', context: { retry_after_seconds: 1 } })
const allow = { requireRoom: async () => {} }

it('a business has few uploads at once, and a place is given back once', async () => {
  const uploads = createUploads(allow, { atOnce: 9, atOncePerCaller: 2 })
  const end = await uploads.begin(business('a'))
  await uploads.begin(business('a'))
  await expect(uploads.begin(business('a'))).rejects.toEqual(limited)
  await uploads.begin(business('b'))
  end()
  end()
  await uploads.begin(business('a'))
  await expect(uploads.begin(business('a'))).rejects.toEqual(limited)
})

it('all callers together have few uploads at once', async () => {
  const uploads = createUploads(allow, { atOnce: 2, atOncePerCaller: 2 })
  const end = await uploads.begin(business('a'))
  await uploads.begin({ principal: { kind: 'operator' }, address: '192.0.2.1' })
  await expect(uploads.begin(business('c'))).rejects.toEqual(limited)
  end()
  await uploads.begin(business('c'))
})

it('a key whose tally is full takes no place', async () => {
  const full = async () => {
    throw new ServiceError('rate_limited')
  }
  await expect(
    createUploads({ requireRoom: full }, { atOnce: 1, atOncePerCaller: 1 }).begin(business('a')),
  ).rejects.toEqual(expect.objectContaining({ code: 'rate_limited' }))
})
