// The operator's own log: each change is in it before it is made, with how it ended.
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { Database } from '#adapters/prisma/engine/database.ts'
import { createOperatorLogStore } from '#adapters/prisma/platform/operator-store.ts'
import { ServiceError } from '#core/errors.ts'
import { createOperatorLogServices } from '#services/platform/operator-log.ts'
import { openTestDatabase } from '../support/database.ts'
import { credential, startTestService, type TestService } from '../support/services.ts'

const { account } = credential('live')
let now = new Date('2026-11-20T10:00:00Z')
let database: Database
let service: TestService
/** What the change finds in the log. */
let seen: unknown
let outcome: () => typeof account = () => account

beforeAll(async () => {
  database = await openTestDatabase()
  const operatorLog = createOperatorLogServices({
    operatorLog: createOperatorLogStore(database.prisma),
    wallClock: { now: () => now },
  })
  service = await startTestService({
    services: {
      operatorLog,
      accounts: {
        async update() {
          seen = (await operatorLog.list(1, null))[0]?.outcome
          now = new Date(now.getTime() + 1_000)
          return outcome()
        },
        webhookUrl: async () => null,
        webhookEvents: async () => [],
      },
    },
  })
})
afterAll(async () => {
  await service.close()
  await database.close()
})

const UPDATE = `mutation ($id: UUID!) { updateAccount(id: $id, input: { label: "Shop" }) { id } }`
const logOf = async (query = 'limit: 10') =>
  (await service.operator(`{ operatorLog(${query}) { id action given ip startedAt outcome endedAt } }`)).body.data
    .operatorLog

it('an entry has what was asked for, from where, and when it began and ended', async () => {
  const startedAt = now.toISOString()
  await service.operator(UPDATE, { id: account.id })
  expect(seen).toBeNull()
  const [entry] = await logOf()
  expect(entry).toMatchObject({ action: 'updateAccount', ip: '127.0.0.1', startedAt, outcome: 'done' })
  expect(JSON.parse(entry.given)).toEqual({ id: account.id, input: { label: 'Shop' } })
  expect(new Date(entry.endedAt).getTime() - new Date(startedAt).getTime()).toBe(1_000)
})

it.each([
  ['account_not_found', () => new ServiceError('account_not_found', { id: account.id })],
  ['internal_error', () => new TypeError('a defect')],
] as const)('a change that fails is logged with the code %s', async (code, error) => {
  outcome = () => {
    throw error()
  }
  const { body } = await service.operator(UPDATE, { id: account.id })
  expect(body.errors[0].extensions.code).toBe(code)
  expect((await logOf('limit: 1'))[0]).toMatchObject({ action: 'updateAccount', outcome: code })
  outcome = () => account
})

it('reads are not logged, and pages follow each other', async () => {
  const before = await logOf()
  await service.operator('query ($id: UUID!) { account(id: $id) { id } }', { id: account.id })
  expect(await logOf()).toEqual(before)
  expect(await logOf(`limit: 1, before: "${before[0].id}"`)).toEqual([before[1]])
})

it('an image is its number of bytes, and a list that is too long its number of characters', async () => {
  const logo = Buffer.from([137, 80, 78, 71]).toString('base64')
  await service.operator(`mutation { setBrand(id: "${account.id}", input: { logo: "${logo}" }) { id } }`)
  expect(JSON.parse((await logOf('limit: 1'))[0].given)).toEqual({ id: account.id, input: { logo: { bytes: 4 } } })
  const types = Array.from({ length: 60 }, (_, at) => `"${'x'.repeat(80)}.${at}"`).join()
  await service.operator(UPDATE.replace('label: "Shop"', `webhookEvents: [${types}]`), { id: account.id })
  expect((await logOf('limit: 1'))[0].given).toMatch(/^\{"characters":5\d\d\d\}$/)
})

it('a change that cannot be logged is not made', async () => {
  seen = 'not asked'
  await database.query('ALTER TABLE operator_log RENAME TO operator_log_away')
  const { body } = await service.operator(UPDATE, { id: account.id })
  await database.query('ALTER TABLE operator_log_away RENAME TO operator_log')
  expect([body.errors[0].extensions.code, seen]).toEqual(['internal_error', 'not asked'])
})

it('logins and logouts are left out where that is asked for', async () => {
  await service.operator('mutation { endOperatorSession }')
  await service.operator(UPDATE, { id: account.id })
  await service.operator('mutation { endOperatorSession }')
  expect((await logOf('limit: 1')).map(({ action }: { action: string }) => action)).toEqual(['endOperatorSession'])
  const without = await logOf('limit: 2, logins: false')
  expect(without.map(({ action }: { action: string }) => action)).toEqual([
    'updateAccount',
    expect.not.stringContaining('Session'),
  ])
})
