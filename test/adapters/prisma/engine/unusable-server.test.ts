// What the start says of a server that it cannot use. A message of the system is never shown: it can contain a part of a password.
import { describe, expect, it } from 'vitest'
import type { ServerFacts } from '#adapters/prisma/engine/sessions.ts'
import { withClass } from '#adapters/prisma/engine/unavailable.ts'
import { judgeRole, unusableServer } from '#adapters/prisma/engine/unusable-server.ts'

describe('unusable server', () => {
  const CORRECT = 'correct this, and start the service again'

  it.each([
    ['ECONNREFUSED', 'no database listens there (ECONNREFUSED)', undefined],
    ['ENOTFOUND', 'its host is not known (ENOTFOUND)', undefined],
    ['EAI_AGAIN', 'its host is not known (EAI_AGAIN)', undefined],
    ['ETIMEDOUT', 'the database cannot be reached (ETIMEDOUT)', undefined],
    ['SELF_SIGNED_CERT_IN_CHAIN', 'the database cannot be reached (SELF_SIGNED_CERT_IN_CHAIN)', CORRECT],
  ])('%s is explained, and the address only where it can be the cause', (code, message, advice) => {
    const error = withClass(Object.assign(new Error('connect to pass@host'), { code }))
    expect(unusableServer('directUrl', error)).toMatchObject({ address: 'directUrl', message, advice })
  })
})

// The refusals of a pooler whose sessions lack what the service needs.
describe('judged server', () => {
  const NEEDED = { statement_timeout: 10_000, idle_in_transaction_session_timeout: 30_000 }

  const facts = (zone: string, statement: string): ServerFacts => ({
    version: 18,
    role: '"the-shop"',
    database: '1/1',
    lending: 'transaction',
    zone,
    limits: { statement_timeout: statement, idle_in_transaction_session_timeout: '30s' },
  })

  it.each(['UTC', 'Etc/UTC'])('a role whose sessions are in %s, with limits, can be used', (zone) => {
    expect(() => judgeRole(facts(zone, '5s'), NEEDED)).not.toThrow()
  })

  it('a pooler that forgets the time zone of a connection needs a role with UTC', () => {
    const refused = expect.objectContaining({
      address: 'url',
      advice: `run ALTER ROLE "the-shop" SET TimeZone = 'UTC'; then let the pooler reconnect`,
    })
    expect(() => judgeRole(facts('Europe/London', '5s'), NEEDED)).toThrow(refused)
  })

  it('a role needs limits for statements, where a connection cannot set them', () => {
    const advice = 'run ALTER ROLE "the-shop" SET statement_timeout = 10000; then let the pooler reconnect'
    expect(() => judgeRole(facts('UTC', '0'), NEEDED)).toThrow(expect.objectContaining({ advice }))
  })
})
