// The requests with the API keys of a business over GraphQL and a real database: whose they are, their pages, and their indexes.
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { Database } from '#adapters/prisma/engine/database.ts'
import { createRequestLogStore } from '#adapters/prisma/platform/request-log-store.ts'
import { createTenantReads } from '#adapters/prisma/tenant-reads.ts'
import type { ApiRequest } from '#core/accounts/api-request.ts'
import { openRecordedDatabase, type Statement } from '../../support/database.ts'
import { pendingIntent } from '../../support/example-intent.ts'
import { credential, startTestService, type TestService, withKey } from '../../support/services.ts'
import { indexesOf } from '../../support/statements.ts'

const START = Date.parse('2026-11-20T12:00:00.000Z')
const COUNT = 5_000

let database: Database
let statements: Statement[]
let service: TestService

const request = (at: number, fields: Partial<ApiRequest> = {}): ApiRequest => ({
  accountId: pendingIntent.accountId,
  keyHint: '0000',
  method: 'GET',
  route: '/status',
  status: at % 1_000 === 0 ? 404 : 200,
  errorCode: at % 1_000 === 0 ? 'intent_not_found' : null,
  requestId: `r-${at}`,
  createdAt: new Date(START + at * 1_000),
  ...fields,
})

beforeAll(async () => {
  const opened = await openRecordedDatabase()
  database = opened.database
  statements = opened.statements
  const store = createRequestLogStore(database)
  await store.insert(Array.from({ length: COUNT }, (_, at) => request(at + 1)))
  await store.insert([request(9_999, { accountId: '0b9d7f4e-93b4-4a0a-8f0a-5f3a52b1d009' })])
  await database.session(({ script }) => script('VACUUM ANALYZE api_requests'))
  service = await startTestService({
    reads: createTenantReads(database.prisma),
    services: {
      accounts: {
        authenticate: async (key) => {
          const known = credential('live')
          return key.endsWith('keys') ? known : { ...known, key: { ...known.key, scopes: ['webhooks-manage'] } }
        },
      },
    },
  })
})
afterAll(async () => {
  await service.close()
  await database.close()
})

const PAGE = `query($first: Int, $after: String, $filter: ApiRequestFilter) {
  apiRequests(first: $first, after: $after, filter: $filter) {
    edges { node { requestId status errorCode } }
    pageInfo { endCursor hasNextPage }
  }
}`
type Edge = { node: { requestId: string } }
async function page(variables: object) {
  const { body } = await service.graphql(PAGE, variables, withKey('sk_live_keys'))
  const { edges, pageInfo } = body.data.apiRequests
  return { ids: edges.map(({ node }: Edge) => node.requestId), pageInfo }
}
const indexesOfLast = () =>
  indexesOf(
    database,
    statements.findLast(({ sql }) => sql.startsWith('SELECT')),
  )

it('lists the requests of the business alone, the newest first, in pages', async () => {
  const first = await page({ first: 2 })
  expect(first.ids).toEqual(['r-5000', 'r-4999'])
  expect(await indexesOfLast()).toEqual(['api_requests_account_id_created_at_id_idx'])
  expect((await page({ first: 2, after: first.pageInfo.endCursor })).ids).toEqual(['r-4998', 'r-4997'])
})

it('finds what was refused by an index of it alone, and what was done', async () => {
  expect((await page({ first: 5, filter: { isRefused: true } })).ids).toEqual([
    ...['r-5000', 'r-4000', 'r-3000', 'r-2000', 'r-1000'],
  ])
  expect(await indexesOfLast()).toEqual(['api_requests_refused'])
  expect((await page({ first: 1, filter: { isRefused: false } })).ids).toEqual(['r-4999'])
})

it('is for keys that may manage keys, and for members who may', async () => {
  const { body } = await service.graphql(PAGE, {}, withKey())
  expect(body.errors[0].extensions.code).toBe('forbidden')
})

it('removes the oldest in batches', async () => {
  const { removeExpired } = createRequestLogStore(database)
  expect(await removeExpired(new Date(START + 3_000), 1)).toBe(1)
  expect(await removeExpired(new Date(START + 3_000), 10)).toBe(1)
  expect(await removeExpired(new Date(START + 3_000), 10)).toBe(0)
})
