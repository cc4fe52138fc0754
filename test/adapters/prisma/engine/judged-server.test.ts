// The refusals of a pooler whose sessions lack what the service needs.
import { expect, it } from 'vitest'
import { judgeRole } from '#adapters/prisma/engine/judged-server.ts'
import type { ServerFacts } from '#adapters/prisma/engine/sessions.ts'

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
